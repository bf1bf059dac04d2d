import { makeDataset } from '../dataset.mjs'
import { openEngine } from '../engines/index.mjs'
import { minimumOf, timed } from '../measure.mjs'
import { mustAgree } from '../verify.mjs'

/** All 61,000 rows into three tables, each in one transaction; no query is mounted yet. New tables each round. */
export const loadWorkload = {
  name: 'load',
  title: 'load of all rows (61,000 into three collections)',
  async run(engineName, options) {
    const engine = await openEngine(engineName)
    const dataset = makeDataset()
    const total = dataset.users.length + dataset.issues.length + dataset.comments.length
    let checked = false
    const load = await minimumOf(async () => {
      let db
      const spent = timed(() => {
        db = engine.load(dataset)
      })
      if (db.size() !== total) throw new Error(`bench: loaded ${db.size()} rows of ${total}`)
      if (!checked) {
        const view = { kind: 'scan' }
        const handle = db.mount(view, 'read')
        mustAgree(view, handle.rows(), dataset.issues, 'after the load')
        await handle.close()
        checked = true
      }
      await db.close()
      globalThis.gc?.()
      return spent
    }, options)
    return { load }
  },
}
