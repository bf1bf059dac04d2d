import { reportError } from '../rows/report-error.ts'

type Listener = (payload: never) => void

/** Named events with a set of listeners each. A listener that throws disturbs nobody. */
export class Emitter {
  /** Made for the first listener: most collections have none. */
  #listeners: Map<string, Set<Listener>> | undefined

  on(event: string, listener: Listener): () => void {
    this.#listeners ??= new Map()
    let listeners = this.#listeners.get(event)
    if (listeners === undefined) {
      listeners = new Set()
      this.#listeners.set(event, listeners)
    }
    listeners.add(listener)
    return () => this.off(event, listener)
  }

  once(event: string, listener: Listener): () => void {
    const stop = this.on(event, (payload) => {
      stop()
      listener(payload)
    })
    return stop
  }

  off(event: string, listener: Listener): void {
    this.#listeners?.get(event)?.delete(listener)
  }

  /** The next payload; rejects after `timeoutMs` milliseconds if given. */
  waitFor(event: string, timeoutMs?: number): Promise<unknown> {
    return new Promise((resolve, reject) => {
      let timer: ReturnType<typeof setTimeout> | undefined
      const stop = this.once(event, (payload) => {
        clearTimeout(timer)
        resolve(payload)
      })
      if (timeoutMs === undefined) return
      timer = setTimeout(() => {
        stop()
        reject(new Error(`Timeout waiting for event ${event}`))
      }, timeoutMs)
    })
  }

  /** Whether anybody listens to an event. */
  hears(event: string): boolean {
    return this.#listeners !== undefined && (this.#listeners.get(event)?.size ?? 0) > 0
  }

  /** Calls the listeners of an event that are there now; what they throw is reported. */
  emit(event: string, payload: object): void {
    const listeners = this.#listeners?.get(event)
    if (listeners === undefined || listeners.size === 0) return
    for (const listener of Array.from(listeners)) {
      try {
        ;(listener as (payload: object) => void)(payload)
      } catch (error) {
        reportError(error)
      }
    }
  }

  clear(): void {
    this.#listeners = undefined
  }
}
