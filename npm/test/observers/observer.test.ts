import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import {
  createLiveQueryCollection,
  createLiveQueryObserver,
  eq,
  LiveQueryObserverDisposedError,
} from '../../src/index.ts'
import { reported, settle, source } from '../shell/source.ts'
import { muteConsole, ordered, recorder, rows } from './fixture.ts'

let logged: ReturnType<typeof vi.spyOn>
beforeEach(() => {
  logged = muteConsole()
})
afterEach(() => logged.mockRestore())

const ids = (data: readonly { id: unknown }[] | undefined) => data?.map(({ id }) => id)

describe('snapshots', () => {
  it('start nothing', () => {
    const { collection, live } = ordered({ rows: rows(1), startSync: false })
    const snapshot = createLiveQueryObserver(live).getSnapshot()
    expect([snapshot.status, snapshot.isIdle, snapshot.isEnabled, snapshot.data]).toEqual([
      'idle',
      true,
      true,
      [],
    ])
    expect([live.status, collection.status, live.subscriberCount]).toEqual(['idle', 'idle', 0])
  })

  it('are the same object until something can be seen to have changed', () => {
    const { collection, live, insert, update } = ordered()
    const observer = createLiveQueryObserver(live)
    const idle = observer.getSnapshot()
    expect(observer.getSnapshot()).toBe(idle)
    observer.subscribe(() => {})
    const first = observer.getSnapshot()
    expect([first === idle, first.isReady, ids(first.data)]).toEqual([false, true, [1, 2]])
    expect([first.data, first.state]).toEqual([observer.getSnapshot().data, first.state])
    expect(first.data).toBe(first.data)
    expect(first.state).toBe(first.state)
    update({ id: 1, v: 1 })
    collection.startSyncImmediate()
    expect(observer.getSnapshot()).toBe(first)
    insert({ id: 3, v: 0 })
    const second = observer.getSnapshot()
    expect(second).not.toBe(first)
    expect([ids(second.data), [...(second.state?.keys() ?? [])]]).toEqual([
      [3, 1, 2],
      [3, 1, 2],
    ])
  })

  it('stay what they were', () => {
    const { live, insert, remove } = ordered()
    const observer = createLiveQueryObserver(live)
    observer.subscribe(() => {})
    const before = observer.getSnapshot()
    remove(1)
    insert({ id: 3, v: 3 })
    expect([ids(before.data), before.state?.get(1)?.id, before.state?.has(3)]).toEqual([[1, 2], 1, false])
    expect(Object.isFrozen(before)).toBe(true)
  })

  it('keep the rows that have not changed', () => {
    const { live, update } = ordered()
    const observer = createLiveQueryObserver(live)
    observer.subscribe(() => {})
    const before = observer.getSnapshot().data ?? []
    update({ id: 2, v: 3 })
    const after = observer.getSnapshot().data ?? []
    expect([after[0] === before[0], after[1] === before[1]]).toEqual([true, false])
  })

  it('count the changes of the order of keys', () => {
    const { live, update, insert } = ordered()
    const observer = createLiveQueryObserver(live)
    observer.subscribe(() => {})
    const { layoutRevision } = observer.getSnapshot()
    update({ id: 1, v: 1.5 })
    expect(observer.getSnapshot().layoutRevision).toBe(layoutRevision)
    update({ id: 1, v: 5 })
    expect(observer.getSnapshot().layoutRevision).toBe(layoutRevision + 1)
    insert({ id: 4, v: 9 })
    expect(observer.getSnapshot().layoutRevision).toBe(layoutRevision + 2)
  })

  it('show a write at once, before anybody subscribes as well', () => {
    const { collection } = source({ rows: rows(1), onInsert: () => new Promise(() => {}) })
    const observer = createLiveQueryObserver(collection)
    collection.insert({ id: 2, v: 2 })
    expect(ids(observer.getSnapshot().data)).toEqual([1, 2])
  })

  it('have the first row of a single result', () => {
    const { collection, remove } = source({ rows: rows(1, 2) })
    const live = createLiveQueryCollection((q) =>
      q
        .from({ r: collection })
        .orderBy(({ r }) => r.v)
        .findOne(),
    )
    const observer = createLiveQueryObserver(live)
    observer.subscribe(() => {})
    expect(observer.getSnapshot().data?.id).toBe(1)
    remove(1)
    expect(observer.getSnapshot().data?.id).toBe(2)
    remove(2)
    expect(observer.getSnapshot().data).toBeUndefined()
  })
})

