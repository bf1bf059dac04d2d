/**
 * One adapter for both libraries that speak the collection API: what is measured on either side is the same user
 * code, only the import and the index options differ.
 */
export function collectionEngine(name, api, { collectionOptions = {}, version }) {
  return {
    name,
    version,
    api,
    collectionOptions,
    remarks: {},
    cannot: {},
    load: (dataset) => openDatabase(api, collectionOptions, dataset),
    apply: applyChanges,
  }
}

function openDatabase(api, options, dataset) {
  const users = fill(api, options, 'users', dataset.users)
  const issues = fill(api, options, 'issues', dataset.issues)
  const comments = fill(api, options, 'comments', dataset.comments)
  const write = (message) => {
    issues.sync.begin()
    issues.sync.write(message)
    issues.sync.commit()
  }
  return {
    mount: (view) => mount(api, issues.collection, view),
    insert: (row) => write({ type: 'insert', value: row }),
    remove: (row) => write({ type: 'delete', value: row }),
    update: (_previous, next) => write({ type: 'update', value: next }),
    size: () => users.collection.size + issues.collection.size + comments.collection.size,
    async close() {
      await Promise.all([users, issues, comments].map((table) => table.collection.cleanup()))
    },
  }
}

function fill(api, options, id, rows) {
  let sync
  const collection = api.createCollection({
    id,
    getKey: (row) => row.id,
    startSync: true,
    gcTime: 0,
    ...options,
    sync: {
      rowUpdateMode: 'full',
      sync: (params) => {
        sync = params
        params.begin()
        for (const row of rows) params.write({ type: 'insert', value: row })
        params.commit()
        params.markReady()
      },
    },
  })
  return { collection, sync }
}

function buildQuery(api, issues, view) {
  switch (view.kind) {
    case 'list':
      return (q) => {
        const newest = q
          .from({ issue: issues })
          .where(({ issue }) => api.eq(issue.open, true))
          .orderBy(({ issue }) => issue.created, 'desc')
          .limit(view.limit)
        return view.offset > 0 ? newest.offset(view.offset) : newest
      }
    case 'scan':
      return (q) => q.from({ issue: issues })
    case 'filter':
      return (q) => q.from({ issue: issues }).where(({ issue }) => api.eq(issue.open, true))
    case 'detail':
      return (q) => q.from({ issue: issues }).where(({ issue }) => api.eq(issue.id, view.id))
    default:
      throw new Error(`bench: no query for the view kind ${view.kind}`)
  }
}

function mount(api, issues, view) {
  const live = api.createLiveQueryCollection({
    query: buildQuery(api, issues, view),
    startSync: true,
    gcTime: 0,
  })
  return {
    rows: () => live.toArray,
    subscribe(onDelivery) {
      const subscription = live.subscribeChanges(onDelivery, { includeInitialState: true })
      return () => subscription.unsubscribe()
    },
    close: () => live.cleanup(),
  }
}

function applyChanges(state, changes) {
  for (const change of changes) {
    if (change.type === 'delete') state.delete(change.key)
    else state.set(change.key, change.value)
  }
}
