import type { CompareOptions } from '../query/ir.ts'
import { isBytes, temporalTag } from '../rows/brands.ts'

/** How an index is ordered that says nothing of it. */
export const DEFAULT_ORDER: CompareOptions = { direction: 'asc', nulls: 'first', stringSort: 'locale' }

/** A comparator of values for options: nulls where they say, dates by time, bytes by content, strings as they say. */
export function comparatorOf(options: CompareOptions): (a: unknown, b: unknown) => number {
  const text = textComparator(options)
  const sign = options.direction === 'desc' ? -1 : 1
  const nulls = options.nulls === 'last' ? 1 : -1
  return (a, b) => {
    const [noA, noB] = [a === null || a === undefined, b === null || b === undefined]
    if (noA || noB) return noA && noB ? rank(a) - rank(b) : noA ? nulls : -nulls
    return sign * compareValues(normal(a), normal(b), text)
  }
}

/** Undefined before null: an index tells them apart. */
function rank(value: unknown): number {
  return value === undefined ? 0 : 1
}

function textComparator(options: CompareOptions): (a: string, b: string) => number {
  if (options.stringSort === 'lexical') return (a, b) => (a < b ? -1 : a > b ? 1 : 0)
  const collator = new Intl.Collator(
    options.locale,
    options.localeOptions as Intl.CollatorOptions | undefined,
  )
  // Strings that a locale takes for equal are still two values.
  return (a, b) => collator.compare(a, b) || (a < b ? -1 : a > b ? 1 : 0)
}

/** A value in the form in which it is compared. */
function normal(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (value instanceof Date) return value.getTime()
  if (isBytes(value)) return `bytes ${Array.from(value).join(',')}`
  const tag = temporalTag(value)
  return tag === undefined ? value : `${tag} ${String(value)}`
}

const TYPES = ['boolean', 'number', 'bigint', 'string', 'symbol', 'object', 'function']

function compareValues(a: unknown, b: unknown, text: (a: string, b: string) => number): number {
  if (typeof a === 'string' && typeof b === 'string') return text(a, b)
  const numeric = (x: unknown) => typeof x === 'number' || typeof x === 'bigint'
  if (numeric(a) && numeric(b)) return compareNumbers(a as number, b as number)
  if (typeof a !== typeof b) return TYPES.indexOf(typeof a) - TYPES.indexOf(typeof b)
  if (typeof a === 'boolean') return Number(a) - Number(b)
  return a === b ? 0 : identityOf(a) - identityOf(b)
}

/** NaN is greater than every number and equal to itself. */
function compareNumbers(a: number, b: number): number {
  const [noA, noB] = [Number.isNaN(a), Number.isNaN(b)]
  if (noA || noB) return Number(noA) - Number(noB)
  return a < b ? -1 : a > b ? 1 : 0
}

const identities = new WeakMap<object, number>()
const symbols = new Map<symbol, number>()
let seen = 0

/** Objects and symbols by the order in which they were first seen. */
function identityOf(value: unknown): number {
  const table = (typeof value === 'symbol' ? symbols : identities) as Map<unknown, number>
  let id = table.get(value)
  if (id === undefined) {
    id = ++seen
    table.set(value, id)
  }
  return id
}
