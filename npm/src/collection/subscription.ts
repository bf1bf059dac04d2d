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

/** One subscriber of a collection. What it has been told is the engine's business. */
export class Subscription {
  readonly id: number
  readonly collection: EngineCollection
  readonly #callback: ChangeCallback
  #active = true

  constructor(id: number, collection: EngineCollection, callback: ChangeCallback) {
    this.id = id
    this.collection = collection
    this.#callback = callback
  }

  get active(): boolean {
    return this.#active
  }

  /** Nothing is told from now on, not even what is queued. */
  end(): void {
    this.#active = false
  }

  tell(changes: Change[]): void {
    const callback = this.#callback
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

  /** Makes the present rows of the collection, as inserts, the content of the batch. */
  fillWithContent(): void {
    this.#changes = this.#subscription.collection.contentChanges()
  }

  publish(): void {
    const { collection, active } = this.#subscription
    if (active && collection.session === this.#session) this.#subscription.tell(this.#changes)
  }
}
