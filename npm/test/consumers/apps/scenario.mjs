/**
 * One live query over one synced collection: hydrate, insert, update, delete. Takes the library's
 * exports, so that an application proves how it got hold of them, and returns what it saw as plain
 * data. `expected` is what it must have seen.
 */
export async function scenario({ createCollection, createLiveQueryCollection, eq }) {
  let sync
  const issues = createCollection({
    id: 'issues',
    getKey: (issue) => issue.id,
    sync: {
      sync(session) {
        sync = session
        session.begin()
        for (let id = 1; id <= 20; id++) {
          session.write({ type: 'insert', value: { id, open: id % 2 === 0, created: id * 10 } })
        }
        session.commit()
        session.markReady()
      },
    },
  })
  const newest = createLiveQueryCollection((q) =>
    q
      .from({ issue: issues })
      .where(({ issue }) => eq(issue.open, true))
      .orderBy(({ issue }) => issue.created, 'desc')
      .limit(3),
  )
  await newest.preload()
  const ids = () => newest.toArray.map((issue) => issue.id)
  const seen = { loaded: issues.size, initial: ids(), changes: [] }
  newest.subscribeChanges((changes) => {
    for (const change of changes) seen.changes.push(`${change.type} ${change.key}`)
  })
  const write = (message) => {
    sync.begin()
    sync.write(message)
    sync.commit()
    return ids()
  }
  seen.inserted = write({ type: 'insert', value: { id: 21, open: true, created: 500 } })
  seen.updated = write({ type: 'update', value: { id: 4, open: true, created: 600 } })
  seen.deleted = write({ type: 'delete', key: 21 })
  await newest.cleanup()
  await issues.cleanup()
  return seen
}

export const expected = {
  loaded: 20,
  initial: [20, 18, 16],
  inserted: [21, 20, 18],
  updated: [4, 21, 20],
  deleted: [4, 20, 18],
}
