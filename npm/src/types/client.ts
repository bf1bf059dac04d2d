/** Clients: one set of collections per page or request. */
import type { DbClient } from '../client/db-client.ts'
import type { Collection } from './collection.ts'
import type { CollectionConfig } from './config.ts'
import type { Untyped, UtilsRecord } from './rows.ts'

/** Describes a collection that each client makes for itself. */
export interface CollectionOptions<
  T extends object = Untyped,
  TKey extends string | number = string | number,
  TUtils extends UtilsRecord = UtilsRecord,
> {
  readonly id: string
  readonly singleResult?: true
  /** Carries the types; never there. */
  readonly ' types'?: Collection<T, TKey, TUtils>
}

/** Makes the configuration of a collection for a client. */
export type CollectionConfigFactory<
  T extends object,
  TKey extends string | number,
  TUtils extends UtilsRecord,
> = (client: DbClient) => CollectionConfig<T, TKey, never, TUtils>

/** Options of `client.collection`. */
export interface CollectionMaterializeOptions<T extends object = Untyped> {
  /** Rows to begin with, until the source delivers its own. */
  initialData?: readonly T[]
}

/** One row in a dehydrated collection. */
export interface DehydratedCollectionRow {
  readonly key: string | number
  readonly value: object
  readonly metadata?: unknown
}

/** The synced rows of one collection, and where its source stood. */
export interface DehydratedCollectionChunk {
  readonly collectionId: string
  readonly rows: readonly DehydratedCollectionRow[]
  readonly syncMeta?: unknown
}

/** Rows of a live query's result. */
export interface DehydratedLiveQueryResult {
  readonly rows: ReadonlyArray<{ readonly key: string | number; readonly value: object }>
}

/** A live query as it stood. */
export interface DehydratedLiveQuery {
  readonly queryHash: string
  readonly dehydratedAt: number
  readonly status: 'pending' | 'success' | 'error'
  readonly snapshot?: DehydratedLiveQueryResult
  readonly promise?: Promise<DehydratedLiveQueryResult>
  readonly error?: unknown
}

/** What a client hands to another. */
export interface DehydratedDbState {
  readonly collections: readonly DehydratedCollectionChunk[]
  readonly liveQueries?: readonly DehydratedLiveQuery[]
}

/** A live query a client knows the result of, or waits for. */
export interface DbClientLiveQuery {
  readonly queryHash: string
  readonly state: DbClientLiveQueryState
}

/** How far it has come. */
export interface DbClientLiveQueryState {
  readonly dehydratedAt: number
  readonly status: 'pending' | 'success' | 'error'
  readonly promise: Promise<DehydratedLiveQueryResult>
  readonly snapshot: DehydratedLiveQueryResult | undefined
  readonly error: unknown
}

/** What a client tells its listeners. */
export type DbClientEvent =
  | { readonly type: 'liveQueryAdded' | 'liveQueryUpdated'; readonly query: DbClientLiveQuery }
  | { readonly type: 'liveQueryStreamError'; readonly error: unknown }

/** Which parts `client.dehydrate` takes along. */
export interface DehydrateDbClientOptions {
  /** Decides for each collection; those asked for by `client.collection` if left out. */
  shouldDehydrateCollection?: (collection: Collection<Untyped, Untyped, Untyped>) => boolean
  /** Decides for each live query; those with a result if left out. */
  shouldDehydrateLiveQuery?: (query: DbClientLiveQuery) => boolean
}

/** What collections of a client may need: query clients, fetchers, tokens. */
export type DbClientOptions = Readonly<Record<string, unknown>>
