import { openEngine } from '../engines/index.mjs'
import { openTables as openByApi } from './collection-api.mjs'
import { openTables as openByHand } from './js.mjs'
import { openZql } from './zql.mjs'

/**
 * The engines with tables of any name.
 * @returns {Promise<(dataset: Record<string, object[]>) => { mount(name), insert(table, row), remove(table, row),
 *   update(table, previous, next), close() }>} everything is synchronous and delivered before it returns
 */
export async function tablesOf(engineName) {
  if (engineName === 'js') return openByHand
  if (engineName === 'zql') return openZql()
  const engine = await openEngine(engineName)
  const options = engineName === 'tanstack' ? engine.collectionOptions : {}
  return (dataset) => openByApi(engine.api, options, dataset)
}
