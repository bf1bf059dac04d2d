import { isDate, isMap, isPlainObject, isRegExp, isSet, isTypedArray, temporalTag } from './brands.ts'

/**
 * Whether two versions of a value hold the same, so that replacing one by the other is no change.
 *
 * Dates, regular expressions, buffers and views of them, temporals, maps, sets, arrays and objects with fields compare by
 * content; functions, symbols, errors and objects that show no field of what they hold (promises, URLs, instances with
 * private fields only) by identity. NaN equals NaN and 0 equals -0; null and undefined equal only themselves; sets and maps
 * ignore their order; fields are the own enumerable ones with string names. Cycles and shared parts are compared once.
 *
 * Costs as much as is equal, plus the square of the number of members of a set or map that are objects.
 */
export function deepEquals(a: unknown, b: unknown): boolean {
  return equal(a, b, 0, true)
}

/** {@link deepEquals}, save that NaN differs from itself, on its own and as an invalid date. */
export function strictDeepEquals(a: unknown, b: unknown): boolean {
  return equal(a, b, 0, false)
}

/**
 * What is being compared further up. Flat rows are the common case, so pairs are only remembered from the third level
 * down; above it the state is just the depth.
 */
type Open = number | Pairs
const REMEMBER_FROM = 2

const isField = Object.prototype.propertyIsEnumerable

type Compare<T> = (a: T, b: T, open: Open, nan: boolean) => boolean

/** Pairs that are equal if those further up are, which ends cycles and compares shared parts once. */
class Pairs {
  readonly #partners = new Map<object, object[]>()
  readonly #added: object[] = []

  has(a: object, b: object): boolean {
    return this.#partners.get(a)?.includes(b) === true
  }

  /** Adds a pair and gives the point to which {@link forget} returns if it turns out to differ. */
  add(a: object, b: object): number {
    const partners = this.#partners.get(a)
    if (partners === undefined) this.#partners.set(a, [b])
    else partners.push(b)
    return this.#added.push(a) - 1
  }

