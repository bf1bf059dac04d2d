import { cloneRow } from '../rows/deep-clone.ts'
import { deepEquals } from '../rows/deep-equals.ts'

type Fields = Record<string, unknown>

/** What a callback did to the draft of one row. */
export interface RowChanges {
  /** The changed top-level fields with their new values; one that was removed is undefined. */
  readonly changes: Fields
  /** The row after. Fields that did not change are the original's own. */
  readonly modified: object
}

/** What became of a draft. The draft may be used on: it is a copy of its own. */
export function changesOf(original: object, draft: object): RowChanges {
  const before = original as Fields
  const after = cloneRow(draft) as Fields
  const changes: Fields = {}
  const modified = Object.create(Object.getPrototypeOf(original) as object | null) as Fields
  for (const name of Object.keys(after)) {
    const same = Object.hasOwn(before, name) && unchanged(before[name], after[name])
    if (!same) set(changes, name, after[name])
    set(modified, name, same ? before[name] : after[name])
  }
  for (const name of Object.keys(before)) if (!Object.hasOwn(after, name)) set(changes, name, undefined)
  return { changes, modified }
}

function unchanged(before: unknown, after: unknown): boolean {
  return Object.is(before, after) || deepEquals(before, after)
}

function set(to: Fields, name: string, value: unknown): void {
  Object.defineProperty(to, name, { value, enumerable: true, configurable: true, writable: true })
}

/** Calls back with drafts of rows and tells what it did to each. */
export function trackChanges(
  originals: readonly object[],
  callback: (drafts: object[]) => void,
): readonly RowChanges[] {
  const drafts = originals.map(cloneRow)
  callback(drafts.slice())
  return originals.map((original, i) => changesOf(original, drafts[i] as object))
}
