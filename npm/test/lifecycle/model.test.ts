import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type CollectionStatus, createCollection, type SyncParams } from '../../src/index.ts'
import type { CollectionSubscription } from '../../src/types.ts'
import type { Row } from '../shell/source.ts'

type Outcome = 'waiting' | 'ready' | 'aborted' | 'failed'
type Action = (typeof actions)[number]

const actions = [
  'start',
  'ready',
  'error',
  'insert',
  'cleanup',
  'subscribe',
  'unsubscribe',
  'preload',
  'defer',
  'resume',
  'late',
] as const

/** How a collection lives, in its simplest terms. */
class Model {
  status: CollectionStatus = 'idle'
  sessions = 0
  size = 0
  subscribers = 0
  events: string[] = []
  preloads: Outcome[] = []
  #deferred = 0
  #wanted = false
  #listening = true

  #go(to: CollectionStatus) {
    if (this.#listening) this.events.push(`${this.status}>${to}`)
    this.status = to
  }

  #settle(outcome: Outcome) {
    this.preloads = this.preloads.map((was) => (was === 'waiting' ? outcome : was))
  }

  do(action: Action): void {
    const started = this.status !== 'idle' && this.status !== 'cleaned-up'
    switch (action) {
      case 'start':
        if (started) return
        if (this.#deferred > 0) this.#wanted = true
        else {
          this.#wanted = false
          this.sessions++
          this.#go('loading')
        }
        return
      case 'ready':
        if (!started || this.status === 'ready') return
        this.#go('ready')
        this.#settle('ready')
        return
      case 'error':
        if (!started) return
        this.#go('error')
        this.#settle('failed')
        return
      case 'insert':
        if (started) this.size++
        return
      case 'cleanup':
        if (this.status !== 'cleaned-up') {
          this.#go('cleaned-up')
          if (this.subscribers === 0) this.#listening = false
        }
        this.#wanted = false
        this.size = 0
        this.#settle('aborted')
        return
      case 'subscribe':
        this.do('start')
        this.subscribers++
        return
      case 'unsubscribe':
        if (this.subscribers > 0) this.subscribers--
        return
      case 'preload':
        if (this.status === 'ready') this.preloads.push('ready')
        else if (this.status === 'error') this.preloads.push('failed')
        else {
          this.preloads.push('waiting')
          this.do('start')
        }
        return
      case 'defer':
        this.#deferred++
        return
      case 'resume':
        if (this.#deferred === 0 || --this.#deferred > 0) return
        if (this.#wanted) this.do('start')
    }
  }
}

/** The same things done to a collection. */
class Real {
  readonly collection = createCollection<Row>({
    getKey: (row) => row.id,
    gcTime: 0,
    sync: {
      sync: (params) => {
        this.#older.push(params)
        this.sessions++
      },
    },
  })
  readonly events: string[] = []
  readonly preloads: Outcome[] = []
  sessions = 0
  #keys = 0
  readonly #older: SyncParams<Row, string | number>[] = []
  readonly #subscriptions: CollectionSubscription[] = []

  constructor() {
    this.collection.on('status:change', ({ previousStatus, status }) =>
      this.events.push(`${previousStatus}>${status}`),
    )
  }

  get #params() {
    return this.#older.at(-1)
  }

  do(action: Action): void {
    const { collection } = this
    switch (action) {
      case 'start':
        collection.startSyncImmediate()
        return
      case 'ready':
        this.#params?.markReady()
        return
      case 'error':
        this.#params?.markError(new Error('down'))
        return
      case 'insert':
        this.#insert(this.#params)
        return
      case 'cleanup':
        void collection.cleanup()
        return
      case 'subscribe':
        this.#subscriptions.push(collection.subscribeChanges(() => {}))
        return
      case 'unsubscribe':
        this.#subscriptions.shift()?.unsubscribe()
        return
      case 'preload': {
        const at = this.preloads.push('waiting') - 1
        collection.preload().then(
          () => (this.preloads[at] = 'ready'),
          (error: Error) => (this.preloads[at] = error.name === 'AbortError' ? 'aborted' : 'failed'),
        )
        return
      }
      case 'defer':
        collection._deferSyncStart()
        return
      case 'resume':
        collection._resumeSyncStart()
        return
      case 'late':
        // What earlier sessions say is not heard.
        for (const params of this.#older.slice(0, -1)) {
          params.markReady()
          params.markError()
          this.#insert(params)
        }
    }
  }

  #insert(params: SyncParams<Row, string | number> | undefined): void {
    params?.begin()
    params?.write({ type: 'insert', value: { id: ++this.#keys } })
    params?.commit()
  }
}

describe('the life of a collection', () => {
  it('follows a simple model, whatever happens in whichever order', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom(...actions), { maxLength: 20 }), async (steps) => {
        const model = new Model()
        const real = new Real()
        for (const action of steps) {
          model.do(action)
          real.do(action)
          const { collection } = real
          expect([collection.status, collection.size, collection.subscriberCount, real.sessions]).toEqual([
            model.status,
            model.size,
            model.subscribers,
            model.sessions,
          ])
        }
        await Promise.resolve()
        await Promise.resolve()
        expect(real.events).toEqual(model.events)
        expect(real.preloads).toEqual(model.preloads)
        await real.collection.cleanup()
      }),
      { numRuns: 400 },
    )
  })
})
