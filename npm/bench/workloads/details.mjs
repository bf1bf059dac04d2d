import { makeDataset } from '../dataset.mjs'
import { openEngine } from '../engines/index.mjs'
import { minimumOfShort, timed } from '../measure.mjs'
import { mustAgree, readCells } from '../verify.mjs'

/**
 * Many small queries, one change: `count` queries `where id = X`, each with a subscriber, and one of the issues
 * updated. Counted: the update, delivered to the one subscriber it concerns. `mount` (build and read all of them once)
 * is printed beside it.
 */
export function detailWorkload(name, title, count) {
  return { name, title, run: (engineName, options) => run(engineName, count, options) }
}

async function run(engineName, count, options) {
  const engine = await openEngine(engineName)
  const dataset = makeDataset()
  const db = engine.load(dataset)
  const step = Math.floor(dataset.issues.length / count)
  const views = Array.from({ length: count }, (_, i) => ({ kind: 'detail', id: 1 + i * step }))

  let handles
  const mount = timed(() => {
    handles = db.mountAll?.(views) ?? views.map((view) => db.mount(view, 'watch'))
    for (const handle of handles) readCells(handle.rows())
  })
  views.forEach((view, i) => {
    mustAgree(view, handles[i].rows(), dataset.issues, 'after hydrate')
  })

  const target = views.length >> 1
  const view = views[target]
  let current = dataset.issues[view.id - 1]
  const update = (title) => {
    const next = { ...current, title, modified: current.modified + 1 }
    db.update(current, next)
    current = next
  }
  const issuesNow = () => dataset.issues.map((issue) => (issue.id === current.id ? current : issue))

  const replayed = new Map()
  let misdirected = 0
  let deliveries = 0
  const unsubscribes = handles.map((handle, i) =>
    handle.subscribe((delivery) => {
      if (i !== target) misdirected++
      deliveries++
      if (i === target) engine.apply(replayed, delivery)
    }),
  )
  misdirected = 0
  update('a first edit')
  mustAgree(view, handles[target].rows(), issuesNow(), 'after the update')
  mustAgree(
    view,
    [...replayed.values()],
    issuesNow(),
    'after the update, replayed from the delivered changes,',
  )

  let updates = 0
  deliveries = 0
  const result = await minimumOfShort(() => {
    update(updates % 2 === 0 ? 'one title' : 'another title')
    updates++
  }, options)
  if (deliveries < updates || misdirected > 0) {
    throw new Error(
      `bench: ${updates} updates brought ${deliveries} deliveries, ${misdirected} of them to strangers`,
    )
  }
  views.forEach((each, i) => {
    mustAgree(each, handles[i].rows(), issuesNow(), 'after all updates')
  })
  for (const unsubscribe of unsubscribes) unsubscribe()
  await Promise.all(handles.map((handle) => handle.close()))
  await db.close()
  return { mount: { min: mount, early: mount, cold: mount, rounds: 1 }, update: result }
}
