import { describe, expect, it } from 'vitest'
import * as errors from '../../src/errors.ts'

type Exported = Record<string, new (...args: unknown[]) => Error>
const classes = errors as unknown as Exported
const classNamed = (name: string): Exported[string] => {
  const found = classes[name]
  if (found === undefined) throw new Error(`no class ${name}`)
  return found
}

/** Parent, then its children with the arguments that make an example of each. */
const tree: Record<string, Record<string, readonly unknown[]>> = {
  Error: { TanStackDBError: ['x'], UnhashableQueryIRError: ['select.name', 'a function'] },
  TanStackDBError: {
    NonRetriableError: ['x'],
    SchemaValidationError: ['insert', [{ message: 'too short', path: ['name'] }]],
    DuplicateDbInstanceError: [],
    CollectionConfigurationError: ['x'],
    CollectionStateError: ['x'],
    CollectionOperationError: ['x'],
    MissingHandlerError: ['x'],
    TransactionError: ['x'],
    QueryBuilderError: ['x'],
    QueryCompilationError: ['x'],
    JoinError: ['x'],
    GroupByError: ['x'],
    StorageError: ['x'],
    SyncCleanupError: ['people', new Error('socket')],
    QueryOptimizerError: ['x'],
  },
  CollectionConfigurationError: {
    CollectionRequiresConfigError: [],
    CollectionRequiresSyncConfigError: [],
    InvalidSchemaError: [],
    SchemaMustBeSynchronousError: [],
  },
  CollectionStateError: {
    CollectionInErrorStateError: ['insert', 'people'],
    InvalidCollectionStatusTransitionError: ['idle', 'ready', 'people'],
    CollectionIsInErrorStateError: [],
    NegativeActiveSubscribersError: [],
    LiveQueryObserverDisposedError: [],
    LiveQueryWindowControllerDisposedError: [],
  },
  CollectionOperationError: {
    UndefinedKeyError: [{}],
    InvalidKeyError: [true, {}],
    DuplicateKeyError: ['k'],
    DuplicateKeySyncError: ['k', 'people'],
    MissingUpdateArgumentError: [],
    NoKeysPassedToUpdateError: [],
    UpdateKeyNotFoundError: ['k'],
    KeyUpdateNotAllowedError: ['k', 'l'],
    NoKeysPassedToDeleteError: [],
    DeleteKeyNotFoundError: ['k'],
  },
  MissingHandlerError: {
    MissingInsertHandlerError: [],
    MissingUpdateHandlerError: [],
    MissingDeleteHandlerError: [],
  },
  TransactionError: {
    MissingMutationFunctionError: [],
    OnMutateMustBeSynchronousError: [],
    TransactionNotPendingMutateError: [],
    TransactionAlreadyCompletedRollbackError: [],
    TransactionNotPendingCommitError: [],
    NoPendingSyncTransactionWriteError: [],
    SyncTransactionAlreadyCommittedWriteError: [],
    NoPendingSyncTransactionCommitError: [],
    SyncTransactionAlreadyCommittedError: [],
  },
  QueryBuilderError: {
    OnlyOneSourceAllowedError: ['from clause'],
    SubQueryMustHaveFromClauseError: ['from clause'],
    InvalidSourceError: ['user'],
    InvalidSourceTypeError: ['from clause', 'string'],
    JoinConditionMustBeEqualityError: [],
    UnsupportedNestedQueryError: ['posts'],
    QueryMustHaveFromClauseError: [],
    InvalidWhereExpressionError: ['boolean'],
  },
  QueryCompilationError: {
    DuplicateSourceAliasError: ['row', 'the query over "user"'],
    ExistsOutsideWhereError: ['select() of the query over "user"'],
    RecursionError: ['place', 'the step selects nothing'],
    UnknownSourceReferenceError: ['zz.id', ['user'], 'where() of the query over "user"'],
    UnsafeAliasPathError: ['__proto__'],
    DistinctRequiresSelectError: [],
    FnSelectWithGroupByError: [],
    UnsupportedRootScalarSelectError: [],
    HavingRequiresGroupByError: [],
    LimitOffsetRequireOrderByError: [],
    CollectionInputNotFoundError: ['user', 'people', ['team']],
    DuplicateAliasInSubqueryError: ['user', ['user', 'team']],
    UnsupportedFromTypeError: ['table'],
    UnknownExpressionTypeError: ['unknown'],
    EmptyReferencePathError: [],
    UnknownFunctionError: ['unknownFunc'],
    JoinCollectionNotFoundError: ['people'],
    SubscriptionNotFoundError: ['u', 'user', 'people', ['team']],
    AggregateNotSupportedError: [],
    MissingAliasInputsError: [['user']],
    SetWindowRequiresOrderByError: [],
  },
  JoinError: {
    UnsupportedJoinTypeError: ['cross'],
    InvalidJoinConditionSameSourceError: ['user'],
    InvalidJoinConditionSourceMismatchError: [],
    InvalidJoinConditionLeftSourceError: ['user'],
    InvalidJoinConditionRightSourceError: ['dept2'],
    InvalidJoinCondition: [],
    UnsupportedJoinSourceTypeError: ['table'],
  },
  GroupByError: {
    NonAggregateExpressionNotInGroupByError: ['invalidField'],
    UnsupportedAggregateFunctionError: ['median'],
    AggregateFunctionNotInSelectError: ['count'],
    UnknownHavingExpressionTypeError: ['unknown'],
  },
  StorageError: { SerializationError: ['insert', 'bigint'], LocalStorageCollectionError: ['x'] },
  LocalStorageCollectionError: {
    StorageKeyRequiredError: [],
    InvalidStorageDataFormatError: ['todos', 's:1'],
    InvalidStorageObjectFormatError: ['todos'],
  },
  QueryOptimizerError: {
    CannotCombineEmptyExpressionListError: [],
    WhereClauseConversionError: ['people', 'user'],
  },
}

