import { makeDataset } from '../dataset.mjs'
import { openEngine } from '../engines/index.mjs'

/**
 * What one load of all rows adds, in a fresh process: JavaScript heap after a forced collection, plus external memory,
 * which in Node contains typed arrays and WebAssembly memories. The rows handed over are alive before and after, so
 * they do not count for anyone; copies an engine makes do, and so does starting the engine.
 */
export const memoryWorkload = {
  name: 'memory',
  title: 'memory added by the load',
  async run(engineName, { wasmBytes }) {
    const engine = await openEngine(engineName)
    const dataset = makeDataset()
    const before = await settled()
    // An engine that starts at its import has its memory already; it counts like one started by the load.
    const startedEarly = wasmBytes()
    const db = engine.load(dataset)
    const after = await settled()
    const size = db.size()
    await db.close()
    return {
      memory: {
        addedBytes: after.heapUsed + after.external - before.heapUsed - before.external + startedEarly,
        heapBytes: after.heapUsed - before.heapUsed,
        externalBytes: after.external - before.external + startedEarly,
        wasmBytes: wasmBytes(),
        rows: size,
      },
    }
  },
}

async function settled() {
  if (globalThis.gc === undefined) throw new Error('bench: run this process with --expose-gc')
  for (let i = 0; i < 4; i++) {
    globalThis.gc()
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  return process.memoryUsage()
}
