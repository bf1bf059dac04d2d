/**
 * Equality and order of values as expressions see them, for code that reasons about predicates without asking the
 * engine. The rules are the engine's.
 */
import { isBytes, isDate, temporalTag } from '../rows/brands.ts'

/** Three-valued logic: null is "unknown". */
export type Truth = boolean | null

/** The names of the relations of order. */
export type RangeOperator = 'gt' | 'gte' | 'lt' | 'lte'

/** Null or undefined: what no comparison ever matches. */
export function isMissing(value: unknown): value is null | undefined {
  return value === null || value === undefined
}

/**
 * Identity: 0 and -0 are the same, NaN is the same as NaN, a date is the same as the number of its milliseconds, bytes
 * and temporals are compared by content, other objects by reference. Null is the same as null, but not as undefined.
 */
export function sameValue(a: unknown, b: unknown): boolean {
  const left = plain(a)
  const right = plain(b)
  if (left === right) return true
  // biome-ignore lint/suspicious/noSelfCompare: only NaN differs from itself
  if (left !== left) return right !== right
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) return false
  if (isBytes(left)) return isBytes(right) && compareBytes(left, right) === 0
  const tag = temporalTag(left)
  return (
    tag !== undefined && temporalTag(right) === tag && String(left.toString()) === String(right.toString())
  )
}

/**
 * One of `gt`, `gte`, `lt`, `lte`. Missing values and opaque objects make it unknown; NaN is above everything.
 * @throws TypeError for a temporal and anything that is no temporal of its type, or whose type has no order.
 */
export function relate(operator: RangeOperator, a: unknown, b: unknown): Truth {
  if (isMissing(a) || isMissing(b)) return null
  const order = compareValues(plain(a), plain(b))
  if (order === null) return null
  switch (operator) {
    case 'gt':
      return order > 0
    case 'gte':
      return order >= 0
    case 'lt':
      return order < 0
    case 'lte':
      return order <= 0
  }
}

/** Negative, 0, positive; NaN where the language has no answer, which is no order; null where it is unknown. */
function compareValues(a: unknown, b: unknown): number | null {
  if (isNaNumber(a) || isNaNumber(b)) return Number(isNaNumber(a)) - Number(isNaNumber(b))
  const left = isOpaque(a)
  const right = isOpaque(b)
  if (!left && !right) {
    const x = a as number
    const y = b as number
    return x < y ? -1 : x > y ? 1 : x >= y ? 0 : Number.NaN
  }
  const tagA = left ? temporalTag(a) : undefined
  const tagB = right ? temporalTag(b) : undefined
  if (tagA !== undefined || tagB !== undefined) return compareTemporals(a, b, tagA, tagB)
  return left && right && isBytes(a) && isBytes(b) ? compareBytes(a, b) : null
}

function compareTemporals(a: unknown, b: unknown, tagA?: string, tagB?: string): number {
  const type = (a as { constructor?: { compare?: unknown } }).constructor
  if (tagA !== tagB || typeof type?.compare !== 'function') {
    throw new TypeError(
      `Cannot compare ${tagA ?? typeof a} with ${tagB ?? typeof b}: ` +
        'temporals have an order only within one type that has compare()',
    )
  }
  return (type.compare as (a: unknown, b: unknown) => number).call(type, a, b)
}

/** Unsigned, byte after byte; the beginning of another sequence comes before it. */
function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const shared = Math.min(a.length, b.length)
  for (let i = 0; i < shared; i++) {
    const difference = (a[i] as number) - (b[i] as number)
    if (difference !== 0) return difference
  }
  return a.length - b.length
}

/** A date as its number, everything else as it is. */
function plain(value: unknown): unknown {
  return typeof value === 'object' && value !== null && isDate(value) ? value.getTime() : value
}

function isNaNumber(value: unknown): boolean {
  return typeof value === 'number' && Number.isNaN(value)
}

function isOpaque(value: unknown): value is object {
  return typeof value === 'object' || typeof value === 'function' || typeof value === 'symbol'
}

/**
 * What the rows' values must be for two bounds to be compared with each other: bounds of one kind order all values
 * alike. Undefined for values that are no bounds.
 */
export function boundKind(value: unknown): string | undefined {
  const bound = plain(value)
  switch (typeof bound) {
    case 'number':
      return Number.isNaN(bound) ? undefined : 'number'
    case 'boolean':
      return 'number'
    case 'bigint':
    case 'string':
      return typeof bound
    case 'object':
      if (bound === null) return undefined
      return isBytes(bound) ? 'bytes' : temporalTag(bound)
    default:
      return undefined
  }
}

/** A set of values by {@link sameValue}. */
export class ValueSet {
  readonly #plain = new Set<unknown>()
  /** Bytes and temporals, by their content. */
  readonly #contents = new Set<string>()

  constructor(values: readonly unknown[] = []) {
    for (const value of values) this.add(value)
  }

  get size(): number {
    return this.#plain.size + this.#contents.size
  }

  /** Adds a value; false if it was there. */
  add(value: unknown): boolean {
    const { size } = this
    const content = contentOf(value)
    if (content === undefined) this.#plain.add(plain(value))
    else this.#contents.add(content)
    return this.size > size
  }

  has(value: unknown): boolean {
    const content = contentOf(value)
    return content === undefined ? this.#plain.has(plain(value)) : this.#contents.has(content)
  }
}

function contentOf(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  if (isBytes(value)) return `bytes:${value.join()}`
  const tag = temporalTag(value)
  return tag === undefined ? undefined : `${tag}:${String(value.toString())}`
}
