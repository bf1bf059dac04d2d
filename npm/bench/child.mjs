import { clockName } from './cpu.mjs'
import { openEngine } from './engines/index.mjs'
import { watchWasmMemories } from './wasm-memory.mjs'
import { workloadNamed } from './workloads/index.mjs'

/** One engine, one workload, one process: started by run.mjs, answers with one message and ends. */

async function main() {
  const [engineName, workloadName, rounds] = process.argv.slice(2)
  const workload = workloadNamed(workloadName)
  const options = {
    wasmBytes: watchWasmMemories(),
    ...(rounds === undefined ? {} : { rounds: Number(rounds) }),
  }
  // Start-up is measured from the import on, so nothing of the engine may be imported before it.
  if (workload.processes !== undefined)
    return { ...(await workload.run(engineName, options)), clock: clockName }
  const { cannot, remarks, version } = await openEngine(engineName)
  const reason = cannot[workloadName]
  if (reason !== undefined) return { skipped: reason }
  const figures = await workload.run(engineName, options)
  return { ...figures, version, remark: remarks[workloadName], clock: clockName }
}

const answer = await main().catch((error) => ({
  failed: error instanceof Error ? error.stack : String(error),
}))
process.send(answer, () => process.disconnect())
