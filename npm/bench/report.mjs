import { markdownDocument, megabytes, short, textTable, times } from './table.mjs'

/** Turns a run (as written to the JSON file) into the report on standard output and into markdown. */

const MEASURES = [
  'hydrate',
  'pair',
  'mount',
  'comment',
  'update',
  'move',
  'cut',
  'leaf',
  'load',
  'insert',
  'alone',
  'watched',
  'get',
  'map',
  'iterate',
]

function engineRows(byEngine) {
  const measures = MEASURES.filter((measure) => Object.values(byEngine).some((figures) => figures[measure]))
  const head = ['engine', ...measures.flatMap((m) => [`${m} ms`, 'vs millrace', 'first 30', 'cold'])]
  const ours = byEngine.millrace
  const rows = Object.entries(byEngine).map(([engine, figures]) => [
    engine,
    ...measures.flatMap((measure) => {
      const measured = figures[measure]
      if (measured === undefined) return [figures.failed ? 'failed' : '–', '–', '–', '–']
      const ratio = measured.min / ours?.[measure]?.min
      return [short(measured.min), times(ratio), short(measured.early), short(measured.cold)]
    }),
  ])
  return { head, rows }
}

function memoryRows(byEngine) {
  const ours = byEngine.millrace?.memory?.addedBytes
  const head = ['engine', 'added MB', 'vs millrace', 'JS heap MB', 'external MB', 'wasm memory MB']
  const rows = Object.entries(byEngine).map(([engine, { memory, failed }]) =>
    memory === undefined
      ? [engine, failed ? 'failed' : '–', '–', '–', '–', '–']
      : [
          engine,
          megabytes(memory.addedBytes),
          times(memory.addedBytes / ours),
          megabytes(memory.heapBytes),
          megabytes(memory.externalBytes),
          megabytes(memory.wasmBytes),
        ],
  )
  return { head, rows }
}

function startupRows(byEngine) {
  const head = [
    'engine',
    'import ms',
    'first collection',
    'first query',
    'the same on CPU: import',
    'collection',
    'query',
  ]
  const steps = ['imported', 'collection', 'query']
  const rows = Object.entries(byEngine).map(([engine, { startup }]) =>
    startup === undefined
      ? [engine, ...steps.flatMap(() => ['–', '–'])]
      : [
          engine,
          ...steps.map((step) => short(startup[step].wall)),
          ...steps.map((step) => short(startup[step].cpu)),
        ],
  )
  return { head, rows }
}

function workloadTable(name, byEngine) {
  if (name === 'memory') return memoryRows(byEngine)
  if (name === 'startup') return startupRows(byEngine)
  return engineRows(byEngine)
}

function notes(byEngine) {
  return Object.entries(byEngine).flatMap(([engine, { skipped, failed, remark }]) => {
    if (failed) return [`${engine} failed: ${failed.split('\n')[0]}`]
    if (skipped) return [`not for ${engine}: ${skipped}`]
    return remark ? [remark] : []
  })
}

function aimRows(aims) {
  const head = ['aim', 'against', 'measured', 'first 30', 'wanted', 'verdict']
  const rows = aims.map(({ what, against, value, early, aim, larger, verdict }) => {
    const show = against === 'budget' ? short : times
    return [what, against, show(value), show(early), `${larger ? '≥' : '≤'} ${show(aim)}`, verdict]
  })
  return { head, rows }
}

function sections(run) {
  const found = Object.entries(run.results).map(([name, byEngine]) => ({
    title: run.titles[name],
    table: workloadTable(name, byEngine),
    notes: notes(byEngine),
  }))
  const module = run.module
  const sizes =
    module === undefined
      ? 'Module: not built.'
      : `Module: ${short(module.raw / 1000)} kB raw, ${short(module.gzip / 1000)} kB gzip, ${short(module.brotli / 1000)} kB brotli.`
  return [...found, { title: 'Aims', table: aimRows(run.aims), notes: [sizes] }]
}

function preface(run) {
  const versions = Object.entries(run.versions).map(([engine, version]) => `${engine} ${version}`)
  return [
    `${run.machine.cpus} x ${run.machine.cpu}, ${run.machine.os}, Node ${run.machine.node}; load average ${run.machine.load.map(short).join(', ')}`,
    `engines: ${versions.join(', ')}`,
    `clock: ${run.clock}; minimum over rounds; cold is the first round of a fresh process`,
  ]
}

/** The whole run as plain text. */
export function textReport(run) {
  const body = sections(run).map(({ title, table, notes: remarks }) =>
    [`\n${title}\n`, textTable(table.head, table.rows), ...remarks.map((remark) => `  ${remark}`)].join('\n'),
  )
  return [...preface(run), ...body].join('\n')
}

/** The whole run as markdown, for docs/performance.md. */
export function markdownReport(run) {
  return markdownDocument(
    preface(run),
    sections(run).map(({ title, table, notes: remarks }) => ({
      heading: `### ${title}`,
      table: [table.head, table.rows],
      notes: remarks,
    })),
  )
}
