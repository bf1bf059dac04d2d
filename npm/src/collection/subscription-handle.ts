import { TanStackDBError } from '../errors/base.ts'
import { assertExpression } from '../query/check-expressions.ts'
import type {
  CollectionSubscription,
  LimitedSnapshotOptions,
  SnapshotOptions,
  SubscriptionEventName,
  SubscriptionEvents,
  SubscriptionStatus,
} from '../types/changes.ts'
import { Emitter } from './emitter.ts'
import type { ManagedCollection } from './lifecycle.ts'
import { LoadTracker } from './load-tracker.ts'
import { type Change, InitialState, type Interest, type Subscription } from './subscription.ts'

/** A load that concerns a subscription, and what was asked for. */
export interface SubscriptionLoad {
  readonly load: Promise<unknown>
  readonly options: object
}

/** What `subscribeChanges` gives back. */
export class SubscriptionHandle implements CollectionSubscription {
  readonly #inside: ManagedCollection
  readonly #subscription: Subscription
  readonly #events = new Emitter()
  readonly #loads = new LoadTracker((loading) => this.#loadingChanged(loading))
  #lastError: Error | undefined
  #loadedAll: boolean
  #asked: boolean

  /** Subscribes. What the source, the engine or the callback throws propagates; then there is no subscription. */
  constructor(inside: ManagedCollection, interest: Interest, onStatusChange?: StatusListener) {
    if (onStatusChange !== undefined) this.#events.on('status:change', onStatusChange)
    this.#inside = inside
    this.#loadedAll = interest.initial !== InitialState.untold
    this.#asked = interest.initial === InitialState.told
    this.#subscription = inside.subscribe(interest)
  }

  get status(): SubscriptionStatus {
    return this.#loads.loading ? 'loadingSubset' : 'ready'
  }

  get lastError(): Error | undefined {
    return this.#lastError
  }

  on<E extends SubscriptionEventName>(
    event: E,
    callback: (payload: SubscriptionEvents[E]) => void,
  ): () => void {
    return this.#events.on(event, callback)
  }

  once<E extends SubscriptionEventName>(
    event: E,
    callback: (payload: SubscriptionEvents[E]) => void,
  ): () => void {
    return this.#events.once(event, callback)
  }

  off<E extends SubscriptionEventName>(event: E, callback: (payload: SubscriptionEvents[E]) => void): void {
    this.#events.off(event, callback)
  }

  waitFor<E extends SubscriptionEventName>(event: E, timeoutMs?: number): Promise<SubscriptionEvents[E]> {
    return this.#events.waitFor(event, timeoutMs) as Promise<SubscriptionEvents[E]>
  }

  unsubscribe(): void {
    if (!this.#subscription.active) return
    try {
      this.#inside.unsubscribe(this.#subscription)
    } finally {
      this.#emit('unsubscribed', {})
      this.#events.clear()
      this.#loads.reset()
    }
  }

  hasLoadedInitialState(): boolean {
    return this.#loadedAll
  }

  hasSentAtLeastOneSnapshot(): boolean {
    return this.#asked
  }

  requestSnapshot(options?: SnapshotOptions): boolean {
    if (this.#loadedAll || !this.#subscription.active) return false
    const { where } = options ?? {}
    if (where !== undefined) assertExpression(where)
    this.#asked = true
    if (options === undefined) this.#loadedAll = true
    this.#inside.snapshot(this.#subscription, { where })
    return true
  }

  requestLimitedSnapshot({ orderBy, limit, where }: LimitedSnapshotOptions): void {
    if (!(limit > 0)) {
      throw new TanStackDBError(`requestLimitedSnapshot() needs a limit of at least 1, got ${String(limit)}`)
    }
    if (!this.#subscription.active) return
    if (where !== undefined) assertExpression(where)
    for (const { expression } of orderBy) assertExpression(expression)
    this.#asked = true
    this.#inside.snapshot(this.#subscription, { where, orderBy, limit })
  }

  markAllStateAsSeen(): void {
    this.#loadedAll = true
    this.#inside.markAllSeen(this.#subscription)
  }

  emitEvents(changes: readonly object[]): boolean {
    const subscription = this.#subscription
    if (!subscription.active) return false
    subscription.tell(changes as Change[])
    return true
  }

  /** Shows in `status` that rows this subscriber asked for are being loaded; a failure is told and kept. */
  follow({ load, options }: SubscriptionLoad): void {
    if (!this.#subscription.active) return
    this.#loads.track(load)
    load.catch((reason: unknown) => {
      if (!this.#subscription.active) return
      const error = reason instanceof Error ? reason : new Error(String(reason))
      this.#lastError = error
      this.#emit('loadSubset:error', { options, error })
    })
  }

  #loadingChanged(loading: boolean): void {
    const status: SubscriptionStatus = loading ? 'loadingSubset' : 'ready'
    const previousStatus: SubscriptionStatus = loading ? 'ready' : 'loadingSubset'
    this.#emit('status:change', { previousStatus, status })
    this.#emit(`status:${status}`, { previousStatus, status })
  }

  #emit(type: SubscriptionEventName, fields: object): void {
    if (this.#events.hears(type)) this.#events.emit(type, { type, subscription: this, ...fields })
  }
}

type StatusListener = (event: SubscriptionEvents['status:change']) => void