  forget(from: number): void {
    while (this.#added.length > from) this.#partners.get(this.#added.pop() as object)?.pop()
  }
}

function equal(a: unknown, b: unknown, open: Open, nan: boolean): boolean {
  if (a === b) return true
  if (a === null || b === null || typeof a !== 'object' || typeof b !== 'object') {
    // biome-ignore lint/suspicious/noSelfCompare: only NaN differs from itself
    return nan && a !== a && b !== b
  }
  // The rows of most applications: to find out that they are nothing else takes longer than to compare them.
  if (isBare(a) && isBare(b)) return nested(a, b, open, nan, objects)
  if (Array.isArray(a)) return Array.isArray(b) && nested(a, b, open, nan, arrays)
  if (Array.isArray(b)) return false
  if (isDate(a)) return isDate(b) && equal(a.getTime(), b.getTime(), open, nan)
  if (isRegExp(a)) return isRegExp(b) && a.source === b.source && a.flags === b.flags
  if (ArrayBuffer.isView(a)) return ArrayBuffer.isView(b) && sameView(a, b, nan)
  if (isBuffer(a)) return isBuffer(b) && sameElements(new Uint8Array(a), new Uint8Array(b), nan)
  if (isMap(a)) return isMap(b) && nested(a, b, open, nan, maps)
  if (isSet(a)) return isSet(b) && nested(a, b, open, nan, sets)
  const tag = temporalTag(a)
  if (tag !== undefined) return temporalTag(b) === tag && String(a.toString()) === String(b.toString())
  return !isOther(b) && !isError(a) && nested(a, b, open, nan, instances)
}

/** Whether a value is an object as a literal makes it, which says of itself nothing else. */
function isBare(value: object): boolean {
  return (
    Object.getPrototypeOf(value) === Object.prototype &&
    (value as { [Symbol.toStringTag]?: unknown })[Symbol.toStringTag] === undefined
  )
}

/** Whether a value compares by other things than its fields. */
function isOther(value: object): boolean {
  return (
    isDate(value) ||
    isRegExp(value) ||
    ArrayBuffer.isView(value) ||
    isBuffer(value) ||
    isMap(value) ||
    isSet(value) ||
    temporalTag(value) !== undefined ||
    isError(value)
  )
}

function nested<T extends object>(a: T, b: T, open: Open, nan: boolean, compare: Compare<T>): boolean {
  if (typeof open === 'number' && open < REMEMBER_FROM) return compare(a, b, open + 1, nan)
  const pairs = typeof open === 'number' ? new Pairs() : open
  if (pairs.has(a, b)) return true
  const from = pairs.add(a, b)
  if (compare(a, b, pairs, nan)) return true
  pairs.forget(from)
  return false
}

function instances(a: object, b: object, open: Open, nan: boolean): boolean {
  if (Object.keys(a).length === 0 && !(isPlainObject(a) && isPlainObject(b))) return false
  return objects(a, b, open, nan)
}

function arrays(a: readonly unknown[], b: readonly unknown[], open: Open, nan: boolean): boolean {
  if (a.length !== b.length) return false
  for (let i = 0; i < a.length; i++) if (!equal(a[i], b[i], open, nan)) return false
  return true
}

function objects(a: object, b: object, open: Open, nan: boolean): boolean {
  const names = Object.keys(a)
  const others = Object.keys(b)
  if (names.length !== others.length) return false
  for (let i = 0; i < names.length; i++) {
    const name = names[i] as string
    // Versions of a row mostly have their fields in the same order, which says that the field is there.
    if (others[i] !== name && !isField.call(b, name)) return false
    if (!equal((a as Record<string, unknown>)[name], (b as Record<string, unknown>)[name], open, nan))
      return false
  }
  return true
}

function maps(
  a: ReadonlyMap<unknown, unknown>,
  b: ReadonlyMap<unknown, unknown>,
  open: Open,
  nan: boolean,
): boolean {
  if (a.size !== b.size) return false
  const rest: [unknown, unknown][] = []
  for (const entry of a) {
    if (!b.has(entry[0])) rest.push(entry)
    else if (!equal(entry[1], b.get(entry[0]), open, nan)) return false
  }
  if (rest.length === 0) return true
  return matchAll(
    rest,
    [...b].filter(([key]) => !a.has(key)),
    (x, y) => equal(x[0], y[0], open, nan) && equal(x[1], y[1], open, nan),
  )
}

function sets(a: ReadonlySet<unknown>, b: ReadonlySet<unknown>, open: Open, nan: boolean): boolean {
  if (a.size !== b.size) return false
  const rest: unknown[] = []
  for (const item of a) if (!b.has(item)) rest.push(item)
  if (rest.length === 0) return true
  return matchAll(
    rest,
    [...b].filter((item) => !a.has(item)),
    (x, y) => equal(x, y, open, nan),
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

function sameView(a: ArrayBufferView, b: ArrayBufferView, nan: boolean): boolean {
  if (Object.prototype.toString.call(a) !== Object.prototype.toString.call(b)) return false
  if (isTypedArray(a) && isTypedArray(b)) return sameElements(a, b, nan)
  return sameElements(bytesOf(a), bytesOf(b), nan)
}

function bytesOf(view: ArrayBufferView): Uint8Array {
  return new Uint8Array(view.buffer, view.byteOffset, view.byteLength)
}

function sameElements(a: ArrayLike<unknown>, b: ArrayLike<unknown>, nan: boolean): boolean {
  if (a.length !== b.length) return false
  for (let i = 0; i < a.length; i++) {
    const x = a[i]
    const y = b[i]
    // biome-ignore lint/suspicious/noSelfCompare: only NaN differs from itself
    if (x !== y && !(nan && x !== x && y !== y)) return false
  }
  return true
}

function isBuffer(value: object): value is ArrayBuffer {
  return value instanceof ArrayBuffer || Object.prototype.toString.call(value) === '[object ArrayBuffer]'
}

function isError(value: object): boolean {
  return value instanceof Error || Object.prototype.toString.call(value) === '[object Error]'
}
