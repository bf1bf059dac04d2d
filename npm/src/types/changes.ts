/** Messages about changed rows: what sync adapters write and what subscribers receive. */
import type { BasicExpression, OrderBy } from '../query/ir.ts'
import type { Ref } from '../query/ref-types.ts'
import type { Untyped, WithVirtualProps } from './rows.ts'

/** What happened to a row. */
export type OperationType = 'insert' | 'update' | 'delete'

/**
 * One change of one row. The value of a delete is the row before it; `previousValue` is set for updates
 * only. Message objects are shared by all subscribers and must not be changed.
 */
export interface ChangeMessage<
  T extends object = Record<string, unknown>,
  TKey extends string | number = string | number,
> {
  key: TKey
  value: T
  previousValue?: T | undefined
  type: OperationType
  metadata?: Record<string, unknown> | undefined
}

/** A delete that names only the key. */
export interface DeleteKeyMessage<TKey extends string | number = string | number> {
  type: 'delete'
  key: TKey
  metadata?: Record<string, unknown> | undefined
}

/**
 * What a sync function may write. Without `key` the collection's `getKey` gives it. An update may hold
 * only the changed fields if the collection's `rowUpdateMode` is `partial`.
 */
export type ChangeMessageOrDeleteKeyMessage<
  T extends object = Record<string, unknown>,
  TKey extends string | number = string | number,
> =
  | (Omit<ChangeMessage<T, TKey>, 'key' | 'type'> & { type: 'insert' | 'delete'; key?: TKey })
  | (Omit<ChangeMessage<T, TKey>, 'key' | 'type' | 'value'> & {
      type: 'update'
      value: T | Partial<T>
      key?: TKey
    })
  | DeleteKeyMessage<TKey>

/** Rows as subscribers receive them, virtual properties included. */
export type RowChange<
  T extends object = Record<string, unknown>,
  TKey extends string | number = string | number,
> = ChangeMessage<WithVirtualProps<T, TKey>, TKey>

/** A batch of changes; empty when the collection became ready or only the order changed. */
export type ChangesPayload<
  T extends object = Untyped,
  TKey extends string | number = string | number,
> = ReadonlyArray<RowChange<T, TKey>>

/** Receives every published batch. An exception reaches whoever caused the publication. */
export type ChangeListener<T extends object = Untyped, TKey extends string | number = string | number> = (
  changes: Array<RowChange<T, TKey>>,
) => void

/** Options of `collection.subscribeChanges`. */
export interface SubscribeChangesOptions<
  T extends object = Untyped,
  TKey extends string | number = string | number,
> {
  /**
   * `true` delivers the current rows as inserts during the call; `false` says that they are known already,
   * so that later updates and deletes pass as they are. Left out, rows count as unknown until they change.
   */
  includeInitialState?: boolean
  /**
   * Tells only of rows that satisfy a condition: one that comes to satisfy it is told as an insert, one that no
   * longer does as a delete. Called once with references to the row's fields.
   */
  where?: (row: Ref<WithVirtualProps<T, TKey>>) => unknown
  /** The same as an expression, whose references have no alias. Not together with `where`. */
  whereExpression?: BasicExpression
  /** Called when the subscription begins or ends waiting for rows that are loaded on demand. */
  onStatusChange?: (event: SubscriptionStatusChangeEvent) => void
}

/** Whether rows that a subscriber asked for are being loaded. */
export type SubscriptionStatus = 'ready' | 'loadingSubset'

/** Any change of a subscription's status. */
export interface SubscriptionStatusChangeEvent {
  readonly type: 'status:change'
  readonly subscription: CollectionSubscription
  readonly previousStatus: SubscriptionStatus
  readonly status: SubscriptionStatus
}

/** The subscription entered one status; sent right after `status:change`. */
export interface SubscriptionStatusEvent<S extends SubscriptionStatus = SubscriptionStatus> {
  readonly type: `status:${S}`
  readonly subscription: CollectionSubscription
  readonly previousStatus: SubscriptionStatus
  readonly status: S
}

/** The subscription has ended: the last event it sends. */
export interface SubscriptionUnsubscribedEvent {
  readonly type: 'unsubscribed'
  readonly subscription: CollectionSubscription
}

/** Rows that the subscriber asked for could not be loaded. */
export interface SubscriptionLoadErrorEvent {
  readonly type: 'loadSubset:error'
  readonly subscription: CollectionSubscription
  /** What was asked for. */
  readonly options: object
  readonly error: Error
}

/** Events of a subscription and their payloads. */
export type SubscriptionEvents = {
  readonly [S in SubscriptionStatus as `status:${S}`]: SubscriptionStatusEvent<S>
} & {
  readonly 'status:change': SubscriptionStatusChangeEvent
  readonly unsubscribed: SubscriptionUnsubscribedEvent
  readonly 'loadSubset:error': SubscriptionLoadErrorEvent
}

/** The name of an event a subscription sends. */
export type SubscriptionEventName = keyof SubscriptionEvents

/** Which rows a subscriber asks for. References have no alias. */
export interface SnapshotOptions {
  /** Besides the subscription's own condition. */
  readonly where?: BasicExpression<boolean>
}

/** The first rows of an order that a subscriber asks for. References have no alias. */
export interface LimitedSnapshotOptions extends SnapshotOptions {
  readonly orderBy: OrderBy
  /** Number of rows that the subscriber has not been told of. */
  readonly limit: number
}

/** A running subscription. */
export interface CollectionSubscription {
  /** `loadingSubset` while rows it asked for are being loaded on demand. */
  readonly status: SubscriptionStatus
  /** Why the latest load that failed did. */
  readonly lastError: Error | undefined
  /** Listens to an event. Returns a function that stops. What a listener throws is reported and disturbs nobody. */
  on<E extends SubscriptionEventName>(
    event: E,
    callback: (payload: SubscriptionEvents[E]) => void,
  ): () => void
  once<E extends SubscriptionEventName>(
    event: E,
    callback: (payload: SubscriptionEvents[E]) => void,
  ): () => void
  off<E extends SubscriptionEventName>(event: E, callback: (payload: SubscriptionEvents[E]) => void): void
  /** The next payload of an event; rejects after `timeoutMs` milliseconds if given. */
  waitFor<E extends SubscriptionEventName>(event: E, timeoutMs?: number): Promise<SubscriptionEvents[E]>
  /** Ends it; a second call does nothing. */
  unsubscribe(): void
  /**
   * Tells the subscriber in this call of rows it has not been told of, as inserts: all of them, or those that satisfy a
   * condition. The batch may be empty. Gives false, and tells nothing, once all rows have been asked for or are known.
   * O(size) at worst.
   *
   * @throws QueryCompilationError for a condition the engine does not know.
   */
  requestSnapshot(options?: SnapshotOptions): boolean
  /** As `requestSnapshot`, for the first rows of an order. Throws for a limit that is not positive. */
  requestLimitedSnapshot(options: LimitedSnapshotOptions): void
  /** Whether the subscriber was told of all rows that were there, or has said that it knows them. */
  hasLoadedInitialState(): boolean
  /** Whether the subscriber was told of rows because it asked, not because they changed. */
  hasSentAtLeastOneSnapshot(): boolean
  /** From now on all rows count as known: updates and removals pass as they are. */
  markAllStateAsSeen(): void
  /** Hands changes to the subscriber as they are. Gives false after the end. */
  emitEvents(changes: ReadonlyArray<RowChange<Untyped>>): boolean
}
