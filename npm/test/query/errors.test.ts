import { describe, expect, it } from 'vitest'
import * as errors from '../../src/errors.ts'

const leaves: Array<[errors.TanStackDBError, string, new (...args: never[]) => Error]> = [
  [
    new errors.CollectionRequiresConfigError(),
    'CollectionConfigurationError',
    errors.CollectionConfigurationError,
  ],
  [
    new errors.CollectionRequiresSyncConfigError(),
    'CollectionConfigurationError',
    errors.CollectionConfigurationError,
  ],
  [
    new errors.CollectionInErrorStateError('insert', 'c'),
    'CollectionStateError',
    errors.CollectionStateError,
  ],
  [
    new errors.InvalidCollectionStatusTransitionError('idle', 'ready', 'c'),
    'CollectionStateError',
    errors.CollectionStateError,
  ],
  [new errors.CollectionIsInErrorStateError(), 'CollectionStateError', errors.CollectionStateError],
  [new errors.NegativeActiveSubscribersError(), 'CollectionStateError', errors.CollectionStateError],
  [new errors.UndefinedKeyError({}), 'CollectionOperationError', errors.CollectionOperationError],
  [new errors.InvalidKeyError(null, {}), 'CollectionOperationError', errors.CollectionOperationError],
  [new errors.DuplicateKeyError(1), 'CollectionOperationError', errors.CollectionOperationError],
  [new errors.DuplicateKeySyncError('k', 'c'), 'CollectionOperationError', errors.CollectionOperationError],
  [new errors.MissingUpdateArgumentError(), 'CollectionOperationError', errors.CollectionOperationError],
  [new errors.NoKeysPassedToUpdateError(), 'CollectionOperationError', errors.CollectionOperationError],
  [new errors.UpdateKeyNotFoundError(1), 'CollectionOperationError', errors.CollectionOperationError],
  [new errors.KeyUpdateNotAllowedError(1, 2), 'CollectionOperationError', errors.CollectionOperationError],
  [new errors.NoKeysPassedToDeleteError(), 'CollectionOperationError', errors.CollectionOperationError],
  [new errors.DeleteKeyNotFoundError(1), 'CollectionOperationError', errors.CollectionOperationError],
  [new errors.MissingInsertHandlerError(), 'MissingHandlerError', errors.MissingHandlerError],
  [new errors.MissingUpdateHandlerError(), 'MissingHandlerError', errors.MissingHandlerError],
  [new errors.MissingDeleteHandlerError(), 'MissingHandlerError', errors.MissingHandlerError],
  [new errors.NoPendingSyncTransactionWriteError(), 'TransactionError', errors.TransactionError],
  [new errors.NoPendingSyncTransactionCommitError(), 'TransactionError', errors.TransactionError],
  [new errors.SubQueryMustHaveFromClauseError('from clause'), 'QueryBuilderError', errors.QueryBuilderError],
  [new errors.LimitOffsetRequireOrderByError(), 'QueryCompilationError', errors.QueryCompilationError],
]

describe('the error tree', () => {
  it.each(leaves)('%s reports the name of its root', (error, name, parent) => {
    expect(error.name).toBe(name)
    expect(error).toBeInstanceOf(parent)
    expect(error).toBeInstanceOf(errors.TanStackDBError)
    expect(error).toBeInstanceOf(Error)
  })

  it('keeps the cause of what a host reported', () => {
    const cause = new RangeError('stack')
    for (const error of [
      new errors.EngineStartError('no WebAssembly', { cause }),
      new errors.EngineVersionError(1, 2, { cause }),
      new errors.EngineCrashedError('out of memory', { cause }),
      new errors.EngineCommandError('unknown-column', 'no column 7', { cause }),
      new errors.SyncCleanupError('c', cause),
    ]) {
      expect(error.cause).toBe(cause)
      expect(error.name).toBe(error.constructor.name)
      expect(error).toBeInstanceOf(errors.TanStackDBError)
    }
    expect(new errors.EngineCommandError('unknown-column', 'no column 7').code).toBe('unknown-column')
    expect('cause' in new errors.EngineStartError('x')).toBe(false)
  })

  it('advises where a getKey makes rows collide', () => {
    const text = (context: errors.DuplicateKeyContext) =>
      new errors.DuplicateKeySyncError('k', 'c', context).message
    expect(text({})).toContain('Write it as an update')
    expect(text({ hasCustomGetKey: true, hasDistinct: true })).toContain('distinct()')
    expect(text({ hasCustomGetKey: true, hasJoins: true })).toContain('joins')
  })

  it('shows keys so that 1 and "1" differ, and no row contents', () => {
    expect(new errors.DuplicateKeyError('1').message).toContain('"1"')
    expect(new errors.DuplicateKeyError(1).message).toContain('key 1:')
    const hostile = new Proxy(
      {},
      {
        get: () => {
          throw new Error('touched')
        },
      },
    )
    expect(new errors.UndefinedKeyError(hostile).message).toContain('an object')
  })
})
