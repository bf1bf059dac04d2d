import { isDate, isMap, isRegExp, isSet, isTypedArray, temporalTag } from './brands.ts'

/**
 * Whether two values are equal by content. Dates, regular expressions, typed arrays, temporals, maps, sets,
 * arrays and objects compare by what they hold; functions and symbols by identity. NaN equals NaN, null and
 * undefined equal only themselves, sets and maps ignore their order, and cycles are followed once.
 */
export function deepEquals(a: unknown, b: unknown): boolean {
  return equal(a, b, 0)
}

/**
 * What is being compared further up. Flat rows are the common case, so pairs are only remembered (and assumed equal,
 * which ends cycles) from the third level down; above it the state is just the depth.
 */
type Open = number | Map<object, object[]>
const REMEMBER_FROM = 2

function equal(a: unknown, b: unknown, open: Open): boolean {
  if (a === b) return true
  if (a === null || b === null || typeof a !== 'object' || typeof b !== 'object') {
    // biome-ignore lint/suspicious/noSelfCompare: only NaN differs from itself
    return a !== a && b !== b
  }
  // The rows of most applications: to find out that they are nothing else takes longer than to compare them.
  if (isBare(a) && isBare(b)) return nested(a, b, open, objects)
  if (Array.isArray(a)) return Array.isArray(b) && nested(a, b, open, arrays)
  if (Array.isArray(b)) return false
  if (isDate(a)) return isDate(b) && Object.is(a.getTime() + 0, b.getTime() + 0)
  if (isRegExp(a)) return isRegExp(b) && a.source === b.source && a.flags === b.flags
  if (ArrayBuffer.isView(a)) return isTypedArray(a) && isTypedArray(b) && sameElements(a, b)
  if (isMap(a)) return isMap(b) && nested(a, b, open, maps)
  if (isSet(a)) return isSet(b) && nested(a, b, open, sets)
  const tag = temporalTag(a)
  if (tag !== undefined) return temporalTag(b) === tag && String(a.toString()) === String(b.toString())
  if (isDate(b) || isRegExp(b) || ArrayBuffer.isView(b) || isMap(b) || isSet(b)) return false
  return temporalTag(b) === undefined && nested(a, b, open, objects)
}

/** Whether a value is an object as a literal makes it, which says of itself nothing else. */
function isBare(value: object): boolean {
  return (
    Object.getPrototypeOf(value) === Object.prototype &&
    (value as { [Symbol.toStringTag]?: unknown })[Symbol.toStringTag] === undefined
  )
}

function nested<T extends object>(
  a: T,
  b: T,
  open: Open,
  compare: (a: T, b: T, open: Open) => boolean,
): boolean {
  if (typeof open === 'number' && open < REMEMBER_FROM) return compare(a, b, open + 1)
  const pairs = typeof open === 'number' ? new Map<object, object[]>() : open
  const partners = pairs.get(a)
  if (partners?.includes(b)) return true
  if (partners) partners.push(b)
  else pairs.set(a, [b])
  const result = compare(a, b, pairs)
  pairs.get(a)?.pop()
  return result
}

function arrays(a: readonly unknown[], b: readonly unknown[], open: Open): boolean {
  if (a.length !== b.length) return false
  for (let i = 0; i < a.length; i++) if (!equal(a[i], b[i], open)) return false
  return true
}

function objects(a: object, b: object, open: Open): boolean {
  const names = Object.keys(a)
  const others = Object.keys(b)
  if (names.length !== others.length) return false
  for (let i = 0; i < names.length; i++) {
    const name = names[i] as string
    // Versions of a row mostly have their fields in the same order, which says that the field is there.
    if (others[i] !== name && !Object.hasOwn(b, name)) return false
    if (!equal((a as Record<string, unknown>)[name], (b as Record<string, unknown>)[name], open)) return false
  }
  return true
}

function maps(a: ReadonlyMap<unknown, unknown>, b: ReadonlyMap<unknown, unknown>, open: Open): boolean {
  if (a.size !== b.size) return false
  const rest: [unknown, unknown][] = []
  for (const entry of a) {
    if (!b.has(entry[0])) rest.push(entry)
    else if (!equal(entry[1], b.get(entry[0]), open)) return false
  }
  if (rest.length === 0) return true
  return matchAll(
    rest,
    [...b].filter(([key]) => !a.has(key)),
    (x, y) => equal(x[0], y[0], open) && equal(x[1], y[1], open),
  )
}

function sets(a: ReadonlySet<unknown>, b: ReadonlySet<unknown>, open: Open): boolean {
  if (a.size !== b.size) return false
  const rest: unknown[] = []
  for (const item of a) if (!b.has(item)) rest.push(item)
  if (rest.length === 0) return true
  return matchAll(
    rest,
    [...b].filter((item) => !a.has(item)),
    (x, y) => equal(x, y, open),
  )
}

/** Whether every item of `left` finds a partner of its own in `right`. Content equality is transitive, so greedy is exact. */
function matchAll<T>(left: T[], right: T[], same: (x: T, y: T) => boolean): boolean {
  for (const item of left) {
    const at = right.findIndex((other) => same(item, other))
    if (at < 0) return false
    right.splice(at, 1)
  }
  return right.length === 0
}

function sameElements(a: ArrayLike<unknown>, b: ArrayLike<unknown>): boolean {
  if (a.length !== b.length || Object.prototype.toString.call(a) !== Object.prototype.toString.call(b))
    return false
  for (let i = 0; i < a.length; i++) {
    const x = a[i]
    const y = b[i]
    // biome-ignore lint/suspicious/noSelfCompare: only NaN differs from itself
    if (x !== y && (x === x || y === y)) return false
  }
  return true
}