describe('listeners', () => {
  it('are told that the query starts and is ready, and then of its rows', () => {
    const { live } = ordered()
    const { log, listener } = recorder()
    createLiveQueryObserver(live).subscribe(listener)
    expect(log).toEqual(['status', 'status', '+1 +2'])
  })

  it('are told of changes, of moves, and not of what changes nothing', () => {
    const { live, insert, update, remove } = ordered()
    const observer = createLiveQueryObserver(live)
    const { log, listener } = recorder()
    observer.subscribe(listener)
    log.length = 0
    update({ id: 1, v: 1 })
    expect(log).toEqual([])
    insert({ id: 3, v: 3 })
    update({ id: 3, v: 4 })
    remove(3)
    expect(log).toEqual(['+3', '~3', '-3'])
  })

  it('are told of an order that changes alone by an empty batch', () => {
    const { collection, update } = source({ rows: rows(1, 2) })
    const live = createLiveQueryCollection((q) =>
      q
        .from({ r: collection })
        .orderBy(({ r }) => r.v)
        .select(({ r }) => ({ id: r.id })),
    )
    const observer = createLiveQueryObserver(live)
    const { log, listener } = recorder()
    observer.subscribe(listener)
    log.length = 0
    update({ id: 1, v: 5 })
    expect([log, ids(observer.getSnapshot().data)]).toEqual([['moved'], [2, 1]])
  })

  it('see the change when they are told of it', () => {
    const { live, insert } = ordered()
    const observer = createLiveQueryObserver(live)
    const seen: unknown[] = []
    observer.subscribe((changes) => {
      if (changes !== undefined) seen.push(ids(observer.getSnapshot().data))
    })
    insert({ id: 3, v: 3 })
    expect(seen).toEqual([
      [1, 2],
      [1, 2, 3],
    ])
  })

  it('that come later are told of the rows that are there, once', () => {
    const { live, insert } = ordered()
    const observer = createLiveQueryObserver(live)
    observer.subscribe(() => {})
    const { log, listener } = recorder()
    observer.subscribe(listener)
    observer.subscribe(listener)
    insert({ id: 3, v: 3 })
    expect(log).toEqual(['+1 +2', '+1 +2', '+3', '+3'])
    expect(live.subscriberCount).toBe(1)
  })

  it('of a wholesale observer are told of nothing while they subscribe', () => {
    const { live, insert } = ordered()
    const observer = createLiveQueryObserver(live, { mode: 'wholesale' })
    const { log, listener } = recorder()
    observer.subscribe(listener)
    observer.subscribe(listener)
    expect([log, ids(observer.getSnapshot().data)]).toEqual([[], [1, 2]])
    insert({ id: 3, v: 3 })
    expect(log).toEqual(['+3', '+3'])
  })

  it('start the source; the last one that leaves lets it go', () => {
    const { collection, live } = ordered({ rows: rows(1), startSync: false })
    const observer = createLiveQueryObserver(live)
    const [a, b] = [observer.subscribe(() => {}), observer.subscribe(() => {})]
    expect([collection.status, live.subscriberCount]).toEqual(['ready', 1])
    a()
    a()
    expect(live.subscriberCount).toBe(1)
    b()
    expect([live.subscriberCount, live.status]).toEqual([0, 'ready'])
  })

  it('can mount twice, as in strict mode, and see one start', () => {
    const made = source({ rows: rows(1), startSync: false })
    const live = createLiveQueryCollection((q) => q.from({ r: made.collection }))
    const observer = createLiveQueryObserver(live)
    const { log, listener } = recorder()
    observer.subscribe(listener)()
    const between = observer.getSnapshot()
    observer.subscribe(listener)
    expect(observer.getSnapshot()).toBe(between)
    expect([log, made.sessions]).toEqual([['status', 'status', '+1', '+1'], 1])
  })

  it('may leave, come and write while they are told', () => {
    const { live, insert } = ordered({ rows: rows(1) })
    const observer = createLiveQueryObserver(live)
    const log: string[] = []
    const note = (name: string) => (changes: readonly { key: unknown }[] | undefined) => {
      if (changes !== undefined) log.push(`${name} ${changes.map(({ key }) => key)}`)
    }
    observer.subscribe((changes) => {
      note('a')(changes)
      if (changes?.[0]?.key !== 2) return
      leave()
      observer.subscribe(note('c'))
      insert({ id: 3, v: 3 })
      log.push('a is through')
    })
    const leave = observer.subscribe(note('b'))
    insert({ id: 2, v: 2 })
    insert({ id: 4, v: 4 })
    expect(log).toEqual(['a 1', 'b 1', 'a 2', 'a is through', 'b 2', 'a 3', 'c 1,2,3', 'a 4', 'c 4'])
  })

  it('that throw keep nobody else from being told, and the writer hears of it', () => {
    const { live, insert } = ordered()
    const observer = createLiveQueryObserver(live, { mode: 'wholesale' })
    const { log, listener } = recorder()
    observer.subscribe(() => {
      throw new Error('no')
    })
    observer.subscribe(listener)
    expect(() => insert({ id: 3, v: 3 })).toThrow('no')
    expect([log, ids(observer.getSnapshot().data)]).toEqual([['+3'], [1, 2, 3]])
  })

  it('are not told after dispose, and cannot come any more', () => {
    const { live, insert } = ordered()
    const observer = createLiveQueryObserver(live)
    const { log, listener } = recorder()
    const leave = observer.subscribe(listener)
    log.length = 0
    observer.dispose()
    observer.dispose()
    leave()
    insert({ id: 3, v: 3 })
    expect([log, live.subscriberCount]).toEqual([[], 0])
    expect(() => observer.subscribe(listener)).toThrow(LiveQueryObserverDisposedError)
    expect(ids(observer.getSnapshot().data)).toEqual([1, 2, 3])
  })
})

