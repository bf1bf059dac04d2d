/**
 * What the dataflow engine aims at, all of it ratios within one run but for one time. `larger` tells which way is good.
 */

const NO_ALLOCATION = 0.001
const HYDRATE_US = 100

/** Microseconds per run of an engine. */
const microsOf = (workloads) => (name, engine) =>
  workloads.find((workload) => workload.name === name)?.results[engine]?.micros

function ratios(micros) {
  const ahead = (name, engine, aim) => ({
    what: `${name}: ${engine}, over db-ivm`,
    value: micros(name, 'db-ivm') / micros(name, engine),
    aim,
    larger: true,
    unit: 'x',
  })
  const chains = ['chain 10', 'chain 100', 'chain 1,000']
  return [
    ...chains.map((name) => ahead(name, 'native', 5)),
    ...chains.map((name) => ahead(name, 'wasm', 2)),
    ahead('wide 10,000', 'native', 1000),
    ahead('wide 10,000', 'wasm', 1000),
  ]
}

function limits(micros) {
  const engines = ['native', 'wasm']
  return [
    ...engines.map((engine) => ({
      what: `time per visit, chain 1,000 over chain 10: ${engine}`,
      value: micros('chain 1,000', engine) / 1001 / (micros('chain 10', engine) / 11),
      aim: 1.5,
      unit: 'x',
    })),
    ...engines.map((engine) => ({
      what: `wide 10,000 over wide 10: ${engine}`,
      value: micros('wide 10,000', engine) / micros('wide 10', engine),
      aim: 6,
      unit: 'x',
    })),
    ...engines.map((engine) => ({
      what: `loop beside 1,000 idle ones over the loop alone: ${engine}`,
      value: micros('loop 20 beside 1,000 idle', engine) / micros('loop 20', engine),
      aim: 6,
      unit: 'x',
    })),
    {
      what: 'hydrate 50 of 1,000,000 rows from an index: wasm, µs',
      value: micros('top 50 of 1,000,000, hydrate', 'wasm'),
      aim: HYDRATE_US,
      unit: '',
    },
  ]
}

/** Allocations per run after warm-up, the largest of all workloads, with the one that has it. */
function allocations(workloads) {
  return ['native', 'wasm'].map((engine) => {
    const counted = workloads.flatMap(({ name, results }) => {
      const allocs = results[engine]?.allocs
      return allocs === undefined ? [] : [{ name, allocs }]
    })
    const worst = counted.reduce((most, next) => (next.allocs > (most?.allocs ?? 0) ? next : most), undefined)
    return {
      what: `allocations per run, the most of ${counted.length} workloads: ${engine}`,
      value: counted.length > 0 ? (worst?.allocs ?? 0) : undefined,
      aim: NO_ALLOCATION,
      unit: '',
      note: worst && worst.allocs > NO_ALLOCATION ? worst.name : undefined,
    }
  })
}

/**
 * Judges a run.
 * @returns rows `{ what, value, aim, larger, unit, note, verdict }`
 */
export function judge(workloads) {
  const micros = microsOf(workloads)
  return [...ratios(micros), ...limits(micros), ...allocations(workloads)].map((row) => {
    const measured = row.value !== undefined && !Number.isNaN(row.value)
    const met = row.larger ? row.value >= row.aim : row.value <= row.aim
    return { ...row, verdict: !measured ? 'not measured' : met ? 'pass' : 'MISS' }
  })
}
