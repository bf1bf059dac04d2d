/** Counts loads under way and tells when the first begins and the last ends, however it ends. */
export class LoadTracker {
  readonly #changed: (loading: boolean) => void
  #loads = new Set<Promise<unknown>>()

  constructor(changed: (loading: boolean) => void) {
    this.#changed = changed
  }

  get loading(): boolean {
    return this.#loads.size > 0
  }

  /** Counts a load until it settles. */
  track(load: Promise<unknown>): void {
    const loads = this.#loads
    if (loads.has(load)) return
    loads.add(load)
    if (loads.size === 1) this.#changed(true)
    const end = () => {
      if (loads.delete(load) && loads.size === 0 && loads === this.#loads) this.#changed(false)
    }
    load.then(end, end)
  }

  /** What is under way counts no longer. */
  reset(): void {
    if (this.#loads.size === 0) return
    this.#loads = new Set()
    this.#changed(false)
  }
}
