import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import {
  createLiveQueryCollection,
  createLiveQueryWindowController,
  fetchNextLiveQueryWindowPage,
  hasLiveQueryWindowLeases,
  LiveQueryWindowControllerDisposedError,
  SetWindowRequiresOrderByError,
} from '../../src/index.ts'
import { type Row, settle, source } from '../shell/source.ts'
import { muteConsole, ordered, rows } from './fixture.ts'

const ten = () => ordered({ rows: rows(0, 1, 2, 3, 4, 5, 6, 7, 8, 9) }, 3)
const idsOf = (data: readonly object[]) => data.map((row) => (row as Row).id)
const pagesOf = (list: { getSnapshot(): { readonly pages: readonly (readonly object[])[] } }) =>
  list.getSnapshot().pages.map(idsOf)

let logged: ReturnType<typeof vi.spyOn>
beforeEach(() => {
  logged = muteConsole()
})
afterEach(() => logged.mockRestore())

describe('a list that grows by pages', () => {
  it('moves and starts nothing before somebody subscribes', () => {
    const { live } = ten()
    const list = createLiveQueryWindowController(live, { pageSize: 2, initialPageParam: 5 })
    expect(list.getSnapshot()).toMatchObject({
      data: [],
      pages: [[]],
      pageParams: [5],
      hasNextPage: false,
      isFetchingNextPage: false,
      error: undefined,
      status: 'idle',
      isIdle: true,
    })
    expect([live.status, live.utils.getWindow(), hasLiveQueryWindowLeases(live)]).toEqual([
      'idle',
      { offset: 0, limit: 3 },
      false,
    ])
  })

  it('shows a page more at a time, and tells once of each', async () => {
    const { live } = ten()
    const list = createLiveQueryWindowController(live, { pageSize: 4, initialPageParam: 1 })
    const told = vi.fn()
    list.subscribe(told)
    expect(told).not.toHaveBeenCalled()
    expect([pagesOf(list), list.getSnapshot().hasNextPage, live.size]).toEqual([[[0, 1, 2, 3]], true, 5])
    await list.fetchNextPage()
    expect([pagesOf(list), list.getSnapshot().pageParams]).toEqual([
      [
        [0, 1, 2, 3],
        [4, 5, 6, 7],
      ],
      [1, 2],
    ])
    await list.fetchNextPage()
    expect([idsOf(list.getSnapshot().data), pagesOf(list)[2]]).toEqual([
      [0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
      [8, 9],
    ])
    expect([list.getSnapshot().hasNextPage, told.mock.calls.length]).toEqual([false, 2])
    await list.fetchNextPage()
    expect([told.mock.calls.length, live.utils.getWindow()]).toEqual([2, { offset: 0, limit: 13 }])
  })

  it('follows the rows', () => {
    const { live, insert, remove } = ten()
    const list = createLiveQueryWindowController(live, { pageSize: 3, initialPageCount: 4 })
    const told = vi.fn()
    list.subscribe(told)
    expect([pagesOf(list).length, list.getSnapshot().hasNextPage]).toEqual([4, false])
    insert({ id: 10, v: -1 }, { id: 11, v: 10 }, { id: 12, v: 11 })
    expect([pagesOf(list)[0], pagesOf(list)[3], list.getSnapshot().hasNextPage]).toEqual([
      [10, 0, 1],
      [8, 9, 11],
      true,
    ])
    remove(10)
    expect([pagesOf(list)[3], list.getSnapshot().hasNextPage, told.mock.calls.length]).toEqual([
      [9, 11, 12],
      false,
      2,
    ])
  })

  it('keeps snapshots and pages that have not changed', async () => {
    const { live, update } = ten()
    const list = createLiveQueryWindowController(live, { pageSize: 2 })
    list.subscribe(() => {})
    const first = list.getSnapshot()
    expect(list.getSnapshot()).toBe(first)
    await list.fetchNextPage()
    const second = list.getSnapshot()
    expect([second === first, second.pages[0] === first.pages[0]]).toEqual([false, true])
    update({ id: 3, v: 3.5 })
    const third = list.getSnapshot()
    expect([third.pages[0] === first.pages[0], third.pages[1] === second.pages[1]]).toEqual([true, false])
    expect([idsOf(first.data), first.pages.length]).toEqual([[0, 1], 1])
  })

  it('goes back to one page', async () => {
    const { live } = ten()
    const list = createLiveQueryWindowController(live, { pageSize: 2, initialPageCount: 3 })
    const told = vi.fn()
    list.subscribe(told)
    await list.reset()
    expect([pagesOf(list), live.utils.getWindow(), told.mock.calls.length]).toEqual([
      [[0, 1]],
      { offset: 0, limit: 3 },
      1,
    ])
    await list.reset()
    expect(told).toHaveBeenCalledTimes(1)
  })

  it('can be preloaded, and gives the window back at its end', async () => {
    const { live, params } = ordered({ rows: rows(0, 1, 2, 3), ready: false }, 1)
    const list = createLiveQueryWindowController(live, { pageSize: 2 })
    const ready = list.preload()
    params.markReady()
    await ready
    expect([pagesOf(list), live.utils.getWindow(), live.subscriberCount]).toEqual([
      [[0, 1]],
      { offset: 0, limit: 3 },
      0,
    ])
    await list.fetchNextPage()
    expect(pagesOf(list)).toEqual([
      [0, 1],
      [2, 3],
    ])
    list.dispose()
    expect([live.utils.getWindow(), hasLiveQueryWindowLeases(live)]).toEqual([{ offset: 0, limit: 1 }, false])
  })

  it('can mount twice, as in strict mode', () => {
    const { live } = ten()
    const list = createLiveQueryWindowController(live, { pageSize: 2, initialPageCount: 2 })
    list.subscribe(() => {})()
    expect(live.utils.getWindow()).toEqual({ offset: 0, limit: 3 })
    const told = vi.fn()
    list.subscribe(told)
    expect([pagesOf(list).length, live.utils.getWindow(), told.mock.calls.length]).toEqual([
      2,
      { offset: 0, limit: 5 },
      0,
    ])
  })

  it('is over after dispose', async () => {
    const { live, insert } = ten()
    const list = createLiveQueryWindowController(live, { pageSize: 2 })
    const told = vi.fn()
    const leave = list.subscribe(told)
    list.dispose()
    list.dispose()
    leave()
    insert({ id: 20, v: -1 })
    expect([told.mock.calls.length, live.subscriberCount]).toEqual([0, 0])
    expect(() => list.subscribe(told)).toThrow(LiveQueryWindowControllerDisposedError)
    await expect(list.preload()).rejects.toThrow(LiveQueryWindowControllerDisposedError)
    await list.fetchNextPage()
    await list.reset()
    expect(hasLiveQueryWindowLeases(live)).toBe(false)
  })
})

describe('several lists of one query', () => {
  it('hold its window as wide as the widest needs', async () => {
    const { live } = ten()
    const limit = () => live.utils.getWindow()?.limit
    const [wide, narrow] = [
      createLiveQueryWindowController(live, { pageSize: 4, initialPageCount: 2 }),
      createLiveQueryWindowController(live, { pageSize: 2 }),
    ]
    wide.subscribe(() => {})
    const leave = narrow.subscribe(() => {})
    expect([limit(), pagesOf(narrow)]).toEqual([9, [[0, 1]]])
    await narrow.fetchNextPage()
    expect([limit(), pagesOf(narrow)[1]]).toEqual([9, [2, 3]])
    wide.dispose()
    expect([limit(), pagesOf(narrow).length, hasLiveQueryWindowLeases(live)]).toEqual([5, 2, true])
    leave()
    expect([limit(), hasLiveQueryWindowLeases(live)]).toEqual([3, false])
  })

  it('may come and go while the query tells of a change', async () => {
    const { live, insert } = ten()
    const other = createLiveQueryWindowController(live, { pageSize: 4 })
    const list = createLiveQueryWindowController(live, { pageSize: 2 })
    list.subscribe(() => {})
    let step: (() => unknown) | undefined
    live.subscribeChanges(() => {
      const now = step
      step = undefined
      now?.()
    })
    let leave = () => {}
    step = () => {
      leave = other.subscribe(() => {})
    }
    insert({ id: 20, v: -1 })
    expect([live.utils.getWindow()?.limit, pagesOf(other)]).toEqual([5, [[20, 0, 1, 2]]])
    let next: Promise<void> | undefined
    step = () => {
      next = other.fetchNextPage()
    }
    insert({ id: 21, v: -2 })
    await next
    expect([live.utils.getWindow()?.limit, pagesOf(other)[1]]).toEqual([9, [2, 3, 4, 5]])
    step = () => leave()
    insert({ id: 22, v: -3 })
    expect(live.utils.getWindow()?.limit).toBe(3)
    await settle()
    expect(pagesOf(list)).toEqual([[22, 21]])
  })

  it('keep it through a cleanup of the query', () => {
    const { live } = ten()
    const list = createLiveQueryWindowController(live, { pageSize: 2, initialPageCount: 2 })
    const leave = list.subscribe(() => {})
    void live.cleanup()
    expect([pagesOf(list), list.getSnapshot().isCleanedUp]).toEqual([[[]], true])
    live.startSyncImmediate()
    expect([pagesOf(list), live.utils.getWindow()]).toEqual([
      [
        [0, 1],
        [2, 3],
      ],
      { offset: 0, limit: 5 },
    ])
    leave()
    expect(live.utils.getWindow()).toEqual({ offset: 0, limit: 3 })
  })
})

describe('a list without pages', () => {
  it('is disabled without a collection', async () => {
    const list = createLiveQueryWindowController(null, { pageSize: 2 })
    const snapshot = list.getSnapshot()
    expect(snapshot).toMatchObject({
      data: [],
      pages: [],
      pageParams: [],
      hasNextPage: false,
      status: 'disabled',
      isReady: true,
      isEnabled: false,
    })
    expect([snapshot.state, list.getSnapshot() === snapshot]).toEqual([undefined, true])
    list.subscribe(() => {})()
    await Promise.all([list.preload(), list.fetchNextPage(), list.reset()])
    list.dispose()
  })

  it('refuses a query without an order', async () => {
    const { collection } = source({ rows: rows(1, 2, 3) })
    const live = createLiveQueryCollection((q) => q.from({ r: collection }))
    const list = createLiveQueryWindowController(live, { pageSize: 2 })
    expect(() => list.subscribe(() => {})).toThrow(SetWindowRequiresOrderByError)
    await expect(list.preload()).rejects.toThrow(SetWindowRequiresOrderByError)
    expect(live.status).toBe('idle')
    const bare = createLiveQueryWindowController(collection, { pageSize: 2 })
    await expect(bare.fetchNextPage()).rejects.toThrow(SetWindowRequiresOrderByError)
    expect(bare.getSnapshot().error).toBeInstanceOf(SetWindowRequiresOrderByError)
  })
})

/** A query whose window moves in time, as that of a source that loads on demand. */
function slow() {
  const made = ten()
  const moves: { resolve(): void; reject(error: Error): void }[] = []
  const live = createLiveQueryCollection({
    query: (q) =>
      q
        .from({ r: made.collection })
        .orderBy(({ r }) => r.v)
        .limit(3),
    utils: {
      setWindow: (window: { offset?: number; limit?: number }): Promise<void> => {
        void made.live.utils.setWindow(window)
        return new Promise((resolve, reject) => moves.push({ resolve, reject }))
      },
    },
  })
  return { ...made, live, moves }
}

describe('a page that takes time', () => {
  it('is being fetched until it is there', async () => {
    const { live, moves } = slow()
    const list = createLiveQueryWindowController(live, { pageSize: 2 })
    const seen: unknown[] = []
    list.subscribe(() => {
      const { isFetchingNextPage, pages } = list.getSnapshot()
      seen.push([isFetchingNextPage, pages.length])
    })
    const fetched = list.fetchNextPage()
    expect(list.fetchNextPage()).toBe(fetched)
    expect(seen).toEqual([[true, 1]])
    moves.at(-1)?.resolve()
    await fetched
    expect(seen).toEqual([
      [true, 1],
      [false, 2],
    ])
  })

  it('that fails says why, until the next attempt', async () => {
    const { live, moves } = slow()
    const list = createLiveQueryWindowController(live, { pageSize: 2 })
    list.subscribe(() => {})
    const fetched = list.fetchNextPage()
    moves.at(-1)?.reject(new Error('offline'))
    await expect(fetched).rejects.toThrow('offline')
    expect(list.getSnapshot()).toMatchObject({
      isFetchingNextPage: false,
      hasNextPage: true,
      pageParams: [0],
    })
    expect(list.getSnapshot().error?.message).toBe('offline')
    const swallowed = fetchNextLiveQueryWindowPage(list)
    expect([list.getSnapshot().error, list.getSnapshot().isFetchingNextPage]).toEqual([undefined, true])
    moves.at(-1)?.reject(new Error('still offline'))
    await swallowed
    expect(list.getSnapshot().error?.message).toBe('still offline')
  })

  it('does not come after a reset', async () => {
    const { live, moves } = slow()
    const list = createLiveQueryWindowController(live, { pageSize: 2 })
    list.subscribe(() => {})
    const fetched = list.fetchNextPage()
    const wide = moves.at(-1)
    void list.reset()
    expect([list.getSnapshot().isFetchingNextPage, list.getSnapshot().pages.length]).toEqual([false, 1])
    wide?.reject(new Error('offline'))
    await fetched
    expect([list.getSnapshot().error, list.getSnapshot().pages.length]).toEqual([undefined, 1])
  })
})
