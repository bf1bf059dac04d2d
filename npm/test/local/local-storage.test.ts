import { afterEach, beforeEach, describe, expect, it, type MockInstance, vi } from 'vitest'
import {
  createCollection,
  createTransaction,
  type LocalStorageCollectionConfig,
  localStorageCollectionOptions,
  SerializationError,
  StorageKeyRequiredError,
} from '../../src/index.ts'
import { list, settle } from '../shell/source.ts'
import { FakeStorage, type FakeTab } from './fake-storage.ts'

type Key = string | number
interface Row {
  id: Key
  a?: unknown
  b?: unknown
}
type Extra = Partial<LocalStorageCollectionConfig<Row, never, Key>>

let storage: FakeStorage
let warned: MockInstance
let failed: MockInstance

beforeEach(() => {
  storage = new FakeStorage()
  warned = vi.spyOn(console, 'warn').mockImplementation(() => {})
  failed = vi.spyOn(console, 'error').mockImplementation(() => {})
})
afterEach(() => {
  vi.restoreAllMocks()
})

function open(tab: FakeTab, options: Extra = {}) {
  const rows = createCollection(
    localStorageCollectionOptions<Row, Key>({
      id: `rows ${Math.random()}`,
      storageKey: 'rows',
      storage: tab,
      storageEventApi: tab,
      getKey: (row) => row.id,
      startSync: true,
      ...options,
    }),
  )
  return rows
}

type Stored = Record<string, { versionKey: string; data: Row }>
const stored = (): Stored => JSON.parse(storage.items.get('rows') ?? '{}') as Stored
const storedRows = () => Object.values(stored()).map(({ data }) => data)
const store = (rows: object) => storage.items.set('rows', JSON.stringify(rows))
const done = (transaction: { isPersisted: { promise: Promise<unknown> } }) => transaction.isPersisted.promise

const set = (rows: ReturnType<typeof open>, key: Key, fields: object) =>
  rows.update(key, (draft) => {
    Object.assign(draft, fields)
  })

describe('localStorageCollectionOptions', () => {
  it('needs a storage key', () => {
    const getKey = (row: Row) => row.id
    expect(() => localStorageCollectionOptions({ getKey } as never)).toThrow(StorageKeyRequiredError)
    expect(() => localStorageCollectionOptions({ getKey, storageKey: '' })).toThrow(StorageKeyRequiredError)
  })

  it('is named after its storage key and says where it is stored', () => {
    const options = localStorageCollectionOptions<Row>({ storageKey: 'x', getKey: (row) => row.id })
    expect(options.id).toBe('local-collection:x')
    expect(options.sync.getSyncMetadata?.()).toEqual({ storageKey: 'x', storageType: 'custom' })
    expect([options.startSync, options.gcTime]).toEqual([undefined, undefined])
    const tab = storage.tab()
    vi.stubGlobal('window', { localStorage: tab })
    const browser = localStorageCollectionOptions<Row>({ storageKey: 'x', getKey: (row) => row.id })
    vi.unstubAllGlobals()
    expect(browser.sync.getSyncMetadata?.()).toMatchObject({ storageType: 'localStorage' })
  })

  it('can be made anew for another client', () => {
    const options = localStorageCollectionOptions<Row>({ storageKey: 'x', getKey: (row) => row.id })
    const brand = Symbol.for('@tanstack/db.collectionConfig.factory')
    const again = (options as unknown as Record<symbol, () => typeof options>)[brand]!()
    expect([again === options, again.id]).toEqual([false, options.id])
  })

  it('uses the storage and the events of the page', async () => {
    const tab = storage.tab()
    const { storage: _s, storageEventApi: _e, ...page } = { storage: tab, storageEventApi: tab }
    vi.stubGlobal('window', {
      ...page,
      localStorage: tab,
      addEventListener: tab.addEventListener.bind(tab),
      removeEventListener: tab.removeEventListener.bind(tab),
    })
    const rows = createCollection(
      localStorageCollectionOptions<Row>({ storageKey: 'rows', getKey: (row) => row.id, startSync: true }),
    )
    vi.unstubAllGlobals()
    await done(rows.insert({ id: 1 }))
    expect([storedRows(), tab.listeners.size]).toEqual([[{ id: 1 }], 1])
  })

  it('keeps rows in memory where there is no storage, or none that may be used', async () => {
    for (const page of [
      undefined,
      Object.defineProperty({}, 'localStorage', {
        get: () => {
          throw new Error('no')
        },
      }),
    ]) {
      vi.stubGlobal('window', page)
      const rows = createCollection(
        localStorageCollectionOptions<Row>({ storageKey: 'rows', getKey: (row) => row.id, startSync: true }),
      )
      vi.unstubAllGlobals()
      await done(rows.insert({ id: 1 }))
      expect(rows.utils.getStorageSize()).toBeGreaterThan(0)
      await rows.cleanup()
      await rows.preload()
      expect(list(rows)).toEqual([{ id: 1 }])
    }
  })
})

