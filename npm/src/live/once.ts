import type { Context, InferResultType } from '../query/context.ts'
import type { LiveQueryFn, QueryOnceConfig } from '../types/live-query.ts'
import { createLiveQueryCollection } from './live-query.ts'

/** Milliseconds: longer than a moment, for the case that the end is not reached. */
const GC_TIME = 1

/**
 * The result of a query, once: starts its sources if need be and waits until their data is complete. The rows in order, or
 * the first row, undefined if there is none, of a query with `findOne`. Rejects with the errors of `createLiveQueryCollection` and of the
 * sources.
 */
export async function queryOnce<TContext extends Context>(
  input: LiveQueryFn<TContext> | QueryOnceConfig<TContext>,
): Promise<InferResultType<TContext>> {
  const query = typeof input === 'function' ? input : input.query
  const collection = createLiveQueryCollection<TContext>({ query, gcTime: GC_TIME })
  try {
    await collection.preload()
    const rows = collection.toArray
    const single = (collection.config as { readonly singleResult?: true }).singleResult === true
    return (single ? rows[0] : rows) as InferResultType<TContext>
  } finally {
    await collection.cleanup()
  }
}
