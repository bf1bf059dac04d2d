import type { Reader } from '../engine/reader.ts'
import { CollectionIsInErrorStateError, NegativeActiveSubscribersError } from '../errors/collection.ts'
import type { BasicExpression } from '../query/ir.ts'
import { reportError } from '../rows/report-error.ts'
import type { CollectionStatus } from '../types/events.ts'
import type { StringCollationConfig } from '../types/rows.ts'
import { cancelCleanup, scheduleCleanup } from './cleanup-timers.ts'
import { Emitter } from './emitter.ts'
import { EngineCollection } from './engine-collection.ts'
import type { Publication } from './publications.ts'
import { Command } from './session.ts'
import { type ChangeCallback, Subscription } from './subscription.ts'

const STATUS: readonly CollectionStatus[] = ['idle', 'loading', 'ready', 'error', 'cleaned-up']
const DEFAULT_GC_TIME = 300_000

/** Which rows a new subscriber is told of. */
export const InitialState = { untold: 0, told: 1, known: 2 } as const

interface PreloadWaiter {
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
}

/** What a collection is made of, whatever feeds it. */
export interface CollectionIdentity {
  readonly id: string
  /** Milliseconds without subscribers until cleanup; anything but a positive finite number means never. */
  readonly gcTime?: number | undefined
}

/**
 * A collection from start to cleanup: status, readiness, subscribers, events. The engine says what the status
 * is; subclasses say what starts and ends a session.
 */
export abstract class ManagedCollection extends EngineCollection {
  readonly id: string
  readonly events = new Emitter()
  /** The public face of this collection, which events carry. */
  facade: object = {}
  /** How strings compare where a condition or an order does not say. */
  abstract readonly collation: StringCollationConfig
  #status: CollectionStatus = 'idle'
  #failure: { readonly error: unknown } | undefined
  readonly #gcTime: number
  #subscribers = 0
  #subscriptions = 0
  #ready = false
  #firstReady: Set<() => void> | undefined
  #waiters: PreloadWaiter[] = []
  #preload: Promise<void> | undefined

  constructor(identity: CollectionIdentity, positional: boolean, keyCapacity?: () => number) {
    super(positional, keyCapacity)
    this.id = identity.id
    this.#gcTime = identity.gcTime ?? DEFAULT_GC_TIME
  }

  /** Opens a session: what `start` promises. The engine must know the collection afterwards. */
  protected abstract open(): void
  /** Lets go of what feeds the collection; must not throw. */
  protected abstract close(): void
  /** What the failure of the engine's part means to those who wait. */
  protected abstract failureOf(message: string | undefined): { readonly error: unknown } | undefined

  get status(): CollectionStatus {
    return this.#status
  }

  get failure(): { readonly error: unknown } | undefined {
    return this.#failure
  }

  get subscriberCount(): number {
    return this.#subscribers
  }

