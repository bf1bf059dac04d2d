import { deepEquals } from '../rows/deep-equals.ts'
import { copyLike, fieldsOf, identical, isField, isObject, put, read } from './kinds.ts'
import type { RowDraft } from './row-draft.ts'
import { isChanged, isUnchanged, Settlement } from './settlement.ts'

/** What was done to a row's draft. */
export interface TrackedChanges {
  /**
   * The top-level fields that differ, with their whole new values; a field that was deleted has the value undefined.
   * Fields named by symbols are among them.
   */
  readonly changes: Record<string | symbol, unknown>
  /** The names of the fields that were deleted. */
  readonly removed: string[]
  /** The row with the changes; what did not change is the same object as before. Without changes, the row itself. */
  readonly modified: object
}

/**
 * Compares a row's draft with the row. Looks at the top-level fields, at what was touched and at what was put in. If a
 * nested object was changed that the row held before, it looks at the rest of the row too, without copying it: other
 * parts may refer to that object.
 */
export function changesOf(row: RowDraft): TrackedChanges {
  return (row.parts === undefined && !row.symbols && flatChanges(row)) || deepChanges(row)
}

/** The changes, if no objects have part in them: the row was not read any deeper, and none was put in. */
function flatChanges({ root: { base, state } }: RowDraft): TrackedChanges | undefined {
  const before = Object.keys(base)
  const now = Object.keys(state)
  const changes: Record<string, unknown> = {}
  const removed: string[] = []
  let kept = 0
  let any = false
  for (let i = 0; i < now.length; i++) {
    const name = now[i] as string
    const value = read(state, name)
    if (before[i] === name || isField(base, name)) {
      kept++
      if (value === base) return undefined
      if (identical(read(base, name), value)) continue
    }
    if (isObject(value)) return undefined
    put(changes, name, value)
    any = true
  }
  if (kept < before.length) {
    any = true
    for (const name of before) {
      if (isField(state, name)) continue
      removed.push(name)
      put(changes, name, undefined)
    }
  }
  return { changes, removed, modified: any ? copyLike(base, state) : base }
}

function deepChanges(row: RowDraft): TrackedChanges {
  const { base, state } = row.root
  const settlement = new Settlement()
  const deep = anyPartChanged(row)
  if (!deep && !isChanged(row.root)) return { changes: {}, removed: [], modified: base }
  const modified = copyLike(base, state)
  settlement.expectRow(row, modified)
  if (deep || row.loops) settlement.visit(row, [row.root.draft])
  else {
    settlement.markStale(row.root)
    settlement.visit(row, putInto(row))
  }
  for (const field of fieldsOf(modified)) {
    const value = read(modified, field)
    if (isObject(value)) put(modified, field, settlement.resolve(row, value))
  }
  return difference(base, modified)
}

function anyPartChanged({ parts }: RowDraft): boolean {
  if (parts !== undefined) for (const node of parts.values()) if (isChanged(node)) return true
  return false
}

/** The objects that top-level fields hold instead of what they held. */
function putInto(row: RowDraft): unknown[] {
  const { base, state } = row.root
  const values: unknown[] = []
  for (const field of fieldsOf(state)) {
    const value = read(state, field)
    if (isObject(value) && !isUnchanged(row, read(base, field), value)) values.push(value)
  }
  return values
}

/** Takes back what is equal by content; the rest are the changes. Only now `modified` is complete, if it leads to itself. */
function difference(base: object, modified: object): TrackedChanges {
  const changes: Record<string | symbol, unknown> = {}
  const removed: string[] = []
  const equal: PropertyKey[] = []
  let any = false
  for (const field of fieldsOf(modified)) {
    const value = read(modified, field)
    if (isField(base, field)) {
      const before = read(base, field)
      if (identical(before, value)) continue
      if (deepEquals(before, value)) {
        equal.push(field)
        continue
      }
    }
    put(changes, field, value)
    any = true
  }
  for (const field of fieldsOf(base)) {
    if (isField(modified, field)) continue
    if (typeof field === 'string') removed.push(field)
    put(changes, field, undefined)
    any = true
  }
  for (const field of equal) put(modified, field, read(base, field))
  return { changes, removed, modified: any ? modified : base }
}
