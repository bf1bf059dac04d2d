/** Lifecycle of a collection and the events it sends. */
import type { BasicExpression } from '../query/ir.ts'
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

/** Rows begin to be loaded on demand, or the last load under way has ended. */
export interface CollectionLoadingSubsetChangeEvent {
  readonly type: 'loadingSubset:change'
  readonly collection: EventCollection
  readonly isLoadingSubset: boolean
  readonly previousIsLoadingSubset: boolean
  readonly loadingSubsetTransition: 'start' | 'end'
}

/** What is told of an index. */
export interface CollectionIndexMetadata {
  readonly signatureVersion: 1
  /** The same for indexes of the same expression and options, whatever their names. */
  readonly signature: string
  readonly indexId: number
  readonly name?: string
  readonly expression: BasicExpression
  readonly resolver: { readonly kind: 'constructor'; readonly name?: string }
  readonly options?: unknown
}

/** An index was made or removed. */
export interface CollectionIndexEvent<N extends 'index:added' | 'index:removed'> {
  readonly type: N
  readonly collection: EventCollection
  readonly index: CollectionIndexMetadata
}

/** Event names and their payloads. */
export type CollectionEvents = {
  readonly [S in CollectionStatus as `status:${S}`]: CollectionStatusEvent<S>
} & {
  readonly 'status:change': CollectionStatusChangeEvent
  readonly 'subscribers:change': CollectionSubscribersChangeEvent
  readonly 'loadingSubset:change': CollectionLoadingSubsetChangeEvent
  readonly truncate: CollectionTruncateEvent
  readonly 'index:added': CollectionIndexEvent<'index:added'>
  readonly 'index:removed': CollectionIndexEvent<'index:removed'>
}

/** The name of an event a collection sends. */
export type CollectionEventName = keyof CollectionEvents
