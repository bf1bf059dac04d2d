import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import {
  CollectionIsInErrorStateError,
  CollectionRequiresConfigError,
  CollectionRequiresSyncConfigError,
  createCollection,
  MissingDeleteHandlerError,
  MissingInsertHandlerError,
  MissingUpdateHandlerError,
} from '../../src/index.ts'
import { list, plain, type Row, reported, settle, source } from './source.ts'

const idle = () => source({ startSync: false, rows: [{ id: 1 }] })

describe('createCollection', () => {
  it('checks the configuration in order', () => {
    expect(() => createCollection(undefined as never)).toThrow(CollectionRequiresConfigError)
    expect(() => createCollection({ getKey: () => 1 } as never)).toThrow(CollectionRequiresSyncConfigError)
  })

  it('gives an id where there is none, and keeps utils and config', () => {
    const utils = { refetch: () => 1 }
    const { collection } = source({ id: '', utils })
    expect(collection.id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4/)
    expect(collection.utils).toBe(utils)
    expect(collection.config.id).toBe(collection.id)
    expect(source({ id: 'mine' }).collection.id).toBe('mine')
  })

  it('does nothing until it is used', () => {
    const { collection } = idle()
    expect([collection.status, collection.size, collection.get(1), collection.toArray]).toEqual([
      'idle',
      0,
      undefined,
      [],
    ])
    expect(collection.status).toBe('idle')
  })

  it('starts at creation on demand, and lets the error of the source out', () => {
    const sync = () => {
      throw new Error('down')
    }
    expect(() => createCollection({ getKey: () => 1, startSync: true, sync: { sync } })).toThrow('down')
  })

  it('hides the engine from whoever walks the object', () => {
    const { collection } = source({ rows: [{ id: 1 }] })
    const names = Object.getOwnPropertyNames(collection)
    expect(names.sort()).toEqual(['config', 'delete', 'id', 'insert', 'utils'])
    expect(Object.getOwnPropertySymbols(collection)).toEqual([])
  })

  it('says how strings compare', () => {
    const options = (defaultStringCollation?: object) =>
      source(
        defaultStringCollation === undefined
          ? {}
          : { defaultStringCollation: defaultStringCollation as never },
      ).collection.compareOptions
    expect(options()).toEqual({ stringSort: 'locale' })
    expect(options({ stringSort: 'lexical' })).toEqual({ stringSort: 'lexical' })
    expect(options({ stringSort: 'locale', locale: 'de' })).toEqual({ stringSort: 'locale', locale: 'de' })
    expect(options({ locale: 'de' })).toEqual({ stringSort: 'locale' })
  })

  it('refuses direct writes that have nowhere to go', () => {
    const { collection } = source({ rows: [{ id: 1 }] })
    expect(() => collection.insert({ id: 2 })).toThrow(MissingInsertHandlerError)
    expect(() => collection.update(1, () => {})).toThrow(MissingUpdateHandlerError)
    expect(() => collection.delete(1)).toThrow(MissingDeleteHandlerError)
  })
})