describe('what is stored', () => {
  it('is one object of rows by encoded key, with a version that changes with every write', async () => {
    const rows = open(storage.tab())
    await done(
      rows.insert([
        { id: 1, a: 'number' },
        { id: '1', a: 'string' },
      ]),
    )
    const first = stored()
    expect(Object.keys(first)).toEqual(['n:1', 's:1'])
    expect(first['n:1']).toEqual({
      versionKey: expect.stringMatching(/^[0-9a-f-]{36}$/),
      data: { id: 1, a: 'number' },
    })
    await done(set(rows, 1, { a: 'changed' }))
    expect(stored()['n:1']?.versionKey).not.toBe(first['n:1']?.versionKey)
    expect(stored()['s:1']).toEqual(first['s:1'])
    await done(rows.delete('1'))
    expect(Object.keys(stored())).toEqual(['n:1'])
  })

  it('comes back under keys of the same type, older names as strings', () => {
    const version = { versionKey: 'v' }
    store({
      'n:1': { ...version, data: { id: 1 } },
      's:1': { ...version, data: { id: '1' } },
      old: { ...version, data: { id: 'old' } },
      'n:x': { ...version, data: { id: 'n:x' } },
      'n:-1.5': { ...version, data: { id: -1.5 } },
    })
    expect(new Set(open(storage.tab()).keys())).toEqual(new Set([1, '1', 'old', 'n:x', -1.5]))
  })

  const bad: [string, string][] = [
    ['no JSON', '{'],
    ['a list', '[]'],
    ['null', 'null'],
    ['a number', '5'],
    ['an entry that is no object', '{"s:a":1}'],
    ['an entry without data', '{"s:a":{"versionKey":"x"}}'],
    ['an entry without version', '{"s:a":{"data":{}}}'],
    ['an entry whose row is no object', '{"s:a":{"versionKey":"x","data":1}}'],
  ]
  it.each(bad)('counts as empty if it is %s, and the next write replaces it', async (_, text) => {
    storage.items.set('rows', text)
    const rows = open(storage.tab())
    expect([rows.status, rows.size, warned.mock.calls.length]).toEqual(['ready', 0, 1])
    await done(rows.insert({ id: 1 }))
    expect(storedRows()).toEqual([{ id: 1 }])
    expect(warned).toHaveBeenCalledTimes(1)
  })

  it('does not take the rows along when another program spoils it before a write', async () => {
    const rows = open(storage.tab())
    await done(rows.insert({ id: 1 }))
    storage.items.set('rows', 'spoilt')
    await done(rows.insert({ id: 2 }))
    expect([list(rows), storedRows()]).toEqual([
      [{ id: 1 }, { id: 2 }],
      [{ id: 1 }, { id: 2 }],
    ])
    expect(warned).toHaveBeenCalledTimes(1)
  })

  it('can be written by a parser of its own', async () => {
    const parser = {
      parse: (text: string): unknown => JSON.parse(text.slice(1)),
      stringify: (value: unknown) => `!${JSON.stringify(value)}`,
    }
    await done(open(storage.tab(), { parser }).insert({ id: 1 }))
    expect(storage.items.get('rows')?.startsWith('!{')).toBe(true)
    expect(list(open(storage.tab(), { parser }))).toEqual([{ id: 1 }])
  })

  it('can be cleared and measured', async () => {
    const rows = open(storage.tab())
    expect(rows.utils.getStorageSize()).toBe(0)
    await done(rows.insert({ id: 'ä' }))
    expect(rows.utils.getStorageSize()).toBe(new TextEncoder().encode(storage.items.get('rows')).length)
    rows.utils.clearStorage()
    expect([storage.items.has('rows'), rows.utils.getStorageSize(), rows.size]).toEqual([false, 0, 1])
    await done(rows.insert({ id: 'b' }))
    expect(storedRows()).toEqual([{ id: 'ä' }, { id: 'b' }])
  })

  it('keeps what was there when a collection that has not started is written to', async () => {
    store({ 'n:1': { versionKey: 'v', data: { id: 1 } } })
    const rows = open(storage.tab(), { startSync: false })
    await done(rows.insert({ id: 2 }))
    expect(storedRows()).toEqual([{ id: 1 }, { id: 2 }])
    await rows.preload()
    expect(list(rows)).toEqual([{ id: 1 }, { id: 2 }])
  })
})

