import { describe, expect, it, vi } from 'vitest'
import { SubscriptionHandle } from '../../src/collection/subscription-handle.ts'
import { createLiveQueryCollection, eq } from '../../src/index.ts'
import type { SubscriptionStatusChangeEvent } from '../../src/types.ts'
import { reported, source } from '../shell/source.ts'

/** A load and how to end it. */
function load() {
  let resolve = () => {}
  let reject: (error: unknown) => void = () => {}
  const promise = new Promise<void>((onResolve, onReject) => {
    resolve = onResolve
    reject = onReject
  })
  return { promise, resolve, reject }
}

/** A subscription as whoever loads rows for it sees it. */
function followed(onStatusChange?: (event: SubscriptionStatusChangeEvent) => void) {
  const { collection } = source()
  const subscription = collection.subscribeChanges(
    () => {},
    onStatusChange === undefined ? {} : { onStatusChange },
  )
  return subscription as SubscriptionHandle
}

describe('the end of a subscription', () => {
  it('is told once, and a second one is nothing', () => {
    const { collection, insert } = source()
    const seen = vi.fn()
    const subscription = collection.subscribeChanges(seen)
    const events: unknown[] = []
    subscription.on('unsubscribed', (event) => events.push([event, collection.subscriberCount]))
    subscription.unsubscribe()
    subscription.unsubscribe()
    insert({ id: 1 })
    expect(events).toStrictEqual([[{ type: 'unsubscribed', subscription }, 0]])
    expect([collection.subscriberCount, seen.mock.calls]).toEqual([0, []])
    expect([subscription.emitEvents([]), subscription.status]).toEqual([false, 'ready'])
  })

  it('takes its listeners along', async () => {
    const subscription = followed()
    const listener = vi.fn()
    subscription.on('unsubscribed', listener)
    subscription.off('unsubscribed', listener)
    const waiting = subscription.waitFor('unsubscribed')
    subscription.unsubscribe()
    await expect(waiting).resolves.toMatchObject({ type: 'unsubscribed' })
    subscription.on('status:change', listener)
    subscription.follow({ load: Promise.resolve(), options: {} })
    expect(listener).not.toHaveBeenCalled()
  })

  it('may come from its own callback, another one or a listener that throws', async () => {
    const { collection, insert } = source()
    const failure = new Error('listener')
    let calls = 0
    const subscription = collection.subscribeChanges(() => {
      calls++
      subscription.unsubscribe()
    })
    subscription.on('unsubscribed', () => {
      throw failure
    })
    const errors = await reported(() => {
      insert({ id: 1 })
      insert({ id: 2 })
    })
    expect([errors, calls, collection.subscriberCount]).toEqual([[failure], 1, 0])
  })

  it('after its collection was cleaned up leaves nothing behind', () => {
    const { collection } = source()
    const subscription = collection.subscribeChanges(() => {})
    void collection.cleanup()
    subscription.unsubscribe()
    expect(collection.subscriberCount).toBe(0)
    collection.startSyncImmediate()
    expect(collection.status).toBe('ready')
  })

  it('may not come twice for the collection: the count stays right', () => {
    const { collection } = source()
    const subscriptions = [1, 2, 3].map(() => collection.subscribeChanges(() => {}))
    for (const subscription of subscriptions) {
      subscription.unsubscribe()
      subscription.unsubscribe()
    }
    expect(collection.subscriberCount).toBe(0)
  })
})

describe('loads that a subscription waits for', () => {
  it('show in its status until the last has ended, however it ends', async () => {
    const seen: unknown[] = []
    const subscription = followed((event) => seen.push(event))
    const statuses: string[] = []
    subscription.on('status:ready', ({ type }) => statuses.push(type))
    subscription.on('status:loadingSubset', ({ type }) => statuses.push(type))
    const [first, second] = [load(), load()]
    expect(subscription.status).toBe('ready')
    subscription.follow({ load: first.promise, options: {} })
    subscription.follow({ load: second.promise, options: {} })
    expect(subscription.status).toBe('loadingSubset')
    first.resolve()
    await first.promise
    expect(subscription.status).toBe('loadingSubset')
    second.reject(new Error('offline'))
    await subscription.waitFor('status:ready')
    expect(subscription.status).toBe('ready')
    expect(statuses).toEqual(['status:loadingSubset', 'status:ready'])
    expect(seen).toStrictEqual([
      { type: 'status:change', subscription, previousStatus: 'ready', status: 'loadingSubset' },
      { type: 'status:change', subscription, previousStatus: 'loadingSubset', status: 'ready' },
    ])
  })

  it('tell of failures, always with an Error', async () => {
    const subscription = followed()
    const options = { where: 1 }
    const events: unknown[] = []
    subscription.on('loadSubset:error', (event) => events.push(event))
    const failure = new Error('offline')
    subscription.follow({ load: Promise.reject(failure), options })
    await subscription.waitFor('loadSubset:error')
    expect(subscription.lastError).toBe(failure)
    subscription.follow({ load: Promise.reject('text'), options })
    await subscription.waitFor('loadSubset:error')
    expect(events).toStrictEqual([
      { type: 'loadSubset:error', subscription, options, error: failure },
      { type: 'loadSubset:error', subscription, options, error: new Error('text') },
    ])
  })

  it('are of no interest after the end', async () => {
    const subscription = followed()
    const pending = load()
    subscription.follow({ load: pending.promise, options: {} })
    subscription.unsubscribe()
    pending.reject(new Error('late'))
    await Promise.resolve()
    expect([subscription.status, subscription.lastError]).toEqual(['ready', undefined])
  })
})

