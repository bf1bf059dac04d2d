import { compareKeys } from './compare-keys.ts'

/**
 * A map that iterates in the order of a comparator over its values, equal values in the order of their keys (see
 * {@link compareKeys}); without a comparator in the order of keys alone.
 *
 * `get`, `has` and `size` cost what they cost a `Map`. `set` and `delete` search in O(log n) comparisons and move the
 * positions behind the key, one word each. The first of them after an iteration also copies the list of keys: an iteration
 * shows the keys that were there when it began, save those deleted since.
 *
 * A value must not change its place by being altered while it is in the map; the place of such a value is wrong until it is
 * set again. A comparator that throws leaves the map as it was.
 */
export class SortedMap<TKey extends string | number, TValue> {
  readonly #values = new Map<TKey, TValue>()
  readonly #comparator: ((a: TValue, b: TValue) => number) | undefined
  #keys: TKey[] = []
  /** Whether an iteration may be under way over the list of keys. */
  #read = false

  constructor(comparator?: (a: TValue, b: TValue) => number) {
    this.#comparator = comparator
  }

  get size(): number {
    return this.#keys.length
  }

  get(key: TKey): TValue | undefined {
    return this.#values.get(key)
  }

  has(key: TKey): boolean {
    return this.#values.has(key)
  }

  /** Adds a value or replaces the one of the key, which then moves to its new place. */
  set(key: TKey, value: TValue): this {
    if (this.#values.has(key)) {
      const from = this.#find(key)
      // The place among the others, counted with the key still in the list.
      const to = this.#place(key, value, from)
      if (to !== from) {
        const keys = this.#writable()
        keys.splice(from, 1)
        keys.splice(to, 0, key)
      }
    } else {
      const to = this.#place(key, value, -1)
      this.#writable().splice(to, 0, key)
    }
    this.#values.set(key, value)
    return this
  }

  /** Removes a key. Returns whether it was there. */
  delete(key: TKey): boolean {
    if (!this.#values.has(key)) return false
    const at = this.#find(key)
    this.#writable().splice(at, 1)
    return this.#values.delete(key)
  }

  clear(): void {
    this.#keys = []
    this.#read = false
    this.#values.clear()
  }

  *entries(): IterableIterator<[TKey, TValue]> {
    for (const key of this.#order()) if (this.#values.has(key)) yield [key, this.#values.get(key) as TValue]
  }

  *keys(): IterableIterator<TKey> {
    for (const key of this.#order()) if (this.#values.has(key)) yield key
  }

  *values(): IterableIterator<TValue> {
    for (const key of this.#order()) if (this.#values.has(key)) yield this.#values.get(key) as TValue
  }

  [Symbol.iterator](): IterableIterator<[TKey, TValue]> {
    return this.entries()
  }

  forEach(callback: (value: TValue, key: TKey, map: SortedMap<TKey, TValue>) => void): void {
    for (const key of this.#order())
      if (this.#values.has(key)) callback(this.#values.get(key) as TValue, key, this)
  }

  #order(): readonly TKey[] {
    this.#read = true
    return this.#keys
  }

  #writable(): TKey[] {
    if (this.#read) {
      this.#keys = this.#keys.slice()
      this.#read = false
    }
    return this.#keys
  }

  /** Where a key that is in the map stands. */
  #find(key: TKey): number {
    const at = this.#place(key, this.#values.get(key) as TValue, -1)
    return sameKey(this.#keys[at], key) ? at : this.#keys.findIndex((other) => sameKey(other, key))
  }

  /** How many of the keys, other than that at `without`, come before a key and value. */
  #place(key: TKey, value: TValue, without: number): number {
    let low = 0
    let high = this.#keys.length - (without < 0 ? 0 : 1)
    while (low < high) {
      const middle = (low + high) >>> 1
      const at = without >= 0 && middle >= without ? middle + 1 : middle
      if (this.#before(this.#keys[at] as TKey, key, value)) low = middle + 1
      else high = middle
    }
    return low
  }

  #before(other: TKey, key: TKey, value: TValue): boolean {
    const order = this.#comparator?.(this.#values.get(other) as TValue, value)
    // Zero, NaN and no comparator at all leave it to the keys.
    return order ? order < 0 : compareKeys(other, key) < 0
  }
}

/** Whether a `Map` takes two keys for the same. */
function sameKey(a: string | number | undefined, b: string | number): boolean {
  return a === b || (Number.isNaN(a) && Number.isNaN(b))
}