describe('a write', () => {
  it('is stored during the call, and confirmed when the transaction ends', async () => {
    const rows = open(storage.tab())
    const told: string[] = []
    rows.subscribeChanges((changes) => {
      for (const { type, key, value } of changes)
        told.push(`${type} ${key} ${value.$synced} ${value.$origin}`)
    })
    const transaction = rows.insert({ id: 1 })
    expect([transaction.state, storedRows()]).toEqual(['persisting', [{ id: 1 }]])
    await done(transaction)
    expect(told).toEqual(['insert 1 false local', 'update 1 true local'])
    expect(rows.get(1)).toMatchObject({ id: 1, $synced: true, $origin: 'local' })
    await done(rows.delete(1))
    expect(told[2]).toMatch('delete 1')
    expect([told.length, rows.size]).toEqual([3, 0])
  })

  it('waits for the handler, and is not stored when that fails', async () => {
    let refuse = false
    const order: string[] = []
    const handler = async () => {
      await settle()
      order.push(`handler, ${storedRows().length} stored`)
      if (refuse) throw new Error('refused')
    }
    const rows = open(storage.tab(), { onInsert: handler, onDelete: handler })
    await done(rows.insert({ id: 1 }))
    expect([order, storedRows()]).toEqual([['handler, 0 stored'], [{ id: 1 }]])
    refuse = true
    await expect(done(rows.delete(1))).rejects.toThrow('refused')
    expect([list(rows), storedRows()]).toEqual([[{ id: 1 }], [{ id: 1 }]])
  })

  it('of what cannot be stored fails before the handler runs', async () => {
    const handler = vi.fn(async () => {})
    const rows = open(storage.tab(), { onInsert: handler, onUpdate: handler })
    const circular: Row = { id: 1 }
    circular.a = circular
    await expect(done(rows.insert({ id: 1, a: 10n }))).rejects.toThrow(SerializationError)
    expect([handler.mock.calls.length, rows.size, storage.items.size]).toEqual([0, 0, 0])
    await done(rows.insert({ id: 2 }))
    await expect(done(set(rows, 2, { a: 10n }))).rejects.toThrow('update')
    expect([list(rows), storedRows()]).toEqual([[{ id: 2 }], [{ id: 2 }]])
  })

  it('that the storage refuses leaves rows and storage as they were', async () => {
    const rows = open(storage.tab())
    await done(rows.insert({ id: 1, a: 0 }))
    const before = storage.items.get('rows')
    storage.full = 3
    await expect(done(rows.insert({ id: 2 }))).rejects.toThrow('QuotaExceeded')
    await expect(done(set(rows, 1, { a: 1 }))).rejects.toThrow('QuotaExceeded')
    await expect(done(rows.delete(1))).rejects.toThrow('QuotaExceeded')
    expect(failed).toHaveBeenCalledTimes(3)
    expect([list(rows), storage.items.get('rows')]).toEqual([[{ id: 1, a: 0 }], before])
    await done(rows.insert({ id: 3 }))
    expect(storedRows()).toEqual([{ id: 1, a: 0 }, { id: 3 }])
  })

  it('of a transaction is stored when it is accepted', async () => {
    const rows = open(storage.tab())
    await done(rows.insert([{ id: 1, a: 0 }, { id: 2 }]))
    const transaction = createTransaction<Row>({
      mutationFn: async ({ transaction }) => {
        await settle()
        rows.utils.acceptMutations(transaction)
      },
    })
    transaction.mutate(() => {
      rows.insert({ id: 3 })
      set(rows, 1, { a: 1 })
      rows.delete(2)
    })
    expect(storedRows()).toEqual([{ id: 1, a: 0 }, { id: 2 }])
    await done(transaction)
    await settle()
    const expected = [{ id: 1, a: 1 }, { id: 3 }]
    expect([list(rows), storedRows()]).toEqual([expected, expected])
  })

  it('of a transaction that cannot be stored stores nothing of it', async () => {
    const rows = open(storage.tab())
    const transaction = createTransaction<Row>({
      mutationFn: async ({ transaction }) => rows.utils.acceptMutations(transaction),
    })
    transaction.mutate(() => {
      rows.insert({ id: 1 })
      rows.insert({ id: 2, a: 1n })
    })
    await expect(done(transaction)).rejects.toThrow(SerializationError)
    expect([rows.size, storage.items.size]).toEqual([0, 0])
  })

  it('reads and parses nothing that it has written itself, and writes once', async () => {
    const tab = storage.tab()
    const parse = vi.fn(JSON.parse)
    const rows = open(tab, { parser: { parse, stringify: JSON.stringify } })
    for (let id = 0; id < 5; id++) await done(rows.insert({ id }))
    expect([parse.mock.calls.length, tab.writes]).toEqual([0, 5])
  })
})

