import { importPeer } from '../engines/peer-files.mjs'

/** The views for ZQL, whose rows hold related rows instead of joined fields. */

const SOURCES = '@rocicorp/zero/out/zql/src'

const columns = (types) =>
  Object.fromEntries(Object.entries(types).map(([name, type]) => [name, { type, optional: false }]))

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

const related = (source, dest, destSchema, cardinality) => [
  { sourceField: [source], destField: [dest], destSchema, cardinality },
]

const SCHEMA = {
  tables: Object.fromEntries(
    Object.entries(TABLES).map(([name, types]) => [name, { name, columns: types, primaryKey: ['id'] }]),
  ),
  relationships: {
    issues: {
      creator: related('creatorId', 'id', 'users', 'one'),
      comments: related('id', 'issueId', 'comments', 'many'),
    },
    comments: {
      issue: related('issueId', 'id', 'issues', 'one'),
      author: related('authorId', 'id', 'users', 'one'),
    },
  },
}

const newest = (t) => t.issues.where('open', true).orderBy('created', 'desc').limit(50)

const queries = {
  'list-author': (t) => newest(t).related('creator'),
  'list-count': (t) => newest(t).related('comments'),
  'all-counts': (t) => t.issues.related('comments'),
  'all-authors': (t) => t.issues.related('creator'),
  'two-joins': (t) => t.comments.orderBy('created', 'desc').limit(50).related('issue').related('author'),
  'recent-50': (t) => t.issues.orderBy('modified', 'desc').limit(50),
  'exists-chain': (t) =>
    t.issues
      .whereExists('comments', (c) => c.whereExists('author', (a) => a.where('name', 'bot')))
      .orderBy('id', 'asc')
      .limit(10),
}

/** The views that ZQL can say. */
export const ZQL_VIEWS = Object.keys(queries)

function drain(stream) {
  for (const _ of stream);
}

/** Loads what opening tables needs. */
export async function openZql() {
  const files = ['ivm/memory-source', 'ivm/source', 'query/query-delegate-base', 'query/query-impl']
  const parts = await Promise.all(files.map((file) => importPeer(`${SOURCES}/${file}.js`)))
  const api = Object.assign({}, ...parts)
  return (dataset) => openTables(api, dataset)
}

function openTables(api, dataset) {
  const sources = new Map()
  for (const [table, types] of Object.entries(TABLES)) {
    const source = new api.MemorySource(table, types, ['id'])
    sources.set(table, source)
    for (const row of dataset[table] ?? []) drain(source.push(api.makeSourceChangeAdd(row)))
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
  const write = (table, change) => {
    drain(sources.get(table).push(change))
    for (const listener of commitListeners) listener()
  }
  return {
    mount(name) {
      const start = Object.fromEntries(
        Object.keys(TABLES).map((table) => [table, api.newQuery(SCHEMA, table)]),
      )
      const view = context.materialize(queries[name](start))
      return {
        rows: () => view.data,
        subscribe: (onDelivery) => view.addListener(() => onDelivery(1)),
        close: () => view.destroy(),
      }
    },
    insert: (table, row) => write(table, api.makeSourceChangeAdd(row)),
    remove: (table, row) => write(table, api.makeSourceChangeRemove(row)),
    update: (table, previous, next) => write(table, api.makeSourceChangeEdit(next, previous)),
    close() {},
  }
}
