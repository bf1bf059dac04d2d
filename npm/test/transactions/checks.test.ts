import { describe, expect, it, vi } from 'vitest'
import {
  type CollectionConfig,
  CollectionInErrorStateError,
  CollectionOperationError,
  createLiveQueryCollection,
  createTransaction,
  DeleteKeyNotFoundError,
  DuplicateKeyError,
  InvalidKeyError,
  InvalidSchemaError,
  KeyUpdateNotAllowedError,
  MissingDeleteHandlerError,
  MissingInsertHandlerError,
  MissingUpdateArgumentError,
  MissingUpdateHandlerError,
  NoKeysPassedToDeleteError,
  NoKeysPassedToUpdateError,
  SchemaMustBeSynchronousError,
  SchemaValidationError,
  type StandardSchema,
  UndefinedKeyError,
  UpdateKeyNotFoundError,
} from '../../src/index.ts'
import { list, type Row, type SourceOptions, source } from '../shell/source.ts'
import { items, seen, set } from './world.ts'

const without: SourceOptions = { rows: [{ id: 1, n: 1 }] }
const never = () => {
  throw new Error('the callback was called')
}

/** What each operation says, in the order in which it looks. */
function refusal(run: () => unknown): unknown {
  try {
    run()
  } catch (error) {
    return (error as Error).constructor
  }
  return undefined
}

function failed(options: SourceOptions = {}) {
  const made = items(options)
  made.params.markError(new Error('offline'))
  return made.collection
}

describe('insert', () => {
  it('looks at the status before the handler', () => {
    expect(refusal(() => failed({ onInsert: undefined } as never).insert({ id: 9 }))).toBe(
      CollectionInErrorStateError,
    )
  })

  it('looks at the handler before the row', () => {
    const schema = vi.fn()
    const rows = source({ ...without, schema: { '~standard': { validate: schema } } as never }).collection
    expect(refusal(() => rows.insert({} as Row))).toBe(MissingInsertHandlerError)
    expect(refusal(() => rows.insert([]))).toBe(MissingInsertHandlerError)
    expect(schema).not.toHaveBeenCalled()
  })

  it('looks for duplicates before it looks at the key', () => {
    const rows = items().collection
    expect(refusal(() => rows.insert({ id: 1 }))).toBe(DuplicateKeyError)
    expect(refusal(() => rows.insert([{ id: 8 }, { id: 8 }]))).toBe(DuplicateKeyError)
    expect(refusal(() => rows.insert({} as Row))).toBe(UndefinedKeyError)
    for (const id of [null, true, {}, Symbol('id')])
      expect(refusal(() => rows.insert({ id } as never))).toBe(InvalidKeyError)
  })

  it('applies nothing if one row is refused', () => {
    const rows = items().collection
    expect(() => rows.insert([{ id: 8 }, { id: 1 }])).toThrow(DuplicateKeyError)
    expect(rows.has(8)).toBe(false)
  })

  it('takes falsy keys, and keys that differ by type', () => {
    const rows = items().collection
    rows.insert([{ id: 0 }, { id: '' }, { id: '1' }])
    expect([rows.has(0), rows.has(''), rows.has('1')]).toEqual([true, true, true])
  })

  it('refuses a row that another write has inserted, and takes one that is deleted for the moment', () => {
    const rows = items().collection
    rows.insert({ id: 8 })
    expect(() => rows.insert({ id: 8 })).toThrow(DuplicateKeyError)
    rows.delete(1)
    rows.insert({ id: 1, n: 'again' })
    expect(rows.get(1)?.n).toBe('again')
  })

  it('makes mutations of raw rows', () => {
    const rows = items({ id: 'mine' }).collection
    const write = rows.insert(
      [
        { id: 8, n: 8 },
        { id: '9', n: 9 },
      ],
      { metadata: { why: 'test' } },
    )
    const [first, second] = write.mutations
    expect(first).toEqual({
      mutationId: expect.stringMatching(/^[0-9a-f-]{36}$/) as unknown,
      type: 'insert',
      key: 8,
      globalKey: 'KEY::mine/8',
      original: {},
      modified: { id: 8, n: 8 },
      changes: { id: 8, n: 8 },
      metadata: { why: 'test' },
      syncMetadata: {},
      optimistic: true,
      createdAt: expect.any(Date) as unknown,
      updatedAt: expect.any(Date) as unknown,
      collection: rows,
    })
    expect(second?.globalKey).toBe('KEY::mine/9')
  })

  it('is complete at once for an empty list, and the active transaction inside one', () => {
    const rows = items().collection
    expect(rows.insert([])).toMatchObject({ state: 'completed', mutations: [] })
    const transaction = createTransaction({ autoCommit: false, mutationFn: async () => {} })
    transaction.mutate(() => expect(rows.insert([])).toBe(transaction))
  })
})

