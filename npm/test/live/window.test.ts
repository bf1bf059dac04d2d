import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import {
  createLiveQueryCollection,
  SetWindowReentrancyError,
  SetWindowRequiresOrderByError,
} from '../../src/index.ts'
import { WindowMoves, type WindowTarget } from '../../src/live/window.ts'
import { type Row, settle, source } from '../shell/source.ts'

const rows = (n: number): Row[] => Array.from({ length: n }, (_, id) => ({ id, v: id }))

function page(n: number, window: { offset?: number; limit?: number } = { limit: 2 }) {
  const made = source({ rows: rows(n) })
  const live = createLiveQueryCollection({
    startSync: true,
    query: (q) => {
      const ordered = q.from({ r: made.collection }).orderBy(({ r }) => r.v)
      const limited = window.limit === undefined ? ordered : ordered.limit(window.limit)
      return window.offset === undefined ? limited : limited.offset(window.offset)
    },
  })
  const ids = () => live.toArray.map(({ id }) => id)
  return { ...made, live, ids }
}

describe('the window of a live query', () => {
  it('moves in one step and says where it is', () => {
    const { live, ids } = page(9)
    expect([ids(), live.utils.getWindow()]).toEqual([[0, 1], { offset: 0, limit: 2 }])
    const batches: string[] = []
    live.subscribeChanges(
      (changes) => batches.push(changes.map(({ type, key }) => `${type} ${key}`).join(', ')),
      { includeInitialState: false },
    )
    expect(live.utils.setWindow({ offset: 1, limit: 2 })).toBe(true)
    expect([ids(), live.utils.getWindow()]).toEqual([[1, 2], { offset: 1, limit: 2 }])
    expect(batches).toHaveLength(1)
    expect(batches[0]?.split(', ').sort()).toEqual(['delete 0', 'insert 2'])
    void live.utils.setWindow({ offset: 1, limit: 2 })
    expect(batches).toHaveLength(1)
  })

  it('keeps what a move does not mention', () => {
    const { live, ids } = page(9)
    void live.utils.setWindow({ offset: 4 })
    expect([ids(), live.utils.getWindow()]).toEqual([[4, 5], { offset: 4, limit: 2 }])
    void live.utils.setWindow({ limit: 1 })
    expect([ids(), live.utils.getWindow()]).toEqual([[4], { offset: 4, limit: 1 }])
    void live.utils.setWindow({})
    void live.utils.setWindow({ offset: undefined, limit: undefined })
    expect(live.utils.getWindow()).toEqual({ offset: 4, limit: 1 })
  })

  it('may be empty, and stays up to date', () => {
    const { live, ids, insert, remove } = page(3)
    void live.utils.setWindow({ limit: 0 })
    expect(ids()).toEqual([])
    insert({ id: 9, v: -1 })
    void live.utils.setWindow({ limit: 2 })
    expect(ids()).toEqual([9, 0])
    remove(9)
    expect(ids()).toEqual([0, 1])
  })

  it('reaches to the end without a limit', () => {
    const { live, ids } = page(5, { offset: 3 })
    expect([ids(), live.utils.getWindow()]).toEqual([[3, 4], { offset: 3, limit: Infinity }])
    void live.utils.setWindow({ limit: 1 })
    expect(ids()).toEqual([3])
    void live.utils.setWindow({ limit: Infinity })
    expect(ids()).toEqual([3, 4])
    void live.utils.setWindow({ offset: 1e12, limit: 1e12 })
    expect(ids()).toEqual([])
    void live.utils.setWindow({ offset: -3, limit: Number.NaN })
    expect([ids().length, live.utils.getWindow()]).toEqual([5, { offset: 0, limit: 1e12 }])
  })

  it('can be moved before the start, and starts anew after a cleanup', () => {
    const { collection } = source({ rows: rows(9) })
    const live = createLiveQueryCollection((q) =>
      q
        .from({ r: collection })
        .orderBy(({ r }) => r.v)
        .limit(2),
    )
    const ids = () => live.toArray.map(({ id }) => id)
    expect(live.utils.setWindow({ offset: 3 })).toBe(true)
    expect([live.status, live.utils.getWindow()]).toEqual(['idle', { offset: 3, limit: 2 }])
    live.startSyncImmediate()
    expect(ids()).toEqual([3, 4])
    void live.cleanup()
    expect(live.utils.getWindow()).toEqual({ offset: 0, limit: 2 })
    live.startSyncImmediate()
    expect(ids()).toEqual([0, 1])
  })

  it('needs an order', () => {
    const { collection } = source()
    const live = createLiveQueryCollection((q) => q.from({ r: collection }))
    expect(live.utils.getWindow()).toBeUndefined()
    expect(() => live.utils.setWindow({ limit: 1 })).toThrow(SetWindowRequiresOrderByError)
    expect(() => live.utils.setWindow({ limit: 1 })).toThrow(
      'setWindow() can only be called on collections with an ORDER BY clause',
    )
  })

  it('cannot move while its change is being told, but afterwards, and while others are told', () => {
    const { live, ids, insert, collection } = page(5)
    const errors: unknown[] = []
    const first = live.subscribeChanges(() => {
      try {
        void live.utils.setWindow({ limit: 5 })
      } catch (error) {
        errors.push(error)
      }
    })
    insert({ id: 9, v: -1 })
    expect([errors.length, errors[0] instanceof SetWindowReentrancyError, ids()]).toEqual([1, true, [9, 0]])
    first.unsubscribe()
    collection.subscribeChanges(() => void live.utils.setWindow({ limit: 1 }))
    insert({ id: 8, v: -2 })
    expect(ids()).toEqual([8])
  })

  it('has moved although a subscriber throws', () => {
    const { live, ids } = page(5)
    const failure = new Error('subscriber')
    live.subscribeChanges(
      () => {
        throw failure
      },
      { includeInitialState: false },
    )
    expect(() => live.utils.setWindow({ limit: 3 })).toThrow(failure)
    expect([ids(), live.utils.getWindow()]).toEqual([[0, 1, 2], { offset: 0, limit: 3 }])
  })

  it('stays where it is when the query does not run any more', () => {
    const { live, collection } = page(5)
    const logged = vi.spyOn(console, 'error').mockImplementation(() => {})
    void collection.cleanup()
    expect(() => live.utils.setWindow({ limit: 3 })).toThrow()
    expect(live.utils.getWindow()).toEqual({ offset: 0, limit: 2 })
    logged.mockRestore()
  })

  it('is seen through by queries over the result', () => {
    const { live } = page(9)
    const over = createLiveQueryCollection({
      startSync: true,
      query: (q) => q.from({ l: live }).orderBy(({ l }) => l.v, 'desc'),
    })
    void live.utils.setWindow({ offset: 2, limit: 3 })
    expect(over.toArray.map(({ id }) => id)).toEqual([4, 3, 2])
  })

  it('shows what a slice shows, wherever it moves', () => {
    const bound = fc.option(fc.nat(8), { nil: undefined })
    const steps = fc.array(
      fc.oneof(
        fc.record({ id: fc.nat(9), v: fc.option(fc.nat(5), { nil: undefined }) }),
        fc.record({ offset: bound, limit: bound }),
      ),
      { maxLength: 30 },
    )
    fc.assert(
      fc.property(steps, (history) => {
        const { collection, commit } = source({ rows: rows(4) })
        const live = createLiveQueryCollection({
          startSync: true,
          query: (q) =>
            q
              .from({ r: collection })
              .orderBy(({ r }) => r.v)
              .limit(3),
        })
        const replica = new Map<unknown, unknown>()
        live.subscribeChanges(
          (changes) => {
            for (const { type, key, value } of changes) {
              expect(replica.has(key)).toBe(type !== 'insert')
              if (type === 'delete') replica.delete(key)
              else replica.set(key, value)
            }
          },
          { includeInitialState: true },
        )
        let window = { offset: 0, limit: 3 }
        const state = new Map(rows(4).map((row) => [row.id, row]))
        for (const step of history) {
          if ('id' in step) {
            const { id, v } = step
            commit(({ write }) => {
              if (v === undefined) write({ type: 'delete', key: id })
              else write({ type: state.has(id) ? 'update' : 'insert', value: { id, v } })
            })
            if (v === undefined) state.delete(id)
            else state.set(id, { id, v })
          } else {
            window = { offset: step.offset ?? window.offset, limit: step.limit ?? window.limit }
            expect(live.utils.setWindow(step)).toBe(true)
          }
          expect(live.utils.getWindow()).toEqual(window)
          const sorted = [...state.values()].sort(
            (a, b) => Number(a.v) - Number(b.v) || Number(a.id) - Number(b.id),
          )
          const expected = sorted.slice(window.offset, window.offset + window.limit).map(({ id }) => id)
          expect(live.toArray.map(({ id }) => id)).toEqual(expected)
          expect([...replica.keys()].sort()).toEqual([...expected].sort())
        }
        void live.cleanup()
      }),
      { numRuns: 60 },
    )
  })
})

