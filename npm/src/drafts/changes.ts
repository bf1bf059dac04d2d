import { changesOf, type TrackedChanges } from './difference.ts'
import { behind } from './registry.ts'
import { RowDraft } from './row-draft.ts'
import { Settlement } from './settlement.ts'

/**
 * Runs a callback on drafts of rows and says what it did to each. A row that is given twice has one draft. Throws what the
 * callback throws. Costs a copy of each row's top level and of each object that was touched, plus `changesOf`.
 */
export function trackChanges(
  targets: readonly object[],
  callback: (drafts: object[]) => void,
): TrackedChanges[] {
  const rows = open(targets)
  callback(rows.map(draftOf))
  return settle(rows)
}

/** As `trackChanges`, for one row. */
export function trackChange(target: object, callback: (draft: object) => void): TrackedChanges {
  const row = openRow(target)
  callback(row.root.draft)
  return changesOf(row)
}

export function openRow(target: object): RowDraft {
  return new RowDraft(behind(target) !== undefined ? presentValue(target) : target)
}

export function open(targets: readonly object[]): RowDraft[] {
  if (targets.length === 1) return [openRow(targets[0] as object)]
  const opened = new Map<object, RowDraft>()
  return targets.map((target) => {
    const row = opened.get(target) ?? openRow(target)
    opened.set(target, row)
    return row
  })
}

/** What a draft looks like now, as an object that is none. */
function presentValue(draft: object): object {
  const row = (behind(draft) as { row: RowDraft }).row
  const settlement = new Settlement()
  settlement.visit(row, [draft])
  return settlement.resolve(row, draft) as object
}

export function settle(rows: readonly RowDraft[]): TrackedChanges[] {
  if (rows.length === 1) return [changesOf(rows[0] as RowDraft)]
  const settled = new Map<RowDraft, TrackedChanges>()
  return rows.map((row) => {
    const changes = settled.get(row) ?? changesOf(row)
    settled.set(row, changes)
    return changes
  })
}

export function draftOf(row: RowDraft): object {
  return row.root.draft
}
