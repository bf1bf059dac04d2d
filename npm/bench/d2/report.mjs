import { markdownDocument, short, textTable, times } from '../table.mjs'

/** Turns a run (as written to the JSON file) into the report on standard output and into markdown. */

const GROUPS = [
  ['flow', 'Shapes of graphs'],
  ['state', 'Operators with state'],
  ['top', 'The first fifty of a million rows'],
]
const STRATEGIES = ['windowed', 're-read', 'chosen', 'retained']

const allocations = (value) => (value === undefined ? '–' : value < 0.0005 ? '0' : value.toFixed(3))

function speedRow({ name, visits, results }) {
  const { native, wasm, 'db-ivm': peer } = results
  const seen = visits ?? native?.visits
  return [
    name,
    visits ?? '–',
    short(native?.micros),
    short(wasm?.micros),
    short(peer?.micros),
    times(peer?.micros / native?.micros),
    times(peer?.micros / wasm?.micros),
    visits === undefined ? '–' : short((native?.micros * 1000) / seen),
    allocations(native?.allocs),
    allocations(wasm?.allocs),
  ]
}

/** One line for each thing that is to be said, with everything it is said of. */
function remarksOn(workloads) {
  const of = new Map()
  for (const { name, remark, wrong, results } of workloads) {
    if (remark) of.set(remark, [...(of.get(remark) ?? []), name])
    if (wrong) of.set(wrong, [name])
    for (const [engine, { failed }] of Object.entries(results)) {
      if (failed) of.set(`${engine} failed: ${failed.split('\n')[0]}`, [name])
    }
  }
  return [...of].map(([remark, names]) =>
    remark.startsWith('native failed') || remark.startsWith('wasm failed')
      ? `${names.join('; ')}: ${remark}`
      : `db-ivm, ${names.join('; ')}: ${remark}`,
  )
}

function speed(run) {
  const head = [
    'workload',
    'visits',
    'native µs',
    'wasm µs',
    'db-ivm µs',
    'native ahead',
    'wasm ahead',
    'native ns/visit',
    'allocs/run native',
    'wasm',
  ]
  return GROUPS.flatMap(([group, heading]) => {
    const workloads = run.workloads.filter((workload) => workload.group === group)
    if (workloads.length === 0) return []
    return [{ heading, table: [head, workloads.map(speedRow)], notes: remarksOn(workloads) }]
  })
}

function aims(run) {
  const head = ['aim', 'measured', 'wanted', 'verdict']
  const rows = run.aims.map(({ what, value, aim, larger, unit, note, verdict }) => {
    const show = unit === 'x' ? times : short
    return [note ? `${what} (${note})` : what, show(value), `${larger ? '≥' : '≤'} ${show(aim)}`, verdict]
  })
  return [{ heading: 'Aims of the dataflow engine', table: [head, rows], notes: [] }]
}

const CUSHIONS = ['c = 0', 'c = N/5', 'c = N', 'adaptive']

function refills(run) {
  const rows = run.counted.refills ?? []
  return [...new Set(rows.map(({ limit }) => limit))].map((limit) => ({
    heading: `Refills per 1,000 changes (rows held beyond the window), N = ${limit}`,
    table: [
      ['changes', ...CUSHIONS],
      rows
        .filter((row) => row.limit === limit)
        .map(({ churn, cells }) => [
          churn,
          ...cells.map((cell) => `${short(Number(cell.refills.toFixed(2)))} (${Math.round(cell.spare)})`),
        ]),
    ],
    notes: [],
  }))
}

/** Names of the crossover read "crossover R=… N=… churn B=… strategy". */
const CROSSOVER = /^crossover R=([\d,]+) N=([\d,]+) (.+) B=([\d,]+) (\S+)$/

