/**
 * Recognising built-in values by brand. `instanceof` would fail for values of another realm, such as a
 * frame or a test environment's global object.
 */

const tagOf = Object.prototype.toString
const typedArrayTag = Object.getOwnPropertyDescriptor(
  Object.getPrototypeOf(Uint8Array.prototype) as object,
  Symbol.toStringTag,
)?.get as (this: unknown) => string | undefined

/** A `Date` of any realm. */
export function isDate(value: object): value is Date {
  if (value instanceof Date) return true
  return (
    tagOf.call(value) === '[object Date]' && typeof (value as { getTime?: unknown }).getTime === 'function'
  )
}

/** Bytes: a `Uint8Array` or a subclass of it, such as Node's `Buffer`. */
export function isBytes(value: object): value is Uint8Array {
  return ArrayBuffer.isView(value) && typedArrayTag.call(value) === 'Uint8Array'
}

/** Any typed array, but no DataView. */
export function isTypedArray(value: object): value is Uint8Array {
  return ArrayBuffer.isView(value) && typedArrayTag.call(value) !== undefined
}

/** The type of a Temporal value, such as `Temporal.PlainDate`, or undefined for any other value. */
export function temporalTag(value: object): string | undefined {
  const tag = (value as { [Symbol.toStringTag]?: unknown })[Symbol.toStringTag]
  return typeof tag === 'string' && tag.startsWith('Temporal.') ? tag : undefined
}

/** A regular expression of any realm. */
export function isRegExp(value: object): value is RegExp {
  return value instanceof RegExp || tagOf.call(value) === '[object RegExp]'
}

/** A `Map` of any realm. */
export function isMap(value: object): value is Map<unknown, unknown> {
  return value instanceof Map || tagOf.call(value) === '[object Map]'
}

/** A `Set` of any realm. */
export function isSet(value: object): value is Set<unknown> {
  return value instanceof Set || tagOf.call(value) === '[object Set]'
}

/** An object that is nothing but its fields: made by a literal, `Object.create(null)` or `JSON.parse`. */
export function isPlainObject(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype === null || prototype === Object.prototype) return true
  return Object.getPrototypeOf(prototype) === null && tagOf.call(value) === '[object Object]'
}
