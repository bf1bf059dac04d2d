/** Indexes of collections. */
import type { BasicExpression, CompareOptions } from '../query/ir.ts'

type Key = string | number

/** What an index can be asked. */
export type IndexOperation = 'eq' | 'gt' | 'gte' | 'lt' | 'lte' | 'in'

/** Bounds of a range. A bound that is absent does not bound. */
export interface RangeQueryOptions {
  from?: unknown
  to?: unknown
  /** Whether rows at `from` belong to the range; true if left out. */
  fromInclusive?: boolean
  /** Whether rows at `to` belong to the range; true if left out. */
  toInclusive?: boolean
}

/** The same under the name of the tree index. */
export type BTreeRangeQueryOptions = RangeQueryOptions

/** Options of the index classes of this package. */
export interface BasicIndexOptions {
  /** Orders the indexed values; an index with one serves no comparisons of queries. */
  compareFn?: (a: unknown, b: unknown) => number
  /** How the indexed values are ordered. */
  compareOptions?: CompareOptions
}

/** How an index has been used. Times are in milliseconds. */
export interface IndexStats {
  readonly entryCount: number
  readonly lookupCount: number
  readonly averageLookupTime: number
  readonly lastUpdated: Date
}

/** A row's key is wanted by a take if this says so. */
export type KeyFilter<TKey extends Key> = (key: TKey) => boolean

/** An index over one expression of a collection's rows. */
export interface IndexInterface<TKey extends Key = Key> {
  readonly id: number
  readonly name?: string | undefined
  readonly expression: BasicExpression
  readonly supportedOperations: ReadonlySet<IndexOperation>
  add(key: TKey, row: object): void
  remove(key: TKey, row: object): void
  update(key: TKey, oldRow: object, newRow: object): void
  build(entries: Iterable<readonly [TKey, object]>): void
  clear(): void
  lookup(operation: IndexOperation, value: unknown): Set<TKey>
  equalityLookup(value: unknown): Set<TKey>
  inArrayLookup(values: readonly unknown[]): Set<TKey>
  rangeQuery(options: RangeQueryOptions): Set<TKey>
  rangeQueryReversed(options: RangeQueryOptions): Set<TKey>
  /** Keys of the next `n` rows strictly after the value `from`. */
  take(n: number, from: unknown, filter?: KeyFilter<TKey>): TKey[]
  takeFromStart(n: number, filter?: KeyFilter<TKey>): TKey[]
  takeReversed(n: number, from: unknown, filter?: KeyFilter<TKey>): TKey[]
  takeReversedFromEnd(n: number, filter?: KeyFilter<TKey>): TKey[]
  readonly keyCount: number
  readonly orderedEntriesArray: Array<[unknown, Set<TKey>]>
  readonly orderedEntriesArrayReversed: Array<[unknown, Set<TKey>]>
  readonly indexedKeysSet: Set<TKey>
  readonly valueMapData: Map<unknown, Set<TKey>>
  supports(operation: IndexOperation): boolean
  readonly supportsRangeOptimization: boolean
  matchesField(path: readonly string[]): boolean
  /** Whether the index is in the order of these options, the direction aside. */
  matchesCompareOptions(options: CompareOptions): boolean
  matchesDirection(direction: 'asc' | 'desc'): boolean
  getStats(): IndexStats
}

/** A class of indexes. */
export type IndexConstructor<TKey extends Key = Key> = new (
  id: number,
  expression: BasicExpression,
  name?: string,
  options?: never,
) => IndexInterface<TKey>

/** Options of `collection.createIndex`. */
export interface IndexOptions<TType extends IndexConstructor = IndexConstructor> {
  name?: string
  /** The collection's `defaultIndexType` if left out. */
  indexType?: TType
  /** Given to the index. */
  options?: BasicIndexOptions
}