/** The classes that set `name`; any other reports the name of the nearest one above. */
const named = new Set([
  ...Object.keys(tree),
  ...Object.keys(tree.TanStackDBError as object),
  'UnhashableQueryIRError',
  'OnMutateMustBeSynchronousError',
  'UnsafeAliasPathError',
])

const leaves = Object.entries(tree).flatMap(([parent, children]) =>
  Object.entries(children).map(([name, args]) => ({ name, parent, args })),
)
const make = (name: string): Error => {
  const entry = leaves.find((leaf) => leaf.name === name)
  return new (classNamed(name))(...(entry?.args ?? []))
}
const abstract = new Set(leaves.filter(({ args }) => args[0] === 'x').map(({ name }) => name))

describe('the tree of errors', () => {
  it.each(leaves)('$name is a child of $parent', ({ name, parent }) => {
    const child = classNamed(name)
    expect(Object.getPrototypeOf(child)).toBe(parent === 'Error' ? Error : classNamed(parent))
    expect(child.name).toBe(name)
  })

  it.each(leaves)('$name reports the name of the nearest class that sets one', ({ name, parent }) => {
    expect(make(name).name).toBe(named.has(name) ? name : parent)
  })

  it.each(leaves.filter(({ name }) => !abstract.has(name)))(
    '$name says what is wrong and what to do',
    ({ name, args }) => {
      const { message } = make(name)
      expect(message).not.toMatch(/\[object/)
      expect(message.length).toBeGreaterThan(30)
      for (const arg of args)
        if (typeof arg === 'string') expect(message.toLowerCase()).toContain(arg.toLowerCase())
    },
  )

  it('covers every class there is, but for those of the engine and of moving windows', () => {
    const known = new Set(leaves.map(({ name }) => name))
    const others = Object.keys(errors).filter((name) => !known.has(name))
    expect(others).toEqual([
      'EngineCommandError',
      'EngineCrashedError',
      'EngineStartError',
      'EngineVersionError',
      'SetWindowReentrancyError',
    ])
  })
})

describe('the texts that applications and adapters match', () => {
  const fragments: ReadonlyArray<readonly [string, string]> = [
    [
      'LimitOffsetRequireOrderByError',
      'LIMIT and OFFSET require an ORDER BY clause to ensure deterministic results',
    ],
    [
      'InvalidJoinConditionSameSourceError',
      'Invalid join condition: both expressions refer to the same source "user"',
    ],
    [
      'InvalidJoinConditionRightSourceError',
      'Invalid join condition: right expression does not refer to the joined source "dept2"',
    ],
    [
      'InvalidJoinConditionSourceMismatchError',
      'Invalid join condition: expressions must reference source aliases',
    ],
    [
      'UnsupportedRootScalarSelectError',
      'Top-level scalar select() is not supported by createLiveQueryCollection() or queryOnce()',
    ],
    [
      'NonAggregateExpressionNotInGroupByError',
      "Non-aggregate expression 'invalidField' in SELECT must also appear in GROUP BY clause",
    ],
    ['UnknownFunctionError', 'Unknown function: unknownFunc'],
    ['UnknownExpressionTypeError', 'Unknown expression type: unknown'],
    ['EmptyReferencePathError', 'Reference path cannot be empty'],
    ['InvalidWhereExpressionError', 'Invalid where('],
    ['LiveQueryObserverDisposedError', 'disposed LiveQueryObserver'],
  ]
  it.each(fragments)('%s says "%s"', (name, fragment) => {
    expect(make(name).message).toContain(fragment)
  })

  it('values in texts are short and safe', () => {
    const long = new errors.DuplicateKeyError('x'.repeat(1000)).message
    expect(long.length).toBeLessThan(250)
    const hostile = {
      toString: () => {
        throw new Error('do not')
      },
    }
    expect(new errors.UndefinedKeyError(hostile).message).toContain('an object')
    expect(new errors.InvalidKeyError(Symbol('s'), hostile).message).toContain('Symbol(s)')
  })
})

describe('what errors carry', () => {
  it('issues of a schema, and its own text if given', () => {
    const issues = [{ message: 'too short', path: ['address', 'street'] }, { message: 'not a row' }]
    const error = new errors.SchemaValidationError('update', issues)
    expect(error).toMatchObject({ type: 'update', issues })
    expect(error.message).toContain('too short - path: address.street')
    expect(error.message).toContain('not a row')
    expect(new errors.SchemaValidationError('insert', issues, 'my text').message).toBe('my text')
  })

  it('the path and the reason of what has no identity', () => {
    expect(new errors.UnhashableQueryIRError('where[0]', 'a function')).toMatchObject({
      path: 'where[0]',
      reason: 'a function',
    })
  })

  it('what a cleanup function threw', () => {
    const cause = new Error('socket')
    expect(new errors.SyncCleanupError('people', cause)).toMatchObject({ cause })
    expect(new errors.SyncCleanupError('people', 'text').message).toContain('text')
  })

  it('advice for live queries whose rows share a key', () => {
    const text = (context: errors.DuplicateKeyContext): string =>
      new errors.DuplicateKeySyncError(1, 'people', context).message
    expect(text({ hasCustomGetKey: true, hasDistinct: true })).toContain('distinct()')
    expect(text({ hasCustomGetKey: true, hasJoins: true })).toContain('joins')
    expect(text({ hasJoins: true })).not.toContain('getKey')
  })
})
