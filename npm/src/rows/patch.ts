import { copyReadable } from './build.ts'

/** What an update does to a row: fields it sets, and names of fields it removes. */
export class RowPatch {
  readonly changes: object
  readonly removed: readonly string[]

  constructor(changes: object, removed: readonly string[] = []) {
    this.changes = changes
    this.removed = removed
  }
}

/** A row with patches laid over it, in order. Neither the row nor the patches change. */
export function patched(base: object | undefined, patches: readonly RowPatch[]): object {
  const row = {}
  if (base !== undefined) copyReadable(row, base)
  for (const { changes, removed } of patches) {
    copyReadable(row, changes)
    for (const name of removed) delete (row as Record<string, unknown>)[name]
  }
  return row
}
