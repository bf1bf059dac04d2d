/**
 * What this project aims at, all in one run on one machine. A ratio is the peer's figure over ours; larger is better.
 * `limits` are figures of ours alone, where smaller is better.
 */

const ahead = 1
/** Two figures within a tenth of each other are level: no run on a shared machine tells them apart. */
const level = 0.9

const RATIOS = [
  ['list-open', 'hydrate', { tanstack: 20, zql: 4 }],
  ['list-open', 'pair', { tanstack: 20, zql: ahead }],
  ['list-page2', 'hydrate', { tanstack: 20, zql: 4 }],
  ['list-page2', 'pair', { tanstack: 20, zql: ahead }],
  ['scan', 'hydrate', { tanstack: 40, zql: 5 }],
  ['scan', 'pair', { tanstack: 6, zql: level }],
  ['filter-open', 'hydrate', { tanstack: 40, zql: 5 }],
  ['filter-open', 'pair', { tanstack: 6, zql: level }],
  ['detail-500', 'update', { tanstack: 100, zql: 10 }],
  ['load', 'load', { tanstack: 10, zql: ahead }],
  ['memory', 'memory', { tanstack: 4, zql: ahead }],
  ['bulk-write', 'load', { tanstack: 5 }],
  ['bulk-write', 'insert', { tanstack: 5 }],
  ['one-row-commit', 'alone', { tanstack: 4 }],
  ['one-row-commit', 'watched', { tanstack: 4 }],
  ['optimistic', 'update', { tanstack: 4 }],
  ['pending-10000', 'update', { tanstack: 100 }],
  ['reads', 'iterate', { tanstack: 3 }],
  ['list-author', 'hydrate', { tanstack: 20, zql: 3 }],
  ['list-author', 'pair', { tanstack: 40, zql: ahead }],
  ['list-count', 'hydrate', { tanstack: 30, zql: 4 }],
  ['list-count', 'pair', { tanstack: 12, zql: level }],
  ['all-counts', 'hydrate', { tanstack: 150, zql: 15 }],
  ['all-counts', 'pair', { tanstack: 10, zql: ahead }],
  ['all-authors', 'hydrate', { tanstack: 50, zql: 8 }],
  ['all-authors', 'pair', { tanstack: 12, zql: level }],
  ['moves', 'update', { tanstack: 12, zql: ahead }],
  ['exists-aligned', 'update', { tanstack: 10, zql: 20 }],
  ['exists-opposed', 'update', { tanstack: 10, zql: 20 }],
]

/** Views of which hand-written JavaScript for exactly them may be at most four times as fast. */
const HAND_WRITTEN = [
  'list-author',
  'list-count',
  'all-counts',
  'all-authors',
  'two-joins',
  'group-all',
  'distinct',
]

const LIMITS = [
  [
    'one update under 500 detail queries, over the same under one',
    ['detail-500', 'update'],
    ['detail-1', 'update'],
    1.5,
  ],
  ['newest 50 at 10x the rows: hydrate, over 1x', ['list-open-10x', 'hydrate'], ['list-open', 'hydrate'], 2],
  ['100,000 reads by key, over those of a plain Map', ['reads', 'get'], ['reads', 'map'], 2],
  ['newest 50 at 10x the rows: pair, over 1x', ['list-open-10x', 'pair'], ['list-open', 'pair'], 1.5],
]

for (const view of ['list-author', 'list-count', 'all-counts', 'all-authors'])
  LIMITS.push([`${view} at 10x the rows: pair, over 1x`, [`${view}-10x`, 'pair'], [view, 'pair'], 1.5])

const BROTLI_BYTES = 700_000
const START_MS = 40

function figure(results, workload, measure, engine, field) {
  const measured = results[workload]?.[engine]?.[measure]
  if (measured === undefined) return undefined
  return measure === 'memory' ? measured.addedBytes : measured[field]
}

function verdict(value, aim, larger) {
  if (value === undefined || Number.isNaN(value)) return 'not measured'
  return (larger ? value >= aim : value <= aim) ? 'pass' : 'MISS'
}

function ratioAims(results) {
  const rows = []
  const byHand = HAND_WRITTEN.flatMap((view) => [
    [view, 'hydrate', { js: 0.25 }],
    [view, 'pair', { js: 0.25 }],
  ])
  for (const [workload, measure, peers] of [...RATIOS, ...byHand]) {
    for (const [peer, aim] of Object.entries(peers)) {
      const over = (field) =>
        figure(results, workload, measure, peer, field) /
        figure(results, workload, measure, 'millrace', field)
      const value = over('min')
      const early = measure === 'memory' ? undefined : over('early')
      rows.push({ what: `${workload}: ${measure}`, against: peer, value, early, aim, larger: true })
    }
  }
  return rows
}

function limitAims(results) {
  return LIMITS.map(([what, upper, lower, aim]) => {
    const read = ([workload, measure], field) => figure(results, workload, measure, 'millrace', field)
    const over = (field) => read(upper, field) / read(lower, field)
    return { what, against: 'itself', value: over('min'), early: over('early'), aim, larger: false }
  })
}

/**
 * Judges a run. `results[workload][engine]` are the figures of the children, `module` the sizes of the wasm file.
 * @returns rows `{ what, against, value, early, aim, larger, verdict }`; `early` is the same ratio over the first rounds
 */
export function judge(results, module) {
  const started = results.startup?.millrace?.startup?.started
  const budgets = [
    {
      what: 'module, brotli, kB',
      against: 'budget',
      value: module?.brotli / 1000,
      aim: BROTLI_BYTES / 1000,
      larger: false,
    },
    {
      what: 'start-up in Node, wall ms',
      against: 'budget',
      value: started?.wall,
      aim: START_MS,
      larger: false,
    },
  ]
  return [...ratioAims(results), ...limitAims(results), ...budgets].map((row) => ({
    ...row,
    verdict: verdict(row.value, row.aim, row.larger),
  }))
}
