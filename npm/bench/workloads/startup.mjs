import { cpuNow } from '../cpu.mjs'
import { openEngine } from '../engines/index.mjs'

/**
 * Start-up in a fresh Node process, wall and main-thread CPU: from the import to the first collection started, and on
 * to the first live query answered. An engine that starts lazily may have no WebAssembly instance yet at the first
 * mark; `started` then holds the later mark.
 */
export const startupWorkload = {
  name: 'startup',
  title: 'start-up in Node',
  engines: ['millrace', 'tanstack'],
  processes: 8,
  async run(engineName, { wasmBytes }) {
    const begin = mark()
    const engine = await openEngine(engineName)
    const imported = since(begin)
    const row = { id: 1, title: 'first', open: true, creatorId: 1, priority: 0, created: 1, modified: 1 }
    const db = engine.load({ users: [], issues: [row], comments: [] })
    const collection = since(begin)
    const runningAtCollection = wasmBytes() > 0
    const handle = db.mount({ kind: 'scan' }, 'read')
    const rows = handle.rows().length
    const query = since(begin)
    if (rows !== 1) throw new Error(`bench: the first query gave ${rows} rows, not 1`)
    await handle.close()
    await db.close()
    const lazy = !runningAtCollection && wasmBytes() > 0
    return { startup: { imported, collection, query, started: lazy ? query : collection } }
  },
}

const mark = () => ({ wall: performance.now(), cpu: cpuNow() })
const since = (begin) => ({ wall: performance.now() - begin.wall, cpu: cpuNow() - begin.cpu })
