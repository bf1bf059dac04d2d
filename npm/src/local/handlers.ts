import type { PendingMutation } from '../types/transactions.ts'
import type { Arrivals, Departure } from './arrivals.ts'

const AT_ONCE: unique symbol = Symbol.for('millrace.confirmsAtOnce') as never

interface Params {
  readonly transaction: { readonly mutations: readonly PendingMutation[]; readonly sequenceNumber: number }
}

/** A handler as a collection calls it. */
export type Handler = (params: Params) => Promise<unknown>

/** What a collection that keeps its rows itself does with a transaction. */
export interface Keeper {
  readonly arrivals: Arrivals
  /** Refuses what cannot be kept, before anything is done. */
  check?(mutations: readonly PendingMutation[]): void
  /** Keeps the mutations. What it gives confirms them; without it they are confirmed already. */
  accept(
    mutations: readonly PendingMutation[],
    number: number,
    departure: Departure | undefined,
  ): (() => void) | undefined
}

/**
 * The handler of a collection that keeps its rows itself: first the one of the app, whose result it gives, then the rows are
 * kept and confirmed. Without one they are kept during the call.
 */
export function keeping(keeper: Keeper, own: unknown): Handler {
  const handler = own as ((params: Params) => unknown) | undefined
  if (handler === undefined) {
    return async ({ transaction }) => {
      keeper.check?.(transaction.mutations)
      const confirm = keeper.accept(transaction.mutations, transaction.sequenceNumber, undefined)
      if (confirm === undefined) return {}
      // What confirms a transaction that is on its way is applied when that ends, and takes its place in the same step.
      await null
      confirm()
      return {}
    }
  }
  return async (params) => {
    const { mutations, sequenceNumber } = params.transaction
    keeper.check?.(mutations)
    const departure = keeper.arrivals.depart(sequenceNumber, mutations)
    try {
      const result = (await handler(params)) ?? {}
      keeper.accept(mutations, sequenceNumber, departure)?.()
      return result
    } finally {
      keeper.arrivals.end(departure)
    }
  }
}

/** Marks a handler that confirms during the call and does nothing else: a write that meets no other may skip it. */
export function confirmingAtOnce(handler: Handler): Handler {
  return Object.assign(handler, { [AT_ONCE]: true })
}

/** Whether a handler does nothing but confirm during the call. */
export function confirmsAtOnce(handler: object): boolean {
  return AT_ONCE in handler
}
