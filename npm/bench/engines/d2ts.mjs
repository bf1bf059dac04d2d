import { importPeer, peerVersion } from './peer-files.mjs'

/**
 * d2ts is the operator graph alone: no tables, no indexes, no result store. A query is a graph built for it and fed
 * all rows, and the rows of its output are kept in a Map here, as any user of it would have to.
 */
export async function open() {
  const api = await importPeer('@electric-sql/d2ts/dist/index.js')
  return {
    name: 'd2ts',
    version: peerVersion('@electric-sql/d2ts'),
    remarks: {
      'detail-500':
        'd2ts gets one graph with a filter per query, since a finished graph takes no further query',
    },
    cannot: {
      load: 'd2ts keeps no tables',
      memory: 'd2ts keeps no tables',
    },
    load: (dataset) => openDatabase(api, dataset),
    apply: applyChanges,
  }
}

function openDatabase(api, dataset) {
  const rows = new Map(dataset.issues.map((row) => [row.id, row]))
  const graphs = new Set()
  const write = (changes) => {
    for (const graph of graphs) graph.send(changes)
  }
  const mountAll = (views) => {
    const graph = buildGraph(api, views, rows)
    graphs.add(graph)
    return graph.outputs.map((output) => ({ ...output, close: () => void graphs.delete(graph) }))
  }
  return {
    mount: (view) => mountAll([view])[0],
    mountAll,
    insert(row) {
      rows.set(row.id, row)
      write([[[row.id, row], 1]])
    },
    remove(row) {
      rows.delete(row.id)
      write([[[row.id, row], -1]])
    },
    update(previous, next) {
      rows.set(next.id, next)
      write([
        [[previous.id, previous], -1],
        [[next.id, next], 1],
      ])
    },
    close() {},
  }
}

function pipeline(api, input, view) {
  switch (view.kind) {
    case 'list':
      return input.pipe(
        api.filter(([, row]) => row.open),
        api.map(([, row]) => [null, row]),
        api.topK((a, b) => b.created - a.created, { limit: view.limit, offset: view.offset }),
        api.map(([, row]) => [row.id, row]),
      )
    case 'scan':
      return input
    case 'filter':
      return input.pipe(api.filter(([, row]) => row.open))
    case 'detail':
      return input.pipe(api.filter(([id]) => id === view.id))
    default:
      throw new Error(`bench: no pipeline for the view kind ${view.kind}`)
  }
}

function buildGraph(api, views, rows) {
  const graph = new api.D2({ initialFrontier: 0 })
  const input = graph.newInput()
  const sinks = views.map((view) => {
    const sink = makeSink(view)
    pipeline(api, input, view).pipe(
      api.output((message) => {
        if (message.type === api.MessageType.DATA) sink.take(message.data.collection.getInner())
      }),
    )
    return sink
  })
  graph.finalize()
  let version = 0
  const send = (changes) => {
    input.sendData(version, new api.MultiSet(changes))
    input.sendFrontier(++version)
    graph.run()
  }
  send([...rows].map((entry) => [entry, 1]))
  return { send, outputs: sinks.map((sink) => sink.handle) }
}

function makeSink(view) {
  const rows = new Map()
  const listeners = new Set()
  const take = (changes) => {
    if (changes.length === 0) return
    applyChanges(rows, changes)
    for (const listener of listeners) listener(changes)
  }
  const newest = (a, b) => b.created - a.created
  const handle = {
    rows: () => (view.kind === 'list' ? [...rows.values()].sort(newest) : [...rows.values()]),
    subscribe(onDelivery) {
      onDelivery([...rows].map((entry) => [entry, 1]))
      listeners.add(onDelivery)
      return () => listeners.delete(onDelivery)
    },
  }
  return { take, handle }
}

/** Retractions first: an update arrives as both, in no promised order. */
function applyChanges(state, changes) {
  for (const [[id], weight] of changes) if (weight < 0) state.delete(id)
  for (const [[id, row], weight] of changes) if (weight > 0) state.set(id, row)
}
