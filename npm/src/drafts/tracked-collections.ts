import type { DraftNode } from './draft-node.ts'
import { BEHIND } from './registry.ts'
import type { RowDraft } from './row-draft.ts'

/*
 * Drafts of maps and sets are maps and sets, so that everything that takes one takes them. They hold what the original
 * holds and hand out drafts of it; a draft that is put in is taken for what it stands for.
 */

const mapEntries = Map.prototype.entries
const setValues = Set.prototype.values

/** The entries as they are held, without making drafts of them. */
export function heldEntries(map: ReadonlyMap<unknown, unknown>): IterableIterator<[unknown, unknown]> {
  return mapEntries.call(map) as IterableIterator<[unknown, unknown]>
}

/** The items as they are held, without making drafts of them. */
export function heldItems(set: ReadonlySet<unknown>): IterableIterator<unknown> {
  return setValues.call(set) as IterableIterator<unknown>
}

/** The draft of a map. */
export class TrackedMap extends Map<unknown, unknown> {
  declare readonly [BEHIND]: DraftNode
  readonly #row: RowDraft

  constructor(node: DraftNode, base: ReadonlyMap<unknown, unknown>) {
    super()
    Object.defineProperty(this, BEHIND, { value: node })
    this.#row = node.row
    for (const [key, value] of heldEntries(base)) this.set(key, value)
  }

  override get(key: unknown): unknown {
    return tracked(this.#row, super.get(this.#row.untrack(key)))
  }

  override has(key: unknown): boolean {
    return super.has(this.#row.untrack(key))
  }

  override set(key: unknown, value: unknown): this {
    return super.set(this.#row.untrack(key), this.#row.untrack(value))
  }

  override delete(key: unknown): boolean {
    return super.delete(this.#row.untrack(key))
  }

  /** The value of a key, which is put in first if there is none. */
  getOrInsert(key: unknown, value: unknown): unknown {
    if (!this.has(key)) this.set(key, value)
    return this.get(key)
  }

  /** The value of a key, which is made and put in first if there is none. */
  getOrInsertComputed(key: unknown, make: (key: unknown) => unknown): unknown {
    if (!this.has(key)) this.set(key, make(key))
    return this.get(key)
  }

  override forEach(
    callback: (value: unknown, key: unknown, map: Map<unknown, unknown>) => void,
    self?: unknown,
  ): void {
    for (const [key, value] of this.entries()) callback.call(self, value, key, this)
  }

  override *entries(): MapIterator<[unknown, unknown]> {
    for (const [key, value] of heldEntries(this)) yield [tracked(this.#row, key), tracked(this.#row, value)]
  }

  override *keys(): MapIterator<unknown> {
    for (const key of super.keys()) yield tracked(this.#row, key)
  }

  override *values(): MapIterator<unknown> {
    for (const value of super.values()) yield tracked(this.#row, value)
  }

  override [Symbol.iterator](): MapIterator<[unknown, unknown]> {
    return this.entries()
  }
}

/** The draft of a set. */
export class TrackedSet extends Set<unknown> {
  declare readonly [BEHIND]: DraftNode
  readonly #row: RowDraft

  constructor(node: DraftNode, base: ReadonlySet<unknown>) {
    super()
    Object.defineProperty(this, BEHIND, { value: node })
    this.#row = node.row
    for (const item of heldItems(base)) this.add(item)
  }

  override add(item: unknown): this {
    return super.add(this.#row.untrack(item))
  }

  override has(item: unknown): boolean {
    return super.has(this.#row.untrack(item))
  }

  override delete(item: unknown): boolean {
    return super.delete(this.#row.untrack(item))
  }

  override forEach(
    callback: (item: unknown, again: unknown, set: Set<unknown>) => void,
    self?: unknown,
  ): void {
    for (const item of this.values()) callback.call(self, item, item, this)
  }

  override *values(): SetIterator<unknown> {
    for (const item of heldItems(this)) yield tracked(this.#row, item)
  }

  override keys(): SetIterator<unknown> {
    return this.values()
  }

  override *entries(): SetIterator<[unknown, unknown]> {
    for (const item of this.values()) yield [item, item]
  }

  override [Symbol.iterator](): SetIterator<unknown> {
    return this.values()
  }
}

function tracked(row: RowDraft, value: unknown): unknown {
  return typeof value === 'object' && value !== null ? row.track(value) : value
}

const algebra = [
  'union',
  'intersection',
  'difference',
  'symmetricDifference',
  'isSubsetOf',
  'isSupersetOf',
  'isDisjointFrom',
]
// The language's own would work on what is held; where it has them, they get a set of drafts to work on.
for (const name of algebra) {
  if (!(name in Set.prototype)) continue
  const value = function (this: Set<unknown>, other: unknown): unknown {
    return (new Set(this) as unknown as Record<string, (other: unknown) => unknown>)[name]?.(other)
  }
  Object.defineProperty(TrackedSet.prototype, name, { value, configurable: true, writable: true })
}
// What a draft's `constructor` makes is an ordinary one.
Object.defineProperty(TrackedMap.prototype, 'constructor', { value: Map, configurable: true, writable: true })
Object.defineProperty(TrackedSet.prototype, 'constructor', { value: Set, configurable: true, writable: true })