describe('reading', () => {
  const rows: Row[] = [
    { id: 10, v: 'a' },
    { id: 2, v: 'b' },
    { id: 'x', v: 'c' },
    { id: 'b', v: 'd' },
  ]

  it('iterates in key order: strings before numbers', () => {
    const { collection } = source({ rows })
    const keys = ['b', 'x', 2, 10]
    expect([...collection.keys()]).toEqual(keys)
    expect([...collection.values()].map(plain)).toEqual(list(collection))
    expect([...collection].map(([key]) => key)).toEqual(keys)
    expect([...collection.state.keys()]).toEqual(keys)
    expect(collection.map((row, key, index) => `${index}${key}${String(row.v)}`)).toEqual([
      '0bd',
      '1xc',
      '22b',
      '310a',
    ])
    const seen: unknown[] = []
    collection.forEach((_row, key, index) => seen.push([key, index]))
    expect(seen).toEqual(keys.map((key, index) => [key, index]))
  })

  it('keeps its order through inserts, updates and deletes', () => {
    const { collection, insert, update, remove } = source({ rows })
    expect(collection.toArray).toHaveLength(4)
    insert({ id: 5 }, { id: 'a' })
    remove(2)
    update({ id: 10, v: 'new' })
    expect([...collection.keys()]).toEqual(['a', 'b', 'x', 5, 10])
    expect(collection.toArray[4]?.v).toBe('new')
    update({ id: 5, v: 5 })
    expect(collection.toArray[3]?.v).toBe(5)
  })

  it('adds the virtual properties, after the own ones, unless the row has them', () => {
    const { collection, insert } = source({ id: 'c', rows: [{ id: 1, v: 1 }] })
    expect(collection.get(1)).toEqual({
      id: 1,
      v: 1,
      $synced: true,
      $origin: 'remote',
      $key: 1,
      $collectionId: 'c',
    })
    expect(Object.keys(collection.get(1) as object)).toEqual([
      'id',
      'v',
      '$synced',
      '$origin',
      '$key',
      '$collectionId',
    ])
    insert({ id: 2, $origin: 'local', $key: null })
    expect(collection.get(2)).toMatchObject({ $origin: 'local', $key: 2 })
  })

  it('hands out the same object until the row changes, and never the stored one', () => {
    const stored = { id: 1, v: 1 }
    const { collection, update } = source({ rows: [stored, { id: 2 }] })
    const first = collection.get(1)
    expect(first).not.toBe(stored)
    update({ id: 2, v: 1 })
    expect(collection.get(1)).toBe(first)
    expect(collection.toArray[0]).toBe(first)
    update({ id: 1, v: 1 })
    expect(collection.get(1)).toBe(first)
    update({ id: 1, v: 2 })
    expect(collection.get(1)).not.toBe(first)
    expect(first).toMatchObject({ v: 1 })
  })

  it('iterates over the rows that were there when it began', () => {
    const { collection, remove } = source({ rows })
    const seen: unknown[] = []
    for (const [key] of collection) {
      seen.push(key)
      remove('x', 2)
    }
    expect(seen).toEqual(['b', 'x', 2, 10])
  })
})

describe('readiness', () => {
  it('goes from idle over loading to ready, with events', () => {
    const events: unknown[] = []
    const { collection, params } = (() => {
      const made = source({ startSync: false, ready: false })
      made.collection.on('status:change', ({ previousStatus, status }) =>
        events.push(`${previousStatus}>${status}`),
      )
      made.collection.on('status:ready', ({ collection: from }) => events.push(from === made.collection))
      made.collection.startSyncImmediate()
      return made
    })()
    expect(collection.isReady()).toBe(false)
    params.markReady()
    params.markReady()
    expect(collection.isReady()).toBe(true)
    expect(events).toEqual(['idle>loading', 'loading>ready', true])
  })

  it('calls back once when first ready, in order, before the empty batch', () => {
    const { collection, params } = source({ ready: false })
    const calls: string[] = []
    collection.onFirstReady(() => calls.push('first'))
    collection.onFirstReady(() => calls.push('second'))
    collection.onFirstReady(() => calls.push('cancelled'))()
    collection.on('status:ready', () => calls.push('event'))
    collection.subscribeChanges((changes) => calls.push(`batch of ${changes.length}`))
    params.markReady()
    collection.onFirstReady(() => calls.push('late'))
    expect(calls).toEqual(['event', 'first', 'second', 'batch of 0', 'late'])
  })

  it('shares one preload and starts for it', async () => {
    const { collection, sessions } = idle()
    expect(sessions).toBe(0)
    const first = collection.preload()
    expect(collection.preload()).toBe(first)
    await first
    expect(collection.status).toBe('ready')
    expect(plain(await collection.toArrayWhenReady())).toEqual([{ id: 1 }])
    expect((await collection.stateWhenReady()).size).toBe(1)
  })

  it('rejects a preload when the source fails, with its cause, and allows another', async () => {
    const { collection, params } = source({ ready: false })
    const cause = new Error('offline')
    const waiting = collection.preload()
    params.markError(cause)
    await expect(waiting).rejects.toBe(cause)
    await expect(collection.preload()).rejects.toBe(cause)
    params.markReady()
    await collection.preload()
    params.markError()
    await settle()
    expect(collection.status).toBe('error')
    await expect(
      source({ ready: false, onSync: ({ markError }) => markError() }).collection.preload(),
    ).rejects.toThrow(CollectionIsInErrorStateError)
  })

  it('rejects a pending preload with an AbortError at cleanup and drops first-ready callbacks', async () => {
    const made = source({ ready: false })
    const { collection } = made
    const waiting = collection.preload()
    const first = vi.fn()
    collection.onFirstReady(first)
    void collection.cleanup()
    const again = collection.preload()
    await expect(waiting).rejects.toMatchObject({ name: 'AbortError' })
    made.params.markReady()
    await again
    expect(first).not.toHaveBeenCalled()
  })
})

