import type { Reader } from '../engine/reader.ts'
import { abortError } from '../errors/abort.ts'
import { CollectionStateError } from '../errors/base.ts'
import {
  CollectionIsInErrorStateError,
  InvalidCollectionStatusTransitionError,
  NegativeActiveSubscribersError,
} from '../errors/collection.ts'
import type { CollectionStatus } from '../types/events.ts'
import type { StringCollationConfig } from '../types/rows.ts'
import { cancelCleanup, scheduleCleanup } from './cleanup-timers.ts'
import type { Publication } from './publications.ts'
import { Readiness } from './readiness.ts'
import { Command } from './session.ts'
import { type ChangeCallback, InitialState, type Interest, Subscription } from './subscription.ts'
import { type Snapshot, SubscriptionList, type SubscriptionTarget } from './subscription-list.ts'
import { WatchedCollection } from './watched-collection.ts'

const STATUS: readonly CollectionStatus[] = ['idle', 'loading', 'ready', 'error', 'cleaned-up']
const DEFAULT_GC_TIME = 300_000

/** What a collection is made of, whatever feeds it. */
export interface CollectionIdentity {
  readonly id: string
  /** Milliseconds without use until cleanup; anything but a positive finite number means never. */
  readonly gcTime?: number | undefined
}

/**
 * A collection from start to cleanup: status, readiness, subscribers, events. The engine says what the status
 * is; subclasses say what starts and ends a session.
 */
export abstract class ManagedCollection extends WatchedCollection {
  readonly id: string
  /** How strings compare where a condition or an order does not say. */
  abstract readonly collation: StringCollationConfig
  /** What else ends with a session. */
  ending: (() => void) | undefined
  readonly #gcTime: number
  readonly #readiness = new Readiness()
  #status: CollectionStatus = 'idle'
  #failure: { readonly error: unknown } | undefined
  #subscribers = 0
  readonly #subscriptions = new SubscriptionList()
  /** Set while a cleanup lets go of what belongs to the session. */
  #retiring = false
  #startsDeferred = 0
  #startWanted = false

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
  /** Makes the engine forget a collection that is cleaned up and has no subscriptions. */
  protected abstract forget(): void

  get status(): CollectionStatus {
    return this.#status
  }

  get failure(): { readonly error: unknown } | undefined {
    return this.#failure
  }

  get subscriberCount(): number {
    return this.#subscribers
  }

