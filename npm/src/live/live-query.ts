import { collectionFrom } from '../collection/create.ts'
import { QueryMustHaveFromClauseError } from '../errors/query.ts'
import { BaseQueryBuilder, getQueryIR, type InitialQueryBuilder, isQueryBuilder } from '../query/builder.ts'
import { assertCompilable, assertRootResult } from '../query/check.ts'
import type { Context, GetResult } from '../query/context.ts'
import { type From, mainCollection, type QueryIR } from '../query/ir.ts'
import type { CollectionConfig } from '../types/config.ts'
import type {
  LiveQueryCollection,
  LiveQueryCollectionConfig,
  LiveQueryCollectionUtils,
  LiveQueryFn,
  ResultMark,
} from '../types/live-query.ts'
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
  TUtils extends UtilsRecord = Record<never, never>,
>(
  config: LiveQueryCollectionConfig<TContext, TResult, TKey, TUtils>,
): CollectionConfig<TResult, TKey, never, TUtils & LiveQueryCollectionUtils> & {
  readonly id: string
} & ResultMark<TContext> {
  const query = queryOf(config.query)
  assertRootResult(query)
  assertCompilable(query)
  const { startSync, utils, schema, onInsert, onUpdate, onDelete } = config
  const collation = config.defaultStringCollation ?? inherited(query.from)
  const single = config.singleResult ?? query.singleResult
  const options: CollectionConfig<TResult, TKey, never, TUtils> = {
    id: config.id || `live-query-${++count}`,
    getKey: keyOf<TKey>,
    gcTime: config.gcTime ?? DEFAULT_GC_TIME,
    sync: { rowUpdateMode: 'full', sync: () => {} },
    ...(startSync !== undefined && { startSync }),
    ...(utils !== undefined && { utils }),
    ...(schema !== undefined && { schema }),
    ...(onInsert !== undefined && { onInsert }),
    ...(onUpdate !== undefined && { onUpdate }),
    ...(onDelete !== undefined && { onDelete }),
    ...(collation !== undefined && { defaultStringCollation: collation }),
    ...(single === true && { singleResult: true }),
  }
  // The built-in utils join when the collection is made: they are about that one collection.
  return defineLive(options, query) as ReturnType<
    typeof liveQueryCollectionOptions<TContext, TResult, TKey, TUtils>
  >
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
>(query: LiveQueryFn<TContext>): LiveQueryCollection<TContext, TResult>
export function createLiveQueryCollection<
  TContext extends Context,
  TResult extends object = GetResult<TContext> & object,
  TKey extends string | number = string | number,
  TUtils extends UtilsRecord = Record<never, never>,
>(
  config: LiveQueryCollectionConfig<TContext, TResult, TKey, TUtils>,
): LiveQueryCollection<TContext, TResult, TKey, TUtils>
export function createLiveQueryCollection<TContext extends Context>(
  input: LiveQueryFn<TContext> | LiveQueryCollectionConfig<TContext>,
): object {
  return collectionFrom(liveQueryCollectionOptions(typeof input === 'function' ? { query: input } : input))
}

function keyOf<TKey extends string | number>(row: object): TKey {
  return (row as Keyed).$key as TKey
}

/** The query of a builder, or of what a function builds. @throws QueryMustHaveFromClauseError if it builds none. */
export function queryOf(query: unknown): QueryIR {
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
