import { describe, expect, it, vi } from 'vitest'
import {
  CollectionStateError,
  type CollectionStatus,
  createCollection,
  createLiveQueryCollection,
  InvalidCollectionStatusTransitionError,
} from '../../src/index.ts'
import { type Row, reported, source } from '../shell/source.ts'

type Made = ReturnType<typeof source>

const reach: Record<CollectionStatus, () => Made> = {
  idle: () => source({ startSync: false }),
  loading: () => source({ ready: false }),
  ready: () => source(),
  error: () => source({ ready: false, onSync: ({ markError }) => markError() }),
  'cleaned-up': () => {
    const made = source()
    void made.collection.cleanup()
    return made
  },
}

describe('the status by hand', () => {
  const statuses = Object.keys(reach) as CollectionStatus[]
  const allowed: Record<CollectionStatus, readonly CollectionStatus[]> = {
    idle: ['idle', 'loading', 'error', 'cleaned-up'],
    loading: ['loading', 'error', 'cleaned-up'],
    ready: ['error', 'cleaned-up'],
    error: ['error', 'cleaned-up'],
    'cleaned-up': ['loading', 'error', 'cleaned-up'],
  }

  it.each(statuses.flatMap((from) => statuses.filter((to) => to !== 'ready').map((to) => ({ from, to }))))(
    'from $from to $to',
    ({ from, to }) => {
      const { collection } = reach[from]()
      expect(collection.status).toBe(from)
      const events: string[] = []
      collection.on('status:change', ({ previousStatus, status }) =>
        events.push(`${previousStatus}>${status}`),
      )
      const set = () => collection._lifecycle.setStatus(to)
      if (!allowed[from].includes(to)) {
        expect(set).toThrow(InvalidCollectionStatusTransitionError)
        expect([collection.status, events]).toEqual([from, []])
        return
      }
      set()
      expect(events[0]).toBe(`${from}>${to}`)
      expect(collection._lifecycle.status).toBe(collection.status)
    },
  )

  it.each(statuses)('cannot be made ready when %s: only the source knows', (from) => {
    const { collection } = reach[from]()
    expect(() => collection._lifecycle.setStatus('ready')).toThrow(CollectionStateError)
    expect(collection.status).toBe(from)
  })

  it('starts the source on the way to loading', () => {
    const made = reach.idle()
    made.collection._lifecycle.setStatus('loading')
    expect([made.collection.status, made.sessions]).toEqual(['ready', 1])
  })

  it('fails a live query, and what stands on it', () => {
    const { collection } = source({ rows: [{ id: 1 }] })
    const live = createLiveQueryCollection({ query: (q) => q.from({ r: collection }), startSync: true })
    const logged = vi.spyOn(console, 'error').mockImplementation(() => {})
    live._lifecycle.setStatus('error')
    expect([live.status, collection.status]).toEqual(['error', 'ready'])
    void live.cleanup()
    live.startSyncImmediate()
    expect([live.status, live.size, logged.mock.calls.length]).toEqual(['ready', 1, 1])
    logged.mockRestore()
  })

  it('leads a collection out of an error it got before it ever started', () => {
    const { collection } = reach.idle()
    collection._lifecycle.setStatus('error')
    const seen: number[] = []
    collection.subscribeChanges((changes) => seen.push(changes.length), { includeInitialState: true })
    expect([collection.status, seen]).toEqual(['error', [0]])
    void collection.cleanup()
    collection.startSyncImmediate()
    expect([collection.status, seen]).toEqual(['ready', [0, 0]])
  })
})

describe('events', () => {
  it('carry exactly what happened', () => {
    const { collection, params } = source({ startSync: false, ready: false })
    const events: object[] = []
    for (const name of [
      'status:change',
      'status:loading',
      'status:ready',
      'subscribers:change',
      'truncate',
    ] as const) {
      collection.on(name, (event) => events.push(event))
    }
    expect(params).toBeUndefined()
    collection.subscribeChanges(() => {})
    const change = { collection, previousStatus: 'idle', status: 'loading' }
    expect(events).toStrictEqual([
      { type: 'status:change', ...change },
      { type: 'status:loading', ...change },
      { type: 'subscribers:change', collection, previousSubscriberCount: 0, subscriberCount: 1 },
    ])
  })

  it('tell of a truncate before its rows show to subscribers', () => {
    const { collection, commit } = source({ rows: [{ id: 1 }] })
    const order: string[] = []
    collection.on('truncate', (event) => {
      expect(event).toStrictEqual({ type: 'truncate', collection })
      order.push('truncate')
    })
    collection.subscribeChanges((changes) => order.push(changes.map(({ type }) => type).join()), {
      includeInitialState: false,
    })
    commit(({ truncate }) => truncate())
    expect(order).toEqual(['truncate', 'delete'])
  })

  it('reach a listener once however often it was added', () => {
    const { collection } = source()
    let calls = 0
    const listener = () => calls++
    collection.on('subscribers:change', listener)
    collection.on('subscribers:change', listener)
    collection.subscribeChanges(() => {})
    expect(calls).toBe(1)
  })

  it('go on when a listener throws or leaves', async () => {
    const { collection } = source()
    const failure = new Error('listener')
    const order: string[] = []
    const leave = collection.on('subscribers:change', () => {
      order.push('leaving')
      leave()
      throw failure
    })
    collection.on('subscribers:change', () => order.push('staying'))
    const errors = await reported(() => {
      collection.subscribeChanges(() => {}).unsubscribe()
    })
    expect(errors).toEqual([failure])
    expect(order).toEqual(['leaving', 'staying', 'staying'])
  })

  it('are not sent for a subscription that did not come to be', () => {
    const collection = createCollection<Row>({
      getKey: (row) => row.id,
      sync: {
        sync: () => {
          throw new Error('down')
        },
      },
    })
    const counts: number[] = []
    collection.on('subscribers:change', ({ subscriberCount }) => counts.push(subscriberCount))
    expect(() => collection.subscribeChanges(() => {})).toThrow('down')
    expect([collection.status, collection.subscriberCount, counts]).toEqual(['error', 0, []])
    collection.subscribeChanges(() => {})
    expect([collection.subscriberCount, counts]).toEqual([1, [1]])
  })
})
