import type { BasicExpression, CompareOptions } from '../query/ir.ts'
import { valueAt } from '../rows/paths.ts'
import type {
  BasicIndexOptions,
  IndexInterface,
  IndexOperation,
  IndexStats,
  KeyFilter,
  RangeQueryOptions,
} from '../types/indexes.ts'
import { comparatorOf, DEFAULT_ORDER } from './compare.ts'
import { LocalStore } from './local-store.ts'
import type { IndexStore, StoreRange } from './store.ts'

type Key = string | number

const OPERATIONS: ReadonlySet<IndexOperation> = new Set(['eq', 'gt', 'gte', 'lt', 'lte', 'in'])

/**
 * An index over one expression of rows. One that a collection made reads what the engine keeps, which follows the
 * visible rows by itself: adding and removing does nothing then. One that was made by its constructor holds what it is given.
 */
export abstract class BaseIndex<TKey extends Key = Key> implements IndexInterface<TKey> {
  readonly id: number
  readonly name: string | undefined
  readonly expression: BasicExpression
  readonly supportedOperations: ReadonlySet<IndexOperation> = OPERATIONS
  protected readonly compareOptions: CompareOptions
  readonly #custom: boolean
  readonly #own: LocalStore
  #bound: IndexStore | undefined
  #lookups = 0
  #lookupTime = 0
  #updated = new Date()

  constructor(
    id: number,
    expression: BasicExpression,
    name: string | undefined,
    options: BasicIndexOptions | undefined,
    keysInOrder: boolean,
  ) {
    this.id = id
    this.expression = expression
    this.name = name
    this.compareOptions = { ...DEFAULT_ORDER, ...options?.compareOptions }
    this.#custom = options?.compareFn !== undefined
    this.#own = new LocalStore(options?.compareFn ?? comparatorOf(this.compareOptions), keysInOrder)
  }

