import type { RootCollection } from '../sync/root-collection.ts'
import { Stage, SyncTransaction } from '../sync/sync-transaction.ts'
import type { PendingMutation, Transaction } from '../types/transactions.ts'
import { defaultScope } from './scope.ts'
import { LocalTransaction } from './transaction.ts'

/**
 * Applies direct writes to a collection whose rows live nowhere else: they are confirmed at once, without having
 * been pending. The transaction completes in a microtask.
 */
export function commitLocally(root: RootCollection, mutations: readonly PendingMutation[]): Transaction {
  const transaction = new LocalTransaction(
    { metadata: { __tanstack_db_direct: true }, mutationFn: () => Promise.resolve() },
    { scope: defaultScope(), direct: true },
  )
  transaction.adopt(mutations)
  confirmMutations(root, mutations)
  return transaction
}

/** Makes mutations the confirmed rows of a collection. */
export function confirmMutations(root: RootCollection, mutations: readonly PendingMutation[]): void {
  const staged = new SyncTransaction()
  staged.immediate = true
  for (const { type, key, modified } of mutations) {
    if (type === 'delete') staged.stage(Stage.delete, key, undefined)
    else staged.stage(type === 'insert' ? Stage.insert : Stage.put, key, modified)
  }
  root.commit(staged, false)
}
