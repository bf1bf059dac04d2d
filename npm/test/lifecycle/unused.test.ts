import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createLiveQueryCollection } from '../../src/index.ts'
import { source } from '../shell/source.ts'

const pass = (milliseconds: number) => vi.advanceTimersByTimeAsync(milliseconds)

describe('a collection that nobody uses', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  it.each([
    ['started at creation', () => source({ gcTime: 100 }).collection],
    [
      'started by hand',
      () => {
        const { collection } = source({ gcTime: 100, startSync: false })
        collection.startSyncImmediate()
        return collection
      },
    ],
    [
      'preloaded',
      () => {
        const { collection } = source({ gcTime: 100, startSync: false })
        void collection.preload()
        return collection
      },
    ],
    [
      'failed',
      () => {
        const { collection, params } = source({ gcTime: 100, ready: false })
        params.markError(new Error('no access'))
        return collection
      },
    ],
  ])('is collected though it was never subscribed to: %s', async (_how, make) => {
    const collection = make()
    await pass(90)
    expect(collection.status).not.toBe('cleaned-up')
    await pass(20)
    expect(collection.status).toBe('cleaned-up')
    collection.startSyncImmediate()
    await pass(110)
    expect(collection.status).toBe('cleaned-up')
  })

  it('is kept while somebody subscribes, and for gcTime after the last one left', async () => {
    const { collection } = source({ gcTime: 100 })
    const first = collection.subscribeChanges(() => {})
    const second = collection.subscribeChanges(() => {})
    await pass(500)
    first.unsubscribe()
    await pass(500)
    expect(collection.status).toBe('ready')
    second.unsubscribe()
    await pass(90)
    const third = collection.subscribeChanges(() => {})
    await pass(500)
    expect(collection.status).toBe('ready')
    third.unsubscribe()
    await pass(110)
    expect(collection.status).toBe('cleaned-up')
  })

  it('is kept while somebody waits for it to be ready, however long that takes', async () => {
    const { collection, params } = source({ gcTime: 100, ready: false })
    const waiting = collection.preload()
    await pass(5000)
    params.markReady()
    await waiting
    await pass(90)
    expect(collection.status).toBe('ready')
    await pass(20)
    expect(collection.status).toBe('cleaned-up')
  })

  it('is kept as the source of a live query, and follows it', async () => {
    const { collection } = source({ gcTime: 100, rows: [{ id: 1 }] })
    const live = createLiveQueryCollection({
      query: (q) => q.from({ r: collection }),
      gcTime: 50,
      startSync: true,
    })
    await pass(40)
    expect([live.status, collection.status]).toEqual(['ready', 'ready'])
    await pass(20)
    expect([live.status, collection.status]).toEqual(['cleaned-up', 'ready'])
    await pass(110)
    expect(collection.status).toBe('cleaned-up')
  })

  it.each([0, -1, Number.POSITIVE_INFINITY, Number.NaN])(
    'is kept for good with a gcTime of %s',
    async (gcTime) => {
      const { collection } = source({ gcTime })
      collection.subscribeChanges(() => {}).unsubscribe()
      await pass(10_000_000)
      expect(collection.status).toBe('ready')
    },
  )

  it('is not collected before its time because another one is', async () => {
    const short = source({ gcTime: 100 }).collection
    const long = source({ gcTime: 300 }).collection
    await pass(110)
    expect([short.status, long.status]).toEqual(['cleaned-up', 'ready'])
    await pass(200)
    expect(long.status).toBe('cleaned-up')
  })

  it('is collected in an idle moment, and no longer if somebody comes in time', async () => {
    const moments: (() => void)[] = []
    vi.stubGlobal('requestIdleCallback', (run: () => void) => moments.push(run))
    const kept = source({ gcTime: 100 }).collection
    const dropped = source({ gcTime: 100 }).collection
    await pass(110)
    expect([kept.status, dropped.status, moments.length]).toEqual(['ready', 'ready', 1])
    kept.subscribeChanges(() => {})
    moments[0]?.()
    vi.unstubAllGlobals()
    expect([kept.status, dropped.status]).toEqual(['ready', 'cleaned-up'])
  })

  it('leaves the rest for another idle moment when one is over', async () => {
    const moments: ((deadline: IdleDeadline) => void)[] = []
    vi.stubGlobal('requestIdleCallback', (run: (deadline: IdleDeadline) => void) => moments.push(run))
    const collections = [1, 2, 3].map(() => source({ gcTime: 100 }).collection)
    await pass(110)
    let left = 2
    const deadline = { didTimeout: false, timeRemaining: () => --left }
    moments[0]?.(deadline)
    expect(collections.map(({ status }) => status)).toEqual(['cleaned-up', 'cleaned-up', 'ready'])
    moments[1]?.({ didTimeout: true, timeRemaining: () => 0 })
    vi.unstubAllGlobals()
    expect(collections.map(({ status }) => status)).toEqual(['cleaned-up', 'cleaned-up', 'cleaned-up'])
  })
})

describe('timers', () => {
  it('are a handful for thousands of queries that are mounted and dropped', async () => {
    vi.useFakeTimers()
    const { collection } = source({ rows: [{ id: 1 }] })
    const timers = vi.spyOn(globalThis, 'setTimeout')
    const queries = Array.from({ length: 5000 }, () =>
      createLiveQueryCollection((q) => q.from({ r: collection })),
    )
    for (const [i, live] of queries.entries()) {
      live.subscribeChanges(() => {}).unsubscribe()
      // Many turns, not one.
      if (i % 10 === 0) await Promise.resolve()
    }
    await pass(10_000)
    expect(new Set(queries.map(({ status }) => status))).toEqual(new Set(['cleaned-up']))
    expect(collection.subscriberCount).toBe(0)
    expect(timers.mock.calls.length).toBeLessThan(20)
    timers.mockRestore()
    vi.useRealTimers()
  })
})
