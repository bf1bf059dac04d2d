import type { CollectionStatus } from '../types/events.ts'

/** What a user interface asks about the status of a live query. Exactly one is true, unless the query is disabled. */
export interface LiveQueryStatusFlags {
  readonly isLoading: boolean
  readonly isReady: boolean
  readonly isIdle: boolean
  readonly isError: boolean
  readonly isCleanedUp: boolean
}

/** The flags of a status. A disabled query, which has no collection, has none of them. */
export function getLiveQueryStatusFlags(status: CollectionStatus | 'disabled'): LiveQueryStatusFlags {
  return {
    isLoading: status === 'loading',
    isReady: status === 'ready',
    isIdle: status === 'idle',
    isError: status === 'error',
    isCleanedUp: status === 'cleaned-up',
  }
}

/** Whether a collection holds at most one row, as the result of a query with `findOne` does. */
export function isSingleResultCollection(collection: { readonly config: object }): boolean {
  return (collection.config as { singleResult?: unknown }).singleResult === true
}
