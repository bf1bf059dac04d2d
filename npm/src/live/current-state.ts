import type { ManagedCollection } from '../collection/lifecycle.ts'
import type { Change } from '../collection/subscription.ts'
import type { BasicExpression, OrderBy } from '../query/ir.ts'
import { findRows } from './find.ts'

/** Which of the present rows are wanted. References have no alias. */
export interface CurrentStateAsChangesOptions {
  /** Must be true of a row. */
  where?: BasicExpression
  orderBy?: OrderBy
  /** Needs an order. */
  limit?: number
  /** Whether to answer only from an index. The engine plans every question itself, so there is always an answer. */
  optimizedOnly?: boolean
}

/**
 * The present rows as inserts.
 *
 * @throws Error for a limit without an order.
 */
export function currentState(
  collection: ManagedCollection,
  { where, orderBy, limit }: CurrentStateAsChangesOptions,
): Change[] {
  const ordered = orderBy !== undefined && orderBy.length > 0
  if (limit !== undefined && !ordered) {
    throw new Error('limit cannot be used without orderBy: which rows come first would be left to chance')
  }
  if (where === undefined && !ordered) return collection.contentChanges()
  const rows = findRows(collection, {
    ...(where === undefined ? {} : { where: [where] }),
    ...(ordered ? { orderBy, limit } : {}),
  })
  return rows.map(([key, value]) => ({ type: 'insert', key, value }))
}
