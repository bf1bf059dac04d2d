/** Collections that live in memory or in web storage. */
import type { BaseCollectionConfig } from './config.ts'
import type { StandardSchema } from './schema.ts'
import type { PendingMutation } from './transactions.ts'

/** What a transaction must have for its mutations to be accepted. */
export interface HasMutations {
  readonly mutations: ReadonlyArray<PendingMutation<object>>
  readonly sequenceNumber?: number
}

/** What a collection in memory offers besides. */
export interface LocalOnlyCollectionUtils {
  /**
   * Keeps the mutations of a transaction that are of this collection. To be called in the transaction's mutation
   * function; before the collection has started it does nothing.
   */
  acceptMutations: (transaction: HasMutations) => void
}

/** Configuration of a collection that lives in memory only. */
export interface LocalOnlyCollectionConfig<
  T extends object = object,
  TSchema extends StandardSchema = never,
  TKey extends string | number = string | number,
> extends Omit<BaseCollectionConfig<T, TKey>, 'gcTime' | 'startSync' | 'utils' | 'schema'> {
  /** Validates rows and changes of `insert` and `update`. */
  schema?: TSchema
  /** Rows present from the start. */
  initialData?: T[]
}

/** The part of a web storage that is used. */
export interface StorageApi {
  getItem(key: string): string | null
  setItem(key: string, value: string): void
  removeItem(key: string): void
}

/** What is heard of another tab's write: the part of a `StorageEvent` that is used. */
export interface StorageChange {
  /** The name that was written; null if the whole storage was cleared. */
  readonly key: string | null
  readonly storageArea: object | null
}

/** Where other tabs' writes are heard of. */
export interface StorageEventApi {
  addEventListener(type: 'storage', listener: (event: StorageChange) => void): void
  removeEventListener(type: 'storage', listener: (event: StorageChange) => void): void
}

/** Turns what is stored into text and back. */
export interface Parser {
  parse(text: string): unknown
  stringify(value: unknown): string
}

/** Removes what is stored. The rows of this collection stay, and the next write stores them again. */
export type ClearStorageFn = () => void

/** The size of what is stored, in bytes; 0 if there is nothing. */
export type GetStorageSizeFn = () => number

/** What a collection in web storage offers besides. */
export interface LocalStorageCollectionUtils {
  clearStorage: ClearStorageFn
  getStorageSize: GetStorageSizeFn
  /**
   * Stores the mutations of a transaction that are of this collection. To be called in the transaction's mutation
   * function.
   * @throws SerializationError for a row the parser cannot write, and what the storage throws; nothing is stored then.
   */
  acceptMutations: (transaction: HasMutations) => void
}

/** Configuration of a collection kept in web storage. */
export interface LocalStorageCollectionConfig<
  T extends object = object,
  TSchema extends StandardSchema = never,
  TKey extends string | number = string | number,
> extends Omit<BaseCollectionConfig<T, TKey>, 'utils' | 'schema'> {
  /** The name the rows are stored under. */
  storageKey: string
  /** Validates rows and changes of `insert` and `update`, not what is stored. */
  schema?: TSchema
  /** `window.localStorage` if left out, or memory where there is none. */
  storage?: StorageApi
  /** `window` if left out; without one, other tabs' writes are noticed at the next write. */
  storageEventApi?: StorageEventApi
  /** `JSON` if left out. */
  parser?: Parser
}