  /**
   * Starts a session if there is none, or when starts are deferred no longer. Errors of the source propagate.
   *
   * @throws CollectionStateError while a cleanup is under way: what it has yet to end would end the new session.
   */
  start(): void {
    if (this.#retiring) throw beingCleanedUp(this.id)
    if (this.#status !== 'idle' && this.#status !== 'cleaned-up') return
    if (this.#startsDeferred > 0) {
      this.#startWanted = true
      return
    }
    this.#startWanted = false
    this.session++
    this.#readiness.restart()
    this.#failure = undefined
    try {
      this.open()
    } finally {
      this.#watchUse()
    }
    if (this.col !== 0) this.#subscriptions.attach(this.#target)
  }

  /** From now on a start only notes that it is wanted, until `resumeStarts` has been called as often. */
  deferStarts(): void {
    this.#startsDeferred++
  }

  resumeStarts(): void {
    if (this.#startsDeferred === 0 || --this.#startsDeferred > 0) return
    try {
      if (this.#startWanted) this.start()
    } finally {
      this.replayLoads()
    }
  }

  protected get startsDeferred(): boolean {
    return this.#startsDeferred > 0
  }

  /** The source's first data is complete, or it has recovered. */
  markReady(): void {
    if (this.#status === 'ready') return
    if (this.col === 0 || this.#status === 'idle' || this.#status === 'cleaned-up') {
      throw new InvalidCollectionStatusTransitionError(this.#status, 'ready', this.id)
    }
    this.#failure = undefined
    this.shell.tell(Command.markReady, this.col)
  }

  /** The source failed. */
  markError(error: unknown): void {
    this.#failure = error === undefined ? undefined : { error }
    if (this.col === 0) this.shell.publish(this.#enter(this.#status, 'error'))
    else this.shell.tell(Command.markError, this.col)
  }

  /**
   * Enters a status by hand, as packages around collections do: what leads to the status is done.
   *
   * @throws CollectionStateError for `ready`, which only the source can say.
   * @throws InvalidCollectionStatusTransitionError for a status that may not follow the present one.
   */
  setStatus(status: CollectionStatus): void {
    if (status === 'ready') {
      throw new CollectionStateError(
        `Collection "${this.id}" cannot be set to "ready": its sync function says so with markReady()`,
      )
    }
    const running = this.#status !== 'idle' && this.#status !== 'cleaned-up'
    if (status === 'error') this.markError(undefined)
    else if (status === this.#status) this.shell.publish(this.#enter(status, status))
    else if (status === 'cleaned-up') this.cleanup()
    else if (status === 'loading' && !running) this.start()
    else throw new InvalidCollectionStatusTransitionError(this.#status, status, this.id)
  }

  /** The session could not be opened, and the engine has nothing of it. Subscriptions wait for the next one. */
  protected failed(error: unknown): void {
    if (this.col !== 0) {
      this.#subscriptions.detach(this.#known ? this.#target : undefined)
      this.shell.removeCollection(this.col)
      this.col = 0
    }
    this.#failure = { error }
    this.shell.publish(this.#enter(this.#status, 'error'))
  }

  statusChanged(effects: Reader): void {
    // The engine may have forgotten the collection since, and knows less of the past.
    effects.skip()
    const previous = this.#status
    const next = STATUS[effects.int()] as CollectionStatus
    const message = effects.nil() ? undefined : effects.str()
    if (next === 'error') this.#failure ??= this.failureOf(message)
    else this.#failure = undefined
    this.shell.enqueue(this.#enter(previous, next))
  }

  truncated(): void {
    const { session } = this
    this.shell.enqueue({
      publish: () => {
        if (this.session === session) this.announce('truncate', {})
      },
    })
  }

  /** Ends the session; the rows are gone afterwards. From inside another cleanup of the collection it does nothing. */
  cleanup(): void {
    if (this.#retiring) return
    if (this.#known) this.shell.assertFree()
    const previous = this.#status
    cancelCleanup(this)
    const session = ++this.session
    this.#retiring = true
    try {
      this.close()
      this.retireLoads()
      this.ending?.()
    } finally {
      this.#retiring = false
    }
    this.#startWanted = false
    this.#failure = undefined
    this.#readiness.abandon(() => aborted(this.id))
    if (this.#known) {
      this.shell.tell(Command.cleanup, this.col)
      if (this.session === session && this.#subscriptions.size === 0) this.#part()
    } else {
      this.emptied()
      if (previous !== 'cleaned-up') this.shell.publish(this.#enter(previous, 'cleaned-up'))
    }
  }

  /** Calls back when ready for the first time in this session; at once if that has been. */
  onFirstReady(callback: () => void): () => void {
    return this.#readiness.onFirst(callback)
  }

  /** Whether `preload` would do nothing that has not been done. */
  get preloading(): boolean {
    return this.#readiness.promised
  }

  /** Starts if need be and waits for readiness. One promise for all callers until it fails. */
  preload(): Promise<void> {
    if (this.#retiring) return Promise.reject(beingCleanedUp(this.id))
    return this.#readiness.promise(() => {
      if (this.#status === 'error') throw this.#cause()
      this.start()
      // Whoever is told of the start may have made it ready, or have ended it.
      if ((this.#status as CollectionStatus) === 'ready') this.#readiness.resolve()
    })
  }

  /** Subscribes to what is published from now on, with or without the rows that are there. */
  subscribe(interest: Interest): Subscription {
    this.addSubscriber()
    const subscription = new Subscription(this.shell.engine.nextId(), this, interest)
    try {
      this.#subscriptions.add(subscription, this.col === 0 ? undefined : this.#target)
    } catch (error) {
      this.unsubscribe(subscription)
      throw error
    }
    return subscription
  }

  /** Ends a subscription; a second call does nothing. */
  unsubscribe(subscription: Subscription): void {
    if (!subscription.active) return
    subscription.end()
    this.#subscriptions.remove(subscription, this.#known ? this.#target : undefined)
    if (this.#known && this.#status === 'cleaned-up' && this.#subscriptions.size === 0) this.#part()
    this.removeSubscriber()
  }

  /** Calls back with every batch from now on, for a part of the collection itself: nobody counts it. */
  follow(callback: ChangeCallback): () => void {
    const interest = { callback, initial: InitialState.known, where: undefined }
    const subscription = new Subscription(this.shell.engine.nextId(), this, interest)
    this.#subscriptions.add(subscription, this.col === 0 ? undefined : this.#target)
    return () => {
      if (!subscription.active) return
      subscription.end()
      this.#subscriptions.remove(subscription, this.#known ? this.#target : undefined)
    }
  }

  /** Tells a subscriber of rows it has not been told of; an empty batch if there are none. */
  snapshot(subscription: Subscription, wanted: Snapshot): void {
    if (subscription.active) this.#subscriptions.snapshot(subscription, wanted, this.#target)
  }

  /** Whom to tell of a change that no command has led to; undefined if only the engine knows what to tell whom. */
  protected everyTold(): Iterable<Subscription> | undefined {
    return this.#subscriptions.everyTold()
  }

  /** All rows count as known to a subscriber from now on. */
  markAllSeen(subscription: Subscription): void {
    if (subscription.active) {
      this.#subscriptions.markAllSeen(subscription, this.#known ? this.#target : undefined)
    }
  }

  /** Counts somebody who needs the rows, and starts the collection for them. */
  addSubscriber(): void {
    this.#subscribers++
    cancelCleanup(this)
    try {
      this.start()
    } catch (error) {
      this.#subscribers--
      this.#watchUse()
      throw error
    }
    this.#counted(1)
  }

  /** Somebody needs the rows no longer. The last one starts the clock. */
  removeSubscriber(): void {
    if (this.#subscribers === 0) throw new NegativeActiveSubscribersError()
    this.#subscribers--
    this.#counted(-1)
    this.#watchUse()
  }

  #counted(by: number): void {
    const subscriberCount = this.#subscribers
    this.announce('subscribers:change', {
      previousSubscriberCount: subscriberCount - by,
      subscriberCount,
    })
  }

  /** Starts the clock of a collection that runs and that nobody uses. Whoever waits for it to be ready uses it. */
  #watchUse(): void {
    const gcTime = this.#gcTime
    if (this.#inUse || !(gcTime > 0) || gcTime === Number.POSITIVE_INFINITY) return
    scheduleCleanup(this, gcTime, () => {
      if (!this.#inUse) this.cleanup()
    })
  }

  /** Whether cleaning up would take something from somebody, or nothing is there to clean up. */
  get #inUse(): boolean {
    const running = this.#status !== 'idle' && this.#status !== 'cleaned-up'
    return !running || this.#subscribers > 0 || this.#readiness.awaited
  }

  /** Nobody will be told anything of a session that is over: shell and engine forget the collection. */
  #part(): void {
    if (this.col === 0) return
    this.forget()
    this.shell.removeCollection(this.col)
    this.col = 0
  }

  /** Whether there is an engine that has to hear of the end. One that broke hears nothing any more. */
  get #known(): boolean {
    return this.col !== 0 && !this.shell.engine.crashed
  }

  /** Where subscriptions are sent to while the engine knows the collection. */
  get #target(): SubscriptionTarget {
    const { col, shell, collation } = this
    return { col, shell, collation }
  }

  #enter(previousStatus: CollectionStatus, status: CollectionStatus): Publication {
    this.#status = status
    this.changed()
    const { session } = this
    return {
      publish: () => {
        this.announce('status:change', { previousStatus, status })
        this.announce(`status:${status}`, { previousStatus, status })
        if (this.session !== session) return
        if (status === 'cleaned-up' && this.#subscribers === 0) this.events.clear()
        this.#reached(status)
      },
    }
  }

  #reached(status: CollectionStatus): void {
    if (status === 'error') this.#readiness.reject(this.#cause())
    else if (status === 'ready') this.#readiness.reach()
    else return
    this.#watchUse()
  }

  #cause(): unknown {
    return this.#failure === undefined ? new CollectionIsInErrorStateError() : this.#failure.error
  }
}

function beingCleanedUp(id: string): CollectionStateError {
  return new CollectionStateError(
    `Collection "${id}" cannot be started while it is being cleaned up. ` +
      'Start it when cleanup() has returned, or from its status:cleaned-up event',
  )
}

function aborted(id: string): Error {
  return abortError(`Collection "${id}" was cleaned up before it became ready`)
}
