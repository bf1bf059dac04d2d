import type { VirtualOrigin } from '../types/rows.ts'

/** What the four virtual properties of a row are where the row itself has none; undefined: the engine knows. */
export interface VirtualValues {
  readonly key: string | number
  readonly synced: boolean | undefined
  readonly origin: VirtualOrigin | undefined
  readonly collectionId: string
}

/** Whether a name is found on every object without being data, such as `constructor` or `__proto__`. */
export function isInherited(name: string): boolean {
  return name in Object.prototype
}

/** One step of a path: a property by name, an inherited name only where the object has its own. */
export function step(value: unknown, name: string): unknown {
  if (value === null || value === undefined) return value
  if (isInherited(name) && !Object.hasOwn(value as object, name)) return undefined
  return (value as Record<string, unknown>)[name]
}

/**
 * The value at `path`; stops at null and undefined and returns what it found there. Every property is read
 * once.
 */
export function valueAt(value: unknown, path: readonly string[], from = 0): unknown {
  let current = value
  for (let i = from; i < path.length; i++) {
    if (current === null || current === undefined) return current
    current = step(current, path[i] as string)
  }
  return current
}

/** Whether a name is one of the virtual properties. */
export function isVirtualName(name: string): boolean {
  return name === '$key' || name === '$synced' || name === '$origin' || name === '$collectionId'
}

/** A path that is read many times. */
export class Path {
  readonly names: readonly string[]
  /** Whether the first name is a virtual property, which the row may have no value for. */
  readonly virtual: boolean
  readonly #first: string
  readonly #simple: boolean

  constructor(names: readonly string[]) {
    this.names = names
    this.#first = names[0] as string
    this.virtual = names.length > 0 && isVirtualName(this.#first)
    this.#simple = names.length === 1 && !isInherited(this.#first)
  }

  /** The value at the path, in the row itself. */
  read(row: object): unknown {
    return this.#simple ? (row as Record<string, unknown>)[this.#first] : valueAt(row, this.names)
  }

  /** The value at a virtual path: of the row itself if it has one, else of `virtual`. */
  readVirtual(row: object, virtual: VirtualValues): unknown {
    const own = step(row, this.#first)
    const value = own === null || own === undefined ? virtualValue(this.#first, virtual) : own
    return valueAt(value, this.names, 1)
  }
}

function virtualValue(name: string, virtual: VirtualValues): unknown {
  switch (name) {
    case '$key':
      return virtual.key
    case '$synced':
      return virtual.synced
    case '$origin':
      return virtual.origin
    default:
      return virtual.collectionId
  }
}
