import { ISSUE_COLUMNS } from './dataset.mjs'

/**
 * The judge: what each view must show, worked out from the rows by the plainest JavaScript. It knows nothing of any
 * engine; a number counts only after the engine's content has agreed with it.
 */

const newestFirst = (a, b) => b.created - a.created || a.id - b.id
const byId = (a, b) => a.id - b.id

/** Rows of `view` over `issues`, in the view's order; unordered views come in key order. */
export function expectedRows(view, issues) {
  switch (view.kind) {
    case 'list':
      return issues
        .filter((issue) => issue.open)
        .sort(newestFirst)
        .slice(view.offset, view.offset + view.limit)
    case 'scan':
      return [...issues].sort(byId)
    case 'filter':
      return issues.filter((issue) => issue.open).sort(byId)
    case 'detail':
      return issues.filter((issue) => issue.id === view.id)
    default:
      throw new Error(`bench: no model for the view kind ${view.kind}`)
  }
}

/** FNV-1a over every cell in row order; unordered views are sorted by key first. */
export function checksum(view, rows) {
  const ordered = view.kind === 'list' ? rows : [...rows].sort(byId)
  let hash = 0x811c9dc5
  for (const row of ordered) {
    const text = JSON.stringify(ISSUE_COLUMNS.map((column) => row[column]))
    for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  }
  return `${ordered.length}:${(hash >>> 0).toString(16)}`
}

/** Throws unless `rows` are what the plain recomputation over `issues` gives. */
export function mustAgree(view, rows, issues, moment) {
  const wanted = checksum(view, expectedRows(view, issues))
  const got = checksum(view, [...rows])
  if (wanted !== got) {
    throw new Error(
      `bench: wrong content ${moment} for ${JSON.stringify(view)}: expected ${wanted}, got ${got}`,
    )
  }
}

/** Orders rows gathered from change events the way `view` shows them. */
export function arrange(view, rows) {
  return [...rows].sort(view.kind === 'list' ? newestFirst : byId)
}

let sink = 0

/** Reads every cell of every row. The sum goes to a module variable so that no compiler drops the reads. */
export function readCells(rows) {
  let sum = 0
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i]
    sum +=
      row.id +
      row.title.charCodeAt(0) +
      (row.open ? 1 : 0) +
      row.creatorId +
      row.priority +
      row.created +
      row.modified
  }
  sink = (sink + sum) % 1e9
  return rows.length
}
