import { deepEquals } from '../rows/deep-equals.ts'
import type { DraftNode } from './draft-node.ts'
import {
  copyValue,
  emptyLike,
  fieldsOf,
  identical,
  isField,
  isObject,
  Kind,
  kindOf,
  put,
  read,
} from './kinds.ts'
import { behind } from './registry.ts'
import type { RowDraft } from './row-draft.ts'
import { heldEntries, heldItems } from './tracked-collections.ts'

/**
 * What has become of the objects of a draft, as objects that hold no drafts and that no draft can change.
 *
 * An object is *stale* if it was changed, holds a draft, or leads to a stale object. Stale objects are built anew, once
 * each, so that shared and circular references keep their shape; all others are taken as they are. Objects are first
 * visited, which finds out what is stale, then resolved.
 */
export class Settlement {
  readonly #scopes = new Map<RowDraft, Scope>()
  /** Fields of instances of classes that hold a draft: instances cannot be built anew, so these are filled in. */
  readonly #held: { readonly instance: object; readonly field: string; readonly row: RowDraft }[] = []
  #cyclic = false
  #grew = false

  /** Says what the row itself becomes if it is stale, where something leads to it. */
  expectRow(row: RowDraft, by: object): void {
    this.#scope(row).built.set(row.root.base, by)
  }

  /** Says that an object is stale, so that it need not be visited. */
  markStale(node: DraftNode): void {
    this.#scope(node.row).stale.add(node.base)
  }

  /** Finds out what is stale among what can be reached from the values. */
  visit(row: RowDraft, values: readonly unknown[]): void {
    if (values.length === 0) return
    do {
      this.#cyclic = false
      this.#grew = false
      this.#held.length = 0
      for (const scope of this.#scopes.values()) scope.seen.clear()
      for (const value of values) this.#visitValue(row, value)
      // Around a cycle an object may have been left before what makes it stale was found.
    } while (this.#cyclic && this.#grew)
    for (const { instance, field, row } of this.#held) {
      Reflect.set(instance, field, this.resolve(row, read(instance, field)))
    }
  }

  /** What a visited value becomes. */
  resolve(row: RowDraft, value: unknown): unknown {
    if (!isObject(value)) return value
    const draft = behind(value)
    const owner = draft?.row ?? row
    const node = draft ?? owner.nodeOf(value)
    const base = node?.base ?? value
    const scope = this.#scopes.get(owner)
    if (!scope?.stale.has(base)) return base
    return scope.built.get(base) ?? this.#build(scope, base, node)
  }

  #scope(row: RowDraft): Scope {
    let scope = this.#scopes.get(row)
    if (scope === undefined) {
      scope = new Scope(row)
      this.#scopes.set(row, scope)
    }
    return scope
  }

  #visitValue(row: RowDraft, value: unknown): boolean {
    return isObject(value) && this.#visitObject(row, value, behind(value))
  }

  /** Whether the object is stale, as far as this pass knows. */
  #visitObject(row: RowDraft, value: object, draft: DraftNode | undefined): boolean {
    const owner = draft?.row ?? row
    const node = draft ?? owner.nodeOf(value)
    if (node === undefined && isLeaf(value)) return false
    const base = node?.base ?? value
    const scope = this.#scope(owner)
    const finished = scope.seen.get(base)
    if (finished !== undefined) {
      if (!finished) this.#cyclic = true
      return scope.stale.has(base)
    }
    scope.seen.set(base, false)
    let stale = node !== undefined && isChanged(node)
    if (this.#visitInside(owner, node?.state ?? value, node?.kind ?? kindOf(value), node)) stale = true
    scope.seen.set(base, true)
    if (stale && !scope.stale.has(base)) {
      scope.stale.add(base)
      this.#grew = true
    }
    return scope.stale.has(base)
  }

