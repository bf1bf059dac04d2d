import { collectionFrom } from '../collection/create.ts'
import { QueryMustHaveFromClauseError } from '../errors/query.ts'
import { BaseQueryBuilder, getQueryIR, type InitialQueryBuilder, isQueryBuilder } from '../query/builder.ts'
import { assertCompilable, assertRootResult } from '../query/check.ts'
import type { Context, GetResult } from '../query/context.ts'
import { type From, mainCollection, type QueryIR } from '../query/ir.ts'
import type { Collection } from '../types/collection.ts'
import type { CollectionConfig } from '../types/config.ts'
import type { LiveQueryCollectionConfig, LiveQueryFn } from '../types/live-query.ts'
import type { StringCollationConfig, UtilsRecord } from '../types/rows.ts'
import { defineLive } from './definition.ts'

const DEFAULT_GC_TIME = 5000

let count = 0

/** A row of a live query as it knows its own key. */
interface Keyed {
  readonly $key: string | number
}

/**
 * The configuration of a live query's collection, for `createCollection`.
 *
 * @throws QueryBuilderError, QueryCompilationError if the query has a fault.
 */
export function liveQueryCollectionOptions<
  TContext extends Context,
  TResult extends object = GetResult<TContext> & object,
  TKey extends string | number = string | number,
  TUtils extends UtilsRecord = UtilsRecord,
>(
  config: LiveQueryCollectionConfig<TContext, TResult, TKey, TUtils>,
): CollectionConfig<TResult, TKey, never, TUtils> & { readonly id: string } {
  const query = queryOf(config.query)
  assertRootResult(query)
  assertCompilable(query)
  const collation = config.defaultStringCollation ?? inherited(query.from)
  const options: CollectionConfig<TResult, TKey, never, TUtils> & { readonly id: string } = {
    id: config.id || `live-query-${++count}`,
    getKey: keyOf<TKey>,
    gcTime: config.gcTime ?? DEFAULT_GC_TIME,
    sync: { rowUpdateMode: 'full', sync: () => {} },
  }
  if (config.startSync !== undefined) options.startSync = config.startSync
  if (config.utils !== undefined) options.utils = config.utils
  if (collation !== undefined) options.defaultStringCollation = collation
  return defineLive(options, query)
}

/**
 * Creates the collection of a query's results, kept up to date while it is used: it starts when somebody
 * subscribes or preloads, unless `startSync` is set.
 *
 * @throws QueryBuilderError, QueryCompilationError if the query has a fault.
 */
export function createLiveQueryCollection<
  TContext extends Context,
  TResult extends object = GetResult<TContext> & object,
>(query: LiveQueryFn<TContext>): Collection<TResult>
export function createLiveQueryCollection<
  TContext extends Context,
  TResult extends object = GetResult<TContext> & object,
  TKey extends string | number = string | number,
  TUtils extends UtilsRecord = UtilsRecord,
>(config: LiveQueryCollectionConfig<TContext, TResult, TKey, TUtils>): Collection<TResult, TKey, TUtils>
export function createLiveQueryCollection<TContext extends Context>(
  input: LiveQueryFn<TContext> | LiveQueryCollectionConfig<TContext>,
): object {
  return collectionFrom(liveQueryCollectionOptions(typeof input === 'function' ? { query: input } : input))
}

function keyOf<TKey extends string | number>(row: object): TKey {
  return (row as Keyed).$key as TKey
}

function queryOf(query: unknown): QueryIR {
  const builder: unknown =
    typeof query === 'function'
      ? (query as (q: InitialQueryBuilder) => unknown)(new BaseQueryBuilder() as InitialQueryBuilder)
      : query
  if (!isQueryBuilder(builder)) throw new QueryMustHaveFromClauseError()
  return getQueryIR(builder)
}

function inherited(from: From): StringCollationConfig | undefined {
  return mainCollection(from)?.collection.config.defaultStringCollation
}
