import { arrayMethods } from './array-methods.ts'
import { copyLike, copyValue, isObject, Kind } from './kinds.ts'
import { BEHIND, Marked } from './registry.ts'
import type { RowDraft } from './row-draft.ts'
import { TrackedMap, TrackedSet } from './tracked-collections.ts'

/**
 * One object of a row that a draft has touched, and the handler of its proxy.
 *
 * The proxy's target is a shallow copy of the object, made when it is touched. Everything the application does happens
 * to that copy as the language does it; the traps only see to it that objects taken from it are drafts too, which
 * replace what they stand for in the copy. Nothing is recorded: what has changed is found by comparing at the end.
 */
export class DraftNode extends Marked implements ProxyHandler<object> {
  readonly row: RowDraft
  /** The object as it was: never changed. */
  readonly base: object
  readonly kind: Kind
  /** The copy. Objects in it are drafts, or what nobody has read yet. Maps and sets hold no drafts of this row. */
  readonly state: object
  /** What the application holds: a proxy over the copy, or the copy itself where that does the tracking. */
  readonly draft: object
  /** Whether assigning can mean more than putting a value into the copy. */
  #setters: boolean

  constructor(row: RowDraft, base: object, kind: Kind) {
    super()
    this.row = row
    this.base = base
    this.kind = kind
    this.#setters = false
    if (kind === Kind.object || kind === Kind.array) {
      if (kind === Kind.array) this.state = Array.prototype.slice.call(base)
      else {
        this.state = copyLike(base, base)
        const prototype = Object.getPrototypeOf(this.state) as object | null
        this.#setters = prototype !== Object.prototype && prototype !== null
      }
      this.draft = new Proxy(this.state, this)
    } else {
      if (kind === Kind.map) this.state = new TrackedMap(this, base as Map<unknown, unknown>)
      else if (kind === Kind.set) this.state = new TrackedSet(this, base as Set<unknown>)
      else this.state = Object.defineProperty(copyValue(base), BEHIND, { value: this })
      this.draft = this.state
    }
  }

  get(target: object, key: PropertyKey, receiver: unknown): unknown {
    if (key === BEHIND) return receiver === this.draft ? this : undefined
    if (key === '__proto__' && !Object.hasOwn(target, key)) return undefined
    const value: unknown = Reflect.get(target, key, receiver)
    if (typeof value === 'object' && value !== null) return this.#tracked(target, key, value)
    if (this.kind === Kind.array && typeof value === 'function') return arrayMethods.get(value) ?? value
    return value
  }

  set(target: object, key: PropertyKey, value: unknown, receiver: unknown): boolean {
    if (receiver !== this.draft) return Reflect.set(target, key, value, receiver)
    if (typeof key === 'symbol') this.row.symbols = true
    else if (key === '__proto__' && !Object.hasOwn(target, key)) {
      return Reflect.defineProperty(target, key, {
        value,
        enumerable: true,
        configurable: true,
        writable: true,
      })
    }
    if (this.#setters) return Reflect.set(target, key, value, receiver)
    try {
      // Faster than `Reflect.set`, and as far as it fails, that is all that can go wrong.
      ;(target as Record<PropertyKey, unknown>)[key] = value
      return true
    } catch {
      return false
    }
  }

  has(target: object, key: PropertyKey): boolean {
    return key === '__proto__' ? Object.hasOwn(target, key) : key in target
  }

  getOwnPropertyDescriptor(target: object, key: PropertyKey): PropertyDescriptor | undefined {
    const property = Reflect.getOwnPropertyDescriptor(target, key)
    if (!isObject(property?.value)) return property
    this.#tracked(target, key, property.value)
    return Reflect.getOwnPropertyDescriptor(target, key)
  }

  defineProperty(target: object, key: PropertyKey, property: PropertyDescriptor): boolean {
    if (property.get !== undefined || property.set !== undefined) this.#setters = true
    if (typeof key === 'symbol') this.row.symbols = true
    return Reflect.defineProperty(target, key, property)
  }

  deleteProperty(target: object, key: PropertyKey): boolean {
    if (typeof key === 'symbol') this.row.symbols = true
    return Reflect.deleteProperty(target, key)
  }

  /** What is frozen afterwards cannot be replaced by its draft any more, so that is done before. */
  preventExtensions(target: object): boolean {
    for (const key of Reflect.ownKeys(target)) this.getOwnPropertyDescriptor(target, key)
    return Reflect.preventExtensions(target)
  }

  /** Of what class a row is cannot be told to its source. */
  setPrototypeOf(target: object, prototype: object | null): boolean {
    return prototype === Object.getPrototypeOf(target)
  }

  /** The draft of an object in the copy, which takes its place there. */
  #tracked(target: object, key: PropertyKey, value: object): object {
    const draft = this.row.track(value)
    if (draft === value) return value
    const property = Reflect.getOwnPropertyDescriptor(target, key)
    // What comes from the class, and what the application has made constant, is not a part of the row.
    if (property === undefined) return value
    if (property.get !== undefined) return draft
    if (property.writable !== true) return value
    Reflect.defineProperty(target, key, { value: draft })
    return draft
  }
}
