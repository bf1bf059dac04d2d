import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import {
  createCollection,
  createTransaction,
  type LocalOnlyCollectionConfig,
  localOnlyCollectionOptions,
  type Transaction,
} from '../../src/index.ts'
import { list, settle } from '../shell/source.ts'

interface Row {
  id: number
  a?: number
  b?: number
}

type Extra = Partial<LocalOnlyCollectionConfig<Row, never, number>>

const local = (options: Extra = {}) =>
  createCollection(localOnlyCollectionOptions<Row, number>({ getKey: (row) => row.id, ...options }))

type Local = ReturnType<typeof local>

/** A handler whose calls end when the test says so. */
function held() {
  const ends: { resolve(): void; reject(error: Error): void }[] = []
  const handler = () =>
    new Promise<void>((resolve, reject) => {
      ends.push({ resolve, reject })
    })
  return { ends, handler }
}

async function microtasks(): Promise<void> {
  for (let i = 0; i < 20; i++) await null
}

const set = (rows: Local, id: number, fields: Partial<Row>) =>
  rows.update(id, (draft) => {
    Object.assign(draft, fields)
  })

describe('localOnlyCollectionOptions', () => {
  it('gives a configuration that starts at creation, is not collected and has handlers', () => {
    const options = localOnlyCollectionOptions<Row, number>({ getKey: (row) => row.id })
    expect(options).toMatchObject({
      id: expect.any(String),
      startSync: true,
      gcTime: 0,
      onInsert: expect.any(Function),
      onUpdate: expect.any(Function),
      onDelete: expect.any(Function),
      utils: { acceptMutations: expect.any(Function) },
    })
    expect(options.sync.getSyncMetadata?.()).toEqual({})
  })

  it('can be made anew for another client, with the same id and its own rows', () => {
    const options = localOnlyCollectionOptions<Row, number>({
      getKey: (row) => row.id,
      initialData: [{ id: 1 }],
    })
    const brand = Symbol.for('@tanstack/db.collectionConfig.factory')
    expect(Object.getOwnPropertyDescriptor(options, brand)).toMatchObject({ enumerable: false })
    const again = (options as unknown as Record<symbol, () => typeof options>)[brand]!()
    expect([again === options, again.id]).toEqual([false, options.id])
    expect(brand in again).toBe(true)
    const one = createCollection(options)
    const other = createCollection(again)
    one.insert({ id: 2 })
    expect([one.size, other.size]).toEqual([2, 1])
  })

  it('runs the handler before a row is confirmed, and undoes the write when it fails', async () => {
    const onInsert = vi.fn(async ({ transaction }: { transaction: { mutations: { modified: Row }[] } }) => {
      await settle()
      if (transaction.mutations[0]!.modified.a === 0) throw new Error('refused')
    })
    const rows = local({ onInsert })
    const kept = rows.insert({ id: 1, a: 1 })
    expect([kept.state, rows.has(1)]).toEqual(['persisting', true])
    await kept.isPersisted.promise
    const refused = rows.insert({ id: 2, a: 0 })
    await expect(refused.isPersisted.promise).rejects.toThrow('refused')
    expect(list(rows)).toEqual([{ id: 1, a: 1 }])
    expect(onInsert.mock.calls[0]![0]).toMatchObject({ collection: rows, transaction: kept })
  })

  it('gives what the handler gives, or an empty object', async () => {
    const asked = localOnlyCollectionOptions<Row, number>({
      getKey: (row) => row.id,
      onInsert: async () => 'saved',
      onUpdate: async () => undefined,
    })
    const params = { transaction: { mutations: [], sequenceNumber: 1 }, collection: {} } as never
    expect(await asked.onInsert?.(params)).toBe('saved')
    expect(await asked.onUpdate?.(params)).toEqual({})
    expect(await asked.onDelete?.(params)).toEqual({})
  })

  it('tells once of a write whose handler confirms at once', () => {
    const rows = local({ initialData: [{ id: 1, a: 0 }] })
    const told: string[] = []
    rows.subscribeChanges(
      (changes) => {
        for (const { type, key, value } of changes) told.push(`${type} ${key} ${value.$synced}`)
      },
      { includeInitialState: false },
    )
    // Another write is under way, so that this one takes the long way.
    const open = createTransaction({ autoCommit: false, mutationFn: async () => {} })
    open.mutate(() => rows.insert({ id: 9 }))
    told.length = 0
    rows.insert({ id: 2 })
    set(rows, 1, { a: 1 })
    rows.delete(2)
    expect(told).toEqual(['insert 2 true', 'update 1 true', 'delete 2 true'])
  })
})