describe('update', () => {
  it('looks at its arguments, the status, the handler, the list, the rows', () => {
    expect(refusal(() => failed().update(undefined as never, never))).toBe(MissingUpdateArgumentError)
    expect(refusal(() => failed({ onUpdate: undefined } as never).update(1, never))).toBe(
      CollectionInErrorStateError,
    )
    expect(refusal(() => source(without).collection.update([], never))).toBe(MissingUpdateHandlerError)
    const rows = items().collection
    expect(refusal(() => rows.update([], never))).toBe(NoKeysPassedToUpdateError)
    expect(refusal(() => rows.update([1, 99], never))).toBe(UpdateKeyNotFoundError)
    expect(refusal(() => rows.update('1', never))).toBe(UpdateKeyNotFoundError)
  })

  it('refuses another key, and then changes nothing', () => {
    const rows = items().collection
    const move = () =>
      rows.update([1, 2], ([first, second]) => {
        first!.n = 5
        second!.id = 20
      })
    expect(move).toThrow(KeyUpdateNotAllowedError)
    expect(seen(rows)).toBe('1=1 2=2 3=3')
  })

  it('gives one draft for a key, and a list for a list', () => {
    const rows = items().collection
    rows.update(1, (draft) => expect(Array.isArray(draft)).toBe(false))
    rows.update([1], (drafts) => expect(drafts).toHaveLength(1))
    rows.update([2, 1], (drafts) => expect(drafts.map(({ id }) => id)).toEqual([2, 1]))
  })

  it('leaves out rows that did not change', () => {
    const rows = items().collection
    const write = rows.update([1, 2, 3], (drafts) => {
      drafts[0]!.n = 1
      drafts[1]!.n = 5
    })
    expect(write.mutations).toHaveLength(1)
    expect(write.mutations[0]).toMatchObject({
      key: 2,
      original: { id: 2, n: 2 },
      modified: { id: 2, n: 5 },
      changes: { n: 5 },
    })
    for (const row of [write.mutations[0]?.original, write.mutations[0]?.modified])
      expect(Object.keys(row as object)).toEqual(['id', 'n'])
  })

  it('that changes nothing is complete, and not the active transaction', async () => {
    const onUpdate = vi.fn()
    const rows = items({ onUpdate }).collection
    const write = rows.update(1, () => {})
    expect(write).toMatchObject({ state: 'completed', mutations: [] })
    await expect(write.isPersisted.promise).resolves.toBe(write)
    const transaction = createTransaction({ autoCommit: false, mutationFn: async () => {} })
    transaction.mutate(() => {
      const inside = rows.update(1, () => {})
      expect(inside).not.toBe(transaction)
      expect(inside.state).toBe('completed')
    })
    expect(onUpdate).not.toHaveBeenCalled()
  })

  it('carries what the source has stored beside the row', () => {
    const { collection, commit } = items()
    commit(({ write, metadata }) => {
      write({ type: 'update', key: 1, value: { id: 1, n: 1 } } as never)
      metadata.row.set(1, { version: 7 })
    })
    expect(collection.update(1, set(2)).mutations[0]?.syncMetadata).toEqual({ version: 7 })
    expect(collection.delete(1).mutations[0]?.syncMetadata).toEqual({ version: 7 })
    expect(collection.delete(2).mutations[0]?.syncMetadata).toEqual({})
  })

  it('is undone when its callback throws', () => {
    const rows = items().collection
    expect(() =>
      rows.update(1, (draft) => {
        draft.n = 5
        throw new Error('mine')
      }),
    ).toThrow('mine')
    expect(seen(rows)).toBe('1=1 2=2 3=3')
  })
})

describe('delete', () => {
  it('looks at the status, the handler, the list, the rows', () => {
    expect(refusal(() => failed({ onDelete: undefined } as never).delete(1))).toBe(
      CollectionInErrorStateError,
    )
    expect(refusal(() => source(without).collection.delete([]))).toBe(MissingDeleteHandlerError)
    const rows = items().collection
    expect(refusal(() => rows.delete([]))).toBe(NoKeysPassedToDeleteError)
    expect(refusal(() => rows.delete([1, 99]))).toBe(DeleteKeyNotFoundError)
    rows.delete(1)
    expect(refusal(() => rows.delete(1))).toBe(DeleteKeyNotFoundError)
    expect(seen(rows)).toBe('2=2 3=3')
  })

  it('has the row as it was shown', () => {
    const rows = items().collection
    rows.update(1, set(5))
    const row = { id: 1, n: 5 }
    expect(rows.delete(1).mutations[0]).toMatchObject({ original: row, modified: row, changes: row })
  })
})

