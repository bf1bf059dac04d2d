import { EngineCommandError } from '../errors/engine.ts'
import type { BasicExpression, OrderBy, QueryIR } from '../query/ir.ts'
import type { StringCollationConfig } from '../types/rows.ts'
import { Command, type Session } from './session.ts'
import { InitialState, type Subscription } from './subscription.ts'

/** A collection the engine knows. */
export interface SubscriptionTarget {
  readonly col: number
  readonly shell: Session
  readonly collation: StringCollationConfig
}

/** Which rows a subscriber asks for, by references without an alias. A limit needs an order. */
export interface Snapshot {
  readonly where?: BasicExpression<boolean> | undefined
  readonly orderBy?: OrderBy | undefined
  readonly limit?: number | undefined
}

/**
 * The subscriptions of a collection. While the engine does not know the collection they wait here; they are kept
 * through a cleanup.
 */
export class SubscriptionList {
  readonly #waiting = new Set<Subscription>()
  readonly #attached = new Set<Subscription>()

  /** Number of subscriptions. */
  get size(): number {
    return this.#waiting.size + this.#attached.size
  }

  /**
   * Takes a subscription in and tells it of the present rows if it wants so. What the engine or the subscriber throws
   * propagates; then the subscription has to be removed.
   */
  add(subscription: Subscription, target: SubscriptionTarget | undefined): void {
    if (target !== undefined) {
      this.#send(subscription, target)
      return
    }
    this.#waiting.add(subscription)
    if (subscription.initial === InitialState.told) subscription.tell([])
  }

  remove(subscription: Subscription, target: SubscriptionTarget | undefined): void {
    this.#waiting.delete(subscription)
    if (this.#attached.delete(subscription)) withdraw(subscription, target)
  }

  /** The engine knows the collection from now on. */
  attach(target: SubscriptionTarget): void {
    if (this.#waiting.size === 0) return
    const waiting = Array.from(this.#waiting)
    this.#waiting.clear()
    for (const subscription of waiting) if (subscription.active) this.#send(subscription, target)
  }

  /** The engine will know the collection no longer. */
  detach(target: SubscriptionTarget | undefined): void {
    for (const subscription of Array.from(this.#attached)) {
      this.#attached.delete(subscription)
      this.#waiting.add(subscription)
      withdraw(subscription, target)
    }
  }

  /**
   * Tells a subscription of rows it has not been told of, in this call: those that satisfy its own condition and the
   * snapshot's.
   */
  snapshot(
    subscription: Subscription,
    { where, orderBy, limit }: Snapshot,
    target: SubscriptionTarget,
  ): void {
    if (!this.#attached.has(subscription)) {
      subscription.tell([])
      return
    }
    const { shell, col, collation } = target
    const command = shell.begin(4, Command.snapshot)
    command.int(col)
    command.int(subscription.id)
    const encoder = shell.encoder(collation, false, command)
    const query = {
      ...(where === undefined ? {} : { where: [where] }),
      ...(orderBy === undefined ? {} : { orderBy }),
      ...(limit === undefined ? {} : { limit }),
    }
    encoder.write({ query: query as unknown as QueryIR, select: undefined })
    shell.writeTexts(encoder.texts, command)
    shell.sendPrivately(command)
  }

  /**
   * The subscriptions the engine knows of, in the order it tells them; undefined if what one of them is told depends on
   * what it has been told of before, or on a condition.
   */
  everyTold(): Iterable<Subscription> | undefined {
    for (const { initial, where } of this.#attached)
      if (initial === InitialState.untold || where !== undefined) return undefined
    return this.#attached
  }

  /** The engine cannot change what a subscription knows, so it takes another in its place. */
  markAllSeen(subscription: Subscription, target: SubscriptionTarget | undefined): void {
    if (subscription.initial !== InitialState.untold) return
    subscription.initial = InitialState.known
    if (!this.#attached.has(subscription) || target === undefined) return
    withdraw(subscription, target)
    this.#attached.delete(subscription)
    subscription.id = target.shell.engine.nextId()
    this.#send(subscription, target)
  }

  /** Tells the engine of a subscription. What it has to say of the present rows is told in this call. */
  #send(subscription: Subscription, { shell, col, collation }: SubscriptionTarget): void {
    this.#attached.add(subscription)
    shell.addSubscription(subscription)
    const command = shell.begin(5, Command.subscribe)
    command.int(col)
    command.int(subscription.id)
    command.int(subscription.initial)
    shell.writeConditions({ collation }, subscription.where, command)
    shell.sendPrivately(command)
  }
}

/** Makes the engine forget a subscription. One that it refused before is none that it knows. */
function withdraw(subscription: Subscription, target: SubscriptionTarget | undefined): void {
  if (target === undefined) return
  const { shell, col } = target
  shell.removeSubscription(subscription.id)
  const command = shell.begin(2, Command.unsubscribe)
  command.int(col)
  command.int(subscription.id)
  try {
    shell.send(command)
  } catch (error) {
    if (!(error instanceof EngineCommandError && error.code === 'UnknownCollection')) throw error
  }
}