  /** Starts a session if there is none. Errors of the source propagate. */
  start(): void {
    if (this.#status !== 'idle' && this.#status !== 'cleaned-up') return
    this.session++
    this.#ready = false
    this.#failure = undefined
    this.open()
  }

  /** The source's first data is complete, or it has recovered. */
  markReady(): void {
    if (this.#status === 'ready') return
    this.#failure = undefined
    this.shell.tell(Command.markReady, this.col)
  }

  /** The source failed. */
  markError(error: unknown): void {
    this.#failure = error === undefined ? undefined : { error }
    this.shell.tell(Command.markError, this.col)
  }

  /** The session could not be opened, and the engine knows nothing of it. */
  protected failed(error: unknown): void {
    this.#failure = { error }
    this.shell.publish(this.#enter(this.#status, 'error'))
  }

  statusChanged(effects: Reader): void {
    const previous = STATUS[effects.int()] as CollectionStatus
    const next = STATUS[effects.int()] as CollectionStatus
    const message = effects.nil() ? undefined : effects.str()
    if (next === 'error') this.#failure ??= this.failureOf(message)
    this.shell.enqueue(this.#enter(previous, next))
  }

  truncated(): void {
    const { session } = this
    this.shell.enqueue({
      publish: () => {
        if (this.session === session) this.#emit('truncate', {})
      },
    })
  }

  /** Ends the session; the rows are gone afterwards. */
  cleanup(): void {
    const previous = this.#status
    cancelCleanup(this)
    const session = ++this.session
    this.close()
    // User code runs on the way. What it started or ended meanwhile stays as it left it.
    if (this.session !== session) return
    this.#firstReady = undefined
    this.#ready = false
    this.#failure = undefined
    this.#preload = undefined
    this.#settle((waiter) => waiter.reject(aborted(this.id)))
    if (this.#known) {
      this.shell.tell(Command.cleanup, this.col)
      if (this.session === session && this.#subscriptions === 0) this.#part()
    } else {
      this.emptied()
      if (previous !== 'cleaned-up') this.shell.publish(this.#enter(previous, 'cleaned-up'))
    }
  }

  /** Calls back when ready for the first time in this session; at once if that has been. */
  onFirstReady(callback: () => void): () => void {
    if (this.#ready) {
      callback()
      return () => {}
    }
    const waiting = this.#firstReady ?? new Set()
    this.#firstReady = waiting
    waiting.add(callback)
    return () => waiting.delete(callback)
  }

  /** Starts if need be and waits for readiness. One promise for all callers until it fails. */
  preload(): Promise<void> {
    this.#preload ??= this.#waitUntilReady()
    return this.#preload
  }

  /** Subscribes to what is published from now on, with or without the rows that are there. */
  subscribe(callback: ChangeCallback, initial: number, where?: BasicExpression): Subscription {
    this.addSubscriber()
    if (this.col === 0) {
      this.removeSubscriber()
      throw this.#cause()
    }
    const id = this.shell.engine.nextId()
    const subscription = new Subscription(id, this, callback)
    this.shell.addSubscription(subscription)
    this.#subscriptions++
    try {
      const command = this.shell.begin(5, Command.subscribe)
      command.int(this.col)
      command.int(id)
      command.int(initial)
      this.shell.writeConditions(this, where, command)
      this.shell.sendPrivately(command)
    } catch (error) {
      this.unsubscribe(subscription)
      throw error
    }
    return subscription
  }

  unsubscribe(subscription: Subscription): void {
    if (!subscription.active) return
    subscription.end()
    this.shell.removeSubscription(subscription.id)
    this.#subscriptions--
    if (this.#known) {
      const command = this.shell.begin(2, Command.unsubscribe)
      command.int(this.col)
      command.int(subscription.id)
      this.shell.send(command)
      if (this.#status === 'cleaned-up' && this.#subscriptions === 0) this.#part()
    }
    this.removeSubscriber()
  }

  /** Counts somebody who needs the rows, and starts the collection for them. */
  addSubscriber(): void {
    this.#count(1)
    cancelCleanup(this)
    try {
      this.start()
    } catch (error) {
      this.removeSubscriber()
      throw error
    }
  }

  /** Somebody needs the rows no longer. The last one starts the clock. */
  removeSubscriber(): void {
    if (this.#subscribers === 0) throw new NegativeActiveSubscribersError()
    this.#count(-1)
    if (this.#subscribers > 0 || !(this.#gcTime > 0) || this.#gcTime === Number.POSITIVE_INFINITY) return
    scheduleCleanup(this, this.#gcTime, () => {
      if (this.#subscribers === 0) this.cleanup()
    })
  }

  /** Nobody will be told anything of a session that is over: shell and engine forget the collection. */
  #part(): void {
    if (this.col === 0) return
    this.forget()
    this.shell.removeCollection(this.col)
    this.col = 0
  }

  /** Makes the engine forget a collection that is cleaned up and has no subscriptions. */
  protected abstract forget(): void

  /** Whether there is an engine that has to hear of the end. One that broke hears nothing any more. */
  get #known(): boolean {
    return this.col !== 0 && !this.shell.engine.crashed
  }

  #count(by: number): void {
    const previousSubscriberCount = this.#subscribers
    this.#subscribers += by
    const subscriberCount = this.#subscribers
    this.#emit('subscribers:change', { previousSubscriberCount, subscriberCount })
  }

  #enter(previousStatus: CollectionStatus, status: CollectionStatus): Publication {
    this.#status = status
    const { session } = this
    return {
      publish: () => {
        this.#emit('status:change', { previousStatus, status })
        this.#emit(`status:${status}`, { previousStatus, status })
        if (status === 'cleaned-up' && this.#subscribers === 0) this.events.clear()
        if (this.session === session) this.#reached(status)
      },
    }
  }

  #reached(status: CollectionStatus): void {
    if (status === 'error') {
      this.#preload = undefined
      this.#settle((waiter) => waiter.reject(this.#cause()))
    }
    if (status !== 'ready') return
    if (!this.#ready) {
      this.#ready = true
      const callbacks = this.#firstReady === undefined ? [] : Array.from(this.#firstReady)
      this.#firstReady = undefined
      for (const callback of callbacks) {
        try {
          callback()
        } catch (error) {
          reportError(error)
        }
      }
    }
    this.#settle((waiter) => waiter.resolve())
  }

  #cause(): unknown {
    return this.#failure === undefined ? new CollectionIsInErrorStateError() : this.#failure.error
  }

  #waitUntilReady(): Promise<void> {
    const attempt = new Promise<void>((resolve, reject) => {
      if (this.#status === 'ready') return resolve()
      if (this.#status === 'error') return reject(this.#cause())
      this.#waiters.push({ resolve, reject })
      try {
        this.start()
      } catch (error) {
        reject(error)
      }
    })
    attempt.catch(() => {
      if (this.#preload === attempt) this.#preload = undefined
    })
    return attempt
  }

  #settle(settle: (waiter: PreloadWaiter) => void): void {
    if (this.#waiters.length === 0) return
    const waiters = this.#waiters
    this.#waiters = []
    for (const waiter of waiters) settle(waiter)
  }

  #emit(type: string, fields: object): void {
    if (this.events.hears(type)) this.events.emit(type, { type, collection: this.facade, ...fields })
  }
}

function aborted(id: string): Error {
  const error = new Error(`Collection "${id}" was cleaned up before it became ready`)
  error.name = 'AbortError'
  return error
}