describe('two tabs', () => {
  it('see each other by events', async () => {
    const [one, other] = [storage.tab(), storage.tab()]
    const a = open(one)
    await done(a.insert([{ id: 1, a: 0 }, { id: 2 }]))
    const b = open(other)
    const told: string[] = []
    a.subscribeChanges((changes) => told.push(changes.map(({ type, key }) => `${type} ${key}`).join()), {
      includeInitialState: false,
    })
    const tx = createTransaction<Row>({
      mutationFn: async ({ transaction }) => b.utils.acceptMutations(transaction),
    })
    tx.mutate(() => {
      b.insert({ id: 3 })
      set(b, 1, { a: 1 })
      b.delete(2)
    })
    await done(tx)
    expect(told).toEqual([])
    storage.deliver()
    expect(list(a)).toEqual([{ id: 1, a: 1 }, { id: 3 }])
    expect(told).toHaveLength(1)
    storage.deliver()
    expect(told).toHaveLength(1)
  })

  it('do not lose rows they have not heard of', async () => {
    const a = open(storage.tab())
    const b = open(storage.tab())
    await done(a.insert({ id: 1, a: 0, b: 0 }))
    await done(b.insert({ id: 2 }))
    expect(storedRows()).toEqual([{ id: 1, a: 0, b: 0 }, { id: 2 }])
    // The write has brought the other tab's rows along.
    expect(list(b)).toEqual([{ id: 1, a: 0, b: 0 }, { id: 2 }])
    storage.deliver()
    await done(set(a, 1, { a: 1 }))
    await done(set(b, 1, { b: 1 }))
    expect(b.get(1)).toMatchObject({ a: 1, b: 1 })
    storage.deliver()
    expect(a.get(1)).toMatchObject({ a: 1, b: 1 })
  })

  it('do not bring back rows that the other has deleted', async () => {
    const a = open(storage.tab())
    await done(a.insert([{ id: 1 }, { id: 2 }]))
    const b = open(storage.tab())
    await done(a.delete(1))
    await done(set(b, 2, { b: 1 }))
    expect([list(b), storedRows()]).toEqual([[{ id: 2, b: 1 }], [{ id: 2, b: 1 }]])
  })

  it('heed only events of their storage and key, or of a storage that was cleared', async () => {
    const tab = storage.tab()
    const rows = open(tab)
    await done(rows.insert({ id: 1 }))
    storage.items.delete('rows')
    tab.dispatch({ key: 'others', storageArea: tab })
    tab.dispatch({ key: 'rows', storageArea: {} })
    expect(rows.size).toBe(1)
    tab.dispatch({ key: null, storageArea: tab })
    expect(rows.size).toBe(0)
  })

  it('listen from start to cleanup, and again after a restart', async () => {
    const tab = storage.tab()
    const other = storage.tab()
    const rows = open(tab)
    expect(tab.listeners.size).toBe(1)
    await rows.cleanup()
    expect(tab.listeners.size).toBe(0)
    await done(open(other).insert({ id: 1 }))
    await rows.preload()
    expect([tab.listeners.size, list(rows)]).toEqual([1, [{ id: 1 }]])
  })
})
