import type { BasicExpression, CompareOptions, Func, PropRef, Value } from '../query/ir.ts'
import { isVirtualName } from '../rows/paths.ts'
import type { IndexInterface, IndexOperation } from '../types/indexes.ts'
import type { StringCollationConfig } from '../types/rows.ts'
import { DEFAULT_ORDER } from './compare.ts'
import { ReverseIndex } from './reverse-index.ts'

type Key = string | number

/** What planning needs of a collection. */
export interface IndexedCollection<TKey extends Key = Key> {
  readonly indexes: ReadonlyMap<number, IndexInterface<TKey>>
  readonly compareOptions: StringCollationConfig
}

/** Which rows an expression can be true of, as far as indexes tell. */
export interface OptimizationResult<TKey extends Key = Key> {
  readonly canOptimize: boolean
  readonly matchingKeys: Set<TKey>
  /** Whether it is true of all of them; otherwise they have to be looked at. */
  readonly isExact: boolean
}

/**
 * The index over a field in the order of the options, or the reversed view of one in the opposite order; undefined if
 * there is none. Without options: ascending, nulls first, strings as in the collection.
 */
export function findIndexForField<TKey extends Key = Key>(
  collection: IndexedCollection<TKey>,
  path: readonly string[],
  compareOptions?: Partial<CompareOptions>,
): IndexInterface<TKey> | undefined {
  const wanted: CompareOptions = { ...DEFAULT_ORDER, ...collection.compareOptions, ...compareOptions }
  let reversed: IndexInterface<TKey> | undefined
  for (const index of collection.indexes.values()) {
    if (!index.matchesField(path) || !index.matchesCompareOptions(wanted)) continue
    if (index.matchesDirection(wanted.direction)) return index
    reversed ??= new ReverseIndex(index)
  }
  return reversed
}

const MIRRORED: Readonly<Record<string, IndexOperation>> = {
  eq: 'eq',
  gt: 'lt',
  gte: 'lte',
  lt: 'gt',
  lte: 'gte',
}

interface Comparison {
  readonly operation: IndexOperation
  readonly path: readonly string[]
  readonly value: unknown
}

/** The keys of the rows that an expression over one row can be true of, from the collection's indexes. */
export function optimizeExpressionWithIndexes<TKey extends Key = Key>(
  expression: BasicExpression,
  collection: IndexedCollection<TKey>,
): OptimizationResult<TKey> {
  if (expression.type !== 'func') return nothing()
  if (expression.name === 'and') return all(expression, collection)
  if (expression.name === 'or') return any(expression, collection)
  const comparison = comparisonOf(expression)
  return comparison === undefined ? nothing() : looked(comparison, collection)
}

function nothing<TKey extends Key>(): OptimizationResult<TKey> {
  return { canOptimize: false, matchingKeys: new Set(), isExact: false }
}

function comparisonOf({ name, args }: Func): Comparison | undefined {
  const [left, right] = args as [BasicExpression | undefined, BasicExpression | undefined]
  if (name === 'in') {
    if (left?.type !== 'ref' || right?.type !== 'val' || !Array.isArray((right as Value).value))
      return undefined
    return { operation: 'in', path: (left as PropRef).path, value: (right as Value).value }
  }
  const mirrored = MIRRORED[name]
  if (mirrored === undefined) return undefined
  if (left?.type === 'ref' && right?.type === 'val') {
    return { operation: name as IndexOperation, path: left.path, value: right.value }
  }
  if (left?.type === 'val' && right?.type === 'ref') {
    return { operation: mirrored, path: right.path, value: left.value }
  }
  return undefined
}

function looked<TKey extends Key>(
  { operation, path, value }: Comparison,
  collection: IndexedCollection<TKey>,
): OptimizationResult<TKey> {
  const [first] = path
  if (first === undefined || isVirtualName(first)) return nothing()
  const index = findIndexForField(collection, path)
  if (index === undefined || !index.supports(operation)) return nothing()
  const isRange = operation !== 'eq' && operation !== 'in'
  if (isRange && !mayRange(index, value)) return nothing()
  const members: readonly unknown[] = operation === 'in' ? (value as readonly unknown[]) : [value]
  return {
    canOptimize: true,
    matchingKeys: index.lookup(operation, value),
    // A comparison with nothing is true of no row, whatever the index holds under it; nulls come before all values.
    isExact: operation !== 'lt' && operation !== 'lte' && !members.some((m) => m === null || m === undefined),
  }
}

/** Ranges compare as expressions do, which is by code unit for strings and has no order for most objects. */
function mayRange(index: IndexInterface, value: unknown): boolean {
  if (!index.supportsRangeOptimization) return false
  if (typeof value === 'object' && value !== null) return value instanceof Date
  return typeof value !== 'string' || index.matchesCompareOptions({ ...DEFAULT_ORDER, stringSort: 'lexical' })
}

/** Every conjunct that an index knows narrows the rows. */
function all<TKey extends Key>(
  { args }: Func,
  collection: IndexedCollection<TKey>,
): OptimizationResult<TKey> {
  let keys: Set<TKey> | undefined
  let isExact = true
  for (const argument of args as readonly BasicExpression[]) {
    const part = optimizeExpressionWithIndexes(argument, collection)
    isExact &&= part.canOptimize && part.isExact
    if (!part.canOptimize) continue
    const before: Set<TKey> | undefined = keys
    keys =
      before === undefined
        ? part.matchingKeys
        : new Set([...before].filter((key) => part.matchingKeys.has(key)))
  }
  return keys === undefined ? nothing() : { canOptimize: true, matchingKeys: keys, isExact }
}

/** Every branch has to be known to an index. */
function any<TKey extends Key>(
  { args }: Func,
  collection: IndexedCollection<TKey>,
): OptimizationResult<TKey> {
  const keys = new Set<TKey>()
  let isExact = true
  for (const argument of args as readonly BasicExpression[]) {
    const part = optimizeExpressionWithIndexes(argument, collection)
    if (!part.canOptimize) return nothing()
    isExact &&= part.isExact
    for (const key of part.matchingKeys) keys.add(key)
  }
  return { canOptimize: true, matchingKeys: keys, isExact }
}
