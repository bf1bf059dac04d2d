import { reportError } from '../rows/report-error.ts'

/** Who waits for a collection's first complete data, from one start to the next. */
export class Readiness {
  #reached = false
  #callbacks: Set<() => void> | undefined
  /** The promise all callers share; kept after it resolved, dropped when it rejects. */
  #promise: Promise<void> | undefined
  #ends: { readonly resolve: () => void; readonly reject: (error: unknown) => void } | undefined

  /** Whether there is a promise, so that asking for it starts nothing. */
  get promised(): boolean {
    return this.#promise !== undefined
  }

  /** Whether somebody waits for the promise. */
  get awaited(): boolean {
    return this.#ends !== undefined
  }

  /** Calls back when ready for the first time; at once if that has been. Returns a function that cancels. */
  onFirst(callback: () => void): () => void {
    if (this.#reached) {
      callback()
      return () => {}
    }
    const callbacks = this.#callbacks ?? new Set()
    this.#callbacks = callbacks
    callbacks.add(callback)
    return () => callbacks.delete(callback)
  }

  /** The promise of being ready. The first call makes it and lets `begin` do what has to be done; what that throws rejects it. */
  promise(begin: () => void): Promise<void> {
    if (this.#promise !== undefined) return this.#promise
    const promise = new Promise<void>((resolve, reject) => {
      this.#ends = { resolve, reject }
    })
    // The status tells of failures, too: a preload nobody waits for is no unhandled rejection.
    promise.catch(() => {})
    this.#promise = promise
    try {
      begin()
    } catch (error) {
      if (this.#promise === promise) this.reject(error)
    }
    return promise
  }

  /** Ready, perhaps once more. Callbacks that throw are reported. */
  reach(): void {
    if (!this.#reached) {
      this.#reached = true
      const callbacks = this.#callbacks
      this.#callbacks = undefined
      if (callbacks !== undefined) {
        for (const callback of Array.from(callbacks)) {
          try {
            callback()
          } catch (error) {
            reportError(error)
          }
        }
      }
    }
    this.resolve()
  }

  /** Those who wait have what they waited for. */
  resolve(): void {
    const ends = this.#ends
    this.#ends = undefined
    ends?.resolve()
  }

  /** Those who wait wait in vain; the next to ask gets another promise. */
  reject(error: unknown): void {
    const ends = this.#ends
    this.#ends = undefined
    this.#promise = undefined
    ends?.reject(error)
  }

  /** A session ended: its callbacks belong to it and are dropped, and `reason` says why nobody has to wait. */
  abandon(reason: () => unknown): void {
    this.#reached = false
    this.#callbacks = undefined
    this.reject(this.#ends === undefined ? undefined : reason())
  }

  /** A session starts. Those who came before it stay. */
  restart(): void {
    this.#reached = false
  }
}