describe('an observer without a collection', () => {
  it('is disabled and ready', async () => {
    const observer = createLiveQueryObserver(null)
    const snapshot = observer.getSnapshot()
    expect(snapshot).toMatchObject({
      status: 'disabled',
      isEnabled: false,
      isReady: true,
      isLoading: false,
      isError: false,
    })
    expect([snapshot.data, snapshot.state, snapshot.collection]).toEqual([undefined, undefined, undefined])
    expect(observer.getSnapshot()).toBe(snapshot)
    const { log, listener } = recorder()
    observer.subscribe(listener)()
    await observer.preload()
    expect([log, observer.getError(), observer.dehydrate()]).toEqual([[], undefined, { rows: [] }])
    observer.dispose()
    expect(() => observer.subscribe(listener)).toThrow(LiveQueryObserverDisposedError)
  })
})

describe('status', () => {
  it('is loading while rows come, and ready when the source is', () => {
    const { live, params, insert } = ordered({ ready: false })
    const observer = createLiveQueryObserver(live)
    const { log, listener } = recorder()
    observer.subscribe(listener)
    insert({ id: 1, v: 1 })
    const loading = observer.getSnapshot()
    expect([loading.isLoading, ids(loading.data)]).toEqual([true, [1]])
    params.markReady()
    const ready = observer.getSnapshot()
    expect([ready.isReady, log, ready.data]).toEqual([true, ['status', '+1', 'status'], loading.data])
  })

  it('is an error while the source fails, and recovers with it', () => {
    const { live, params, insert } = ordered()
    const observer = createLiveQueryObserver(live)
    const { log, listener } = recorder()
    observer.subscribe(listener)
    log.length = 0
    params.markError?.(new Error('gone'))
    expect([observer.getSnapshot().isError, String(observer.getError())]).toEqual([true, 'Error: gone'])
    params.markReady()
    expect([observer.getSnapshot().isReady, observer.getError()]).toEqual([true, undefined])
    insert({ id: 3, v: 3 })
    expect(log).toEqual(['status', 'status', '+3'])
  })

  it('is an error after the source was cleaned up, until the query starts again', async () => {
    const { collection, live, insert } = ordered()
    const observer = createLiveQueryObserver(live)
    observer.subscribe(() => {})
    await collection.cleanup()
    expect([observer.getSnapshot().status, observer.getError() instanceof Error]).toEqual(['error', true])
    await live.cleanup()
    expect([observer.getSnapshot().isCleanedUp, observer.getSnapshot().data]).toEqual([true, []])
    live.startSyncImmediate()
    insert({ id: 3, v: 3 })
    expect([observer.getSnapshot().isReady, ids(observer.getSnapshot().data)]).toEqual([true, [1, 2, 3]])
  })

  it('is what a failing start leaves behind, and the subscriber hears why', () => {
    let fails = true
    const { collection } = source({
      startSync: false,
      onSync: () => {
        if (fails) throw new Error('no connection')
      },
    })
    const live = createLiveQueryCollection((q) => q.from({ r: collection }))
    const observer = createLiveQueryObserver(live)
    expect(() => observer.subscribe(() => {})).toThrow('no connection')
    expect([observer.getSnapshot().status, live.subscriberCount]).toEqual(['error', 0])
    expect(String(observer.getError())).toContain('no connection')
    fails = false
    void live.cleanup()
    void collection.cleanup()
    observer.subscribe(() => {})
    expect(observer.getSnapshot().isReady).toBe(true)
  })

  it('of another query is that of another observer', () => {
    const { collection, insert } = source({ rows: rows(1, 2) })
    const query = (v: number) =>
      createLiveQueryCollection({
        query: (q) => q.from({ r: collection }).where(({ r }) => eq(r.v, v)),
        gcTime: 1,
      })
    const first = createLiveQueryObserver(query(1))
    const leave = first.subscribe(() => {})
    const second = createLiveQueryObserver(query(2))
    second.subscribe(() => {})
    leave()
    first.dispose()
    insert({ id: 3, v: 2 }, { id: 4, v: 1 })
    expect(ids(second.getSnapshot().data)).toEqual([2, 3])
  })
})

