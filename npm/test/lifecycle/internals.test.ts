import { describe, expect, it, vi } from 'vitest'
import { createLiveQueryCollection, createTransaction } from '../../src/index.ts'
import { plain, reported, source } from '../shell/source.ts'

const ordered = (collection: ReturnType<typeof source>['collection']) =>
  createLiveQueryCollection({
    query: (q) => q.from({ r: collection }).orderBy(({ r }) => r.v),
    startSync: true,
  })

describe('revisions', () => {
  it('differ after every change of rows or status, and after nothing else', () => {
    const { collection, insert, update, remove } = source({ startSync: false, rows: [{ id: 1 }] })
    let last = collection._stateRevision
    const moved = () => {
      const now = collection._stateRevision
      const did = now !== last
      last = now
      return did
    }
    const steps: [() => unknown, boolean][] = [
      [() => collection.toArray, false],
      [() => collection.startSyncImmediate(), true],
      [() => insert({ id: 2 }, { id: 0 }), true],
      [() => [collection.toArray, collection.get(2), collection.size, [...collection.keys()]], false],
      [() => update({ id: 2 }), false],
      [() => update({ id: 2, v: 1 }), true],
      [() => collection.subscribeChanges(() => {}).unsubscribe(), false],
      [() => remove(9), false],
      [() => remove(2), true],
      [() => void collection.cleanup(), true],
    ]
    for (const [step, expected] of steps) {
      step()
      expect([String(step), moved()]).toEqual([String(step), expected])
    }
  })

  it('of the layout differ when rows come, go or move in an ordered result', () => {
    const { collection, insert, update, remove } = source({ rows: [1, 2, 3].map((id) => ({ id, v: id })) })
    const live = ordered(collection)
    const told = vi.fn()
    const stop = live._subscribeLayoutChanges(() => told(live._layoutRevision))
    const start = live._layoutRevision
    insert({ id: 4, v: 4 })
    update({ id: 4, v: 0 })
    update({ id: 4, v: 0, x: 1 })
    remove(4)
    expect(told.mock.calls).toEqual([[start + 1], [start + 2], [start + 3]])
    stop()
    insert({ id: 5, v: 5 })
    live._markLayoutChange()
    expect([live._layoutRevision, told.mock.calls.length]).toEqual([start + 5, 3])
  })

  it('of the layout are told to everybody whoever throws', async () => {
    const { collection } = source()
    const failure = new Error('listener')
    const other = vi.fn()
    collection._subscribeLayoutChanges(() => {
      throw failure
    })
    collection._subscribeLayoutChanges(other)
    expect(await reported(() => collection._markLayoutChange())).toEqual([failure])
    expect(other).toHaveBeenCalledTimes(1)
  })
})

describe('deferred publication', () => {
  it('keeps batches back in order while rows change', () => {
    const { collection, insert, remove } = source()
    const seen: string[] = []
    collection.subscribeChanges((changes) =>
      seen.push(changes.map(({ type, key }) => `${type} ${key}`).join()),
    )
    const other: number[] = []
    const live = createLiveQueryCollection({ query: (q) => q.from({ r: collection }), startSync: true })
    live.subscribeChanges((changes) => other.push(changes.length))
    const outer = collection._deferPublication()
    const inner = collection._deferPublication()
    insert({ id: 1 })
    inner()
    inner()
    remove(1)
    expect([collection.size, seen, other]).toEqual([0, [], [1, 1]])
    outer()
    expect(seen).toEqual(['insert 1', 'delete 1'])
    insert({ id: 2 })
    expect(seen).toHaveLength(3)
  })

  it('drops what a cleanup makes obsolete', () => {
    const { collection, insert } = source()
    const seen = vi.fn()
    collection.subscribeChanges(seen, { includeInitialState: false })
    const release = collection._deferPublication()
    insert({ id: 1 })
    void collection.cleanup()
    release()
    expect(seen).not.toHaveBeenCalled()
  })
})

