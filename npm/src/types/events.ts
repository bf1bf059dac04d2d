/** Lifecycle of a collection and the events it sends. */
import type { Collection } from './collection.ts'
import type { Untyped } from './rows.ts'

/** Where a collection stands: not started, waiting for its first data, complete, failed, or dropped. */
export type CollectionStatus = 'idle' | 'loading' | 'ready' | 'error' | 'cleaned-up'

/** The collection an event comes from. */
export type EventCollection = Collection<Untyped, Untyped, Untyped>

/** Any change of status. */
export interface CollectionStatusChangeEvent {
  readonly type: 'status:change'
  readonly collection: EventCollection
  readonly previousStatus: CollectionStatus
  readonly status: CollectionStatus
}

/** The collection entered one status; sent right after `status:change`. */
export interface CollectionStatusEvent<S extends CollectionStatus = CollectionStatus> {
  readonly type: `status:${S}`
  readonly collection: EventCollection
  readonly previousStatus: CollectionStatus
  readonly status: S
}

/** The number of subscriptions changed. */
export interface CollectionSubscribersChangeEvent {
  readonly type: 'subscribers:change'
  readonly collection: EventCollection
  readonly previousSubscriberCount: number
  readonly subscriberCount: number
}

/** The sync source replaces all rows; sent before the replacement is visible. */
export interface CollectionTruncateEvent {
  readonly type: 'truncate'
  readonly collection: EventCollection
}

/** Event names and their payloads. */
export type CollectionEvents = {
  readonly [S in CollectionStatus as `status:${S}`]: CollectionStatusEvent<S>
} & {
  readonly 'status:change': CollectionStatusChangeEvent
  readonly 'subscribers:change': CollectionSubscribersChangeEvent
  readonly truncate: CollectionTruncateEvent
}

/** The name of an event a collection sends. */
export type CollectionEventName = keyof CollectionEvents
