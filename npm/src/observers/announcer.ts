/** One listener among others; the same function may be there several times. */
export interface Listening<P> {
  readonly listener: (payload: P) => void
  /** Whether it is told already. */
  told: boolean
}

/**
 * Tells listeners, one publication after the other even if a listener causes the next. Whoever listens when a publication begins
 * is told of it, whatever the others do.
 */
export class Announcer<P> {
  readonly #listening = new Set<Listening<P>>()
  readonly #waiting: (() => void)[] = []
  #busy = false

  get size(): number {
    return this.#listening.size
  }

  has(listening: Listening<P>): boolean {
    return this.#listening.has(listening)
  }

  add(listening: Listening<P>): void {
    this.#listening.add(listening)
  }

  remove(listening: Listening<P>): void {
    this.#listening.delete(listening)
  }

  clear(): void {
    this.#listening.clear()
  }

  /** Tells all. The first error of those who were told is thrown when all have been. */
  announce(payload: P): void {
    this.inTurn(() => {
      let failure: { readonly error: unknown } | undefined
      for (const { listener, told } of Array.from(this.#listening)) {
        if (!told) continue
        try {
          listener(payload)
        } catch (error) {
          failure ??= { error }
        }
      }
      if (failure !== undefined) throw failure.error
    })
  }

  /** Runs something when what is being told has been: at once if nothing is. The first error of all that ran is thrown. */
  inTurn(run: () => void): void {
    this.#waiting.push(run)
    if (this.#busy) return
    this.#busy = true
    let failure: { readonly error: unknown } | undefined
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
      try {
        next()
      } catch (error) {
        failure ??= { error }
      }
    }
    this.#busy = false
    if (failure !== undefined) throw failure.error
  }
}
