import { TransactionError } from '../errors/base.ts'
import type { QueueStrategy, QueueStrategyOptions } from '../types/pacing.ts'
import { cleanedUp, commitLate } from './nothing-to-commit.ts'

interface Sending {
  readonly isPersisted: { readonly promise: Promise<unknown> }
}

interface Item {
  readonly commit: () => Sending
  readonly drop: ((reason: Error) => void) | undefined
}

/**
 * Sends one after the other: each starts when the one before has settled, whether it failed or not, and at least `wait`
 * milliseconds after that one has started. Beyond `maxSize` waiting ones a transaction is dropped: it is rolled back, and its
 * `isPersisted` rejects with the reason.
 */
export function queueStrategy(options?: QueueStrategyOptions): QueueStrategy {
  const queue = new Queue(options ?? {})
  return {
    _type: 'queue',
    options,
    execute: (commit, drop) => queue.add({ commit, drop }),
    cleanup: () => queue.clear(),
  }
}

class Queue {
  readonly #options: QueueStrategyOptions
  #items: Item[] = []
  /** Whether one has been taken and has not settled. */
  #busy = false
  /** Runs from the taking of one until the next may be taken. */
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(options: QueueStrategyOptions) {
    this.#options = options
  }

  add(item: Item): void {
    const { maxSize = Number.POSITIVE_INFINITY, addItemsTo } = this.#options
    if (this.#blocked && this.#items.length >= maxSize) {
      item.drop?.(
        new TransactionError(
          `The queue of paced mutations is full: ${maxSize} transactions wait already. Raise maxSize, or write less often`,
        ),
      )
      return
    }
    if (addItemsTo === 'front') this.#items.unshift(item)
    else this.#items.push(item)
    this.#next()
  }

  /** Drops what waits. What is on its way goes on, and what is added later waits for it. */
  clear(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const items = this.#items
    this.#items = []
    for (const { drop } of items) drop?.(cleanedUp())
  }

  get #blocked(): boolean {
    return this.#busy || this.#timer !== undefined
  }

  #next(): void {
    if (this.#blocked) return
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
    // The caller has its transaction before it is sent.
    queueMicrotask(() => this.#send(item))
  }

  #send({ commit }: Item): void {
    const settled = () => {
      this.#busy = false
      this.#next()
    }
    const sending = commitLate(commit)
    if (sending === undefined) settled()
    else sending.isPersisted.promise.then(settled, settled)
  }
}