describe('acceptMutations', () => {
  it('keeps what a transaction did to this collection, and nothing else', async () => {
    const rows = local({ initialData: [{ id: 1, a: 0 }, { id: 2 }] })
    const other = local()
    const transaction = createTransaction<Row>({
      mutationFn: async ({ transaction }) => {
        await settle()
        rows.utils.acceptMutations(transaction)
      },
      autoCommit: false,
    })
    transaction.mutate(() => {
      rows.insert({ id: 3 })
      set(rows, 1, { a: 1 })
      rows.delete(2)
      other.insert({ id: 1 })
    })
    await transaction.commit()
    expect(list(rows)).toEqual([{ id: 1, a: 1 }, { id: 3 }])
    expect(other.size).toBe(0)
  })

  it('is needed: what is not accepted vanishes', async () => {
    const rows = local()
    const transaction = createTransaction({ mutationFn: async () => {} })
    transaction.mutate(() => rows.insert({ id: 1 }))
    expect(rows.size).toBe(1)
    await transaction.isPersisted.promise
    expect(rows.size).toBe(0)
  })

  it('shows no step between a pending row and its confirmation', async () => {
    const rows = local()
    const told: string[] = []
    rows.subscribeChanges((changes) => told.push(changes.map(({ type, key }) => `${type} ${key}`).join()))
    const transaction = createTransaction<Row>({
      mutationFn: async ({ transaction }) => {
        await settle()
        rows.utils.acceptMutations(transaction)
        await settle()
      },
    })
    transaction.mutate(() => rows.insert({ id: 1 }))
    await transaction.isPersisted.promise
    expect(told).toEqual(['insert 1'])
  })

  it('does nothing before the collection has started and after it was cleaned up', async () => {
    const options = localOnlyCollectionOptions<Row, number>({ getKey: (row) => row.id })
    const mutations: never[] = []
    expect(() => options.utils.acceptMutations({ mutations })).not.toThrow()
    const rows = createCollection(options)
    const transaction = createTransaction<Row>({
      mutationFn: async ({ transaction }) => {
        await rows.cleanup()
        rows.utils.acceptMutations(transaction)
      },
    })
    transaction.mutate(() => rows.insert({ id: 1 }))
    await transaction.isPersisted.promise
    expect([rows.status, rows.size]).toEqual(['cleaned-up', 0])
  })
})

