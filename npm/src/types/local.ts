/** Collections that live in memory or in web storage. */
import type { BaseCollectionConfig } from './config.ts'
import type { PendingMutation } from './transactions.ts'

/** What a transaction must have for its mutations to be accepted. */
export interface HasMutations {
  readonly mutations: ReadonlyArray<PendingMutation<never> | PendingMutation>
}

/** What a collection in memory offers besides. */
export interface LocalOnlyCollectionUtils {
  /** Keeps the mutations of a transaction that are of this collection; to be called in its mutation function. */
  acceptMutations(transaction: HasMutations): void
  readonly [name: string]: unknown
}

/** Configuration of a collection that lives in memory only. */
export interface LocalOnlyCollectionConfig<
  T extends object = Record<string, unknown>,
  TKey extends string | number = string | number,
> extends Omit<BaseCollectionConfig<T, TKey>, 'gcTime' | 'startSync' | 'utils'> {
  /** Rows present from the start. */
  initialData?: T[]
}

/** The part of a web storage that is used. */
export interface StorageApi {
  getItem(key: string): string | null
  setItem(key: string, value: string): void
  removeItem(key: string): void
}

/** Where events of other tabs' writes come from. */
export interface StorageEventApi {
  addEventListener(type: 'storage', listener: (event: StorageEvent) => void): void
  removeEventListener(type: 'storage', listener: (event: StorageEvent) => void): void
}

/** Turns what is stored into text and back. */
export interface Parser {
  parse(text: string): unknown
  stringify(value: unknown): string
}

/** Removes what is stored; the rows stay. */
export type ClearStorageFn = () => void

/** The size of what is stored, in bytes. */
export type GetStorageSizeFn = () => number

/** What a collection in web storage offers besides. */
export interface LocalStorageCollectionUtils {
  clearStorage: ClearStorageFn
  getStorageSize: GetStorageSizeFn
  /** Stores the mutations of a transaction that are of this collection; to be called in its mutation function. */
  acceptMutations(transaction: HasMutations): void
  readonly [name: string]: unknown
}

/** Configuration of a collection kept in web storage. */
export interface LocalStorageCollectionConfig<
  T extends object = Record<string, unknown>,
  TKey extends string | number = string | number,
> extends Omit<BaseCollectionConfig<T, TKey>, 'utils'> {
  /** The name the rows are stored under. */
  storageKey: string
  /** `window.localStorage` if left out, or memory where there is none. */
  storage?: StorageApi
  /** `window` if left out. */
  storageEventApi?: StorageEventApi
  /** `JSON` if left out. */
  parser?: Parser
}
