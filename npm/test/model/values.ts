/**
 * The meaning of values in queries, one rule after the other, as documented for the public API. Written to be read
 * beside the documentation; shares nothing with the library.
 */

/** Three-valued logic: null is "unknown". */
export type Truth = boolean | null

const isMissing = (value: unknown): value is null | undefined => value === null || value === undefined
const isInvalid = (value: unknown): boolean => Number.isNaN(value instanceof Date ? value.getTime() : value)

/** Equality of two values that are not missing. */
export function same(a: unknown, b: unknown): boolean {
  if (isInvalid(a) || isInvalid(b)) return isInvalid(a) && isInvalid(b)
  const left = a instanceof Date ? a.getTime() : a
  const right = b instanceof Date ? b.getTime() : b
  if (left instanceof Uint8Array && right instanceof Uint8Array) return left.join() === right.join()
  return left === right
}

export function eq(a: unknown, b: unknown): Truth {
  return isMissing(a) || isMissing(b) ? null : same(a, b)
}

/** -1, 0, 1, or undefined when the language cannot tell. NaN and invalid dates are above everything. */
function compare(a: unknown, b: unknown): number | undefined {
  if (isInvalid(a) || isInvalid(b)) return Number(isInvalid(a)) - Number(isInvalid(b))
  const left = a as number
  const right = b as number
  return left < right ? -1 : left > right ? 1 : left >= right ? 0 : undefined
}

export function relation(name: 'gt' | 'gte' | 'lt' | 'lte', a: unknown, b: unknown): Truth {
  if (isMissing(a) || isMissing(b)) return null
  const order = compare(a, b)
  if (order === undefined) return false
  return name === 'gt' ? order > 0 : name === 'gte' ? order >= 0 : name === 'lt' ? order < 0 : order <= 0
}

export function inList(value: unknown, list: readonly unknown[]): Truth {
  return isMissing(value) ? null : list.some((item) => !isMissing(item) && same(value, item))
}

export function like(value: unknown, pattern: unknown, ignoreCase: boolean): Truth {
  if (isMissing(value) || isMissing(pattern)) return null
  if (typeof value !== 'string' || typeof pattern !== 'string') return false
  const fold = (text: string) => (ignoreCase ? text.toLowerCase() : text)
  const source = Array.from(fold(pattern), (c) =>
    c === '%' ? '[^]*' : c === '_' ? '[^]' : c.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'),
  ).join('')
  return new RegExp(`^${source}$`).test(fold(value))
}

export function and(truths: readonly Truth[]): Truth {
  return truths.includes(false) ? false : truths.includes(null) ? null : true
}

export function or(truths: readonly Truth[]): Truth {
  return truths.includes(true) ? true : truths.includes(null) ? null : false
}

export function not(truth: Truth): Truth {
  return truth === null ? null : !truth
}

/** How one order term compares two values of one type. */
export function byTerm(a: unknown, b: unknown, direction: 'asc' | 'desc', nulls: 'first' | 'last'): number {
  if (isMissing(a) || isMissing(b)) {
    const away = nulls === 'first' ? -1 : 1
    return (isMissing(a) ? away : 0) - (isMissing(b) ? away : 0)
  }
  const order = typeof a === 'string' && typeof b === 'string' ? a.localeCompare(b) : (compare(a, b) ?? 0)
  return direction === 'asc' ? order : -order
}

/** Keys: strings before numbers, each by `<`. */
export function byKey(a: string | number, b: string | number): number {
  if (typeof a !== typeof b) return typeof a === 'string' ? -1 : 1
  return a < b ? -1 : a > b ? 1 : 0
}