describe('handlers that take their time', () => {
  it('keep a field that a later write of the row has set meanwhile', async () => {
    const { ends, handler } = held()
    const rows = local({ initialData: [{ id: 1, a: 0, b: 0 }], onUpdate: handler })
    const first = set(rows, 1, { a: 1, b: 1 })
    const second = set(rows, 1, { b: 2 })
    ends[1]!.resolve()
    await second.isPersisted.promise
    ends[0]!.resolve()
    await first.isPersisted.promise
    await settle()
    expect(list(rows)).toEqual([{ id: 1, a: 1, b: 2 }])
  })

  it('leave no trace of a write that failed', async () => {
    const { ends, handler } = held()
    const rows = local({ initialData: [{ id: 1, a: 0, b: 0 }], onUpdate: handler })
    const first = set(rows, 1, { a: 1 })
    const second = set(rows, 1, { b: 2 })
    ends[1]!.resolve()
    await second.isPersisted.promise
    ends[0]!.reject(new Error('refused'))
    await expect(first.isPersisted.promise).rejects.toThrow('refused')
    await settle()
    expect(list(rows)).toEqual([{ id: 1, a: 0, b: 2 }])
  })

  it('do not bring back a row that was deleted meanwhile, nor delete one inserted anew', async () => {
    const { ends, handler } = held()
    const rows = local({ initialData: [{ id: 1 }, { id: 2 }], onUpdate: handler, onDelete: handler })
    set(rows, 1, { a: 1 })
    const removed = rows.delete(1)
    rows.delete(2)
    rows.insert({ id: 2, b: 2 })
    ends[1]!.resolve()
    await removed.isPersisted.promise
    for (const { resolve } of ends) resolve()
    await settle()
    expect(list(rows)).toEqual([{ id: 2, b: 2 }])
  })

  it('keep an update of a row whose insert arrives later', async () => {
    const { ends, handler } = held()
    const rows = local({ onInsert: handler })
    const inserted = rows.insert({ id: 1, a: 0 })
    const updated = set(rows, 1, { b: 1 })
    await updated.isPersisted.promise
    ends[0]!.resolve()
    await inserted.isPersisted.promise
    await settle()
    expect(list(rows)).toEqual([{ id: 1, a: 0, b: 1 }])
  })

  it('keep an update of a row that a transaction inserts later', async () => {
    const rows = local()
    const transaction = createTransaction<Row>({
      autoCommit: false,
      mutationFn: async ({ transaction }) => rows.utils.acceptMutations(transaction),
    })
    transaction.mutate(() => rows.insert({ id: 1, a: 0 }))
    await set(rows, 1, { b: 1 }).isPersisted.promise
    await transaction.commit()
    await settle()
    expect(list(rows)).toEqual([{ id: 1, a: 0, b: 1 }])
  })
})

describe('a history of writes whose handlers end in any order', () => {
  const key = fc.integer({ min: 1, max: 3 })
  const write = fc.oneof(
    fc.record({ op: fc.constant('insert' as const), key, a: fc.nat(9) }),
    fc.record({ op: fc.constant('update' as const), key, a: fc.nat(9) }),
    fc.record({ op: fc.constant('update' as const), key, b: fc.nat(9) }),
    fc.record({ op: fc.constant('delete' as const), key }),
  )
  const step = fc.oneof(write, fc.record({ op: fc.constant('end' as const), which: fc.nat(9) }))

  it('leaves what the writes make in the order they were made', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 14 }), fc.boolean(), async (steps, slowDeletes) => {
        const { ends, handler } = held()
        const rows = local({
          initialData: [{ id: 1, a: 0, b: 0 }],
          onInsert: handler,
          onUpdate: handler,
          ...(slowDeletes ? { onDelete: handler } : {}),
        })
        const model = new Map<number, Row>([[1, { id: 1, a: 0, b: 0 }]])
        const transactions: Transaction[] = []
        const open: (() => void)[] = []
        for (const given of steps) {
          if (given.op === 'end') {
            if (open.length > 0) open.splice(given.which % open.length, 1)[0]!()
            await microtasks()
          } else if (
            (given.op === 'insert') === model.has(given.key) ||
            rows.has(given.key) !== model.has(given.key)
          ) {
            // Until an earlier write of the row has ended, what it shows may cover a later one that has.
            continue
          } else if (given.op === 'insert') {
            transactions.push(rows.insert({ id: given.key, a: given.a }))
            model.set(given.key, { id: given.key, a: given.a })
          } else if (given.op === 'update') {
            const { op: _, key: id, ...fields } = given
            const before = model.get(id)!
            model.set(id, { ...before, ...fields })
            transactions.push(set(rows, id, fields))
          } else {
            transactions.push(rows.delete(given.key))
            model.delete(given.key)
          }
          while (ends.length > 0) open.push(ends.shift()!.resolve)
        }
        for (const end of open) end()
        await Promise.all(transactions.map(({ isPersisted }) => isPersisted.promise))
        await microtasks()
        expect((list(rows) as Row[]).sort((x, y) => x.id - y.id)).toEqual(
          [...model.values()].sort((x, y) => x.id - y.id),
        )
        // Nothing covers the rows any more, and nothing of the writes is kept: the next one is the only one.
        for (const id of model.keys()) await rows.delete(id)
        while (ends.length > 0) ends.shift()!.resolve()
        await microtasks()
        expect(rows.size).toBe(0)
      }),
      { numRuns: 150 },
    )
  })
})