describe('events', () => {
  it('stops by function, by off and after once', () => {
    const { collection } = source()
    const listener = vi.fn()
    collection.on('subscribers:change', listener)()
    collection.on('subscribers:change', listener)
    collection.off('subscribers:change', listener)
    const once = vi.fn()
    collection.once('subscribers:change', once)
    collection.subscribeChanges(() => {}).unsubscribe()
    expect(listener).not.toHaveBeenCalled()
    expect(once).toHaveBeenCalledTimes(1)
    expect(once.mock.calls[0]?.[0]).toMatchObject({
      previousSubscriberCount: 0,
      subscriberCount: 1,
      collection,
    })
  })

  it('waits for an event, or not for ever', async () => {
    const { collection } = source()
    const waiting = collection.waitFor('status:cleaned-up')
    await expect(collection.waitFor('status:change', 5)).rejects.toThrow(
      'Timeout waiting for event status:change',
    )
    void collection.cleanup()
    await expect(waiting).resolves.toMatchObject({ previousStatus: 'ready' })
  })

  it('reports what a listener throws and calls the others', async () => {
    const { collection } = source()
    const failure = new Error('listener')
    const other = vi.fn()
    collection.on('subscribers:change', () => {
      throw failure
    })
    collection.on('subscribers:change', other)
    expect(await reported(() => collection.subscribeChanges(() => {}))).toEqual([failure])
    expect(other).toHaveBeenCalled()
  })
})

