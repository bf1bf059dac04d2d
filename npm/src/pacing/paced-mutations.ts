import { assertSynchronous } from '../transactions/optimistic-action.ts'
import { createTransaction } from '../transactions/transaction.ts'
import type { PacedMutationsConfig } from '../types/pacing.ts'
import type { Transaction } from '../types/transactions.ts'

/**
 * Makes a function that shows its changes at once (`onMutate`) while a strategy decides when they are sent
 * (`mutationFn`). With debouncing and throttling, all calls until then are one transaction, and give it; with a queue, each
 * call is a transaction of its own.
 *
 * The function throws what `onMutate` throws; what that call has changed is undone then.
 */
export function createPacedMutations<TVariables = unknown, T extends object = Record<string, unknown>>(
  config: PacedMutationsConfig<TVariables, T>,
): (variables: TVariables) => Transaction<T> {
  const { onMutate, mutationFn, strategy, ...rest } = config
  let active: Transaction<T> | undefined
  return (variables) => {
    if (active === undefined || active.state !== 'pending') {
      active = createTransaction<T>({ ...rest, mutationFn, autoCommit: false })
    }
    const transaction = active
    transaction.mutate(() => assertSynchronous(onMutate(variables)))
    if (strategy._type === 'queue') {
      active = undefined
      const taken: unknown = strategy.execute(() => committed(transaction))
      // One that is turned away must not show for ever.
      if (taken === false) transaction.rollback()
    } else {
      strategy.execute(() => {
        if (active === transaction) active = undefined
        return committed(transaction)
      })
    }
    return transaction
  }
}

/** Sends a transaction. What becomes of it is seen by its `isPersisted`. */
function committed<T extends object>(transaction: Transaction<T>): Transaction<T> {
  if (transaction.state !== 'pending') {
    throw new Error(
      `Paced mutations cannot commit a transaction that is ${transaction.state}: it was committed or rolled back elsewhere`,
    )
  }
  transaction.commit().catch(() => {})
  return transaction
}
