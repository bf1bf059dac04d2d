import { alike } from './alike.ts'
import { emptyLike, fieldsOf, identical, isObject, put, read } from './kinds.ts'
import type { RowDraft } from './row-draft.ts'
import { isChanged, isUnchanged, Settlement } from './settlement.ts'

/** What was done to a row's draft. */
export interface TrackedChanges {
  /**
   * The top-level fields that differ, with their whole new values; a field that was deleted has the value undefined.
   * Symbols that are names of fields are among them.
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
  const { base, state } = row.root
  const settlement = new Settlement()
  const modified = emptyLike(base)
  if (anyPartChanged(row)) {
    settlement.expectRow(row, modified)
    settlement.visit(row, [row.root.draft])
  } else {
    if (!isChanged(row.root)) return { changes: {}, removed: [], modified: base }
    settlement.expectRow(row, modified)
    if (row.loops) settlement.visit(row, [row.root.draft])
    else {
      settlement.markStale(row.root)
      settlement.visit(row, putInto(row))
    }
  }
  fill(modified, row, settlement)
  return difference(base, state, modified)
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

/** The fields the row had, in its order, then the added ones. */
function fill(modified: object, row: RowDraft, settlement: Settlement): void {
  const { base, state } = row.root
  for (const field of fieldsOf(base)) {
    if (Object.hasOwn(state, field)) put(modified, field, settlement.resolve(row, read(state, field)))
  }
  for (const field of fieldsOf(state)) {
    if (!Object.hasOwn(base, field)) put(modified, field, settlement.resolve(row, read(state, field)))
  }
}

/** Takes back what is equal by content; the rest are the changes. Only now `modified` is complete, if it leads to itself. */
function difference(base: object, state: object, modified: object): TrackedChanges {
  const changes: Record<string | symbol, unknown> = {}
  const removed: string[] = []
  const equal: PropertyKey[] = []
  let any = false
  for (const field of fieldsOf(base)) {
    if (!Object.hasOwn(modified, field)) {
      if (typeof field === 'string') removed.push(field)
      put(changes, field, undefined)
      any = true
    } else if (!identical(read(base, field), read(modified, field))) {
      if (alike(read(base, field), read(modified, field))) equal.push(field)
      else {
        put(changes, field, read(modified, field))
        any = true
      }
    }
  }
  for (const field of fieldsOf(state)) {
    if (Object.hasOwn(base, field)) continue
    put(changes, field, read(modified, field))
    any = true
  }
  for (const field of equal) put(modified, field, read(base, field))
  return { changes, removed, modified: any ? modified : base }
}
