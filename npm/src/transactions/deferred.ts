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

/**
 * Whether something has been persisted, as a promise that is made when somebody asks for it: hardly anybody does.
 * One that nobody watches fails without being an unhandled rejection.
 */
export class Persistence<T> {
  #deferred: Deferred<T> | undefined
  #end:
    | { readonly failed: false; readonly value: T }
    | { readonly failed: true; readonly reason: unknown }
    | undefined

  get deferred(): Deferred<T> {
    if (this.#deferred !== undefined) return this.#deferred
    const made = deferred<T>()
    this.#deferred = made
    made.promise.catch(() => {})
    const end = this.#end
    if (end !== undefined) {
      if (end.failed) made.reject(end.reason)
      else made.resolve(end.value)
    }
    return made
  }

  resolve(value: T): void {
    this.#end ??= { failed: false, value }
    this.#deferred?.resolve(value)
  }

  reject(reason: unknown): void {
    this.#end ??= { failed: true, reason }
    this.#deferred?.reject(reason)
  }
}
