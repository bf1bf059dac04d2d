/** Configuration of a live query. */
import type { InitialQueryBuilder, QueryBuilder } from '../query/builder.ts'
import type { Context, GetResult, RootObjectResultConstraint } from '../query/context.ts'
import type { Collection } from './collection.ts'
import type { AnySchema, BaseCollectionConfig } from './config.ts'
import type { NonSingleResult, SingleResult } from './results.ts'
import type { UtilsRecord } from './rows.ts'

/** A builder whose result can stand as a whole; otherwise a type that says why not. */
export type RootQueryBuilder<TContext extends Context> = QueryBuilder<TContext> &
  RootObjectResultConstraint<TContext>

/** A function that builds the query of a live query. */
export type LiveQueryFn<TContext extends Context> = (q: InitialQueryBuilder) => RootQueryBuilder<TContext>

/** Which rows of an order a query shows: `limit` rows from `offset` on; the limit may be Infinity. */
export interface QueryWindow {
  readonly offset: number
  readonly limit: number
}

/** Where a window is moved; what is left out stays. */
export interface QueryWindowOptions {
  readonly offset?: number | undefined
  readonly limit?: number | undefined
}

/** What every live query's collection offers in `utils`. */
export interface LiveQueryCollectionUtils {
  /** How often a change of the sources has reached the result; the first computation counts. */
  getRunCount(): number
  /**
   * Moves the window of an ordered query. The move shows in one step, and is told as inserts and deletes. Gives true if it
   * is complete, else a promise of that, which rejects with an AbortError when the collection is cleaned up.
   * A cleanup puts the window back to where the query has it. O(rows that come and go) in an indexed order.
   *
   * @throws SetWindowRequiresOrderByError for a query without an order.
   * @throws SetWindowReentrancyError from inside a callback that is being told of a change of this result.
   */
  setWindow(options: QueryWindowOptions): true | Promise<void>
  /** The window that was moved to last and is complete; undefined for a query without an order. */
  getWindow(): QueryWindow | undefined
}

/** The mark of a query's result: whether it is the first row or all. */
export type ResultMark<TContext extends Context> = TContext['singleResult'] extends true
  ? SingleResult
  : NonSingleResult

/** The collection of a live query. */
export type LiveQueryCollection<
  TContext extends Context,
  TResult extends object = GetResult<TContext> & object,
  TKey extends string | number = string | number,
  TUtils extends UtilsRecord = Record<never, never>,
> = Collection<TResult, TKey, TUtils & LiveQueryCollectionUtils> & ResultMark<TContext>

/** Configuration of a live query's collection. */
export interface LiveQueryCollectionConfig<
  TContext extends Context,
  TResult extends object = GetResult<TContext> & object,
  TKey extends string | number = string | number,
  TUtils extends UtilsRecord = Record<never, never>,
> extends Pick<
    BaseCollectionConfig<TResult, TKey, never, TUtils>,
    'id' | 'startSync' | 'defaultStringCollation' | 'utils' | 'onInsert' | 'onUpdate' | 'onDelete'
  > {
  /** The query, or a function that builds it from a fresh builder. */
  query: LiveQueryFn<TContext> | RootQueryBuilder<TContext>
  /** Milliseconds without subscribers until the result is dropped; 5000 if left out. */
  gcTime?: number
  /** Validates what is written to the result itself. */
  schema?: AnySchema
  /** Whether those who read the whole result take its first row; a query with `findOne` says so itself. */
  singleResult?: true
}

/** What `queryOnce` takes besides a function. */
export interface QueryOnceConfig<TContext extends Context> {
  /** The query, or a function that builds it from a fresh builder. */
  query: LiveQueryFn<TContext> | RootQueryBuilder<TContext>
}
