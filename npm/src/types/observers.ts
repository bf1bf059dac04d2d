/** What adapters for user interface frameworks build on: watching one collection, and paging through one. */
import type { DbClient } from '../client/db-client.ts'
import type { BaseQueryBuilder } from '../query/builder.ts'
import type { LiveQueryStatusFlags } from '../utils/live-query-status.ts'
import type { RowChange } from './changes.ts'
import type { DehydratedLiveQueryResult } from './client.ts'
import type { Collection } from './collection.ts'
import type { CollectionStatus } from './events.ts'
import type { LiveQueryCollectionUtils } from './live-query.ts'
import type { WithVirtualProps } from './rows.ts'

/** All rows of a collection, as an array in order. */
export type ManyRows<T extends object, TKey extends string | number> = Array<WithVirtualProps<T, TKey>>

/** The first row of a collection, or undefined. */
export type FirstRow<T extends object, TKey extends string | number> = WithVirtualProps<T, TKey> | undefined

/**
 * A collection at one moment. It never changes, and the next snapshot is the same object as long as nothing that can be seen has
 * changed. `data` and `state` are made when they are first looked at.
 */
export interface LiveQuerySnapshot<
  T extends object = Record<string, unknown>,
  TKey extends string | number = string | number,
  TData = ManyRows<T, TKey>,
> extends LiveQueryStatusFlags {
  /** The rows by key; undefined if there is no collection. */
  readonly state: ReadonlyMap<TKey, WithVirtualProps<T, TKey>> | undefined
  /** The rows in order, or the first one of a single result; undefined if there is no collection. */
  readonly data: TData | undefined
  readonly collection: Collection<T, TKey> | undefined
  /** Another number than before exactly if the keys in order are others. */
  readonly layoutRevision: number
  readonly status: CollectionStatus | 'disabled'
  /** Whether there is a collection. */
  readonly isEnabled: boolean
}

/**
 * Is told of changes: the batch of them; an empty one if rows have only changed places; undefined if the status has changed.
 */
export type LiveQueryObserverListener<
  T extends object = Record<string, unknown>,
  TKey extends string | number = string | number,
> = (changes: ReadonlyArray<RowChange<T, TKey>> | undefined) => void

/** Watches one collection for a user interface. */
export interface LiveQueryObserver<
  T extends object = Record<string, unknown>,
  TKey extends string | number = string | number,
  TData = ManyRows<T, TKey>,
> {
  /** The collection now. Starts nothing. O(size) after a change, else O(1). */
  getSnapshot(): LiveQuerySnapshot<T, TKey, TData>
  /**
   * Tells a listener of changes until the function it returns is called; the first one starts the collection. Granular listeners are
   * told of the present rows, as inserts, during this call, or as soon as what is being told just now has been.
   *
   * @throws LiveQueryObserverDisposedError after `dispose`. What the source throws when it is started propagates.
   */
  subscribe(listener: LiveQueryObserverListener<T, TKey>): () => void
  /** Starts the collection and waits until it is ready: one promise for all callers. */
  preload(): Promise<void>
  /** Why the collection is in the error state; undefined if it is not. */
  getError(): unknown
  /** The rows of the present snapshot in the form in which they go from a server to a page. */
  dehydrate(): DehydratedLiveQueryResult
  /** Ends all subscriptions. */
  dispose(): void
}

/** Options of `createLiveQueryObserver`. */
export interface CreateLiveQueryObserverOptions {
  /**
   * `granular` listeners follow every change from the first row on. `wholesale` ones read the snapshot whenever they are told, and are
   * told of nothing during `subscribe`. Granular if left out.
   */
  readonly mode?: 'granular' | 'wholesale'
  /** The client that may know a result of the query from a server, which is shown until the query is ready. */
  readonly client?: DbClient | undefined
  /** Under which hash the client knows it. */
  readonly queryHash?: string | undefined
  /** Is given the promise of the first `preload`. */
  readonly onPreload?: (ready: Promise<void>) => void
}

