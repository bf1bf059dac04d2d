/** The public surface of a collection. */
import type { CurrentStateAsChangesOptions } from '../live/current-state.ts'
import type { Ref } from '../query/ref-types.ts'
import type { ChangeListener, CollectionSubscription, RowChange, SubscribeChangesOptions } from './changes.ts'
import type { BaseCollectionConfig } from './config.ts'
import type {
  CollectionEventName,
  CollectionEvents,
  CollectionIndexMetadata,
  CollectionStatus,
} from './events.ts'
import type { IndexInterface, IndexOptions } from './indexes.ts'
import type { CollectionInternals } from './internals.ts'
import type { StringCollationConfig, UtilsRecord, WithVirtualProps, WritableDeep } from './rows.ts'
import type { InsertConfig, OperationConfig, Transaction } from './transactions.ts'

/**
 * A set of rows by key, filled by a sync source or a query. Reads are synchronous, never start syncing
 * and always show one complete publication. Rows handed out must not be changed.
 */
export interface Collection<
  T extends object = Record<string, unknown>,
  TKey extends string | number = string | number,
  TUtils extends UtilsRecord = UtilsRecord,
  _TSchema = never,
  TInput extends object = T,
> extends CollectionInternals<T, TKey> {
  readonly id: string
  readonly config: BaseCollectionConfig<T, TKey, never, TUtils>
  readonly utils: TUtils
  readonly status: CollectionStatus
  /** Number of running subscriptions. */
  readonly subscriberCount: number
  /** Whether rows are being loaded on demand. */
  readonly isLoadingSubset: boolean
  /** How strings compare in this collection; a copy at each read. */
  readonly compareOptions: StringCollationConfig

  /** Number of visible rows. O(1). */
  readonly size: number
  /** A new map of all rows at each read. O(size). */
  readonly state: Map<TKey, WithVirtualProps<T, TKey>>
  /** A new array of all rows at each read. O(size). */
  readonly toArray: Array<WithVirtualProps<T, TKey>>
  get(key: TKey): WithVirtualProps<T, TKey> | undefined
  has(key: TKey): boolean
  keys(): IterableIterator<TKey>
  values(): IterableIterator<WithVirtualProps<T, TKey>>
  entries(): IterableIterator<[TKey, WithVirtualProps<T, TKey>]>
  [Symbol.iterator](): IterableIterator<[TKey, WithVirtualProps<T, TKey>]>
  forEach(callback: (value: WithVirtualProps<T, TKey>, key: TKey, index: number) => void): void
  map<U>(callback: (value: WithVirtualProps<T, TKey>, key: TKey, index: number) => U): U[]
  /** The present rows, or those of them that are asked for, as inserts. Throws for a limit without an order. */
  currentStateAsChanges(options?: CurrentStateAsChangesOptions): Array<RowChange<T, TKey>>
  /** The indexes made by `createIndex`, by id. */
  readonly indexes: ReadonlyMap<number, IndexInterface<TKey>>
  /**
   * Makes an index over an expression. The engine keeps the indexes it needs by itself; one made here can be read.
   * @throws CollectionInErrorStateError in the error state.
   * @throws CollectionConfigurationError without a type of index.
   */
  createIndex(
    build: (row: Ref<WithVirtualProps<T, TKey>>) => unknown,
    options?: IndexOptions,
  ): IndexInterface<TKey>
  /** Removes an index. Whether there was such an index. */
  removeIndex(index: IndexInterface<TKey> | number): boolean
  /** What is known of the indexes, in the order of their ids. */
  getIndexMetadata(): CollectionIndexMetadata[]
  /** `state` as soon as there is a row or the collection is ready. Starts syncing. */
  stateWhenReady(): Promise<Map<TKey, WithVirtualProps<T, TKey>>>
  /** `toArray` as soon as there is a row or the collection is ready. Starts syncing. */
  toArrayWhenReady(): Promise<Array<WithVirtualProps<T, TKey>>>
  /** The key the configuration gives a row. */
  getKeyFromItem(item: T): TKey

  isReady(): boolean
  /** Calls back once, at once if already ready in this session. Returns a function that cancels. */
  onFirstReady(callback: () => void): () => void
  /** Starts syncing and resolves when ready; rejects on failure, and with an AbortError on cleanup. */
  preload(): Promise<void>
  /** Starts syncing if idle or cleaned up. Errors of the sync function propagate. */
  startSyncImmediate(): void
  /** Ends the session and drops all rows. Works synchronously. */
  cleanup(): Promise<void>

  /** Subscribes to published changes. Starts syncing if idle or cleaned up. */
  subscribeChanges(
    callback: ChangeListener<T, TKey>,
    options?: SubscribeChangesOptions<T, TKey>,
  ): CollectionSubscription
  /** Listens to an event. Returns a function that stops. */
  on<E extends CollectionEventName>(event: E, callback: (payload: CollectionEvents[E]) => void): () => void
  once<E extends CollectionEventName>(event: E, callback: (payload: CollectionEvents[E]) => void): () => void
  off<E extends CollectionEventName>(event: E, callback: (payload: CollectionEvents[E]) => void): void
  /** The next payload of an event; rejects after `timeoutMs` milliseconds if given. */
  waitFor<E extends CollectionEventName>(event: E, timeoutMs?: number): Promise<CollectionEvents[E]>

  /**
   * The row or changes as the schema makes them, with its defaults and transformations; as they are without one.
   * Changes are validated as part of the row of `key`, and only the changed fields are given.
   * @throws SchemaValidationError if the schema refuses them.
   */
  validateData(data: unknown, type: 'insert' | 'update', key?: TKey): T
  /** Adds rows. All or nothing. */
  insert(data: TInput | TInput[], config?: InsertConfig): Transaction
  /** Changes one row through a draft. */
  update(key: TKey, callback: (draft: WritableDeep<TInput>) => void): Transaction
  update(key: TKey, config: OperationConfig, callback: (draft: WritableDeep<TInput>) => void): Transaction
  /** Changes several rows through drafts, in the order of `keys`. */
  update(keys: TKey[], callback: (drafts: Array<WritableDeep<TInput>>) => void): Transaction
  update(
    keys: TKey[],
    config: OperationConfig,
    callback: (drafts: Array<WritableDeep<TInput>>) => void,
  ): Transaction
  /** Removes rows. All or nothing. */
  delete(keys: TKey | TKey[], config?: OperationConfig): Transaction
}

/** The row type of a collection, virtual properties included. */
export type InferCollectionType<C> =
  C extends Collection<infer T, infer TKey, infer _TUtils, infer _TSchema, infer _TInput>
    ? WithVirtualProps<T, TKey>
    : never
