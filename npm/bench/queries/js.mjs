/** The views written by hand: maps and arrays for exactly this, what is left when nothing is general. */

const group = (rows, key) => {
  const found = new Map()
  for (const row of rows.values()) {
    const list = found.get(row[key])
    if (list === undefined) found.set(row[key], new Map([[row.id, row]]))
    else list.set(row.id, row)
  }
  return found
}

function index(groups, key) {
  return {
    add(row) {
      const list = groups.get(row[key])
      if (list === undefined) groups.set(row[key], new Map([[row.id, row]]))
      else list.set(row.id, row)
    },
    remove(row) {
      const list = groups.get(row[key])
      list?.delete(row.id)
      if (list?.size === 0) groups.delete(row[key])
    },
  }
}

/** A sorted array of rows, with binary search. */
class Sorted {
  constructor(rows, compare) {
    this.compare = compare
    this.list = rows.sort(compare)
  }
  at(row) {
    let low = 0
    let high = this.list.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.compare(this.list[middle], row) < 0) low = middle + 1
      else high = middle
    }
    return low
  }
  insert(row) {
    const at = this.at(row)
    this.list.splice(at, 0, row)
    return at
  }
  remove(row) {
    const at = this.at(row)
    this.list.splice(at, 1)
    return at
  }
}

const newestFirst = (a, b) => b.created - a.created || a.id - b.id

/** A window of the first `limit` rows of a sorted list, each shown by `show`. */
function windowed(all, limit, show) {
  const sorted = all
  let shown = sorted.list.slice(0, limit).map(show)
  return {
    rows: () => shown,
    added(row) {
      const at = sorted.at(row)
      if (at >= limit) return 0
      shown = [...shown.slice(0, at), show(row), ...shown.slice(at, limit - 1)]
      return 2
    },
    /** The row of a key shows something else. */
    touched(id) {
      const at = shown.findIndex((row) => row.id === id)
      if (at < 0) return 0
      shown = [...shown]
      shown[at] = show(sorted.list[at])
      return 1
    },
    removed(_row, at) {
      if (at >= limit) return 0
      const next = sorted.list[limit - 1]
      shown = [...shown.slice(0, at), ...shown.slice(at + 1)]
      if (next !== undefined) shown.push(show(next))
      return 2
    },
  }
}

