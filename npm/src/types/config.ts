/** Configuration of a collection and the contract of its sync function. */
import type { ChangeMessageOrDeleteKeyMessage } from './changes.ts'
import type { Collection } from './collection.ts'
import type { IndexConstructor } from './indexes.ts'
import type { StringCollationConfig, Untyped, UtilsRecord } from './rows.ts'
import type { StandardSchema } from './schema.ts'
import type { DeleteMutationFn, InsertMutationFn, UpdateMutationFn } from './transactions.ts'

/** Releases what a sync function holds. */
export type CleanupFn = () => void

/** Whether a collection syncs all rows, or those that are asked for. */
export type SyncMode = 'eager' | 'on-demand'

/** Values a source stores beside the rows; applied with the transaction that writes them. */
export interface SyncMetadataApi<TKey extends string | number = string | number> {
  readonly row: {
    get(key: TKey): unknown
    set(key: TKey, value: unknown): void
    delete(key: TKey): void
  }
  readonly collection: {
    get(name: string): unknown
    set(name: string, value: unknown): void
    delete(name: string): void
    list(prefix?: string): ReadonlyArray<{ key: string; value: unknown }>
  }
}

/** The object form of a sync function's result. */
export interface SyncConfigRes {
  cleanup?: CleanupFn
  /** Loads rows on demand: `true` when there is nothing to load, else a promise of the rows being written. */
  loadSubset?(options: Untyped): true | Promise<void>
  /** What was loaded with these options is not needed any more. */
  unloadSubset?(options: Untyped): void
}

/** What a sync function may return: nothing, its cleanup, or an object with it. */
export type SyncResult = ReturnType<CleanupFn> | CleanupFn | SyncConfigRes

/** What a sync function receives. All members belong to one session: after a cleanup they do nothing. */
export interface SyncParams<T extends object, TKey extends string | number> {
  readonly collection: Collection<T, TKey>
  /**
   * Opens a transaction. Calls nest: write and commit act on the innermost open one. An `immediate` one is applied
   * even while local writes are being sent.
   */
  begin(options?: { immediate?: boolean }): void
  /** What the source stores beside the rows. */
  readonly metadata: SyncMetadataApi<TKey>
  /**
   * Adds one change to the open transaction.
   * @throws NoPendingSyncTransactionWriteError without an open transaction.
   * @throws DuplicateKeySyncError for an insert whose key holds a different row already.
   */
  write(message: ChangeMessageOrDeleteKeyMessage<T, TKey>): void
  /**
   * Applies the open transaction in one step. `true` means its rows and events are visible already;
   * otherwise the promise resolves when they are.
   * @throws NoPendingSyncTransactionCommitError without an open transaction.
   */
  commit(): true | Promise<void>
  /** Says that the first data is complete. Clears an earlier error. */
  markReady(): void
  /** Puts the collection into the error state with a cause. */
  markError(error?: unknown): void
  /** Makes the open transaction replace all rows by what is written after this call. */
  truncate(): void
}

/** Where a collection's rows come from. */
export interface SyncConfig<
  T extends object = Record<string, unknown>,
  TKey extends string | number = string | number,
> {
  /** Called synchronously at each start. A result that is neither function nor object is ignored. */
  sync(params: SyncParams<T, TKey>): SyncResult
  /** Whether an update holds the changed fields (`partial`, the default) or the whole row (`full`). */
  rowUpdateMode?: 'partial' | 'full'
  /** What inserts of this collection carry for the source. */
  getSyncMetadata?(): Record<string, unknown>
  /** The source's position, to be sent along with dehydrated rows. */
  exportSyncMeta?(): unknown
  /** Takes over a position that came with dehydrated rows. */
  importSyncMeta?(meta: unknown): void
  /** Puts two positions together. */
  mergeSyncMeta?(current: unknown, incoming: unknown): unknown
}

/** A schema of any rows. */
export type AnySchema = StandardSchema<Untyped, Untyped>

/** What every kind of collection is configured with. */
export interface BaseCollectionConfig<
  T extends object = Record<string, unknown>,
  TKey extends string | number = string | number,
  TSchema extends AnySchema = never,
  TUtils extends UtilsRecord = UtilsRecord,
> {
  /** Identity in messages and virtual properties; a random UUID if left out or empty. */
  id?: string
  /** The key of a row: stable, unique, a string or a number. */
  getKey(item: T): TKey
  /** Milliseconds without subscribers until the collection is cleaned up; 300000 if left out, 0 or less never. */
  gcTime?: number
  /** Whether to start syncing at creation instead of at first use. */
  startSync?: boolean
  /** How strings are ordered in queries over this collection. */
  defaultStringCollation?: StringCollationConfig
  /** Validates rows and changes of `insert` and `update`, never what is synced. */
  schema?: [TSchema] extends [never] ? AnySchema : TSchema
  /** Whether all rows are synced, or those that queries ask for. */
  syncMode?: SyncMode
  /** Whether indexes are made for what queries filter and order by; the engine does so by itself in any case. */
  autoIndex?: 'off' | 'eager'
  /** The type of index that `createIndex` makes unless it is given one. */
  defaultIndexType?: IndexConstructor
  /** The order of the synced rows; key order decides what it leaves open. Without it rows are in key order. */
  compare?(a: T, b: T): number
  /** Sends inserted rows to where they are kept. Rejecting undoes them. */
  onInsert?: InsertMutationFn<T>
  /** Sends changed rows to where they are kept. Rejecting undoes the changes. */
  onUpdate?: UpdateMutationFn<T>
  /** Sends removals to where the rows are kept. Rejecting undoes them. */
  onDelete?: DeleteMutationFn<T>
  /** Becomes `collection.utils`. */
  utils?: TUtils
}

/** Configuration of a synced collection. */
export interface CollectionConfig<
  T extends object = Record<string, unknown>,
  TKey extends string | number = string | number,
  TSchema extends AnySchema = never,
  TUtils extends UtilsRecord = UtilsRecord,
> extends BaseCollectionConfig<T, TKey, TSchema, TUtils> {
  sync: SyncConfig<T, TKey>
}
