import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createCollection, createEffect, type DeltaEvent, eq, gt } from '../../src/index.ts'
import { type Row, settle, source } from '../shell/source.ts'

const rows = (...ids: number[]): Row[] => ids.map((id) => ({ id, v: id }))
const brief = ({ type, key }: DeltaEvent<object>): string =>
  `${{ enter: '+', exit: '-', update: '~' }[type]}${key}`

function recorded() {
  const log: string[] = []
  return {
    log,
    onBatch: (events: readonly DeltaEvent<object>[]) => void log.push(events.map(brief).join(' ')),
  }
}

let logged: ReturnType<typeof vi.spyOn>
beforeEach(() => {
  logged = vi.spyOn(console, 'error').mockImplementation(() => {})
})
afterEach(() => logged.mockRestore())

describe('effects', () => {
  it('tell of the rows there are, then of each change, one batch a publication', async () => {
    const { collection, commit, insert } = source({ rows: rows(1, 2) })
    const { log, onBatch } = recorded()
    const effect = createEffect({
      query: (q) => q.from({ r: collection }).where(({ r }) => gt(r.v, 1)),
      onBatch,
    })
    expect(log).toEqual(['+2'])
    commit(({ write }) => {
      write({ type: 'update', value: { id: 1, v: 5 } })
      write({ type: 'update', value: { id: 2, v: 6 } })
      write({ type: 'insert', value: { id: 3, v: 0 } })
    })
    commit(({ write }) => write({ type: 'delete', key: 1 }))
    insert({ id: 4, v: 0 })
    expect(log.slice(1).map((batch) => batch.split(' ').sort().join(' '))).toEqual(['+1 ~2', '-1'])
    await effect.dispose()
    insert({ id: 5, v: 5 })
    expect([log.length, collection.subscriberCount, effect.disposed]).toEqual([3, 0, true])
  })

  it('give values as they are and as they were', () => {
    const { collection, update, remove } = source({ rows: rows(1) })
    const seen: unknown[] = []
    const keep = (event: DeltaEvent<{ v: unknown }>) => {
      seen.push(event.type, event.value.v, 'previousValue' in event ? event.previousValue.v : undefined)
    }
    createEffect({
      query: (q) => q.from({ r: collection }).select(({ r }) => ({ v: r.v })),
      onEnter: keep,
      onUpdate: keep,
      onExit: keep,
    })
    update({ id: 1, v: 2 })
    update({ id: 1, v: 2, unseen: true })
    remove(1)
    expect(seen).toEqual(['enter', 1, undefined, 'update', 2, 1, 'exit', 2, undefined])
  })

  it('call onBatch, then a handler for each change, with their context', () => {
    const { collection, insert } = source()
    const calls: string[] = []
    const contexts = new Set<unknown>()
    createEffect({
      id: 'watch',
      query: (q) => q.from({ r: collection }),
      onBatch: (events, context) => {
        calls.push(`batch ${events.length}`)
        contexts.add(context)
      },
      onEnter: ({ key }, context) => {
        calls.push(`enter ${key}`)
        contexts.add(context)
      },
    })
    insert(...rows(1, 2))
    expect(calls).toEqual(['batch 2', 'enter 1', 'enter 2'])
    const [context] = contexts as Set<{ effectId: string; signal: AbortSignal }>
    expect([contexts.size, context?.effectId, context?.signal.aborted]).toEqual([1, 'watch', false])
  })

  it('follow a window: what is pushed out exits, what is pulled in enters', () => {
    const { collection, insert, remove, update } = source({ rows: rows(1, 2, 3) })
    const { log, onBatch } = recorded()
    createEffect({
      query: (q) =>
        q
          .from({ r: collection })
          .orderBy(({ r }) => r.v)
          .limit(2),
      skipInitial: true,
      onBatch,
    })
    insert({ id: 0, v: 0 })
    remove(0)
    update({ id: 3, v: 7 })
    update({ id: 1, v: 9 })
    expect(log.map((batch) => batch.split(' ').sort().join(' '))).toEqual(['+0 -2', '+2 -0', '+3 -1'])
  })

  it('pass over what is there until the sources are ready, if asked to', () => {
    const { collection, insert, update, params } = source({ ready: false })
    const { log, onBatch } = recorded()
    createEffect({ query: (q) => q.from({ r: collection }), skipInitial: true, onBatch })
    insert(...rows(1, 2))
    update({ id: 1, v: 5 })
    params.markReady()
    expect(log).toEqual([])
    update({ id: 1, v: 6 })
    insert(...rows(3))
    expect(log).toEqual(['~1', '+3'])
  })

  it('show rows as they come without it', () => {
    const { collection, insert, params } = source({ ready: false })
    const { log, onBatch } = recorded()
    createEffect({ query: (q) => q.from({ r: collection }), onBatch })
    insert(...rows(1))
    params.markReady()
    insert(...rows(2))
    expect(log).toEqual(['+1', '+2'])
  })

  it('are told of nothing when nothing has changed for them', () => {
    const { collection, commit, update } = source({ rows: rows(1) })
    const { log, onBatch } = recorded()
    createEffect({ query: (q) => q.from({ r: collection }), skipInitial: true, onBatch })
    update({ id: 1, v: 1 })
    commit(({ write }) => {
      write({ type: 'insert', value: { id: 2 } })
      write({ type: 'delete', key: 2 })
    })
    expect(log).toEqual([])
  })

  it('may start and end inside a callback', () => {
    const { collection, insert } = source({ rows: rows(1) })
    const { log, onBatch } = recorded()
    const outer = collection.subscribeChanges((changes) => {
      if (changes.length === 0) return
      outer.unsubscribe()
      const effect = createEffect({ query: (q) => q.from({ r: collection }), onBatch })
      insert(...rows(9))
      queueMicrotask(() => void effect.dispose())
    })
    insert(...rows(2))
    expect(log).toEqual(['+1 +2', '+9'])
  })

  it('start their sources', () => {
    const { collection } = source({ startSync: false, rows: rows(1) })
    const { log, onBatch } = recorded()
    createEffect({ query: (q) => q.from({ r: collection }).where(({ r }) => eq(r.id, 1)), onBatch })
    expect([collection.status, log]).toEqual(['ready', ['+1']])
  })

  it('refuse a query with a fault', () => {
    const { collection } = source()
    expect(() => createEffect({ query: (q) => q.from({ r: collection }).limit(1) })).toThrow('ORDER BY')
    const scalar = (q: { from(s: object): { select(f: (refs: never) => unknown): unknown } }) =>
      q.from({ r: collection }).select(({ r }: { r: { v: unknown } }) => r.v)
    expect(() => createEffect({ query: scalar as never })).toThrow('scalar select()')
    expect(collection.subscriberCount).toBe(0)
  })
})

