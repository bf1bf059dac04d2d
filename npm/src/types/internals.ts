/**
 * Members of a collection that packages around this one use: framework adapters, sync adapters, offline tools.
 * Applications need none of them.
 */
import type { CollectionStatus } from './events.ts'

/** Rows by key, read only. */
export interface RowsView<TKey, V> {
  /** O(1). */
  readonly size: number
  has(key: TKey): boolean
  get(key: TKey): V | undefined
  keys(): IterableIterator<TKey>
  values(): IterableIterator<V>
  entries(): IterableIterator<[TKey, V]>
  [Symbol.iterator](): IterableIterator<[TKey, V]>
}

/** A look below the visible rows. Everything is read when it is asked for. */
export interface CollectionStateView<T extends object, TKey extends string | number> {
  /** The rows the source has confirmed, without virtual properties, whatever local writes cover them. */
  readonly syncedData: RowsView<TKey, T>
  /** What the adapter stores with rows. */
  readonly syncedMetadata: { get(key: TKey): unknown }
  /** The rows that local writes show, without virtual properties. */
  readonly optimisticUpserts: RowsView<TKey, T>
  /** The keys whose confirmed rows local writes hide. */
  readonly optimisticDeletes: {
    readonly size: number
    has(key: TKey): boolean
    keys(): IterableIterator<TKey>
  }
  /** One entry for each sync transaction that is committed and waits for local writes, or is not committed. */
  readonly pendingSyncedTransactions: ReadonlyArray<{ readonly committed: boolean }>
}

/** The status by hand. */
export interface CollectionLifecycleView {
  readonly status: CollectionStatus
  /**
   * Does what leads to a status.
   * @throws CollectionStateError for `ready`, which only the source can say.
   * @throws InvalidCollectionStatusTransitionError for a status that may not follow the present one.
   */
  setStatus(status: CollectionStatus): void
}

/** A request for rows that a source loads on demand. */
export interface SubsetRequest {
  readonly signal?: AbortSignal | undefined
}

/** Loading by hand. */
export interface CollectionSyncView {
  /** Asks the source for rows; `true` if there is nothing to wait for. What the source throws propagates. */
  loadSubset(options: SubsetRequest): true | Promise<void>
}

/** See the top of this file. */
export interface CollectionInternals<T extends object, TKey extends string | number> {
  readonly _state: CollectionStateView<T, TKey>
  readonly _lifecycle: CollectionLifecycleView
  readonly _sync: CollectionSyncView
  /** Another number after every change of rows or status. */
  readonly _stateRevision: number
  /** Another number after every change of the order of an ordered result. */
  readonly _layoutRevision: number
  /** Calls back after every change of the order. Returns a function that stops. */
  _subscribeLayoutChanges(listener: () => void): () => void
  /** Counts a change of the order and tells of it. */
  _markLayoutChange(): void
  /** Keeps batches of changes back until the function it returns is called. Rows change all the same. */
  _deferPublication(): () => void
  /** Makes direct writes belong to a client's transactions. */
  _setTransactionScope(scope: object | undefined): void
  /** Whether the row of a key was put in before the source delivered it. */
  _hasHydratedKey(key: TKey): boolean
  /** From now on nothing starts the collection; starts and loads that were asked for follow `_resumeSyncStart`. */
  _deferSyncStart(): void
  _resumeSyncStart(): void
  /** Set by offline tools while they send what was written offline; not read here. */
  deferDataRefresh: Promise<void> | null
}
