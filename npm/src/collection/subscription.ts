import type { BasicExpression } from '../query/ir.ts'
import type { EngineCollection } from './engine-collection.ts'
import type { Publication } from './publications.ts'

/** A change as subscribers see it. */
export interface Change {
  type: 'insert' | 'update' | 'delete'
  key: string | number
  value: object
  previousValue?: object
}

/** Receives batches of changes; may throw. */
export type ChangeCallback = (changes: Change[]) => void

/** Which rows a new subscriber is told of, as the engine numbers it. */
export const InitialState = { untold: 0, told: 1, known: 2 } as const

/** What somebody wants to be told. */
export interface Interest {
  readonly callback: ChangeCallback
  /** One of `InitialState`. */
  readonly initial: number
  /** Which rows: all, or those for which this is true. References have no alias. */
  readonly where: BasicExpression | undefined
}

/** The collection of a subscription. */
export interface Subscribable extends EngineCollection {
  /** Takes a batch that is not to be told yet; false if it is. */
  holds(batch: Publication): boolean
}

/** One subscriber of a collection. What it has been told is the engine's business. */
export class Subscription implements Interest {
  /** Its number in the engine. */
  id: number
  readonly collection: Subscribable
  readonly callback: ChangeCallback
  readonly where: BasicExpression | undefined
  initial: number
  #active = true

  constructor(id: number, collection: Subscribable, { callback, initial, where }: Interest) {
    this.id = id
    this.collection = collection
    this.callback = callback
    this.initial = initial
    this.where = where
  }

  get active(): boolean {
    return this.#active
  }

  /** Nothing is told from now on, not even what is queued. */
  end(): void {
    this.#active = false
  }

  tell(changes: Change[]): void {
    const { callback } = this
    callback(changes)
  }
}

/** A batch on its way to one subscriber; obsolete once the subscription or the collection's session ended. */
export class Batch implements Publication {
  readonly #subscription: Subscription
  readonly #session: number
  #changes: Change[]

  constructor(subscription: Subscription, changes: Change[]) {
    this.#subscription = subscription
    this.#session = subscription.collection.session
    this.#changes = changes
  }

  /** The collection it tells of. */
  get collection(): Subscribable {
    return this.#subscription.collection
  }

  /** Makes the present rows of the collection, as inserts, the content of the batch. */
  fillWithContent(): void {
    this.#changes = this.#subscription.collection.contentChanges()
  }

  publish(): void {
    const { collection, active } = this.#subscription
    if (!active || collection.session !== this.#session || collection.holds(this)) return
    this.#subscription.tell(this.#changes)
  }
}
