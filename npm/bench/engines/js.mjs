/**
 * Hand-written JavaScript for exactly these views: what is left when nothing is general. It keeps a Map by key, the
 * open issues sorted by `created`, and for each mounted view just the code that view needs.
 */
export async function open() {
  return {
    name: 'js',
    version: process.version,
    remarks: {},
    cannot: {},
    load: openDatabase,
    apply: applyChanges,
  }
}

function openDatabase(dataset) {
  const users = new Map(dataset.users.map((row) => [row.id, row]))
  const issues = new Map(dataset.issues.map((row) => [row.id, row]))
  const comments = new Map(dataset.comments.map((row) => [row.id, row]))
  const tables = { issues, openByAge: undefined, watchers: new Set(), details: new Map() }
  return {
    mount: (view) => mount(tables, view),
    insert(row) {
      issues.set(row.id, row)
      if (row.open) insertSorted(tables, row)
      for (const watcher of tables.watchers) watcher.added(row)
    },
    remove(row) {
      issues.delete(row.id)
      if (row.open) removeSorted(tables, row)
      for (const watcher of tables.watchers) watcher.removed(row)
    },
    update(_previous, next) {
      issues.set(next.id, next)
      tables.details.get(next.id)?.changed(next)
    },
    size: () => users.size + issues.size + comments.size,
    close() {},
  }
}

/** Open issues oldest first, so that the newest are added and taken at the cheap end. Built at first need. */
function openByAge(tables) {
  tables.openByAge ??= [...tables.issues.values()]
    .filter((row) => row.open)
    .sort((a, b) => a.created - b.created)
  return tables.openByAge
}

function position(sorted, created) {
  let low = 0
  let high = sorted.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (sorted[middle].created < created) low = middle + 1
    else high = middle
  }
  return low
}

function insertSorted(tables, row) {
  if (tables.openByAge !== undefined) tables.openByAge.splice(position(tables.openByAge, row.created), 0, row)
}

function removeSorted(tables, row) {
  if (tables.openByAge !== undefined) tables.openByAge.splice(position(tables.openByAge, row.created), 1)
}

function mount(tables, view) {
  switch (view.kind) {
    case 'list':
      return mountList(tables, view)
    case 'scan':
      return mountFilter(tables, () => true)
    case 'filter':
      return mountFilter(tables, (row) => row.open)
    case 'detail':
      return mountDetail(tables, view.id)
    default:
      throw new Error(`bench: no code for the view kind ${view.kind}`)
  }
}

function makeListeners() {
  const listeners = new Set()
  return {
    tell(changes) {
      for (const listener of listeners) listener(changes)
    },
    subscribe(onDelivery, rows) {
      onDelivery(rows.map((value) => ({ type: 'insert', value })))
      listeners.add(onDelivery)
      return () => listeners.delete(onDelivery)
    },
  }
}

function mountList(tables, { limit, offset }) {
  const sorted = openByAge(tables)
  const shown = []
  const start = sorted.length - 1 - offset
  for (let i = start; i > start - limit && i >= 0; i--) shown.push(sorted[i])
  const listeners = makeListeners()
  const at = (rank) => sorted[sorted.length - 1 - rank]
  const watcher = {
    added(row) {
      if (!row.open) return
      const rank = sorted.length - 1 - position(sorted, row.created)
      if (rank >= offset + limit) return
      const place = Math.max(rank - offset, 0)
      const entering = at(offset + place)
      if (entering === undefined) return
      shown.splice(place, 0, entering)
      const changes = [{ type: 'insert', value: entering }]
      if (shown.length > limit) changes.push({ type: 'delete', value: shown.pop() })
      listeners.tell(changes)
    },
    removed(row) {
      if (!row.open) return
      const rank = sorted.length - position(sorted, row.created)
      if (rank >= offset + shown.length) return
      const [leaving] = shown.splice(Math.max(rank - offset, 0), 1)
      const changes = [{ type: 'delete', value: leaving }]
      const entering = at(offset + limit - 1)
      if (entering !== undefined) {
        shown.push(entering)
        changes.push({ type: 'insert', value: entering })
      }
      listeners.tell(changes)
    },
  }
  return watched(tables, watcher, listeners, () => shown)
}

function mountFilter(tables, keeps) {
  const kept = new Map()
  for (const row of tables.issues.values()) if (keeps(row)) kept.set(row.id, row)
  const listeners = makeListeners()
  const watcher = {
    added(row) {
      if (!keeps(row)) return
      kept.set(row.id, row)
      listeners.tell([{ type: 'insert', value: row }])
    },
    removed(row) {
      if (kept.delete(row.id)) listeners.tell([{ type: 'delete', value: row }])
    },
  }
  return watched(tables, watcher, listeners, () => [...kept.values()])
}

function mountDetail(tables, id) {
  let row = tables.issues.get(id)
  const listeners = makeListeners()
  tables.details.set(id, {
    changed(next) {
      row = next
      listeners.tell([{ type: 'update', value: next }])
    },
  })
  const rows = () => (row === undefined ? [] : [row])
  return {
    rows,
    subscribe: (onDelivery) => listeners.subscribe(onDelivery, rows()),
    close: () => void tables.details.delete(id),
  }
}

function watched(tables, watcher, listeners, rows) {
  tables.watchers.add(watcher)
  return {
    rows,
    subscribe: (onDelivery) => listeners.subscribe(onDelivery, rows()),
    close: () => void tables.watchers.delete(watcher),
  }
}

function applyChanges(state, changes) {
  for (const { type, value } of changes) {
    if (type === 'delete') state.delete(value.id)
    else state.set(value.id, value)
  }
}
