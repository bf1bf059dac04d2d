import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import {
  createCollection,
  createLiveQueryCollection,
  gt,
  isSingleResultCollection,
  Query,
  queryOnce,
} from '../../src/index.ts'
import { plain, type Row, settle, source } from '../shell/source.ts'

const rows = [1, 2, 3].map((id) => ({ id, v: id }))

describe('queryOnce', () => {
  it('gives the rows in order and leaves nothing behind', async () => {
    const { collection } = source({ startSync: false, rows })
    const result = await queryOnce((q) =>
      q
        .from({ r: collection })
        .where(({ r }) => gt(r.v, 1))
        .orderBy(({ r }) => r.id, 'desc')
        .select(({ r }) => ({ id: r.id })),
    )
    expect(plain(result)).toEqual([{ id: 3 }, { id: 2 }])
    expect([collection.status, collection.subscriberCount]).toEqual(['ready', 0])
  })

  it('takes a builder, or a function, in an object', async () => {
    const { collection } = source({ rows })
    const query = new Query().from({ r: collection }).where(({ r }) => gt(r.v, 2))
    expect(plain(await queryOnce({ query }))).toEqual([{ id: 3, v: 3 }])
    expect(await queryOnce({ query: (q) => q.from({ r: collection }) })).toHaveLength(3)
  })

  it('waits for the sources', async () => {
    const { collection, params, insert } = source({ ready: false })
    const result = queryOnce((q) => q.from({ r: collection }))
    insert({ id: 1 })
    await settle()
    insert({ id: 2 })
    params.markReady()
    expect(await result).toHaveLength(2)
  })

  it('gives the first row, or undefined, of a single result', async () => {
    const { collection } = source({ rows })
    const last = await queryOnce((q) =>
      q
        .from({ r: collection })
        .orderBy(({ r }) => r.v, 'desc')
        .findOne(),
    )
    expect(last && plain(last)).toEqual({ id: 3, v: 3 })
    const none = new Query().from({ r: collection }).where(({ r }) => gt(r.v, 9))
    expect(await queryOnce({ query: none.findOne() })).toBeUndefined()
  })

  it('rejects with what is wrong with the query or the source, and lets go of the source', async () => {
    const { collection } = source({ rows })
    await expect(queryOnce((q) => q.from({ r: collection }).limit(1))).rejects.toThrow('ORDER BY')
    const logged = vi.spyOn(console, 'error').mockImplementation(() => {})
    const failure = new Error('down')
    const broken = source({ ready: false })
    const result = queryOnce((q) => q.from({ r: broken.collection }))
    broken.params.markError(failure)
    await expect(result).rejects.toBe(failure)
    expect(broken.collection.subscriberCount).toBe(0)
    const deaf = createCollection<Row>({
      getKey: (row) => row.id,
      sync: {
        sync: () => {
          throw failure
        },
      },
    })
    await expect(queryOnce((q) => q.from({ r: deaf }))).rejects.toBe(failure)
    logged.mockRestore()
  })
})

describe('what a live query is configured with', () => {
  beforeEach(() => {
    vi.useFakeTimers()
  })
  afterEach(() => vi.useRealTimers())

  it('is not started unless it says so, and dropped five seconds after its last use', async () => {
    const { collection } = source({ rows })
    const lazy = createLiveQueryCollection((q) => q.from({ r: collection }))
    expect([lazy.status, lazy.config.gcTime, lazy.id]).toEqual([
      'idle',
      5000,
      expect.stringMatching(/^live-query-\d+$/),
    ])
    const eager = createLiveQueryCollection({
      id: 'mine',
      startSync: true,
      query: (q) => q.from({ r: collection }),
    })
    expect([eager.status, eager.id]).toEqual(['ready', 'mine'])
    eager.subscribeChanges(() => {}).unsubscribe()
    await vi.advanceTimersByTimeAsync(4900)
    expect(eager.status).toBe('ready')
    await vi.advanceTimersByTimeAsync(200)
    expect(eager.status).toBe('cleaned-up')
  })

  it('inherits how strings compare unless it says so itself', () => {
    const { collection } = source({ defaultStringCollation: { stringSort: 'lexical' } })
    const query = new Query().from({ r: collection })
    const over = new Query().from({ r: createLiveQueryCollection({ query }) })
    expect(createLiveQueryCollection({ query: over }).compareOptions).toEqual({ stringSort: 'lexical' })
    const own = createLiveQueryCollection({
      query,
      defaultStringCollation: { stringSort: 'locale', locale: 'de' },
    })
    expect(own.compareOptions).toEqual({ stringSort: 'locale', locale: 'de' })
  })

  it('has utils of its own besides those of every live query', () => {
    const { collection } = source({ rows })
    let current = 1
    const utils = {
      get current() {
        return current
      },
      getRunCount: () => -1,
    }
    const live = createLiveQueryCollection({ query: (q) => q.from({ r: collection }), utils })
    current = 2
    expect([live.utils.current, live.utils.getRunCount(), live.utils.getWindow()]).toEqual([2, -1, undefined])
  })

  it('may be said to be a single result', () => {
    const { collection } = source({ rows })
    const live = createLiveQueryCollection({ query: (q) => q.from({ r: collection }), singleResult: true })
    expect(isSingleResultCollection(live)).toBe(true)
    const first = createLiveQueryCollection((q) => q.from({ r: collection }).findOne())
    expect([isSingleResultCollection(first), isSingleResultCollection(collection)]).toEqual([true, false])
    first.startSyncImmediate()
    expect(first.size).toBe(3)
  })
})