describe('deferred starts', () => {
  it('take note of who wants the collection and start it once all have resumed', async () => {
    const made = source({ startSync: false, rows: [{ id: 1 }, { id: 2 }] })
    const { collection } = made
    collection._deferSyncStart()
    collection._deferSyncStart()
    const batches: string[] = []
    collection.subscribeChanges((changes) => batches.push(changes.map(({ key }) => key).join()), {
      includeInitialState: true,
    })
    const untold: string[] = []
    const gone = collection.subscribeChanges(() => untold.push('gone'))
    collection.subscribeChanges((changes) => untold.push(changes.map(({ type }) => type).join()))
    gone.unsubscribe()
    const ready = collection.preload()
    expect([collection.status, batches, collection.subscriberCount]).toEqual(['idle', [''], 2])
    collection._resumeSyncStart()
    expect(made.sessions).toBe(0)
    collection._resumeSyncStart()
    await ready
    expect([collection.status, batches]).toEqual(['ready', ['', '1,2']])
    made.update({ id: 1, v: 1 })
    expect([batches, untold]).toEqual([['', '1,2', '1'], ['insert']])
    collection._resumeSyncStart()
    expect(made.sessions).toBe(1)
  })

  it('start nothing that nobody asked for, or that was cleaned up meanwhile', async () => {
    const made = source({ startSync: false })
    made.collection._deferSyncStart()
    made.collection._resumeSyncStart()
    made.collection._deferSyncStart()
    const ready = made.collection.preload()
    void made.collection.cleanup()
    made.collection._resumeSyncStart()
    await expect(ready).rejects.toMatchObject({ name: 'AbortError' })
    expect(made.sessions).toBe(0)
  })

  it('work for live queries', () => {
    const { collection, insert } = source({ rows: [{ id: 1 }] })
    const live = createLiveQueryCollection((q) => q.from({ r: collection }))
    live._deferSyncStart()
    const batches: number[] = []
    live.subscribeChanges((changes) => batches.push(changes.length), { includeInitialState: true })
    insert({ id: 2 })
    live._resumeSyncStart()
    insert({ id: 3 })
    expect([live.status, batches]).toEqual(['ready', [0, 2, 1]])
  })
})

describe('loading on demand by hand', () => {
  const onDemand = () => {
    const ends: { resolve: () => void; reject: (error: unknown) => void }[] = []
    const asked: object[] = []
    const loadSubset = (options: object) => {
      asked.push(options)
      return new Promise<void>((resolve, reject) => ends.push({ resolve, reject }))
    }
    const made = source({ syncMode: 'on-demand', onSync: () => ({ loadSubset }) as never })
    const events: string[] = []
    made.collection.on('loadingSubset:change', (event) => {
      expect(event).toStrictEqual({
        type: 'loadingSubset:change',
        collection: made.collection,
        isLoadingSubset: event.isLoadingSubset,
        previousIsLoadingSubset: !event.isLoadingSubset,
        loadingSubsetTransition: event.isLoadingSubset ? 'start' : 'end',
      })
      events.push(event.loadingSubsetTransition)
    })
    return { ...made, ends, asked, events }
  }

  it('shows while any load is under way, however it ends', async () => {
    const { collection, ends, events } = onDemand()
    const first = collection._sync.loadSubset({})
    const second = collection._sync.loadSubset({})
    expect([collection.isLoadingSubset, events]).toEqual([true, ['start']])
    ends[0]?.resolve()
    await first
    expect(collection.isLoadingSubset).toBe(true)
    ends[1]?.reject(new Error('offline'))
    await expect(second).rejects.toThrow('offline')
    expect([collection.isLoadingSubset, events]).toEqual([false, ['start', 'end']])
  })

  it('does not ask for what was aborted, and never asks an eager source', () => {
    const { collection, asked } = onDemand()
    const controller = new AbortController()
    controller.abort()
    expect(collection._sync.loadSubset({ signal: controller.signal })).toBe(true)
    const loadSubset = vi.fn()
    const eager = source({ onSync: () => ({ loadSubset }) as never })
    expect(eager.collection._sync.loadSubset({})).toBe(true)
    expect([asked, loadSubset.mock.calls]).toEqual([[], []])
  })

  it('waits while starts are deferred', async () => {
    const { collection, asked, ends } = onDemand()
    collection._deferSyncStart()
    const options = {}
    const load = collection._sync.loadSubset(options)
    expect(asked).toEqual([])
    collection._resumeSyncStart()
    expect(asked[0]).toBe(options)
    ends[0]?.reject(new Error('offline'))
    await expect(load).rejects.toThrow('offline')
  })

  it('ends with the session', async () => {
    const { collection, events, ends } = onDemand()
    void collection._sync.loadSubset({})
    collection._deferSyncStart()
    const waiting = collection._sync.loadSubset({})
    collection.subscribeChanges(() => {})
    void collection.cleanup()
    await waiting
    expect([collection.isLoadingSubset, events]).toEqual([false, ['start', 'end']])
    ends[0]?.resolve()
    await Promise.resolve()
    expect(events).toEqual(['start', 'end'])
  })
})