  /** Whether something inside makes the object stale. Visits all of it: what is resolved must have been visited. */
  #visitInside(row: RowDraft, state: object, kind: Kind, node: DraftNode | undefined): boolean {
    if (kind === Kind.value) return false
    if (kind === Kind.opaque) return this.#visitInstance(row, state)
    let stale = false
    if (kind === Kind.array) {
      const items = state as unknown[]
      for (let i = 0; i < items.length; i++) {
        const item = items[i]
        if (isObject(item) && this.#visitMember(row, item, i, node)) stale = true
      }
    } else if (kind === Kind.map) {
      for (const [key, item] of heldEntries(state as Map<unknown, unknown>)) {
        if (isObject(key) && this.#visitMember(row, key, undefined, node)) stale = true
        if (isObject(item) && this.#visitMember(row, item, undefined, node)) stale = true
      }
    } else if (kind === Kind.set) {
      for (const item of heldItems(state as Set<unknown>)) {
        if (isObject(item) && this.#visitMember(row, item, undefined, node)) stale = true
      }
    } else {
      // Of what was not touched, what is behind symbols is not looked at: asking for them takes longer than all the rest.
      for (const field of node === undefined ? Object.keys(state) : fieldsOf(state)) {
        const item = read(state, field)
        if (isObject(item) && this.#visitMember(row, item, field, node)) stale = true
      }
    }
    return stale
  }

  /** Whether a member makes its container stale: it is stale, or a draft of something else than was there before. */
  #visitMember(
    row: RowDraft,
    member: object,
    key: PropertyKey | undefined,
    node: DraftNode | undefined,
  ): boolean {
    const draft = behind(member)
    const stale = this.#visitObject(row, member, draft)
    if (draft === undefined) return stale
    return stale || key === undefined || node === undefined || !standsFor(row, draft, read(node.base, key))
  }

  #visitInstance(row: RowDraft, instance: object): boolean {
    for (const field of Object.keys(instance)) {
      const held: unknown = Object.getOwnPropertyDescriptor(instance, field)?.value
      if (!isObject(held)) continue
      const draft = behind(held)
      if (draft === undefined) continue
      this.#held.push({ instance, field, row })
      this.#visitObject(row, held, draft)
    }
    return false
  }

  #build(scope: Scope, base: object, node: DraftNode | undefined): object {
    const { row, built } = scope
    const state = node?.state ?? base
    const kind = node?.kind ?? kindOf(base)
    if (kind === Kind.value) return keep(built, base, copyValue(state))
    if (kind === Kind.array) {
      const items = keep(built, base, (state as unknown[]).slice())
      for (let i = 0; i < items.length; i++) if (isObject(items[i])) items[i] = this.resolve(row, items[i])
      return items
    }
    if (kind === Kind.map) {
      const map = keep(built, base, new Map<unknown, unknown>())
      for (const [key, item] of heldEntries(state as Map<unknown, unknown>)) {
        map.set(this.resolve(row, key), this.resolve(row, item))
      }
      return map
    }
    if (kind === Kind.set) {
      const set = keep(built, base, new Set<unknown>())
      for (const item of heldItems(state as Set<unknown>)) set.add(this.resolve(row, item))
      return set
    }
    const object = keep(built, base, emptyLike(base))
    for (const field of fieldsOf(state)) put(object, field, this.resolve(row, read(state, field)))
    return object
  }
}

/** What is known of the objects of one row's draft, each by the object it was before. */
class Scope {
  readonly row: RowDraft
  readonly stale = new Set<object>()
  /** The objects this pass has met, and whether it is through with them. */
  readonly seen = new Map<object, boolean>()
  readonly built = new Map<object, object>()

  constructor(row: RowDraft) {
    this.row = row
  }
}

/** Whether an untouched object is plain and holds no objects, as most that rows hold in great number. */
function isLeaf(value: object): boolean {
  if (kindOf(value) !== Kind.object) return false
  for (const field of Object.keys(value)) if (isObject(read(value, field))) return false
  return true
}

function keep<T extends object>(built: Map<object, object>, base: object, object: T): T {
  built.set(base, object)
  return object
}

/** Whether a draft of the row is the draft of this very value. */
function standsFor(row: RowDraft, draft: DraftNode, value: unknown): boolean {
  return draft.row === row && draft.base === value
}

/** Whether `now`, in the copy, still is what `before` is in the original. */
export function isUnchanged(row: RowDraft, before: unknown, now: unknown): boolean {
  if (identical(before, now)) return true
  if (!isObject(now)) return false
  const draft = behind(now)
  return draft !== undefined && standsFor(row, draft, before)
}

/** Whether an object holds anything else than before. Changes inside of what it holds do not count. */
export function isChanged(node: DraftNode): boolean {
  const { row, base, state, kind } = node
  if (kind === Kind.value) return !deepEquals(base, state)
  if (kind === Kind.array) return itemsChanged(row, base as unknown[], state as unknown[])
  if (kind === Kind.map) {
    const before = base as Map<unknown, unknown>
    const now = state as Map<unknown, unknown>
    if (before.size !== now.size) return true
    for (const [key, item] of heldEntries(now)) {
      if (!before.has(key) || !identical(before.get(key), item)) return true
    }
    return false
  }
  if (kind === Kind.set) {
    const before = base as Set<unknown>
    const now = state as Set<unknown>
    if (before.size !== now.size) return true
    for (const item of heldItems(now)) if (!before.has(item)) return true
    return false
  }
  const fields = row.symbols ? fieldsOf(state) : Object.keys(state)
  if (fields.length !== (row.symbols ? fieldsOf(base) : Object.keys(base)).length) return true
  for (const field of fields) {
    if (!isField(base, field) || !isUnchanged(row, read(base, field), read(state, field))) return true
  }
  return false
}

function itemsChanged(row: RowDraft, before: readonly unknown[], now: readonly unknown[]): boolean {
  if (before.length !== now.length) return true
  for (let i = 0; i < now.length; i++) if (!isUnchanged(row, before[i], now[i])) return true
  return false
}
