import { openEngine } from '../engines/index.mjs'
import { minimumOf, minimumOfShort, timed } from '../measure.mjs'

/** Only the two libraries with this API: writes, events and reads of one collection, no query mounted. */
const engines = ['millrace', 'tanstack']

const rowOf = (id) => ({ id, title: `row ${id}`, done: id % 3 === 0, rank: (id * 7919) % 100_003 })

let made = 0

function synced(api, rows, handlers = {}) {
  let sync
  const collection = api.createCollection({
    id: `synced-${++made}`,
    getKey: (row) => row.id,
    startSync: true,
    gcTime: 0,
    ...handlers,
    sync: {
      rowUpdateMode: 'full',
      sync: (params) => {
        sync = params
        params.begin()
        for (let id = 0; id < rows; id++) params.write({ type: 'insert', value: rowOf(id) })
        params.commit()
        params.markReady()
      },
    },
  })
  return { collection, sync }
}

function expect(condition, what) {
  if (!condition) throw new Error(`bench: ${what}`)
}

/** 100,000 rows in one sync transaction, and in one local insert; the library's share is what differs. */
export const bulkWorkload = {
  name: 'bulk-write',
  title: '100,000 rows: one sync transaction (load), one insert into a local-only collection (insert)',
  engines,
  async run(engineName, options) {
    const { api } = await openEngine(engineName)
    const count = 100_000
    const rows = Array.from({ length: count }, (_, id) => rowOf(id))
    const load = await minimumOf(async () => {
      let table
      const spent = timed(() => {
        table = synced(api, count)
      })
      expect(table.collection.size === count, 'the sync transaction lost rows')
      await table.collection.cleanup()
      globalThis.gc?.()
      return spent
    }, options)
    const insert = await minimumOf(async () => {
      const collection = api.createCollection(
        api.localOnlyCollectionOptions({ id: `local-${++made}`, getKey: (row) => row.id }),
      )
      const spent = timed(() => collection.insert(rows))
      expect(collection.size === count && collection.get(77).title === 'row 77', 'the insert lost rows')
      await collection.cleanup()
      globalThis.gc?.()
      return spent
    }, options)
    return { load, insert }
  },
}

/** One row updated in a sync transaction of its own, in a collection of 10,000. */
export const commitWorkload = {
  name: 'one-row-commit',
  title: 'sync transaction of one row: without subscribers (alone), with 10 (watched)',
  engines,
  async run(engineName, options) {
    const { api } = await openEngine(engineName)
    const { collection, sync } = synced(api, 10_000)
    let rank = 0
    const commit = () => {
      sync.begin()
      sync.write({ type: 'update', value: { ...rowOf(77), rank: ++rank } })
      sync.commit()
    }
    const alone = await minimumOfShort(commit, options)
    let told = 0
    for (let i = 0; i < 10; i++) {
      collection.subscribeChanges(
        (changes) => {
          told += changes.length
        },
        { includeInitialState: false },
      )
    }
    told = 0
    const before = rank
    const watched = await minimumOfShort(commit, options)
    expect(told === 10 * (rank - before), `${rank - before} commits told ${told} changes to ten subscribers`)
    expect(collection.get(77).rank === rank, 'the last commit does not show')
    return { alone, watched }
  },
}

/** One optimistic update with a handler that settles later, until the call has returned and the row shows it. */
export const optimisticWorkload = {
  name: 'optimistic',
  title: 'optimistic update, handler resolves later: until it shows',
  engines,
  async run(engineName, options) {
    const { api } = await openEngine(engineName)
    const { collection, sync } = synced(api, 10_000, { onUpdate: () => Promise.resolve() })
    collection.subscribeChanges(() => {}, { includeInitialState: false })
    let rank = 1_000_000
    const update = await minimumOf(async () => {
      rank++
      const spent = timed(() => {
        collection.update(77, (draft) => {
          draft.rank = rank
        })
      })
      expect(collection.get(77).rank === rank, 'the update does not show')
      // Confirmed and settled before the next, outside the timed part.
      await new Promise((resolve) => setImmediate(resolve))
      sync.begin()
      sync.write({ type: 'update', value: { ...rowOf(77), rank } })
      sync.commit()
      return spent
    }, options)
    return { update }
  },
}

/** 10,000 updates of different rows, each a transaction that is being sent for as long as the others are made. */
export const pendingWorkload = {
  name: 'pending-10000',
  title: '10,000 pending writes on one collection: all of them made',
  engines,
  async run(engineName) {
    const { api } = await openEngine(engineName)
    const count = 10_000
    const { collection } = synced(api, count, { onUpdate: () => new Promise(() => {}) })
    const spent = timed(() => {
      for (let id = 0; id < count; id++) {
        collection.update(id, (draft) => {
          draft.title = 'edited'
        })
      }
    })
    expect(collection.get(count - 1).title === 'edited', 'the last update does not show')
    const figures = { min: spent, early: spent, cold: spent, rounds: 1 }
    return { update: figures }
  },
}

/** Reads of a collection of 100,000 rows: every row by key, and all rows in order. */
export const readWorkload = {
  name: 'reads',
  title: '100,000 rows: get of each (get), of a plain Map (map), iteration of all entries (iterate)',
  engines,
  async run(engineName, options) {
    const { api } = await openEngine(engineName)
    const count = 100_000
    const { collection } = synced(api, count)
    const map = new Map(Array.from({ length: count }, (_, id) => [id, rowOf(id)]))
    let sum = 0
    const getAll = (from) => () => {
      for (let id = 0; id < count; id++) sum += from.get(id).rank
    }
    const get = await minimumOf(() => timed(getAll(collection)), options)
    const plain = await minimumOf(() => timed(getAll(map)), options)
    let seen = 0
    const iterate = await minimumOf(() => {
      seen = 0
      return timed(() => {
        for (const [, row] of collection.entries()) if (row.rank >= 0) seen++
      })
    }, options)
    expect(seen === count && sum > 0, `iteration saw ${seen} rows of ${count}`)
    return { get, map: plain, iterate }
  },
}