  /** Makes the index read a collection's rows. `make` is given the order the index has. */
  bind(make: (order: CompareOptions) => IndexStore): boolean {
    // An order that only the application knows cannot be the engine's.
    if (this.#custom) return false
    this.#bound = make(this.compareOptions)
    return true
  }

  add(key: TKey, row: object): void {
    if (this.#bound === undefined) this.#own.add(key, this.#valueOf(row))
    this.#updated = new Date()
  }

  remove(key: TKey, row: object): void {
    if (this.#bound === undefined) this.#own.remove(key, this.#valueOf(row))
    this.#updated = new Date()
  }

  update(key: TKey, oldRow: object, newRow: object): void {
    this.remove(key, oldRow)
    this.add(key, newRow)
  }

  build(entries: Iterable<readonly [TKey, object]>): void {
    this.#own.clear()
    for (const [key, row] of entries) this.add(key, row)
  }

  clear(): void {
    this.#own.clear()
    this.#updated = new Date()
  }

  /** @throws Error for an operation the index does not know. */
  lookup(operation: IndexOperation, value: unknown): Set<TKey> {
    switch (operation) {
      case 'eq':
        return this.equalityLookup(value)
      case 'in':
        return this.inArrayLookup(value as readonly unknown[])
      case 'gt':
        return this.rangeQuery({ from: value, fromInclusive: false })
      case 'gte':
        return this.rangeQuery({ from: value })
      case 'lt':
        return this.rangeQuery({ to: value, toInclusive: false })
      case 'lte':
        return this.rangeQuery({ to: value })
      default:
        throw new Error(`Operation ${String(operation)} is not supported by ${this.constructor.name}`)
    }
  }

  equalityLookup(value: unknown): Set<TKey> {
    return this.#timed((store) => new Set(store.equal(value) as TKey[]))
  }

  inArrayLookup(values: readonly unknown[]): Set<TKey> {
    return this.#timed((store) => new Set(values.flatMap((value) => store.equal(value) as TKey[])))
  }

  rangeQuery(options: RangeQueryOptions): Set<TKey> {
    return this.#timed((store) => new Set(store.range(this.rangeOf(options, false)) as TKey[]))
  }

  rangeQueryReversed(options: RangeQueryOptions): Set<TKey> {
    return this.#timed((store) => new Set(store.range(this.rangeOf(options, true)) as TKey[]))
  }

  take(n: number, from: unknown, filter?: KeyFilter<TKey>): TKey[] {
    return this.#take({ from: { value: from, inclusive: false }, reversed: false, limit: n }, filter)
  }

  takeFromStart(n: number, filter?: KeyFilter<TKey>): TKey[] {
    return this.#take({ reversed: false, limit: n }, filter)
  }

  takeReversed(n: number, from: unknown, filter?: KeyFilter<TKey>): TKey[] {
    return this.#take({ to: { value: from, inclusive: false }, reversed: true, limit: n }, filter)
  }

  takeReversedFromEnd(n: number, filter?: KeyFilter<TKey>): TKey[] {
    return this.#take({ reversed: true, limit: n }, filter)
  }

  get keyCount(): number {
    return this.#store.size
  }

  get orderedEntriesArray(): Array<[unknown, Set<TKey>]> {
    return this.#store.entries().map(([value, keys]) => [value, new Set(keys as TKey[])])
  }

  get orderedEntriesArrayReversed(): Array<[unknown, Set<TKey>]> {
    return this.orderedEntriesArray.reverse()
  }

  get indexedKeysSet(): Set<TKey> {
    return new Set(this.#store.entries().flatMap(([, keys]) => keys as TKey[]))
  }

  get valueMapData(): Map<unknown, Set<TKey>> {
    return new Map(this.orderedEntriesArray)
  }

  supports(operation: IndexOperation): boolean {
    return this.supportedOperations.has(operation)
  }

  /** Whether queries may take ranges from the index. */
  get supportsRangeOptimization(): boolean {
    return !this.#custom
  }

  matchesField(path: readonly string[]): boolean {
    const { expression } = this
    return (
      expression.type === 'ref' &&
      expression.path.length === path.length &&
      expression.path.every((name, i) => name === path[i])
    )
  }

  matchesCompareOptions(options: CompareOptions): boolean {
    if (this.#custom) return false
    const own = this.compareOptions
    const sort = (o: CompareOptions) => o.stringSort ?? 'locale'
    if (own.nulls !== options.nulls || sort(own) !== sort(options)) return false
    if (sort(own) === 'lexical') return true
    const locale = (o: CompareOptions) => JSON.stringify([o.locale, o.localeOptions])
    return locale(own) === locale(options)
  }

  matchesDirection(direction: 'asc' | 'desc'): boolean {
    return this.compareOptions.direction === direction
  }

  getStats(): IndexStats {
    return {
      entryCount: this.keyCount,
      lookupCount: this.#lookups,
      averageLookupTime: this.#lookups === 0 ? 0 : this.#lookupTime / this.#lookups,
      lastUpdated: this.#updated,
    }
  }

  /** Which of the bounds are there; a class may take an explicit undefined for one. */
  protected rangeOf(options: RangeQueryOptions, reversed: boolean): StoreRange {
    const { from, to, fromInclusive = true, toInclusive = true } = options
    return {
      from: from === undefined ? undefined : { value: from, inclusive: fromInclusive },
      to: to === undefined ? undefined : { value: to, inclusive: toInclusive },
      reversed,
    }
  }

  get #store(): IndexStore {
    return this.#bound ?? this.#own
  }

  #valueOf(row: object): unknown {
    if (this.expression.type !== 'ref') {
      throw new Error('An index that is filled by hand needs a field of the row as its expression')
    }
    return valueAt(row, this.expression.path)
  }

  #take(range: StoreRange, filter: KeyFilter<TKey> | undefined): TKey[] {
    return this.#timed((store) => store.range({ ...range, filter: filter as StoreRange['filter'] }) as TKey[])
  }

  #timed<R>(look: (store: IndexStore) => R): R {
    const start = performance.now()
    const result = look(this.#store)
    this.#lookups++
    this.#lookupTime += performance.now() - start
    return result
  }
}