/** What a paged list can be made from: a collection, or a function that builds a query. */
export type LiveQueryWindowInputKind = 'collection' | 'query'

/** A collection whose window can be moved. */
export type LiveQueryWindowCollection<
  T extends object = Record<string, unknown>,
  TKey extends string | number = string | number,
> = Collection<T, TKey, Pick<LiveQueryCollectionUtils, 'setWindow' | 'getWindow'>>

/** What `resolveLiveQueryWindowInput` found. */
export type ResolvedLiveQueryWindowInput<TCollection = Collection> =
  | { readonly kind: 'collection'; readonly collection: TCollection }
  | { readonly kind: 'query'; readonly query: BaseQueryBuilder }

/** How the dependencies of a hook differ from those of the time before. */
export interface LiveQueryWindowDependencies {
  /** Whether one of them is another value; NaN is the same as NaN. */
  readonly changed: boolean
  /** Whether all of them hold the same. */
  readonly structurallyEqual: boolean
}

/** What decides whether a list that is made anew keeps its pages. */
export interface LiveQueryWindowReplacement {
  readonly hasPreviousController: boolean
  readonly previousInputKind: LiveQueryWindowInputKind | undefined
  readonly inputKind: LiveQueryWindowInputKind
  readonly dependenciesChanged: boolean
  readonly dependenciesStructurallyEqual: boolean
  /** Whether the size of pages or the number of the first has changed. */
  readonly pageShapeChanged: boolean
}

/**
 * A paged list at one moment: as a `LiveQuerySnapshot`, but that `data` has only the rows of the pages. Without a collection it is an
 * empty array. `state` is of the whole window, which has a row more if there is a next page.
 */
export interface LiveQueryWindowSnapshot<
  T extends object = Record<string, unknown>,
  TKey extends string | number = string | number,
> extends LiveQuerySnapshot<T, TKey> {
  readonly data: ManyRows<T, TKey>
  /** The rows by page: at least one page, which may be empty, if there is a collection. A page that stays the same is the same array. */
  readonly pages: ReadonlyArray<ManyRows<T, TKey>>
  /** A number for each page, counting from `initialPageParam`. */
  readonly pageParams: readonly number[]
  readonly hasNextPage: boolean
  readonly isFetchingNextPage: boolean
  /** Why the latest page could not be fetched; until the next attempt. */
  readonly error: Error | undefined
}

/** Options of `createLiveQueryWindowController`. */
export interface CreateLiveQueryWindowControllerOptions {
  /** Rows a page; 20 if left out or not a positive whole number. */
  readonly pageSize?: number
  /** The number of the first page; 0 if left out. */
  readonly initialPageParam?: number
  /** How many pages are shown at first; 1 if left out. */
  readonly initialPageCount?: number
}

/** A list that grows by pages. */
export interface LiveQueryWindowController<
  T extends object = Record<string, unknown>,
  TKey extends string | number = string | number,
> {
  /** The list now; the same object as long as nothing has changed. Starts nothing. */
  getSnapshot(): LiveQueryWindowSnapshot<T, TKey>
  /**
   * Calls back when there is another snapshot, until the function it returns is called. The first one widens the window of the
   * collection and starts it.
   *
   * @throws LiveQueryWindowControllerDisposedError after `dispose`.
   */
  subscribe(listener: () => void): () => void
  /**
   * Shows one more page. Resolves when it shows, or at once if there is none; rejects if the window cannot be moved. While a page is
   * being fetched it gives the promise of that page.
   */
  fetchNextPage(): Promise<void>
  /**
   * Goes back to one page. Resolves when it shows. A page that is being fetched does not come; its promise resolves all the same.
   */
  reset(): Promise<void>
  /**
   * Starts the collection and waits until the pages wanted are there. Rejects with a LiveQueryWindowControllerDisposedError after
   * `dispose`. The window stays wide until `dispose`, or until nobody subscribes any more.
   */
  preload(): Promise<void>
  /** Ends all subscriptions and gives the window back. */
  dispose(): void
}
