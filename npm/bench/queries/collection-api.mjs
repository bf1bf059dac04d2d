/** The views as users of the collection API write them; the same code for both libraries that speak it. */

const queries = {
  'list-author': (api, t) => (q) =>
    q
      .from({ issue: t.issues })
      .where(({ issue }) => api.eq(issue.open, true))
      .join({ user: t.users }, ({ issue, user }) => api.eq(issue.creatorId, user.id), 'left')
      .orderBy(({ issue }) => issue.created, 'desc')
      .limit(50)
      .select(({ issue, user }) => ({ id: issue.id, title: issue.title, author: user.name })),
  'list-count': (api, t) => (q) => {
    const counts = q
      .from({ comment: t.comments })
      .groupBy(({ comment }) => comment.issueId)
      .select(({ comment }) => ({ issueId: comment.issueId, n: api.count(comment.id) }))
    return q
      .from({ issue: t.issues })
      .where(({ issue }) => api.eq(issue.open, true))
      .join({ counts }, ({ issue, counts: c }) => api.eq(issue.id, c.issueId), 'left')
      .orderBy(({ issue }) => issue.created, 'desc')
      .limit(50)
      .select(({ issue, counts: c }) => ({
        id: issue.id,
        title: issue.title,
        comments: api.coalesce(c.n, 0),
      }))
  },
  'all-counts': (api, t) => (q) => {
    const counts = q
      .from({ comment: t.comments })
      .groupBy(({ comment }) => comment.issueId)
      .select(({ comment }) => ({ issueId: comment.issueId, n: api.count(comment.id) }))
    return q
      .from({ issue: t.issues })
      .join({ counts }, ({ issue, counts: c }) => api.eq(issue.id, c.issueId), 'left')
      .select(({ issue, counts: c }) => ({
        id: issue.id,
        title: issue.title,
        comments: api.coalesce(c.n, 0),
      }))
  },
  'all-authors': (api, t) => (q) =>
    q
      .from({ issue: t.issues })
      .join({ user: t.users }, ({ issue, user }) => api.eq(issue.creatorId, user.id), 'left')
      .select(({ issue, user }) => ({ id: issue.id, title: issue.title, author: user.name })),
  'two-joins': (api, t) => (q) =>
    q
      .from({ comment: t.comments })
      .join({ issue: t.issues }, ({ comment, issue }) => api.eq(comment.issueId, issue.id), 'left')
      .join({ user: t.users }, ({ comment, user }) => api.eq(comment.authorId, user.id), 'left')
      .orderBy(({ comment }) => comment.created, 'desc')
      .limit(50)
      .select(({ comment, issue, user }) => ({ id: comment.id, issue: issue.title, author: user.name })),
  'group-all': (api, t) => (q) =>
    q
      .from({ issue: t.issues })
      .groupBy(({ issue }) => issue.creatorId)
      .select(({ issue }) => ({
        creator: issue.creatorId,
        n: api.count(issue.id),
        sum: api.sum(issue.priority),
        avg: api.avg(issue.priority),
        min: api.min(issue.created),
        max: api.max(issue.created),
      })),
  distinct: (_api, t) => (q) =>
    q
      .from({ issue: t.issues })
      .select(({ issue }) => ({ creator: issue.creatorId, priority: issue.priority }))
      .distinct(),
  nested: (api, t) => (q) => {
    const open = q.from({ issue: t.issues }).where(({ issue }) => api.eq(issue.open, true))
    const counts = q
      .from({ open })
      .groupBy(({ open: o }) => o.creatorId)
      .select(({ open: o }) => ({ creator: o.creatorId, n: api.count(o.id) }))
    return q
      .from({ counts })
      .where(({ counts: c }) => api.gt(c.n, 3))
      .orderBy(({ counts: c }) => c.n, 'desc')
      .orderBy(({ counts: c }) => c.creator)
      .limit(20)
  },
  /** The newest 50 by `modified`: a row of it that changes goes to the top. */
  'recent-50': (_api, t) => (q) =>
    q
      .from({ issue: t.issues })
      .orderBy(({ issue }) => issue.modified, 'desc')
      .limit(50),
  /** Issues with a comment by someone of the name 'bot'; every issue has one comment. */
  'exists-chain': (api, t) => (q) =>
    api.exists === undefined
      ? q
          .from({ issue: t.issues })
          .join({ comment: t.comments }, ({ issue, comment }) => api.eq(issue.id, comment.issueId), 'inner')
          .join({ user: t.users }, ({ comment, user }) => api.eq(comment.authorId, user.id), 'inner')
          .where(({ user }) => api.eq(user.name, 'bot'))
          .orderBy(({ issue }) => issue.id)
          .limit(10)
          .select(({ issue }) => ({ id: issue.id }))
      : q
          .from({ issue: t.issues })
          .where(({ issue }) =>
            api.exists(
              new api.Query()
                .from({ comment: t.comments })
                .where(({ comment }) => api.eq(comment.issueId, issue.id))
                .where(({ comment }) =>
                  api.exists(
                    new api.Query()
                      .from({ user: t.users })
                      .where(({ user }) => api.eq(user.id, comment.authorId))
                      .where(({ user }) => api.eq(user.name, 'bot')),
                  ),
                ),
            ),
          )
          .orderBy(({ issue }) => issue.id)
          .limit(10),
  /** All nodes under node 1. */
  tree: (api, t) => (q) =>
    q.recursive(
      {
        node: (b) =>
          b
            .from({ root: t.nodes })
            .where(({ root }) => api.eq(root.id, 1))
            .select(({ root }) => ({ id: root.id })),
      },
      (b, self) =>
        b
          .from({ above: self })
          .innerJoin({ child: t.nodes }, ({ above, child }) => api.eq(child.parent, above.id))
          .select(({ child }) => ({ id: child.id })),
    ),
}

/** Opens the named tables of a dataset. Writes are sync transactions of one row. */
export function openTables(api, options, dataset) {
  const tables = {}
  const syncs = {}
  for (const [id, rows] of Object.entries(dataset)) {
    tables[id] = api.createCollection({
      id: `${id}-${Math.random()}`,
      getKey: (row) => row.id,
      startSync: true,
      gcTime: 0,
      ...options,
      sync: {
        rowUpdateMode: 'full',
        sync: (params) => {
          syncs[id] = params
          params.begin()
          for (const row of rows) params.write({ type: 'insert', value: row })
          params.commit()
          params.markReady()
        },
      },
    })
  }
  const write = (table, message) => {
    syncs[table].begin()
    syncs[table].write(message)
    syncs[table].commit()
  }
  return {
    mount: (name) => mount(api, queries[name](api, tables)),
    insert: (table, row) => write(table, { type: 'insert', value: row }),
    remove: (table, row) => write(table, { type: 'delete', value: row }),
    update: (table, _previous, next) => write(table, { type: 'update', value: next }),
    async close() {
      await Promise.all(Object.values(tables).map((table) => table.cleanup()))
    },
  }
}

function mount(api, query) {
  const live = api.createLiveQueryCollection({ query, startSync: true, gcTime: 0 })
  return {
    rows: () => live.toArray,
    subscribe(onDelivery) {
      const subscription = live.subscribeChanges((changes) => onDelivery(changes.length))
      return () => subscription.unsubscribe()
    },
    close: () => live.cleanup(),
  }
}