describe('a collection without handlers', () => {
  it('can be written to in a transaction', () => {
    const { collection } = source({
      rows: [
        { id: 1, n: 1 },
        { id: 2, n: 2 },
      ],
    })
    createTransaction({ autoCommit: false, mutationFn: async () => {} }).mutate(() => {
      collection.insert({ id: 3, n: 3 })
      collection.update(1, set(5))
      collection.delete(2)
    })
    expect(seen(collection)).toBe('1=5* 3=3*')
  })
})

describe('a live query', () => {
  it('refuses writes: its rows follow from others', () => {
    const { collection } = items()
    const live = createLiveQueryCollection((q) => q.from({ row: collection }))
    expect(() => live.insert({ id: 9 } as never)).toThrow(MissingInsertHandlerError)
    expect(() => live.update(1, () => {})).toThrow(MissingUpdateHandlerError)
    expect(() => live.delete(1)).toThrow(MissingDeleteHandlerError)
    const transaction = createTransaction({ autoCommit: false, mutationFn: async () => {} })
    expect(() => transaction.mutate(() => live.insert({ id: 9 } as never))).toThrow(CollectionOperationError)
    expect(() => transaction.mutate(() => live.delete(1))).toThrow(/result of a query/)
    expect(transaction.mutations).toEqual([])
  })
})

type Validate = StandardSchema<unknown, unknown>['~standard']['validate']
const schemaOf = (validate: Validate) => ({ '~standard': { version: 1 as const, vendor: 'test', validate } })

describe('a schema', () => {
  const withDefaults = schemaOf((value) => {
    const row = value as Record<string, unknown>
    if (row.bad === true)
      return { issues: [{ message: 'it is bad', path: ['a', { key: 0 }, Symbol.for('s')] }] }
    return { value: { ...row, name: String(row.name).trim(), made: row.made ?? 'default' } }
  })
  const named = (options: SourceOptions = {}) =>
    items({ rows: [{ id: 1, name: ' raw ' }], schema: withDefaults, ...options }).collection

  it('is not asked about rows that are synced', () => {
    expect(list(named())).toEqual([{ id: 1, name: ' raw ' }])
  })

  it('makes the rows that are inserted; changes are the fields of the input', () => {
    const rows = named()
    const [mutation] = rows.insert({ id: 2, name: ' b ' }).mutations
    expect(mutation?.modified).toEqual({ id: 2, name: 'b', made: 'default' })
    expect(mutation?.changes).toEqual({ id: 2, name: 'b' })
    expect(rows.get(2)).toMatchObject({ name: 'b', made: 'default' })
  })

  it('decides the key of what is inserted', () => {
    const rows = named({ schema: schemaOf((row) => ({ value: { ...(row as Row), id: 'made' } })) })
    expect(rows.insert({ id: 2 }).mutations[0]?.key).toBe('made')
  })

  it('makes the fields that are changed, and no others', () => {
    const rows = named()
    const [mutation] = rows.update(1, (draft) => {
      draft.name = ' c '
    }).mutations
    expect(mutation?.changes).toEqual({ name: 'c' })
    expect(mutation?.modified).toEqual({ id: 1, name: 'c' })
    expect(list(rows)).toEqual([{ id: 1, name: 'c' }])
  })

  it.each([[0], [''], [1], ['x']])('is shown the whole row that is changed, also under the key %j', (id) => {
    const shown: unknown[] = []
    const schema = schemaOf((value) => (shown.push(value), { value }))
    const rows = items({ rows: [{ id, n: 1, other: true }], schema }).collection
    rows.update(id, set(2))
    expect(shown).toEqual([{ id, n: 2, other: true }])
  })

  it('keeps a field that is set to undefined, and gives one that is removed its default', () => {
    const rows = items({
      rows: [{ id: 1, name: 'a', made: 'once', gone: 1 }],
      schema: withDefaults,
    }).collection
    const write = rows.update(1, (draft) => {
      draft.name = 'b'
      delete draft.made
      draft.gone = undefined
    })
    expect(write.mutations[0]?.modified).toEqual({ id: 1, name: 'b', made: 'default', gone: undefined })
    expect(Object.hasOwn(rows.get(1) as object, 'gone')).toBe(true)
    rows.update(1, (draft) => {
      delete draft.gone
    })
    expect(Object.hasOwn(rows.get(1) as object, 'gone')).toBe(false)
  })

  it('refuses with its issues, their paths as texts', () => {
    const rows = named()
    const refused = (run: () => unknown) => {
      try {
        run()
      } catch (error) {
        return error as SchemaValidationError
      }
      throw new Error('nothing was refused')
    }
    const insert = refused(() => rows.insert({ id: 2, bad: true }))
    expect(insert).toBeInstanceOf(SchemaValidationError)
    expect(insert).toMatchObject({
      type: 'insert',
      issues: [{ message: 'it is bad', path: ['a', '0', 'Symbol(s)'] }],
    })
    const update = refused(() =>
      rows.update(1, (draft) => {
        draft.bad = true
      }),
    )
    expect(update).toMatchObject({ type: 'update' })
    expect(list(rows)).toEqual([{ id: 1, name: ' raw ' }])
  })

  it('must be one, and answer at once', () => {
    expect(() => named({ schema: {} as never }).insert({ id: 2 })).toThrow(InvalidSchemaError)
    const slow = schemaOf(async (value) => ({ value }))
    expect(() => named({ schema: slow }).insert({ id: 2 })).toThrow(SchemaMustBeSynchronousError)
    // A promise of another realm is not an instance of this one's class.
    const thenable = schemaOf(() => Object.fromEntries([['then', () => {}]]) as never)
    expect(() => named({ schema: thenable }).insert({ id: 2 })).toThrow(SchemaMustBeSynchronousError)
  })

  it('can be asked by hand', () => {
    const rows = named()
    expect(rows.validateData({ id: 5, name: ' x ' }, 'insert')).toEqual({ id: 5, name: 'x', made: 'default' })
    expect(rows.validateData({ name: ' y ' }, 'update', 1)).toEqual({ name: 'y' })
    const shown: unknown[] = []
    const schema = schemaOf((value) => (shown.push(value), { value }))
    const others = items({ schema }).collection
    others.validateData({ n: 5 }, 'update', 1)
    others.validateData({ n: 5 }, 'update', 99)
    others.validateData({ n: 5 }, 'update')
    expect(shown).toEqual([{ id: 1, n: 5 }, { n: 5 }, { n: 5 }])
    expect(items().collection.validateData({ any: 1 }, 'insert')).toEqual({ any: 1 })
  })
})