function crossover(run) {
  const cells = run.workloads.flatMap(({ name, results }) => {
    const match = CROSSOVER.exec(name)
    return match === null
      ? []
      : [{ r: match[1], n: match[2], churn: match[3], b: match[4], how: match[5], results }]
  })
  const distinct = (field) => [...new Set(cells.map((cell) => cell[field]))]
  const tables = []
  for (const engine of ['native', 'wasm']) {
    for (const r of distinct('r')) {
      const here = cells.filter((cell) => cell.r === r && cell.results[engine] !== undefined)
      if (here.length === 0) continue
      const sizes = distinct('b')
      const rows = distinct('n').flatMap((n) =>
        distinct('churn').map((churn) => [
          n,
          churn,
          ...sizes.map((b) => {
            const of = (how) =>
              here.find((c) => c.n === n && c.churn === churn && c.b === b && c.how === how)?.results[engine]
            return STRATEGIES.map((how) => short(of(how)?.micros)).join(' / ')
          }),
        ]),
      )
      tables.push({
        heading: `µs per run: ${STRATEGIES.join(' / ')}; R = ${r}, ${engine}`,
        table: [['N', 'churn', ...sizes.map((b) => `B = ${b}`)], rows],
        notes: [],
      })
    }
  }
  return tables
}

const HYDRATE = /^hydrate R=([\d,]+) (1\/[\d,]+) N=([\d,]+) (\S+)$/

function kilobytes(bytes) {
  return bytes === undefined ? '–' : `${short(bytes / 1000)} kB`
}

function hydrate(run) {
  const lines = new Map()
  for (const { name, results } of run.workloads) {
    const match = HYDRATE.exec(name)
    if (match === null) continue
    const [, r, share, n, how] = match
    const key = `${r} ${share} ${n}`
    if (!lines.has(key)) lines.set(key, { r, share, n })
    lines.get(key)[how] = results
  }
  if (lines.size === 0) return []
  const both = (results) =>
    `${short(results?.native?.micros / 1000)} / ${short(results?.wasm?.micros / 1000)}`
  return [
    {
      heading: 'First filling of a window, ms (native / wasm), and memory',
      table: [
        [
          'R',
          'passing',
          'N',
          'retained, from the index',
          'retained, rows pushed',
          'windowed',
          'held, retained',
          'held, windowed',
        ],
        [...lines.values()].map(({ r, share, n, retained, pushed, windowed }) => [
          r,
          share,
          n,
          both(retained),
          both(pushed),
          both(windowed),
          kilobytes(retained?.native?.bytes),
          kilobytes(windowed?.native?.bytes),
        ]),
      ],
      notes: [],
    },
  ]
}

const perThousand = (value) => short(Number(value.toFixed(1)))

function merges(run) {
  const rows = run.counted.merges ?? []
  if (rows.length === 0) return []
  return [
    {
      heading: 'A window over shards: rows read to fill it, and what is held and read later',
      table: [
        [
          'shards',
          'layout',
          'N',
          'a window per shard: rows',
          'one row at a time: rows / held',
          'refills per 1,000 changes',
          'by messages: rows / rounds / held',
          'rounds per 1,000 changes',
        ],
        rows.map(({ shards, layout, limit, worst, single, gallop }) => [
          shards,
          layout,
          limit,
          worst,
          `${single.fetched} / ${single.held}`,
          perThousand(single.pulls),
          `${gallop.fetched} / ${gallop.rounds} / ${gallop.held}`,
          perThousand(gallop.pulls),
        ]),
      ],
      notes: [],
    },
  ]
}

const sections = (run) => [
  ...speed(run),
  ...aims(run),
  ...refills(run),
  ...crossover(run),
  ...hydrate(run),
  ...merges(run),
]

function preface(run) {
  const { cpus, cpu, os, node, load } = run.machine
  const named = (of) => Object.entries(of).map(([engine, what]) => `${engine}: ${what}`)
  return [
    `${cpus} x ${cpu}, ${os}, Node ${node}; load average ${load.map(short).join(', ')}`,
    `engines: ${named(run.versions).join('; ')}`,
    `clocks: ${named(run.clocks).join('; ')}; the least mean of a batch of runs`,
  ]
}

/** The whole run as plain text. */
export function textReport(run) {
  const body = sections(run).map(({ heading, table, notes }) =>
    [`\n${heading}\n`, textTable(...table), ...notes.map((note) => `  ${note}`)].join('\n'),
  )
  return [...preface(run), ...body].join('\n')
}

/** The whole run as markdown, for docs/performance.md. */
export function markdownReport(run) {
  return markdownDocument(
    preface(run),
    sections(run).map((section) => ({ ...section, heading: `#### ${section.heading}` })),
  )
}
