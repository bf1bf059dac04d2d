import type { Deferred } from '../types/transactions.ts'

/** A promise with its two ends. */
export function deferred<T>(): Deferred<T> {
  let resolve!: (value: T) => void
  let reject!: (reason?: unknown) => void
  let pending = true
  const promise = new Promise<T>((onResolve, onReject) => {
    resolve = onResolve
    reject = onReject
  })
  return {
    promise,
    resolve: (value) => {
      pending = false
      resolve(value)
    },
    reject: (reason) => {
      pending = false
      reject(reason)
    },
    isPending: () => pending,
  }
}