describe('a write and the life of its collection', () => {
  const config = (sync: () => void): CollectionConfig<Row> => ({
    getKey: (row) => row.id,
    sync: { sync: ({ markReady }) => (sync(), markReady()) },
    onInsert: () => new Promise(() => {}),
  })

  it('shows in one that has not started, and does not start it', () => {
    const sync = vi.fn()
    const rows = source({ startSync: false, onInsert: config(sync).onInsert! }).collection
    rows.insert({ id: 1, n: 1 })
    expect([rows.status, seen(rows)]).toEqual(['idle', '1=1*'])
  })

  it('starts one that was cleaned up', async () => {
    const made = items()
    await made.collection.cleanup()
    expect(made.collection.status).toBe('cleaned-up')
    made.collection.insert({ id: 9, n: 9 })
    expect([made.collection.status, made.sessions]).toEqual(['ready', 2])
    expect(seen(made.collection)).toBe('1=1 2=2 3=3 9=9*')
  })

  it('shows again after a cleanup and a start while it is not sent', async () => {
    const made = items()
    const transaction = createTransaction({ autoCommit: false, mutationFn: async () => {} })
    transaction.mutate(() => {
      made.collection.update(1, set(5))
      made.collection.insert({ id: 9, n: 9 })
    })
    await made.collection.cleanup()
    expect(made.collection.size).toBe(0)
    made.collection.startSyncImmediate()
    expect(seen(made.collection)).toBe('1=5* 2=2 3=3 9=9*')
    transaction.rollback()
    expect(seen(made.collection)).toBe('1=1 2=2 3=3')
  })

  it('ends without a trace when its collection was cleaned up meanwhile', async () => {
    const made = items({ onUpdate: () => Promise.reject(new Error('refused')) })
    const write = made.collection.update(1, set(5))
    await made.collection.cleanup()
    await expect(write.isPersisted.promise).rejects.toThrow('refused')
    made.collection.startSyncImmediate()
    expect(seen(made.collection)).toBe('1=1 2=2 3=3')
  })
})
