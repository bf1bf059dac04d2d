import { describe, expect, it, vi } from 'vitest'
import { CollectionStateError, createLiveQueryCollection, SyncCleanupError } from '../../src/index.ts'
import { reported, source } from '../shell/source.ts'

describe('while a cleanup runs', () => {
  /** Runs `inside` from the source's cleanup function. */
  function cleaning(inside: (made: ReturnType<typeof source>) => void) {
    const made: ReturnType<typeof source> = source({ onSync: () => () => inside(made) })
    return made
  }

  it('the collection cannot be started', async () => {
    const attempts: unknown[] = []
    const made = cleaning(({ collection }) => {
      for (const attempt of [
        () => collection.startSyncImmediate(),
        () => collection.subscribeChanges(() => {}),
      ]) {
        try {
          attempt()
        } catch (error) {
          attempts.push(error)
        }
      }
      attempts.push(collection.preload().catch((error: unknown) => error))
    })
    await made.collection.cleanup()
    const errors = await Promise.all(attempts)
    expect(errors).toHaveLength(3)
    for (const error of errors) expect(error).toBeInstanceOf(CollectionStateError)
    expect([made.collection.status, made.collection.subscriberCount, made.sessions]).toEqual([
      'cleaned-up',
      0,
      1,
    ])
  })

  it('neither can it from a preload that was cached before', async () => {
    let attempt: Promise<void> | undefined
    const made = cleaning(({ collection }) => {
      attempt = collection.preload()
      attempt.catch(() => {})
    })
    await made.collection.preload()
    await made.collection.cleanup()
    await expect(attempt).rejects.toThrow(CollectionStateError)
    await made.collection.preload()
    expect(made.sessions).toBe(2)
  })

  it('another cleanup does nothing', async () => {
    const made = cleaning(({ collection }) => void collection.cleanup())
    const events: string[] = []
    made.collection.on('status:change', ({ previousStatus, status }) =>
      events.push(`${previousStatus}>${status}`),
    )
    await made.collection.cleanup()
    expect(events).toEqual(['ready>cleaned-up'])
  })

  it('listeners of a live query hear that its source has one subscriber less, and cannot start it', async () => {
    const { collection } = source()
    const live = createLiveQueryCollection({ query: (q) => q.from({ r: collection }), startSync: true })
    collection.once('subscribers:change', () => live.startSyncImmediate())
    const errors = await reported(() => live.cleanup())
    expect(errors).toEqual([expect.any(CollectionStateError)])
    expect(live.status).toBe('cleaned-up')
    live.startSyncImmediate()
    expect(live.status).toBe('ready')
  })
})

describe('after a cleanup', () => {
  it('the collection starts again, also from the last event of the cleanup', async () => {
    const made = source({ rows: [{ id: 1 }] })
    const { collection } = made
    let seen: unknown
    collection.once('status:cleaned-up', (event) => {
      seen = event
      collection.startSyncImmediate()
    })
    const listener = vi.fn()
    collection.on('status:change', listener)
    await collection.cleanup()
    expect(seen).toStrictEqual({
      type: 'status:cleaned-up',
      collection,
      previousStatus: 'ready',
      status: 'cleaned-up',
    })
    expect([collection.status, collection.size, made.sessions]).toEqual(['ready', 1, 2])
    // The listeners of a collection that runs again are still wanted.
    expect(listener).toHaveBeenCalledTimes(3)
  })

  it('listeners are gone if nobody subscribes, and kept otherwise', async () => {
    for (const subscribed of [false, true]) {
      const { collection } = source()
      if (subscribed) collection.subscribeChanges(() => {})
      const listener = vi.fn()
      collection.on('status:change', listener)
      await collection.cleanup()
      collection.startSyncImmediate()
      expect(listener).toHaveBeenCalledTimes(subscribed ? 3 : 1)
    }
  })

  it('a pending preload is rejected, and callbacks of first readiness are never called', async () => {
    const made = source({ ready: false })
    const first = vi.fn()
    made.collection.onFirstReady(first)
    const waiting = made.collection.preload()
    void made.collection.cleanup()
    await expect(waiting).rejects.toMatchObject({
      name: 'AbortError',
      message: expect.stringContaining(made.collection.id),
    })
    made.collection.startSyncImmediate()
    made.params.markReady()
    await made.collection.preload()
    expect(first).not.toHaveBeenCalled()
  })

  it('an abandoned preload that nobody looks at is no unhandled rejection', async () => {
    const rejected: unknown[] = []
    const note = (reason: unknown) => rejected.push(reason)
    process.on('unhandledRejection', note)
    const { collection } = source({ ready: false })
    void collection.preload()
    await collection.cleanup()
    await new Promise((resolve) => setTimeout(resolve, 5))
    process.off('unhandledRejection', note)
    expect(rejected).toEqual([])
  })

  it('what the source of the old session says is not heard', () => {
    const made = source({ rows: [{ id: 1 }] })
    const old = made.params
    void made.collection.cleanup()
    made.collection.startSyncImmediate()
    old.begin()
    old.write({ type: 'insert', value: { id: 2 } })
    old.commit()
    old.markError(new Error('late'))
    expect([made.collection.status, made.collection.size]).toEqual(['ready', 1])
  })

  it('a cleanup function that throws is reported with its cause, and does not stop the cleanup', async () => {
    const cause = new Error('cannot close')
    const { collection } = source({
      onSync: () => () => {
        throw cause
      },
    })
    const errors = await reported(() => collection.cleanup())
    expect(collection.status).toBe('cleaned-up')
    expect(errors).toEqual([expect.any(SyncCleanupError)])
    expect(errors[0]).toMatchObject({ cause, stack: cause.stack })
  })

  it('what was queued for subscribers is dropped', () => {
    const { collection, insert } = source()
    const seen = vi.fn()
    collection.subscribeChanges(() => void collection.cleanup(), { includeInitialState: false })
    collection.subscribeChanges(seen, { includeInitialState: false })
    insert({ id: 1 })
    expect(seen).not.toHaveBeenCalled()
  })

  it('a live query that could not restart takes its subscribers along to the start that works', async () => {
    const { collection } = source({ rows: [{ id: 1 }] })
    const below = createLiveQueryCollection({ query: (q) => q.from({ r: collection }), startSync: true })
    const live = createLiveQueryCollection({ query: (q) => q.from({ b: below }), startSync: true })
    const seen: string[] = []
    live.subscribeChanges((changes) => seen.push(changes.map(({ type, key }) => `${type} ${key}`).join()))
    vi.spyOn(console, 'error').mockImplementation(() => {})
    below._lifecycle.setStatus('error')
    await live.cleanup()
    expect(() => live.startSyncImmediate()).toThrow()
    expect([live.status, live.subscriberCount]).toEqual(['error', 1])
    await live.cleanup()
    await below.cleanup()
    live.startSyncImmediate()
    seen.length = 0
    collection.config.getKey({ id: 0 })
    expect([live.status, live.size]).toEqual(['ready', 1])
    vi.restoreAllMocks()
  })
})