describe('moves that wait for rows', () => {
  function slow() {
    const ends: { resolve: () => void; reject: (error: unknown) => void }[] = []
    const shown: object[] = []
    const target: WindowTarget = {
      id: 'slow',
      occupied: false,
      show: (window, done) => {
        shown.push(window)
        done()
      },
      loaded: () => new Promise<void>((resolve, reject) => ends.push({ resolve, reject })),
    }
    return { moves: new WindowMoves(undefined, 2), target, ends, shown }
  }

  it('are settled when the rows are there, and inherit from the move under way', async () => {
    const { moves, target, ends, shown } = slow()
    const first = moves.move({ limit: 4 }, target)
    expect([moves.settled, moves.wanted]).toEqual([
      { offset: 0, limit: 2 },
      { offset: 0, limit: 4 },
    ])
    const second = moves.move({ offset: 1 }, target)
    expect(shown[1]).toEqual({ offset: 1, limit: 4 })
    ends[0]?.resolve()
    await first
    expect(moves.settled).toEqual({ offset: 0, limit: 2 })
    ends[1]?.resolve()
    await second
    expect(moves.settled).toEqual({ offset: 1, limit: 4 })
  })

  it('fail with the load, and the next one inherits from the window before', async () => {
    const { moves, target, ends } = slow()
    const failure = new Error('offline')
    const move = moves.move({ limit: 4 }, target)
    ends[0]?.reject(failure)
    await expect(move).rejects.toBe(failure)
    expect([moves.settled, moves.wanted]).toEqual([
      { offset: 0, limit: 2 },
      { offset: 0, limit: 2 },
    ])
  })

  it('are given up by a cleanup, and cannot reach the next session', async () => {
    const { moves, target, ends } = slow()
    const move = moves.move({ limit: 4 }, target)
    const abort = Object.assign(new Error('gone'), { name: 'AbortError' })
    moves.reset(() => abort)
    await expect(move).rejects.toBe(abort)
    const next = moves.move({ limit: 7 }, target)
    ends[0]?.resolve()
    await settle()
    expect([moves.settled.limit, moves.wanted.limit]).toEqual([2, 7])
    ends[1]?.resolve()
    await next
    expect(moves.settled.limit).toBe(7)
  })
})

describe('the run count', () => {
  it('counts the changes that reach the result', () => {
    const { live, insert, commit } = page(3)
    const start = live.utils.getRunCount()
    expect(start).toBe(1)
    commit(({ write }) => {
      write({ type: 'update', value: { id: 0, v: -1 } })
      write({ type: 'update', value: { id: 1, v: -2 } })
    })
    expect(live.utils.getRunCount()).toBe(2)
    insert({ id: 9, v: 99 })
    expect(live.utils.getRunCount()).toBe(2)
    void live.utils.setWindow({ limit: 3 })
    expect(live.utils.getRunCount()).toBe(3)
  })
})
