import type { BasicExpression } from '../query/ir.ts'
import type { BasicIndexOptions, RangeQueryOptions } from '../types/indexes.ts'
import { BaseIndex } from './base-index.ts'
import type { StoreRange } from './store.ts'

type Key = string | number

/** An index that keeps the keys of equal values in the order in which they came. */
export class BasicIndex<TKey extends Key = Key> extends BaseIndex<TKey> {
  constructor(id: number, expression: BasicExpression, name?: string, options?: BasicIndexOptions) {
    super(id, expression, name, options, false)
  }
}

/** An index that keeps the keys of equal values in key order, and takes an explicit undefined for a bound. */
export class BTreeIndex<TKey extends Key = Key> extends BaseIndex<TKey> {
  constructor(id: number, expression: BasicExpression, name?: string, options?: BasicIndexOptions) {
    super(id, expression, name, options, true)
  }

  protected override rangeOf(options: RangeQueryOptions, reversed: boolean): StoreRange {
    const { from, to, fromInclusive = true, toInclusive = true } = options
    return {
      from: 'from' in options ? { value: from, inclusive: fromInclusive } : undefined,
      to: 'to' in options ? { value: to, inclusive: toInclusive } : undefined,
      reversed,
    }
  }
}
