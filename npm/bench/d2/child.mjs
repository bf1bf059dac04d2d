import { clockName } from '../cpu.mjs'
import { measure } from './measure.mjs'
import { fold } from './numbers.mjs'

/** One engine, one workload, one process: started by run.mjs, answers with one message and ends. */

const ENGINES = { wasm: './wasm.mjs', 'db-ivm': './ivm.mjs' }

async function main() {
  const [name, text] = process.argv.slice(2)
  const workload = JSON.parse(text)
  const { open } = await import(ENGINES[name])
  const engine = await open(workload)
  let checksum = 0
  for (let i = 0; i < workload.check; i++) {
    engine.runs(1)
    checksum = fold(checksum, engine.checksum())
  }
  const figures = { ...measure(engine, workload), checksum: checksum >>> 0, clock: clockName }
  if (engine.mallocs !== undefined) {
    if (!workload.builds) {
      const before = engine.mallocs()
      engine.runs(figures.runs)
      figures.allocs = (engine.mallocs() - before) / figures.runs
    }
    Object.assign(figures, { visits: engine.visits(), rows: engine.rows(), bytes: engine.bytes() })
  }
  if (workload.steps) figures.clock = 'performance.now around push and run'
  return { ...figures, version: engine.version }
}

const answer = await main().catch((error) => ({
  failed: error instanceof Error ? error.stack : String(error),
}))
process.send(answer, () => process.disconnect())
