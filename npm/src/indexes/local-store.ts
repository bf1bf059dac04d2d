import { compareKeys } from '../utils/compare-keys.ts'
import type { IndexStore, StoreRange } from './store.ts'

type Key = string | number

interface Bucket {
  readonly value: unknown
  readonly keys: Set<Key>
}

/** Keys by value in an array of buckets, found by binary search. For indexes that nobody's collection feeds. */
export class LocalStore implements IndexStore {
  readonly #compare: (a: unknown, b: unknown) => number
  /** Whether equal values have their keys in key order; else in the order in which they came. */
  readonly #byKey: boolean
  #buckets: Bucket[] = []
  #size = 0

  constructor(compare: (a: unknown, b: unknown) => number, byKey: boolean) {
    this.#compare = compare
    this.#byKey = byKey
  }

  get size(): number {
    return this.#size
  }

  /** Adds a key. O(log values), and the shift of an array for a new value. */
  add(key: Key, value: unknown): void {
    const at = this.#lowerBound(value)
    const bucket = this.#at(at, value)
    const keys = bucket?.keys ?? new Set<Key>()
    if (bucket === undefined) this.#buckets.splice(at, 0, { value, keys })
    if (keys.has(key)) return
    keys.add(key)
    this.#size++
  }

  remove(key: Key, value: unknown): void {
    const at = this.#lowerBound(value)
    const bucket = this.#at(at, value)
    if (bucket?.keys.delete(key) !== true) return
    this.#size--
    if (bucket.keys.size === 0) this.#buckets.splice(at, 1)
  }

  clear(): void {
    this.#buckets = []
    this.#size = 0
  }

  equal(value: unknown): Key[] {
    const bucket = this.#at(this.#lowerBound(value), value)
    return bucket === undefined ? [] : this.#keysOf(bucket)
  }

  range({ from, to, reversed, limit = Number.POSITIVE_INFINITY, filter }: StoreRange): Key[] {
    const first = from === undefined ? 0 : this.#lowerBound(from.value, !from.inclusive)
    const end = to === undefined ? this.#buckets.length : this.#lowerBound(to.value, to.inclusive)
    const found: Key[] = []
    for (let i = 0; i < end - first && found.length < limit; i++) {
      const bucket = this.#buckets[reversed ? end - 1 - i : first + i] as Bucket
      const keys = this.#keysOf(bucket)
      if (reversed) keys.reverse()
      for (const key of keys) {
        if (found.length >= limit) break
        if (filter === undefined || filter(key)) found.push(key)
      }
    }
    return found
  }

  entries(): [unknown, Key[]][] {
    return this.#buckets.map((bucket) => [bucket.value, this.#keysOf(bucket)])
  }

  #keysOf({ keys }: Bucket): Key[] {
    const list = Array.from(keys)
    return this.#byKey ? list.sort(compareKeys) : list
  }

  #at(at: number, value: unknown): Bucket | undefined {
    const bucket = this.#buckets[at]
    return bucket !== undefined && this.#compare(bucket.value, value) === 0 ? bucket : undefined
  }

  /** The first bucket whose value is not before `value`, or with `after` the first that is behind it. */
  #lowerBound(value: unknown, after = false): number {
    let low = 0
    let high = this.#buckets.length
    while (low < high) {
      const middle = (low + high) >>> 1
      const order = this.#compare((this.#buckets[middle] as Bucket).value, value)
      if (order < 0 || (after && order === 0)) low = middle + 1
      else high = middle
    }
    return low
  }
}
