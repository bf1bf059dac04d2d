import { isDate, isMap, isPlainObject, isRegExp, isSet, isTypedArray } from '../rows/brands.ts'
import { copyPlain, copyReadable } from '../rows/build.ts'

/** How a draft treats an object. */
export const Kind = {
  /** Taken as it is: instances of classes, temporals, everything whose inside cannot be copied from outside. */
  opaque: 0,
  /** A plain object: a proxy over a copy. */
  object: 1,
  /** An array: a proxy over a copy. */
  array: 2,
  /** A map: a map that tracks what it hands out. */
  map: 3,
  /** A set: a set that tracks what it hands out. */
  set: 4,
  /** A date, regular expression, buffer or view of one: a copy, compared with the original at the end. */
  value: 5,
} as const
export type Kind = (typeof Kind)[keyof typeof Kind]

const mapSize = getter(Map.prototype, 'size')
const setSize = getter(Set.prototype, 'size')
const bufferSize = getter(ArrayBuffer.prototype, 'byteLength')
const bufferSlice = ArrayBuffer.prototype.slice
const typedSlice = Uint8Array.prototype.slice

/** How a draft treats `value`. Subclasses of built-ins are instances of classes, but for those of typed arrays. */
export function kindOf(value: object): Kind {
  const prototype = Object.getPrototypeOf(value) as object | null
  if (prototype === Object.prototype || prototype === null) return Kind.object
  if (prototype === Array.prototype) return Array.isArray(value) ? Kind.array : Kind.opaque
  if (ArrayBuffer.isView(value)) return Kind.value
  const parent = Object.getPrototypeOf(prototype) as object | null
  if (parent === null) return isPlainObject(value) ? Kind.object : Kind.opaque
  if (Object.getPrototypeOf(parent) !== null) return Kind.opaque
  // What the built-ins of other realms and the classes of applications have in common.
  if (Array.isArray(value)) return Kind.array
  if (isMap(value)) return answers(mapSize, value) ? Kind.map : Kind.opaque
  if (isSet(value)) return answers(setSize, value) ? Kind.set : Kind.opaque
  if (isBuffer(value)) return Kind.value
  if (isDate(value)) return answers(Date.prototype.getTime, value) ? Kind.value : Kind.opaque
  return isRegExp(value) ? Kind.value : Kind.opaque
}

/** A copy of a date, regular expression, buffer or view that shares nothing with it. */
export function copyValue(value: object): object {
  if (isDate(value)) return new Date(value.getTime())
  // A Buffer's own `slice` would give a view of the same bytes.
  if (isTypedArray(value)) return typedSlice.call(value)
  if (ArrayBuffer.isView(value)) return new DataView(bytesOf(value))
  if (isBuffer(value)) return bufferSlice.call(value)
  const from = value as RegExp
  const copy = new RegExp(from.source, from.flags)
  copy.lastIndex = from.lastIndex
  return copy
}

/** An empty plain object or array of the kind of `like`, with its prototype. */
export function emptyLike(like: object): object {
  if (Array.isArray(like)) return []
  const prototype = Object.getPrototypeOf(like) as object | null
  return prototype === Object.prototype ? {} : (Object.create(prototype) as object)
}

/** A plain object with the fields of `from` and the prototype of `like`. */
export function copyLike(like: object, from: object): object {
  if (Object.getPrototypeOf(like) === Object.prototype) return copyPlain(from)
  const copy = emptyLike(like)
  copyReadable(copy, from)
  return copy
}

/** The names and symbols of an object's fields: its enumerable own properties. */
export function fieldsOf(value: object): PropertyKey[] {
  const names = Object.keys(value)
  const symbols = Object.getOwnPropertySymbols(value)
  if (symbols.length === 0) return names
  const enumerable = symbols.filter((symbol) => isField(value, symbol))
  return [...names, ...enumerable]
}

/** Whether an object has the field. */
export function isField(value: object, key: PropertyKey): boolean {
  return Object.prototype.propertyIsEnumerable.call(value, key)
}

/** The field of an object; undefined if its getter throws, which copying it has reported. */
export function read(from: object, key: PropertyKey): unknown {
  try {
    return (from as Record<PropertyKey, unknown>)[key]
  } catch {
    return undefined
  }
}

/** Sets a field; `__proto__` is a name like any other. */
export function put(to: object, key: PropertyKey, value: unknown): void {
  if (key === '__proto__') {
    Object.defineProperty(to, key, { value, enumerable: true, configurable: true, writable: true })
  } else {
    ;(to as Record<PropertyKey, unknown>)[key] = value
  }
}

/** Whether a value has an inside at all. */
export function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

/** Identity, with NaN the same as itself. */
export function identical(a: unknown, b: unknown): boolean {
  // biome-ignore lint/suspicious/noSelfCompare: only NaN differs from itself
  return a === b || (a !== a && b !== b)
}

function isBuffer(value: object): value is ArrayBuffer {
  if (value instanceof ArrayBuffer) return true
  return Object.prototype.toString.call(value) === '[object ArrayBuffer]' && answers(bufferSize, value)
}

function bytesOf({ buffer, byteOffset, byteLength }: ArrayBufferView): ArrayBuffer {
  return new Uint8Array(buffer, byteOffset, byteLength).slice().buffer
}

function getter(prototype: object, name: string): () => unknown {
  return Object.getOwnPropertyDescriptor(prototype, name)?.get as () => unknown
}

/** Whether the object is what it says it is: a tag can be claimed, an internal slot cannot. */
function answers(method: () => unknown, value: object): boolean {
  try {
    method.call(value)
    return true
  } catch {
    return false
  }
}
