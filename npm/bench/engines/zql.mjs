import { importPeer, peerVersion } from './peer-files.mjs'

const SOURCES = '@rocicorp/zero/out/zql/src'

const TABLES = {
  users: columns({ id: 'number', name: 'string', active: 'boolean', joined: 'number' }),
  issues: columns({
    id: 'number',
    title: 'string',
    open: 'boolean',
    creatorId: 'number',
    priority: 'number',
    created: 'number',
    modified: 'number',
  }),
  comments: columns({
    id: 'number',
    issueId: 'number',
    authorId: 'number',
    body: 'string',
    created: 'number',
  }),
}

function columns(types) {
  return Object.fromEntries(Object.entries(types).map(([name, type]) => [name, { type, optional: false }]))
}

/**
 * ZQL, the query engine inside Zero, in this process: memory sources, its query builder, its array view. A commit
 * flushes every view, as Zero's own context does at the end of a transaction.
 */
export async function open() {
  const [memory, source, delegate, query] = await Promise.all(
    ['ivm/memory-source', 'ivm/source', 'query/query-delegate-base', 'query/query-impl'].map((file) =>
      importPeer(`${SOURCES}/${file}.js`),
    ),
  )
  const api = { ...memory, ...source, ...delegate, ...query }
  return {
    name: 'zql',
    version: peerVersion('@rocicorp/zero'),
    remarks: {
      'list-page2':
        'zql has no offset: its hydrate starts from a cursor after row 50, its pair maintains the newest 100 and shows the last 50',
    },
    cannot: {},
    load: (dataset) => openDatabase(api, dataset),
    apply(state, rows) {
      state.clear()
      for (const row of rows) state.set(row.id, row)
    },
  }
}

function drain(stream) {
  for (const _ of stream);
}

function openDatabase(api, dataset) {
  const sources = new Map()
  for (const [table, types] of Object.entries(TABLES)) {
    const source = new api.MemorySource(table, types, ['id'])
    sources.set(table, source)
    for (const row of dataset[table]) drain(source.push(api.makeSourceChangeAdd(row)))
  }
  const commitListeners = new Set()
  class Context extends api.QueryDelegateBase {
    defaultQueryComplete = true
    getSource(table) {
      return sources.get(table)
    }
    onTransactionCommit(listener) {
      commitListeners.add(listener)
      return () => commitListeners.delete(listener)
    }
  }
  const context = new Context()
  const schema = {
    tables: Object.fromEntries(
      Object.entries(TABLES).map(([name, types]) => [name, { name, columns: types, primaryKey: ['id'] }]),
    ),
    relationships: {},
  }
  const issues = sources.get('issues')
  const write = (change) => {
    drain(issues.push(change))
    for (const listener of commitListeners) listener()
  }
  let pageEnd
  return {
    mount(view, purpose) {
      if (view.offset > 0 && purpose === 'read') pageEnd ??= lastRowBefore(view, dataset.issues)
      const built = build(api.newQuery(schema, 'issues'), view, purpose === 'read' ? pageEnd : undefined)
      return handle(context.materialize(built), view.offset > 0 && purpose !== 'read' ? view.offset : 0)
    },
    insert: (row) => write(api.makeSourceChangeAdd(row)),
    remove: (row) => write(api.makeSourceChangeRemove(row)),
    update: (previous, next) => write(api.makeSourceChangeEdit(next, previous)),
    size: () => [...sources.values()].reduce((sum, source) => sum + source.data.size, 0),
    close() {},
  }
}

/** The row a user of cursors has in hand when asking for the page after it. */
function lastRowBefore(view, issues) {
  return issues.filter((issue) => issue.open).sort((a, b) => b.created - a.created)[view.offset - 1]
}

function build(issues, view, cursor) {
  switch (view.kind) {
    case 'list': {
      const newest = issues.where('open', true).orderBy('created', 'desc')
      if (cursor !== undefined) return newest.start(cursor).limit(view.limit)
      return newest.limit(view.offset + view.limit)
    }
    case 'scan':
      return issues
    case 'filter':
      return issues.where('open', true)
    case 'detail':
      return issues.where('id', view.id)
    default:
      throw new Error(`bench: no query for the view kind ${view.kind}`)
  }
}

function handle(view, skip) {
  return {
    rows: () => (skip > 0 ? view.data.slice(skip) : view.data),
    subscribe: (onDelivery) =>
      view.addListener(skip > 0 ? (rows) => onDelivery(rows.slice(skip)) : onDelivery),
    close: () => view.destroy(),
  }
}