describe('the state below', () => {
  it('holds confirmed rows, whatever local writes cover them', () => {
    const { collection, insert } = source({
      rows: [
        { id: 1, v: 1 },
        { id: 2, v: 2 },
        { id: 3, v: 3 },
      ],
    })
    const { _state: state } = collection
    expect(collection._state).toBe(state)
    const transaction = createTransaction({ autoCommit: false, mutationFn: async () => {} })
    transaction.mutate(() => {
      collection.update(1, (draft) => {
        draft.v = 10
      })
      collection.delete(2)
      collection.insert({ id: 4, v: 4 })
    })
    expect([...collection.keys()]).toEqual([1, 3, 4])
    const rows = [
      { id: 1, v: 1 },
      { id: 2, v: 2 },
      { id: 3, v: 3 },
    ]
    expect([...state.syncedData.values()].sort((a, b) => Number(a.id) - Number(b.id))).toEqual(rows)
    expect([...state.syncedData.keys()].sort()).toEqual([1, 2, 3])
    expect([state.syncedData.size, state.syncedData.has(4), state.syncedData.get(2)]).toEqual([
      3,
      false,
      rows[1],
    ])
    expect(new Map(state.optimisticUpserts)).toEqual(
      new Map([
        [1, { id: 1, v: 10 }],
        [4, { id: 4, v: 4 }],
      ]),
    )
    expect([state.optimisticUpserts.size, state.optimisticUpserts.get(3)]).toEqual([2, undefined])
    expect([...state.optimisticDeletes.keys()]).toEqual([2])
    expect([
      state.optimisticDeletes.has(2),
      state.optimisticDeletes.has(3),
      state.optimisticDeletes.size,
    ]).toEqual([true, false, 1])
    transaction.isPersisted.promise.catch(() => {})
    transaction.rollback()
    insert({ id: 5 })
    expect([state.syncedData.size, state.optimisticUpserts.size, state.optimisticDeletes.size]).toEqual([
      4, 0, 0,
    ])
    expect(state.pendingSyncedTransactions).toHaveLength(0)
  })

  it('counts sync transactions that wait, and gives the metadata of rows', async () => {
    let finish = () => {}
    const made = source({
      onInsert: () => new Promise<void>((resolve) => (finish = resolve)) as never,
    })
    const { collection } = made
    made.commit(({ write }) => write({ type: 'insert', value: { id: 1 }, metadata: { etag: 'a' } }))
    expect(collection._state.syncedMetadata.get(1)).toEqual({ etag: 'a' })
    const transaction = collection.insert({ id: 2 })
    made.insert({ id: 2 })
    expect(collection._state.pendingSyncedTransactions).toEqual([{ committed: true }])
    finish()
    await transaction.isPersisted.promise
    expect(collection._state.pendingSyncedTransactions).toEqual([])
  })

  it('of a query is its rows', () => {
    const { collection } = source({ rows: [{ id: 1 }] })
    const live = createLiveQueryCollection({ query: (q) => q.from({ r: collection }), startSync: true })
    const { syncedData } = live._state
    expect([syncedData.size, plain([...syncedData.entries()])]).toEqual([1, [[1, { id: 1 }]]])
    expect(live._state.optimisticUpserts.size).toBe(0)
  })
})

describe('what offline tools set', () => {
  it('is theirs, and shows in no listing of the collection', () => {
    const { collection } = source()
    const refresh = Promise.resolve()
    expect(collection.deferDataRefresh).toBeNull()
    collection.deferDataRefresh = refresh
    expect(collection.deferDataRefresh).toBe(refresh)
    expect(Object.keys(collection)).not.toContain('deferDataRefresh')
    expect(collection._hasHydratedKey(1)).toBe(false)
  })
})
