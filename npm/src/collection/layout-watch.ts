import { reportError } from '../rows/report-error.ts'

/** Counts changes of a collection's order and tells those who asked. */
export class LayoutWatch {
  revision = 0
  #listeners: Set<() => void> | undefined

  /** Whether anybody has to be told. */
  get watched(): boolean {
    return this.#listeners !== undefined && this.#listeners.size > 0
  }

  /** Calls back after every change of the order. Returns a function that stops. */
  subscribe(listener: () => void): () => void {
    this.#listeners ??= new Set()
    const listeners = this.#listeners
    listeners.add(listener)
    return () => listeners.delete(listener)
  }

  /** Calls the listeners that are there now; what they throw is reported. */
  tell(): void {
    for (const listener of Array.from(this.#listeners ?? [])) {
      try {
        listener()
      } catch (error) {
        reportError(error)
      }
    }
  }
}
