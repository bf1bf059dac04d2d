import { OnMutateMustBeSynchronousError } from '../errors/transaction.ts'
import type { CreateOptimisticActionsOptions, Transaction } from '../types/transactions.ts'
import { createTransaction } from './transaction.ts'

/**
 * Makes a function that shows its changes at once (`onMutate`) and sends them (`mutationFn`), as one transaction
 * per call.
 *
 * The function throws what `onMutate` throws, and OnMutateMustBeSynchronousError if that returns a promise; what
 * `onMutate` has changed is undone then.
 */
export function createOptimisticAction<TVars = unknown>(
  options: CreateOptimisticActionsOptions<TVars>,
): (vars: TVars) => Transaction {
  const { mutationFn, onMutate, ...config } = options
  return (vars) => {
    const transaction = createTransaction({ ...config, mutationFn: (params) => mutationFn(vars, params) })
    transaction.mutate(() => assertSynchronous(onMutate(vars)))
    return transaction
  }
}

/** Refuses the result of an `onMutate` that goes on later. */
export function assertSynchronous(result: unknown): void {
  const then = typeof result === 'object' && result !== null ? (result as { then?: unknown }).then : undefined
  if (typeof then === 'function') throw new OnMutateMustBeSynchronousError()
}