describe('preload', () => {
  it('starts the query and is one promise, given on to who asks for it', async () => {
    const { live, params } = ordered({ ready: false, rows: rows(1) })
    const onPreload = vi.fn()
    const observer = createLiveQueryObserver(live, { onPreload })
    const [a, b] = [observer.preload(), observer.preload()]
    expect([a === b, onPreload.mock.calls]).toEqual([true, [[a]]])
    params.markReady()
    await a
    expect([observer.getSnapshot().isReady, ids(observer.getSnapshot().data)]).toEqual([true, [1]])
    expect(observer.dehydrate().rows.map(({ key }) => key)).toEqual([1])
  })

  it('rejects with what the source failed of', async () => {
    const { live, params } = ordered({ ready: false })
    const ready = createLiveQueryObserver(live).preload()
    params.markError?.(new Error('gone'))
    await expect(ready).rejects.toThrow('gone')
  })
})

describe('what is collected', () => {
  it('is the query nobody observes any more', async () => {
    const { collection } = source({ rows: rows(1) })
    const live = createLiveQueryCollection({ query: (q) => q.from({ r: collection }), gcTime: 1 })
    const observer = createLiveQueryObserver(live)
    const leave = observer.subscribe(() => {})
    const errors = await reported(async () => {
      leave()
      await vi.waitFor(() => expect(live.status).toBe('cleaned-up'))
      await settle()
    })
    expect([errors, collection.subscriberCount, observer.getSnapshot().status]).toEqual([[], 0, 'cleaned-up'])
    const { log, listener } = recorder()
    observer.subscribe(listener)
    expect(log).toEqual(['status', 'status', '+1'])
  })
})
