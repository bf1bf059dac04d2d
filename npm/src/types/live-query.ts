/** Configuration of a live query. */
import type { InitialQueryBuilder, QueryBuilder } from '../query/builder.ts'
import type { Context, GetResult, RootObjectResultConstraint } from '../query/context.ts'
import type { BaseCollectionConfig } from './config.ts'
import type { UtilsRecord } from './rows.ts'

/** A builder whose result can stand as a whole; otherwise a type that says why not. */
export type RootQueryBuilder<TContext extends Context> = QueryBuilder<TContext> &
  RootObjectResultConstraint<TContext>

/** A function that builds the query of a live query. */
export type LiveQueryFn<TContext extends Context> = (q: InitialQueryBuilder) => RootQueryBuilder<TContext>

/** Configuration of a live query's collection. */
export interface LiveQueryCollectionConfig<
  TContext extends Context,
  TResult extends object = GetResult<TContext> & object,
  TKey extends string | number = string | number,
  TUtils extends UtilsRecord = UtilsRecord,
> extends Pick<
    BaseCollectionConfig<TResult, TKey, never, TUtils>,
    'id' | 'startSync' | 'defaultStringCollation' | 'utils'
  > {
  /** The query, or a function that builds it from a fresh builder. */
  query: LiveQueryFn<TContext> | RootQueryBuilder<TContext>
  /** Milliseconds without subscribers until the result is dropped; 5000 if left out. */
  gcTime?: number
}
