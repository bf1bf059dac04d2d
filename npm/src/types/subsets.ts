/** What a source is asked for when a collection loads on demand. */
import type { BasicExpression, OrderBy } from '../query/ir.ts'
import type { CollectionSubscription } from './changes.ts'

/** Where a page continues, said twice over: a source takes these or the offset, whichever suits it. */
export interface CursorExpressions {
  /** Holds for the rows behind the last one delivered. */
  readonly whereFrom: BasicExpression<boolean>
  /** Holds for the rows at the same place as the last one delivered. */
  readonly whereCurrent: BasicExpression<boolean>
  /** The key of the last row delivered. */
  readonly lastKey?: string | number | undefined
}

/** The part of a collection that is wanted. Nobody changes it, or a constant in it, once it has been passed on. */
export interface LoadSubsetOptions {
  /** Which rows; paths have no alias. All rows if left out. The cursor is not part of it. */
  readonly where?: BasicExpression<boolean> | undefined
  /** In which order `limit` and `offset` count; paths have no alias. */
  readonly orderBy?: OrderBy | undefined
  readonly limit?: number | undefined
  readonly offset?: number | undefined
  readonly cursor?: CursorExpressions | undefined
  /** Aborted when nobody wants the rows any more. */
  readonly signal?: AbortSignal | undefined
  /** The subscription that asks. */
  readonly subscription?: CollectionSubscription | undefined
}

/**
 * Loads a part of a collection. `true` says that the rows are in the collection already; otherwise the promise
 * resolves when they are, and rejects if they cannot be had.
 */
export type LoadSubsetFn = (options: LoadSubsetOptions) => true | Promise<void>

/** Says that the part asked for with this very object is no longer wanted. */
export type UnloadSubsetFn = (options: LoadSubsetOptions) => void