describe('cleanup', () => {
  it('drops all rows at once and starts afresh', async () => {
    const made = source({ rows: [{ id: 1 }, { id: 2 }] })
    const { collection } = made
    made.remove(2)
    void collection.cleanup()
    expect([collection.status, collection.size, collection.has(1), collection.toArray]).toEqual([
      'cleaned-up',
      0,
      false,
      [],
    ])
    await collection.preload()
    expect(made.sessions).toBe(2)
    expect([...collection.keys()]).toEqual([1, 2])
  })

  it('works on a collection that never started', () => {
    const { collection } = idle()
    void collection.cleanup()
    expect(collection.status).toBe('cleaned-up')
    collection.startSyncImmediate()
    expect(collection.size).toBe(1)
  })

  it('keeps subscriptions, which hear of the next session', () => {
    const { collection } = source({ rows: [{ id: 1 }] })
    const seen: unknown[] = []
    collection.subscribeChanges((changes) => seen.push(changes.map(({ type, key }) => `${type} ${key}`)), {
      includeInitialState: true,
    })
    void collection.cleanup()
    collection.startSyncImmediate()
    expect(seen).toEqual([['insert 1'], ['insert 1'], []])
    expect(collection.subscriberCount).toBe(1)
  })

  it('may be undone by those who are told of it', async () => {
    const { collection } = source({ rows: [{ id: 1 }] })
    const stop = collection.on('status:cleaned-up', () => collection.startSyncImmediate())
    await collection.cleanup()
    expect([collection.status, collection.size]).toEqual(['ready', 1])
    stop()
    const again = collection.on('status:cleaned-up', () => void collection.cleanup())
    await collection.cleanup()
    again()
    collection.startSyncImmediate()
    expect(collection.size).toBe(1)
  })

  it('happens once when the source cleans up as it ends', async () => {
    const { collection } = source({ onSync: () => () => void collection.cleanup() })
    const seen: string[] = []
    collection.on('status:change', ({ previousStatus, status }) => seen.push(`${previousStatus} ${status}`))
    await collection.cleanup()
    expect(seen).toEqual(['ready cleaned-up'])
  })

  it('may happen while the collection starts', async () => {
    const ended = vi.fn()
    const syncs = vi.fn()
    const early = source({ startSync: false, onSync: syncs })
    early.collection.once('status:loading', () => void early.collection.cleanup())
    early.collection.startSyncImmediate()
    expect([early.collection.status, syncs.mock.calls.length]).toEqual(['cleaned-up', 0])

    const late = source({
      startSync: false,
      onSync: () => {
        void late.collection.cleanup()
        return ended
      },
    })
    late.collection.startSyncImmediate()
    expect([late.collection.status, ended.mock.calls.length]).toEqual(['cleaned-up', 1])
  })

  describe('of collections nobody watches', () => {
    beforeEach(() => void vi.useFakeTimers())
    afterEach(() => void vi.useRealTimers())

    it('happens after gcTime, unless somebody comes back', async () => {
      const { collection } = source({ gcTime: 1000 })
      await vi.advanceTimersByTimeAsync(900)
      expect(collection.status).toBe('ready')
      collection.subscribeChanges(() => {}).unsubscribe()
      await vi.advanceTimersByTimeAsync(900)
      const subscription = collection.subscribeChanges(() => {})
      await vi.advanceTimersByTimeAsync(5000)
      expect(collection.status).toBe('ready')
      subscription.unsubscribe()
      await vi.advanceTimersByTimeAsync(1100)
      expect(collection.status).toBe('cleaned-up')
    })

    it('still happens after a fake clock was taken away with something scheduled', async () => {
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'queueMicrotask'] })
      source({ gcTime: 1 })
        .collection.subscribeChanges(() => {})
        .unsubscribe()
      await Promise.resolve()
      vi.useRealTimers()
      const { collection } = source({ gcTime: 1 })
      collection.subscribeChanges(() => {}).unsubscribe()
      await vi.waitFor(() => expect(collection.status).toBe('cleaned-up'))
    })

    it('waits for a gcTime longer than a timer can be', async () => {
      const { collection } = source({ gcTime: 2 ** 40 })
      const timers = vi.spyOn(globalThis, 'setTimeout')
      collection.subscribeChanges(() => {}).unsubscribe()
      await vi.advanceTimersByTimeAsync(1000)
      expect([collection.status, timers.mock.calls.length]).toEqual(['ready', 1])
      expect(timers.mock.calls[0]?.[1]).toBeLessThan(2 ** 31)
      timers.mockRestore()
    })

    it('never happens with a gcTime that is no time', async () => {
      const collections = [0, -1, Number.POSITIVE_INFINITY, Number.NaN].map(
        (gcTime) => source({ gcTime }).collection,
      )
      for (const collection of collections) collection.subscribeChanges(() => {}).unsubscribe()
      await vi.advanceTimersByTimeAsync(1_000_000)
      expect(collections.map(({ status }) => status)).toEqual(['ready', 'ready', 'ready', 'ready'])
    })
  })
})
