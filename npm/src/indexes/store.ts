type Key = string | number

/** Keys by value, in the order of the values: where an index reads from. */
export interface IndexStore {
  /** Keys of rows whose value equals this one, in the store's order. */
  equal(value: unknown): Key[]
  /**
   * Keys between bounds, in order or in reversed order. `after` bounds exclude. At most `limit` that pass the filter.
   */
  range(range: StoreRange): Key[]
  /** Values with their keys, in order. */
  entries(): [unknown, Key[]][]
  /** Number of keys. */
  readonly size: number
}

/** What of a store is wanted. */
export interface StoreRange {
  readonly from?: { readonly value: unknown; readonly inclusive: boolean } | undefined
  readonly to?: { readonly value: unknown; readonly inclusive: boolean } | undefined
  readonly reversed: boolean
  readonly limit?: number
  readonly filter?: ((key: Key) => boolean) | undefined
}
