import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createCollection, createLiveQueryCollection, gt } from '../../src/index.ts'
import { list, type Row, source } from './source.ts'

const ids = (collection: { readonly toArray: unknown[] }) => collection.toArray.map((row) => (row as Row).id)

describe('the life of live queries', () => {
  let logged: ReturnType<typeof vi.spyOn>
  beforeEach(() => {
    logged = vi.spyOn(console, 'error').mockImplementation(() => {})
  })
  afterEach(() => logged.mockRestore())

  it('start when somebody needs them, and start their source', () => {
    const { collection } = source({ startSync: false, rows: [{ id: 1 }] })
    const live = createLiveQueryCollection((q) => q.from({ r: collection }))
    expect([live.status, collection.status, live.id]).toEqual([
      'idle',
      'idle',
      expect.stringMatching(/^live-query-\d+$/),
    ])
    live.startSyncImmediate()
    expect([live.status, collection.status, live.size, collection.subscriberCount]).toEqual([
      'ready',
      'ready',
      1,
      1,
    ])
    void live.cleanup()
    expect(collection.subscriberCount).toBe(0)
  })

  it('become ready with their source, rows showing before', async () => {
    const { collection, params, insert } = source({ ready: false })
    const live = createLiveQueryCollection({ query: (q) => q.from({ r: collection }), startSync: true })
    const batches: number[] = []
    live.subscribeChanges((changes) => batches.push(changes.length))
    const first = vi.fn()
    live.onFirstReady(first)
    insert({ id: 1 })
    expect([live.size, live.status, first.mock.calls.length]).toEqual([1, 'loading', 0])
    params.markReady()
    params.markReady()
    expect([live.status, batches, first.mock.calls.length]).toEqual(['ready', [1, 0], 1])
    await live.preload()
  })

  it('fail and recover with their source', async () => {
    const { collection, params, insert } = source({ ready: false })
    const live = createLiveQueryCollection({ query: (q) => q.from({ r: collection }), startSync: true })
    const cause = new Error('no access')
    const waiting = live.preload()
    params.markError(cause)
    await expect(waiting).rejects.toBe(cause)
    expect(live.status).toBe('error')
    expect(logged.mock.calls[0]?.[0]).toContain('[Live Query Error]')
    insert({ id: 1 })
    params.markReady()
    await live.preload()
    expect([live.status, live.size]).toEqual(['ready', 1])
  })

  it('fail with the error of a source that does not start', async () => {
    const failure = new Error('down')
    const collection = createCollection<Row>({
      getKey: (row) => row.id,
      sync: {
        sync: () => {
          throw failure
        },
      },
    })
    const live = createLiveQueryCollection((q) => q.from({ r: collection }))
    await expect(live.preload()).rejects.toBe(failure)
    expect(live.status).toBe('error')
    expect(collection.subscriberCount).toBe(0)
  })

  it('fail with the error of a getter they have to read', async () => {
    const failure = new Error('getter')
    const row = Object.defineProperty({ id: 1 }, 'v', {
      get() {
        throw failure
      },
    }) as Row
    const { collection, insert } = source({ rows: [row] })
    const live = createLiveQueryCollection((q) => q.from({ r: collection }).where(({ r }) => gt(r.v, 1)))
    await expect(live.preload()).rejects.toBe(failure)
    expect([live.status, collection.subscriberCount]).toEqual(['error', 0])
    insert({ id: 2, v: 2 })
    expect(collection.size).toBe(2)
  })

  it('fail when their source is cleaned up, until they are cleaned up themselves', async () => {
    const { collection } = source({ rows: [{ id: 1 }] })
    const live = createLiveQueryCollection({ query: (q) => q.from({ r: collection }), startSync: true })
    const over = createLiveQueryCollection({ query: (q) => q.from({ l: live }), startSync: true })
    void collection.cleanup()
    expect([live.status, over.status, live.size, over.size]).toEqual(['error', 'error', 0, 0])
    void over.cleanup()
    void live.cleanup()
    await over.preload()
    expect([collection.status, live.status, over.status, ids(over)]).toEqual(['ready', 'ready', 'ready', [1]])
  })

  it('restart with complete data and the subscriptions they had', () => {
    const { collection, insert } = source({ rows: [{ id: 1 }] })
    const live = createLiveQueryCollection({ query: (q) => q.from({ r: collection }), startSync: true })
    const batches: string[] = []
    live.subscribeChanges(
      (changes) => batches.push(changes.map(({ type, key }) => `${type} ${key}`).join()),
      {
        includeInitialState: true,
      },
    )
    for (let round = 2; round < 5; round++) {
      void live.cleanup()
      insert({ id: round })
      live.startSyncImmediate()
      expect(live.size).toBe(round)
    }
    insert({ id: 9 })
    expect(batches).toEqual([
      'insert 1',
      'insert 1,insert 2',
      'insert 1,insert 2,insert 3',
      'insert 1,insert 2,insert 3,insert 4',
      'insert 9',
    ])
  })

  it('may be started or cleaned up by those who are told that their source starts', async () => {
    const { collection } = source({ startSync: false, rows: [{ id: 1 }] })
    const live = createLiveQueryCollection((q) => q.from({ r: collection }))
    const stop = collection.on('status:loading', () => live.startSyncImmediate())
    const subscription = live.subscribeChanges(() => {})
    expect([live.status, live.size, collection.subscriberCount]).toEqual(['ready', 1, 1])
    subscription.unsubscribe()
    stop()
    await live.cleanup()
    await collection.cleanup()
    collection.once('status:loading', () => void live.cleanup())
    live.startSyncImmediate()
    expect([live.status, collection.subscriberCount]).toEqual(['cleaned-up', 0])
    live.startSyncImmediate()
    expect([live.status, live.size]).toEqual(['ready', 1])
  })

  it('fail when their source is cleaned up as it starts', async () => {
    const { collection } = source({ startSync: false, rows: [{ id: 1 }] })
    const live = createLiveQueryCollection((q) => q.from({ r: collection }))
    collection.once('status:ready', () => void collection.cleanup())
    expect(() => live.startSyncImmediate()).toThrow('its source was cleaned up while it started')
    expect([live.status, collection.subscriberCount]).toEqual(['error', 0])
    await live.cleanup()
    live.startSyncImmediate()
    expect([live.status, live.size]).toEqual(['ready', 1])
  })

  it('hold their source while they are started, and are collected when unwatched', async () => {
    vi.useFakeTimers()
    try {
      const { collection } = source({ gcTime: 10, rows: [{ id: 1 }] })
      const live = createLiveQueryCollection({ query: (q) => q.from({ r: collection }), gcTime: 100 })
      const subscription = live.subscribeChanges(() => {})
      await vi.advanceTimersByTimeAsync(1000)
      expect([collection.status, live.status]).toEqual(['ready', 'ready'])
      subscription.unsubscribe()
      await vi.advanceTimersByTimeAsync(101)
      expect([collection.status, live.status]).toEqual(['ready', 'cleaned-up'])
      await vi.advanceTimersByTimeAsync(20)
      expect(collection.status).toBe('cleaned-up')
    } finally {
      vi.useRealTimers()
    }
  })

  it('keep what they showed last when they fail on a value', () => {
    class PlainTime {
      get [Symbol.toStringTag]() {
        return 'Temporal.PlainTime'
      }
    }
    class PlainDate {
      constructor(readonly day: number) {}
      get [Symbol.toStringTag]() {
        return 'Temporal.PlainDate'
      }
      toString() {
        return String(this.day)
      }
      static compare(a: PlainDate, b: PlainDate) {
        return a.day - b.day
      }
    }
    const { collection, update } = source({
      rows: [1, 2, 3].map((id) => ({ id, d: new PlainDate(id), v: 0 })),
    })
    const live = createLiveQueryCollection({
      startSync: true,
      query: (q) =>
        q
          .from({ r: collection })
          .where(({ r }) => gt(r.d, new PlainDate(1)))
          .orderBy(({ r }) => r.id)
          .select(({ r }) => ({ id: r.id, v: r.v })),
    })
    const others = createLiveQueryCollection({ query: (q) => q.from({ r: collection }), startSync: true })
    const last = live.toArray
    update({ id: 3, d: new PlainTime(), v: 1 })
    update({ id: 2, d: new PlainDate(2), v: 7 })
    expect([live.status, others.status, others.size]).toEqual(['error', 'ready', 3])
    expect([live.toArray, live.size, live.get(2)]).toEqual([last, 2, last[0]])
    update({ id: 3, d: new PlainDate(3), v: 1 })
    void live.cleanup()
    live.startSyncImmediate()
    expect(list(live)).toEqual([
      { id: 2, v: 7 },
      { id: 3, v: 1 },
    ])
  })
})
