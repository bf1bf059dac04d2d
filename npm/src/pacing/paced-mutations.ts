import { assertSynchronous } from '../transactions/optimistic-action.ts'
import { createTransaction } from '../transactions/transaction.ts'
import type { PacedMutationsConfig } from '../types/pacing.ts'
import type { Transaction } from '../types/transactions.ts'
import { NothingToCommitError } from './nothing-to-commit.ts'

/**
 * Makes a function that shows its changes at once (`onMutate`) while a strategy decides when they are sent
 * (`mutationFn`). All calls until then share one transaction, which each of them gives back; with a queue each call has its own.
 *
 * A transaction that the strategy drops (a queue is full, or the strategy was cleaned up) is rolled back and rejects with the
 * reason. The function throws what `onMutate` throws, and OnMutateMustBeSynchronousError if that returns a promise; what the call has
 * changed is undone then, and earlier calls are not touched.
 */
export function createPacedMutations<TVariables = unknown, T extends object = Record<string, unknown>>(
  config: PacedMutationsConfig<TVariables, T>,
): (variables: TVariables) => Transaction<T> {
  const { onMutate, mutationFn, strategy, ...rest } = config
  const shared = strategy._type !== 'queue'
  /** What calls share until it is sent. */
  let active: Transaction<T> | undefined

  const send = (transaction: Transaction<T> | undefined): Transaction<T> => {
    if (transaction?.state !== 'pending') throw new NothingToCommitError(transaction?.state)
    if (active === transaction) active = undefined
    // Its failure is for those who hold the transaction.
    transaction.commit().catch(() => {})
    return transaction
  }

  return (variables) => {
    const joined = active?.state === 'pending' ? active : undefined
    const transaction = joined ?? createTransaction<T>({ ...rest, mutationFn, autoCommit: false })
    try {
      transaction.mutate(() => assertSynchronous(onMutate(variables)))
    } catch (error) {
      // Nobody holds a transaction of which this was the first call.
      if (joined === undefined && transaction.state === 'pending') transaction.rollback()
      throw error
    }
    if (transaction.state !== 'pending') return transaction
    if (shared) active = transaction
    strategy.execute<T>(
      () => send(shared ? active : transaction),
      // Of a queue each one goes alone: others of the same row are on their way, or dropped as well.
      (reason) => drop(transaction, reason, !shared),
    )
    return transaction
  }
}

function drop<T extends object>(transaction: Transaction<T>, error: Error, alone: boolean): void {
  if (transaction.state !== 'pending') return
  transaction.error = { message: error.message, error }
  transaction.rollback({ isSecondaryRollback: alone })
}
