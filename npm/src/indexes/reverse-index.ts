import type { BasicExpression, CompareOptions } from '../query/ir.ts'
import type {
  IndexInterface,
  IndexOperation,
  IndexStats,
  KeyFilter,
  RangeQueryOptions,
} from '../types/indexes.ts'

type Key = string | number

const MIRRORED: Readonly<Partial<Record<IndexOperation, IndexOperation>>> = {
  gt: 'lt',
  gte: 'lte',
  lt: 'gt',
  lte: 'gte',
}

/** Another index read from its end: the view of a query that orders the other way. */
export class ReverseIndex<TKey extends Key = Key> implements IndexInterface<TKey> {
  readonly #index: IndexInterface<TKey>

  constructor(index: IndexInterface<TKey>) {
    this.#index = index
  }

  get id(): number {
    return this.#index.id
  }

  get name(): string | undefined {
    return this.#index.name
  }

  get expression(): BasicExpression {
    return this.#index.expression
  }

  get supportedOperations(): ReadonlySet<IndexOperation> {
    return this.#index.supportedOperations
  }

  add(key: TKey, row: object): void {
    this.#index.add(key, row)
  }

  remove(key: TKey, row: object): void {
    this.#index.remove(key, row)
  }

  update(key: TKey, oldRow: object, newRow: object): void {
    this.#index.update(key, oldRow, newRow)
  }

  build(entries: Iterable<readonly [TKey, object]>): void {
    this.#index.build(entries)
  }

  clear(): void {
    this.#index.clear()
  }

  /** Behind a value in this order is before it in the other. */
  lookup(operation: IndexOperation, value: unknown): Set<TKey> {
    return this.#index.lookup(MIRRORED[operation] ?? operation, value)
  }

  equalityLookup(value: unknown): Set<TKey> {
    return this.#index.equalityLookup(value)
  }

  inArrayLookup(values: readonly unknown[]): Set<TKey> {
    return this.#index.inArrayLookup(values)
  }

  rangeQuery(options: RangeQueryOptions): Set<TKey> {
    return this.#index.rangeQueryReversed(options)
  }

  rangeQueryReversed(options: RangeQueryOptions): Set<TKey> {
    return this.#index.rangeQuery(options)
  }

  take(n: number, from: unknown, filter?: KeyFilter<TKey>): TKey[] {
    return this.#index.takeReversed(n, from, filter)
  }

  takeFromStart(n: number, filter?: KeyFilter<TKey>): TKey[] {
    return this.#index.takeReversedFromEnd(n, filter)
  }

  takeReversed(n: number, from: unknown, filter?: KeyFilter<TKey>): TKey[] {
    return this.#index.take(n, from, filter)
  }

  takeReversedFromEnd(n: number, filter?: KeyFilter<TKey>): TKey[] {
    return this.#index.takeFromStart(n, filter)
  }

  get keyCount(): number {
    return this.#index.keyCount
  }

  get orderedEntriesArray(): Array<[unknown, Set<TKey>]> {
    return this.#index.orderedEntriesArrayReversed
  }

  get orderedEntriesArrayReversed(): Array<[unknown, Set<TKey>]> {
    return this.#index.orderedEntriesArray
  }

  get indexedKeysSet(): Set<TKey> {
    return this.#index.indexedKeysSet
  }

  get valueMapData(): Map<unknown, Set<TKey>> {
    return this.#index.valueMapData
  }

  supports(operation: IndexOperation): boolean {
    return this.#index.supports(operation)
  }

  get supportsRangeOptimization(): boolean {
    return this.#index.supportsRangeOptimization
  }

  matchesField(path: readonly string[]): boolean {
    return this.#index.matchesField(path)
  }

  matchesCompareOptions(options: CompareOptions): boolean {
    return this.#index.matchesCompareOptions(options)
  }

  matchesDirection(direction: 'asc' | 'desc'): boolean {
    return !this.#index.matchesDirection(direction)
  }

  getStats(): IndexStats {
    return this.#index.getStats()
  }
}
