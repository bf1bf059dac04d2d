import { isDate, isMap, isPlainObject, isSet, isTypedArray } from './brands.ts'

/**
 * A copy that shares no changeable built-in with the original: plain objects, arrays, maps, sets, dates and
 * typed arrays are copied, everything else (class instances, functions, temporals) is taken as it is.
 * Cycles and shared parts keep their shape; frozen originals give changeable copies.
 */
export function deepClone<T>(value: T): T {
  return clone(value, new Map()) as T
}

function clone(value: unknown, done: Map<object, object>): unknown {
  if (typeof value !== 'object' || value === null) return value
  const earlier = done.get(value)
  if (earlier !== undefined) return earlier
  const keep = <C extends object>(copy: C): C => {
    done.set(value, copy)
    return copy
  }
  if (Array.isArray(value)) {
    const copy = keep(new Array<unknown>(value.length))
    for (let i = 0; i < value.length; i++) if (i in value) copy[i] = clone(value[i], done)
    return copy
  }
  if (isDate(value)) return keep(new Date(value.getTime()))
  if (isTypedArray(value)) return keep(value.slice())
  if (isMap(value)) {
    const copy = keep(new Map<unknown, unknown>())
    for (const [key, item] of value) copy.set(clone(key, done), clone(item, done))
    return copy
  }
  if (isSet(value)) {
    const copy = keep(new Set<unknown>())
    for (const item of value) copy.add(clone(item, done))
    return copy
  }
  if (!isPlainObject(value)) return value
  return cloneFields(
    value,
    keep(Object.create(Object.getPrototypeOf(value) as object | null) as object),
    done,
  )
}

/** A draft of a row: its own enumerable fields, cloned, with the row's prototype. */
export function cloneRow<T extends object>(row: T): T {
  const done = new Map<object, object>()
  const copy = Object.create(Object.getPrototypeOf(row) as object | null) as object
  done.set(row, copy)
  return cloneFields(row, copy, done) as T
}

function cloneFields(from: object, to: object, done: Map<object, object>): object {
  for (const name of Object.keys(from)) {
    const value = clone((from as Record<string, unknown>)[name], done)
    Object.defineProperty(to, name, { value, enumerable: true, configurable: true, writable: true })
  }
  return to
}
