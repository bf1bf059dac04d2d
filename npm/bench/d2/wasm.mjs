import fs from 'node:fs'
import { pathToFileURL } from 'node:url'
import { HOST, WASM } from './build.mjs'

/** Counters by number, as in tests/bench/d2/counters.go. */
const CHECKSUM = 1
const VISITS = 0
const MALLOCS = 2
const STEP = 3
const ROWS = 4
const BYTES = 5

/** The engine as wasm: the module of the benchmark behind the loader of the package. */
export async function open(workload) {
  const { GoHost } = await import(pathToFileURL(HOST).href)
  const host = new GoHost()
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(fs.readFileSync(WASM)), {
    gojs: host.imports,
    bench: { now: () => performance.now() },
  })
  host.start(exports)
  exports.bench_build(workload.number)
  const read = exports.bench_read
  return {
    version: `node ${process.version}`,
    runs: exports.bench_runs,
    checksum: () => read(CHECKSUM) >>> 0,
    mallocs: () => read(MALLOCS),
    visits: () => read(VISITS),
    step: () => read(STEP) / 1e6,
    stepCost: workload.steps ? exports.bench_clock() / 1e6 : 0,
    rows: () => read(ROWS),
    bytes: () => read(BYTES),
  }
}
