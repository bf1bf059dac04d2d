import { isTypedArray, temporalTag } from '../rows/brands.ts'
import { deepEquals } from '../rows/deep-equals.ts'
import { fieldsOf, identical, isField, isObject, Kind, kindOf, read } from './kinds.ts'

/**
 * Whether putting `b` where `a` was changes nothing: `deepEquals`, but for what it cannot see. Instances of classes
 * are only alike if they are of one class and have fields that say so (two URLs have none, and would all be equal),
 * and symbols count as names of fields. Where the two share parts it costs nothing to find these equal.
 */
export function alike(a: unknown, b: unknown): boolean {
  return compare(a, b, undefined)
}

/** The pairs being compared further up, which are taken for equal: this ends cycles. */
type Open = Map<object, object[]>

function compare(a: unknown, b: unknown, open: Open | undefined): boolean {
  if (identical(a, b)) return true
  if (!isObject(a) || !isObject(b)) return false
  const kind = kindOf(a)
  if (kind !== kindOf(b)) return false
  if (kind === Kind.value) return deepEquals(a, b)
  if (kind === Kind.opaque) return sameInstance(a, b)
  const pairs: Open = open ?? new Map()
  const partners = pairs.get(a)
  if (partners?.includes(b)) return true
  if (partners) partners.push(b)
  else pairs.set(a, [b])
  const same = inside(a, b, kind, pairs)
  pairs.get(a)?.pop()
  return same
}

function inside(a: object, b: object, kind: Kind, open: Open): boolean {
  if (kind === Kind.array) return arrays(a as unknown[], b as unknown[], open)
  if (kind === Kind.map) return maps(a as Map<unknown, unknown>, b as Map<unknown, unknown>, open)
  if (kind === Kind.set) return sets(a as Set<unknown>, b as Set<unknown>)
  const fields = fieldsOf(a)
  if (fields.length !== fieldsOf(b).length) return false
  for (const field of fields) {
    if (!isField(b, field) || !compare(read(a, field), read(b, field), open)) return false
  }
  return true
}

function arrays(a: readonly unknown[], b: readonly unknown[], open: Open): boolean {
  if (a.length !== b.length) return false
  for (let i = 0; i < a.length; i++) if (!compare(a[i], b[i], open)) return false
  return true
}

function maps(a: ReadonlyMap<unknown, unknown>, b: ReadonlyMap<unknown, unknown>, open: Open): boolean {
  if (a.size !== b.size) return false
  for (const [key, value] of a) {
    // Keys that are objects may be equal without being the same.
    if (!b.has(key)) return isObject(key) && deepEquals(a, b)
    if (!compare(value, b.get(key), open)) return false
  }
  return true
}

function sets(a: ReadonlySet<unknown>, b: ReadonlySet<unknown>): boolean {
  if (a.size !== b.size) return false
  for (const item of a) if (!b.has(item)) return isObject(item) && deepEquals(a, b)
  return true
}

function sameInstance(a: object, b: object): boolean {
  if (Object.getPrototypeOf(a) !== Object.getPrototypeOf(b)) return false
  const telling = temporalTag(a) !== undefined || isTypedArray(a) || Object.keys(a).length > 0
  return telling && deepEquals(a, b)
}
