import { makeDataset, probeMaker } from '../dataset.mjs'
import { openEngine } from '../engines/index.mjs'
import { minimumOf, minimumOfShort, timed } from '../measure.mjs'
import { arrange, checksum, expectedRows, mustAgree, readCells } from '../verify.mjs'

/** Content is compared in the first round and in every so many rounds after it; the row count in all of them. */
const CHECK_EVERY = 16

/**
 * One view over the issues. Hydrate: build the query and read every cell of every row; a new query each round, closed
 * outside the timed part. Pair: one issue added and removed again, both delivered to a subscriber.
 */
export function viewWorkload(name, title, view, scale = 1) {
  return { name, title, run: (engineName, options) => run(engineName, view, scale, options) }
}

async function run(engineName, view, scale, options) {
  const engine = await openEngine(engineName)
  const dataset = makeDataset({ scale, only: scale === 1 ? undefined : ['issues'] })
  const db = engine.load(dataset)

  const count = expectedRows(view, dataset.issues).length
  let round = 0
  const hydrate = await minimumOf(async () => {
    const { spent, handle, rows } = hydrateOnce(db, view)
    if (rows.length !== count) throw new Error(`bench: ${rows.length} rows after hydrate, expected ${count}`)
    // The full comparison makes garbage; doing it every round would measure its collection.
    if (round++ % CHECK_EVERY === 0) mustAgree(view, rows, dataset.issues, 'after hydrate')
    await handle.close()
    return spent
  }, options)
  await verifySteps(engine, db, view, dataset)
  const pair = await measurePair(db, view, dataset, options)
  await db.close()
  return { hydrate, pair, checksum: checksum(view, expectedRows(view, dataset.issues)) }
}

function hydrateOnce(db, view) {
  let handle
  let rows
  const spent = timed(() => {
    handle = db.mount(view, 'read')
    rows = handle.rows()
    readCells(rows)
  })
  return { spent, handle, rows }
}

/**
 * Adds and removes a probe before anything is counted: after each step the view read directly and the view put
 * together from the delivered changes must both equal the recomputation.
 */
async function verifySteps(engine, db, view, dataset) {
  const handle = db.mount(view, 'watch')
  const replayed = new Map()
  const unsubscribe = handle.subscribe((delivery) => engine.apply(replayed, delivery))
  const check = (issues, moment) => {
    mustAgree(view, handle.rows(), issues, moment)
    mustAgree(
      view,
      arrange(view, replayed.values()),
      issues,
      `${moment}, replayed from the delivered changes,`,
    )
  }
  check(dataset.issues, 'at the subscription')
  const probe = { ...probeMaker(dataset)(), id: dataset.issues.length + 5_000_000 }
  db.insert(probe)
  check([...dataset.issues, probe], 'after the add')
  db.remove(probe)
  check(dataset.issues, 'after the remove')
  unsubscribe()
  await handle.close()
}

async function measurePair(db, view, dataset, options) {
  const handle = db.mount(view, 'watch')
  let deliveries = 0
  const unsubscribe = handle.subscribe(() => {
    deliveries++
  })
  const nextProbe = probeMaker(dataset)
  let pairs = 0
  deliveries = 0
  const result = await minimumOfShort(() => {
    const probe = nextProbe()
    db.insert(probe)
    db.remove(probe)
    pairs++
  }, options)
  if (deliveries < pairs * 2) {
    throw new Error(
      `bench: ${pairs} pairs brought ${deliveries} deliveries; each add and each remove must bring one`,
    )
  }
  mustAgree(view, handle.rows(), dataset.issues, 'after all pairs')
  unsubscribe()
  await handle.close()
  return result
}