/** Opens the tables; indexes are made once, as an application that knows its views would. */
export function openTables(dataset) {
  const t = Object.fromEntries(
    Object.entries(dataset).map(([name, rows]) => [name, new Map(rows.map((r) => [r.id, r]))]),
  )
  const lazy = {}
  const keep = (name, make) => {
    lazy[name] ??= make()
    return lazy[name]
  }
  const comments = () => keep('comments', () => group(t.comments, 'issueId'))
  const open = () =>
    keep(
      'open',
      () =>
        new Sorted(
          [...t.issues.values()].filter((r) => r.open),
          newestFirst,
        ),
    )
  const newest = () => keep('newest', () => new Sorted([...t.comments.values()], newestFirst))
  const watchers = new Set()
  const tell = (table, type, row, at) => {
    for (const watcher of watchers) watcher(table, type, row, at)
  }
  const makers = {
    'list-author': () =>
      listOf((row) => ({ id: row.id, title: row.title, author: t.users.get(row.creatorId)?.name })),
    'list-count': () =>
      listOf((row) => ({ id: row.id, title: row.title, comments: comments().get(row.id)?.size ?? 0 })),
    'all-counts': () =>
      everyIssue((row) => ({ id: row.id, title: row.title, comments: comments().get(row.id)?.size ?? 0 })),
    'all-authors': () =>
      everyIssue((row) => ({ id: row.id, title: row.title, author: t.users.get(row.creatorId)?.name })),
    'two-joins': () => {
      const show = (c) => ({
        id: c.id,
        issue: t.issues.get(c.issueId)?.title,
        author: t.users.get(c.authorId)?.name,
      })
      const w = windowed(newest(), 50, show)
      return {
        rows: w.rows,
        change: (table, type, row, at) =>
          table !== 'comments' ? 0 : type === 'insert' ? w.added(row) : w.removed(row, at),
      }
    },
    'group-all': () => {
      const groups = group(t.issues, 'creatorId')
      const show = (creator) => {
        let [n, sum, min, max] = [0, 0, Infinity, -Infinity]
        for (const row of groups.get(creator).values()) {
          n++
          sum += row.priority
          min = Math.min(min, row.created)
          max = Math.max(max, row.created)
        }
        return { creator, n, sum, avg: sum / n, min, max }
      }
      const shown = new Map([...groups.keys()].map((creator) => [creator, show(creator)]))
      const keepGroup = index(groups, 'creatorId')
      return {
        rows: () => [...shown.values()],
        change(table, type, row) {
          if (table !== 'issues') return 0
          if (type === 'insert') keepGroup.add(row)
          else keepGroup.remove(row)
          if (groups.has(row.creatorId)) shown.set(row.creatorId, show(row.creatorId))
          else shown.delete(row.creatorId)
          return 1
        },
      }
    },
    distinct: () => {
      const counts = new Map()
      const shown = new Map()
      const add = (row, by) => {
        const code = row.creatorId * 10 + row.priority
        const n = (counts.get(code) ?? 0) + by
        counts.set(code, n)
        if (n === 1 && by > 0) shown.set(code, { creator: row.creatorId, priority: row.priority })
        if (n === 0) shown.delete(code)
        return n === 1 && by > 0 ? 1 : n === 0 ? 1 : 0
      }
      for (const row of t.issues.values()) add(row, 1)
      return {
        rows: () => [...shown.values()],
        change: (table, type, row) => (table === 'issues' ? add(row, type === 'insert' ? 1 : -1) : 0),
      }
    },
    nested: () => {
      const counts = new Map()
      for (const row of t.issues.values())
        if (row.open) counts.set(row.creatorId, (counts.get(row.creatorId) ?? 0) + 1)
      const compute = () =>
        [...counts]
          .filter(([, n]) => n > 3)
          .sort((a, b) => b[1] - a[1] || a[0] - b[0])
          .slice(0, 20)
          .map(([creator, n]) => ({ creator, n }))
      let shown = compute()
      return {
        rows: () => shown,
        change(table, type, row) {
          if (table !== 'issues' || !row.open) return 0
          counts.set(row.creatorId, (counts.get(row.creatorId) ?? 0) + (type === 'insert' ? 1 : -1))
          shown = compute()
          return 1
        },
      }
    },
    'recent-50': () => {
      const compare = (a, b) => b.modified - a.modified || a.id - b.id
      const sorted = new Sorted([...t.issues.values()], compare)
      let shown = sorted.list.slice(0, 50)
      return {
        rows: () => shown,
        change(table, type, row) {
          if (table !== 'issues') return 0
          if (type === 'insert') sorted.insert(row)
          else sorted.remove(row)
          shown = sorted.list.slice(0, 50)
          return type === 'insert' ? 1 : 0
        },
      }
    },
    tree: () => {
      const children = group(t.nodes, 'parent')
      const keepChild = index(children, 'parent')
      const shown = new Map()
      const under = (id, add) => {
        const todo = [id]
        let n = 0
        for (let next = todo.pop(); next !== undefined; next = todo.pop()) {
          n++
          if (add) shown.set(next, { id: next })
          else shown.delete(next)
          for (const child of children.get(next)?.keys() ?? []) todo.push(child)
        }
        return n
      }
      under(1, true)
      return {
        rows: () => [...shown.values()],
        change(table, type, row) {
          if (table !== 'nodes') return 0
          if (type === 'insert') keepChild.add(row)
          else keepChild.remove(row)
          if (type === 'insert') return shown.has(row.parent) ? under(row.id, true) : 0
          return shown.has(row.id) ? under(row.id, false) : 0
        },
      }
    },
  }
  const listOf = (show) => {
    const w = windowed(open(), 50, show)
    return {
      rows: w.rows,
      change: (table, type, row, at) =>
        table === 'comments'
          ? w.touched(row.issueId)
          : table !== 'issues' || !row.open
            ? 0
            : type === 'insert'
              ? w.added(row)
              : w.removed(row, at),
    }
  }
  const everyIssue = (show) => {
    const shown = new Map()
    for (const row of t.issues.values()) shown.set(row.id, show(row))
    return {
      rows: () => [...shown.values()],
      change(table, type, row) {
        if (table === 'issues') {
          if (type === 'insert') shown.set(row.id, show(row))
          else shown.delete(row.id)
          return 1
        }
        const issue = table === 'comments' ? t.issues.get(row.issueId) : undefined
        if (issue === undefined) return 0
        shown.set(issue.id, show(issue))
        return 1
      },
    }
  }
  const sortedOf = (table, row) =>
    table === 'issues' && row.open ? lazy.open : table === 'comments' ? lazy.newest : undefined
  const db = {
    mount(name) {
      const view = makers[name]()
      const listeners = new Set()
      const watcher = (...change) => {
        const n = view.change(...change)
        if (n > 0) for (const listener of listeners) listener(n)
      }
      watchers.add(watcher)
      return {
        rows: view.rows,
        subscribe(onDelivery) {
          listeners.add(onDelivery)
          return () => listeners.delete(onDelivery)
        },
        close: () => void watchers.delete(watcher),
      }
    },
    insert(table, row) {
      t[table].set(row.id, row)
      if (table === 'comments' && lazy.comments) index(lazy.comments, 'issueId').add(row)
      sortedOf(table, row)?.insert(row)
      tell(table, 'insert', row)
    },
    remove(table, row) {
      t[table].delete(row.id)
      if (table === 'comments' && lazy.comments) index(lazy.comments, 'issueId').remove(row)
      const at = sortedOf(table, row)?.remove(row)
      tell(table, 'delete', row, at)
    },
    update(table, previous, next) {
      db.remove(table, previous)
      db.insert(table, next)
    },
    close() {},
  }
  return db
}