describe('events of a subscription', () => {
  it('stop by function, by off and after once; waiting for one may take too long', async () => {
    const subscription = followed()
    const [stopped, off, once] = [vi.fn(), vi.fn(), vi.fn()]
    subscription.on('status:loadingSubset', stopped)()
    subscription.on('status:loadingSubset', off)
    subscription.off('status:loadingSubset', off)
    subscription.once('status:loadingSubset', once)
    for (let i = 0; i < 2; i++) {
      subscription.follow({ load: Promise.resolve(), options: {} })
      await subscription.waitFor('status:ready')
    }
    expect([stopped.mock.calls.length, off.mock.calls.length, once.mock.calls.length]).toEqual([0, 0, 1])
    await expect(subscription.waitFor('loadSubset:error', 2)).rejects.toThrow(
      'Timeout waiting for event loadSubset:error',
    )
  })
})

describe('what a subscriber knows', () => {
  it('is said by how it subscribed', () => {
    const { collection } = source({ rows: [{ id: 1 }] })
    const knows = (includeInitialState?: boolean) => {
      const options = includeInitialState === undefined ? {} : { includeInitialState }
      const subscription = collection.subscribeChanges(() => {}, options)
      return [subscription.hasLoadedInitialState(), subscription.hasSentAtLeastOneSnapshot()]
    }
    expect([knows(), knows(true), knows(false)]).toEqual([
      [false, false],
      [true, true],
      [true, false],
    ])
  })

  it('becomes everything when it says so, from the next change on', () => {
    const { collection, update, remove, insert } = source({ rows: [1, 2, 3].map((id) => ({ id, on: true })) })
    const record = (where?: true) => {
      const batches: string[] = []
      const subscription = collection.subscribeChanges(
        (changes) => batches.push(changes.map(({ type, key }) => `${type} ${key}`).join()),
        where === undefined ? {} : { where: (row) => eq(row.on, true) },
      )
      return { batches, subscription }
    }
    const all = [record(), record(true)]
    update({ id: 1, on: true, n: 1 })
    for (const { subscription } of all) subscription.markAllStateAsSeen()
    update({ id: 2, on: true, n: 1 })
    remove(3)
    insert({ id: 4, on: true })
    for (const { batches, subscription } of all) {
      expect(batches).toEqual(['insert 1', 'update 2', 'delete 3', 'insert 4'])
      expect(subscription.hasLoadedInitialState()).toBe(true)
      subscription.unsubscribe()
      subscription.markAllStateAsSeen()
    }
    expect(collection.subscriberCount).toBe(0)
  })

  it('may be handed to it', () => {
    const { collection } = source()
    const seen = vi.fn()
    const subscription = collection.subscribeChanges(seen)
    const changes = [{ type: 'insert' as const, key: 1, value: { id: 1 } as never }]
    expect(subscription.emitEvents(changes)).toBe(true)
    expect(seen).toHaveBeenCalledExactlyOnceWith(changes)
  })
})

describe('subscriptions of a live query', () => {
  it('are counted and ended like any', () => {
    const { collection } = source({ rows: [{ id: 1 }] })
    const live = createLiveQueryCollection((q) => q.from({ r: collection }))
    const subscription = live.subscribeChanges(() => {}, { includeInitialState: true })
    expect(subscription).toBeInstanceOf(SubscriptionHandle)
    expect([live.subscriberCount, collection.subscriberCount]).toEqual([1, 1])
    subscription.unsubscribe()
    expect([live.subscriberCount, collection.subscriberCount]).toEqual([0, 1])
  })
})
