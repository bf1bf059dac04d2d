import type { QueueStrategyOptions } from '../types/pacing.ts'

/** Items worked off one at a time. */
export class Queue<T> {
  readonly #options: QueueStrategyOptions
  readonly #work: (item: T) => Promise<unknown>
  #items: T[] = []
  #busy = false
  #timer: ReturnType<typeof setTimeout> | undefined

  /** `work` is called with an item when the one before has settled. */
  constructor(options: QueueStrategyOptions, work: (item: T) => Promise<unknown>) {
    this.#options = options
    this.#work = work
  }

  /** Adds an item; false if the queue is full. */
  add(item: T): boolean {
    const { maxSize = Number.POSITIVE_INFINITY, addItemsTo = 'back' } = this.#options
    if (this.#items.length >= maxSize) return false
    if (addItemsTo === 'front') this.#items.unshift(item)
    else this.#items.push(item)
    this.#next()
    return true
  }

  /** Forgets what waits; what is being worked on goes on. */
  clear(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#items = []
  }

  #next(): void {
    if (this.#busy || this.#timer !== undefined) return
    const item = this.#options.getItemsFrom === 'back' ? this.#items.pop() : this.#items.shift()
    if (item === undefined) return
    const { wait = 0 } = this.#options
    this.#busy = true
    if (wait > 0) {
      this.#timer = setTimeout(() => {
        this.#timer = undefined
        this.#next()
      }, wait)
    }
    const done = () => {
      this.#busy = false
      this.#next()
    }
    this.#work(item).then(done, done)
  }
}
