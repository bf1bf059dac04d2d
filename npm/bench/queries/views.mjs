/**
 * The views of several tables, engine by engine alike: what each shows, worked out by the plainest JavaScript, and the
 * cells a reader of it looks at. An engine's rows may have another form; `cells` then has an entry for that engine.
 */

const by = (rows, key) => {
  const groups = new Map()
  for (const row of rows) {
    const group = groups.get(row[key])
    if (group === undefined) groups.set(row[key], [row])
    else group.push(row)
  }
  return groups
}
const newest = (issues, limit) =>
  issues
    .filter((issue) => issue.open)
    .sort((a, b) => b.created - a.created || a.id - b.id)
    .slice(0, limit)
const byId = (issues) => [...issues].sort((a, b) => a.id - b.id)

const counted = (issues, comments) => {
  const of = by(comments, 'issueId')
  return issues.map((issue) => [issue.id, issue.title, of.get(issue.id)?.length ?? 0])
}
const authored = (issues, users) => {
  const of = new Map(users.map((user) => [user.id, user]))
  return issues.map((issue) => [issue.id, issue.title, of.get(issue.creatorId)?.name])
}

const countCells = {
  rows: (row) => [row.id, row.title, row.comments],
  zql: (row) => [row.id, row.title, row.comments.length],
}
const authorCells = {
  rows: (row) => [row.id, row.title, row.author],
  zql: (row) => [row.id, row.title, row.creator?.name],
}

/** name -> { title, ordered, model(tables) -> cells by row, cells, pair: the table a row of which comes and goes } */
export const VIEWS = {
  'list-author': {
    title: 'newest 50 open issues with their author (join)',
    ordered: true,
    pair: 'issues',
    model: ({ issues, users }) => authored(newest(issues, 50), users),
    cells: authorCells,
  },
  'list-count': {
    title: 'newest 50 open issues with the number of comments (left join, group)',
    ordered: true,
    pair: 'issues',
    model: ({ issues, comments }) => counted(newest(issues, 50), comments),
    cells: countCells,
  },
  'all-counts': {
    title: 'number of comments of every issue',
    pair: 'comments',
    model: ({ issues, comments }) => counted(byId(issues), comments),
    cells: countCells,
  },
  'all-authors': {
    title: 'every issue with its author',
    pair: 'issues',
    model: ({ issues, users }) => authored(byId(issues), users),
    cells: authorCells,
  },
  'two-joins': {
    title: 'newest 50 comments with issue and author',
    ordered: true,
    pair: 'comments',
    model({ issues, users, comments }) {
      const issueOf = new Map(issues.map((issue) => [issue.id, issue]))
      const userOf = new Map(users.map((user) => [user.id, user]))
      return [...comments]
        .sort((a, b) => b.created - a.created || a.id - b.id)
        .slice(0, 50)
        .map((c) => [c.id, issueOf.get(c.issueId)?.title, userOf.get(c.authorId)?.name])
    },
    cells: {
      rows: (row) => [row.id, row.issue, row.author],
      zql: (row) => [row.id, row.issue?.title, row.author?.name],
    },
  },
  'group-all': {
    title: 'issues by creator: count, sum, avg, min, max',
    pair: 'issues',
    model: ({ issues }) =>
      [...by(issues, 'creatorId')]
        .sort((a, b) => a[0] - b[0])
        .map(([creator, rows]) => {
          const priorities = rows.map((row) => row.priority)
          const created = rows.map((row) => row.created)
          const sum = priorities.reduce((a, b) => a + b, 0)
          return [creator, rows.length, sum, sum / rows.length, Math.min(...created), Math.max(...created)]
        }),
    cells: { rows: (row) => [row.creator, row.n, row.sum, row.avg, row.min, row.max] },
  },
  distinct: {
    title: 'distinct pairs of creator and priority',
    pair: 'issues',
    model: ({ issues }) =>
      [...new Set(issues.map((row) => row.creatorId * 10 + row.priority))]
        .sort((a, b) => a - b)
        .map((code) => [Math.floor(code / 10), code % 10]),
    cells: { rows: (row) => [row.creator, row.priority] },
  },
  nested: {
    title: 'creators with the most open issues (subquery over subquery)',
    ordered: true,
    pair: 'issues',
    model: ({ issues }) =>
      [
        ...by(
          issues.filter((row) => row.open),
          'creatorId',
        ),
      ]
        .map(([creator, rows]) => [creator, rows.length])
        .filter(([, n]) => n > 3)
        .sort((a, b) => b[1] - a[1] || a[0] - b[0])
        .slice(0, 20),
    cells: { rows: (row) => [row.creator, row.n] },
  },
}

/** Throws unless the rows an engine shows are those of the model. */
export function mustShow(name, engine, rows, tables, moment) {
  const view = VIEWS[name]
  const cells = view.cells[engine] ?? view.cells.rows
  const wanted = view.model(tables)
  const got = [...rows].map(cells)
  if (!view.ordered) got.sort((a, b) => a[0] - b[0] || a[1] - b[1])
  const text = (list) => list.map((row) => JSON.stringify(row))
  const w = text(wanted)
  const g = text(got)
  const at = w.findIndex((row, i) => row !== g[i])
  if (at >= 0 || w.length !== g.length) {
    throw new Error(
      `bench: ${engine} shows wrong rows of ${name} ${moment}: ${g.length} rows, wanted ${w.length}; row ${at}: ${g[at]}, wanted ${w[at]}`,
    )
  }
}

let sink = 0

/** Reads every cell of every row. */
export function readAll(name, engine, rows) {
  const cells = VIEWS[name].cells[engine] ?? VIEWS[name].cells.rows
  let sum = 0
  for (let i = 0; i < rows.length; i++) {
    for (const cell of cells(rows[i]))
      sum += typeof cell === 'string' ? cell.charCodeAt(0) : Number(cell ?? 0)
  }
  sink = (sink + sum) % 1e9
  return rows.length
}