describe('handlers that fail', () => {
  it('are told to onError with their event, and the others go on', async () => {
    const { collection, insert } = source()
    const errors: string[] = []
    const entered: unknown[] = []
    createEffect({
      query: (q) => q.from({ r: collection }),
      onBatch: () => {
        throw new Error('batch')
      },
      onEnter: async ({ key }) => {
        entered.push(key)
        if (key === 1) throw new Error('one')
        await Promise.reject('text')
      },
      onError: (error, event) => void errors.push(`${error.message} ${brief(event)}`),
    })
    insert(...rows(1, 2))
    await settle()
    expect(errors.sort()).toEqual(['batch +1', 'one +1', 'text +2'])
    expect(entered).toEqual([1, 2])
  })

  it('are logged without onError, and so is what onError throws', async () => {
    const { collection, insert } = source()
    const failure = new Error('handler')
    const second = new Error('onError')
    createEffect({
      query: (q) => q.from({ r: collection }),
      onEnter: () => {
        throw failure
      },
    })
    createEffect({
      query: (q) => q.from({ r: collection }),
      onEnter: () => Promise.reject(failure),
      onError: () => {
        throw second
      },
    })
    insert(...rows(1))
    await settle()
    expect(logged.mock.calls.map((call: unknown[]) => call[1])).toEqual([failure, second])
  })
})

describe('the end of an effect', () => {
  it('stops the rest of a batch when a handler asks for it', async () => {
    const { collection, insert } = source()
    const seen: unknown[] = []
    const effect = createEffect({
      query: (q) => q.from({ r: collection }),
      onEnter: async ({ key }, { signal }) => {
        seen.push(key)
        await effect.dispose()
        seen.push(signal.aborted)
      },
    })
    insert(...rows(1, 2))
    insert(...rows(3))
    await settle()
    expect(seen).toEqual([1, true])
  })

  it('is reached when handlers under way have ended, however', async () => {
    const { collection, insert } = source()
    const ends: (() => void)[] = []
    const effect = createEffect({
      query: (q) => q.from({ r: collection }),
      onEnter: ({ key }) =>
        new Promise<void>((resolve, reject) =>
          ends.push(key === 1 ? resolve : () => reject(new Error('late'))),
        ),
      onError: () => {},
    })
    insert(...rows(1, 2))
    const end = vi.fn()
    const first = effect.dispose()
    expect(effect.dispose()).toBe(first)
    void first.then(end)
    ends[0]?.()
    await settle()
    expect(end).not.toHaveBeenCalled()
    ends[1]?.()
    await settle()
    expect(end).toHaveBeenCalled()
  })

  it('comes by itself when a source fails', async () => {
    const { collection, params, insert } = source({ rows: rows(1) })
    const errors: unknown[] = []
    const { log, onBatch } = recorded()
    const effect = createEffect({
      query: (q) => q.from({ r: collection }),
      onBatch,
      onSourceError: (error) => void errors.push(error, effect.disposed),
    })
    const failure = new Error('down')
    params.markError(failure)
    expect([errors, effect.disposed, logged.mock.calls]).toEqual([[failure, false], true, []])
    params.markReady()
    insert(...rows(2))
    expect([log, collection.subscriberCount]).toEqual([['+1'], 0])
  })

  it('comes when a source is cleaned up or does not start, and is logged without onSourceError', () => {
    const { collection } = source({ rows: rows(1) })
    const effect = createEffect({ query: (q) => q.from({ r: collection }) })
    void collection.cleanup()
    expect([effect.disposed, collection.subscriberCount]).toEqual([true, 0])
    expect(logged.mock.calls[0]?.[1]).toBeInstanceOf(Error)
    const failure = new Error('no network')
    const deaf = createCollection<Row>({
      getKey: (row) => row.id,
      sync: {
        sync: () => {
          throw failure
        },
      },
    })
    expect(createEffect({ query: (q) => q.from({ r: deaf }) }).disposed).toBe(true)
    expect(logged.mock.calls[1]?.[1]).toBe(failure)
  })
})
