import { collectionEngine } from './collection-api.mjs'
import { importPeer, peerVersion } from './peer-files.mjs'

/**
 * The current @tanstack/db. Its planner uses indexes only where the collection opts in, so it gets automatic indexes:
 * on the filtered and on the ordered column, made at the first query that asks and kept. Of its two index classes
 * BasicIndex is the faster one on every workload here.
 */
export async function open() {
  const api = await importPeer('@tanstack/db/dist/esm/index.js')
  return collectionEngine('tanstack', api, {
    version: peerVersion('@tanstack/db'),
    collectionOptions: { autoIndex: 'eager', defaultIndexType: api.BasicIndex },
  })
}
