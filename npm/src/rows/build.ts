import { reportError } from './report-error.ts'

/**
 * Building the row objects that applications see. An object is built once per row version and never changed
 * after it was handed out.
 */

/** Copies the enumerable own properties of `from` to `to`; `__proto__` is a name like any other. */
export function copyFields(to: object, from: object): void {
  if (!Object.hasOwn(from, '__proto__')) {
    Object.assign(to, from)
    return
  }
  for (const name of Object.keys(from)) setField(to, name, (from as Record<string, unknown>)[name])
}

/** Sets one property; `__proto__` is a name like any other. */
export function setField(to: object, name: string, value: unknown): void {
  if (name === '__proto__') {
    Object.defineProperty(to, name, { value, enumerable: true, configurable: true, writable: true })
  } else {
    ;(to as Record<string, unknown>)[name] = value
  }
}

interface WithVirtual {
  $synced?: unknown
  $origin?: unknown
  $key?: unknown
  $collectionId?: unknown
}

/** Adds the virtual properties a row does not have. Changes `row`, which nobody may have seen yet. */
export function addVirtual(
  row: object,
  key: string | number,
  origin: string,
  collectionId: string,
  synced = true,
): void {
  const target = row as WithVirtual
  if (target.$synced === null || target.$synced === undefined) target.$synced = synced
  if (target.$origin === null || target.$origin === undefined) target.$origin = origin
  if (target.$key === null || target.$key === undefined) target.$key = key
  if (target.$collectionId === null || target.$collectionId === undefined) target.$collectionId = collectionId
}

/**
 * The row as an application sees it: the stored fields, then the virtual ones. About 0.15 µs for eight
 * fields, whatever the number of different row shapes.
 */
export function enrich(
  raw: object,
  key: string | number,
  origin: string,
  collectionId: string,
  synced: boolean,
): object {
  const row = {}
  copyReadable(row, raw)
  addVirtual(row, key, origin, collectionId, synced)
  return row
}

/**
 * A plain object with the fields of `from`. One whose getter throws is undefined; what it threw is reported. It is the
 * fastest copy, but adding a field to it takes a microsecond or more in V8.
 */
export function copyPlain(from: object): object {
  try {
    return { ...from }
  } catch {
    const copy = {}
    copyEach(copy, from)
    return copy
  }
}

/** As `copyFields`, but a field whose getter throws is undefined; what it threw is reported. */
export function copyReadable(to: object, from: object): void {
  try {
    copyFields(to, from)
  } catch {
    copyEach(to, from)
  }
}

function copyEach(to: object, from: object): void {
  for (const name of Object.keys(from)) {
    let value: unknown
    try {
      value = (from as Record<string, unknown>)[name]
    } catch (error) {
      reportError(error)
    }
    setField(to, name, value)
  }
}
