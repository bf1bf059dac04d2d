import { detailWorkload } from './details.mjs'
import { loadWorkload } from './load.mjs'
import { memoryWorkload } from './memory.mjs'
import { chainWorkload, movesWorkload, queryWorkload, treeWorkload } from './queries.mjs'
import { startupWorkload } from './startup.mjs'
import { viewWorkload } from './views.mjs'
import { bulkWorkload, commitWorkload, optimisticWorkload, pendingWorkload, readWorkload } from './writes.mjs'

const newest50 = { kind: 'list', limit: 50, offset: 0 }

/**
 * Every workload: `name`, `title`, the engines it is for (all unless `engines` is given), `processes` (how many fresh
 * processes the minimum is taken over; one unless the thing measured happens once per process) and
 * `run(engineName, options)`, which returns plain figures.
 */
export const WORKLOADS = [
  viewWorkload('list-open', 'newest 50 open issues', newest50),
  viewWorkload('list-page2', 'newest open issues, page 2 (offset 50)', {
    kind: 'list',
    limit: 50,
    offset: 50,
  }),
  viewWorkload('scan', 'scan of all issues', { kind: 'scan' }),
  viewWorkload('filter-open', 'all open issues', { kind: 'filter' }),
  detailWorkload('detail-500', '500 mounted detail queries, one update', 500),
  detailWorkload('detail-1', '1 mounted detail query, one update', 1),
  loadWorkload,
  memoryWorkload,
  viewWorkload('list-open-10x', 'newest 50 open issues at 10x the rows', newest50, 10),
  bulkWorkload,
  commitWorkload,
  optimisticWorkload,
  pendingWorkload,
  readWorkload,
  queryWorkload('list-author'),
  queryWorkload('list-count'),
  queryWorkload('all-counts'),
  queryWorkload('all-authors'),
  queryWorkload('two-joins'),
  queryWorkload('group-all'),
  queryWorkload('distinct'),
  queryWorkload('nested'),
  queryWorkload('list-author', 10),
  queryWorkload('list-count', 10),
  queryWorkload('all-counts', 10),
  queryWorkload('all-authors', 10),
  movesWorkload,
  chainWorkload('aligned'),
  chainWorkload('opposed'),
  treeWorkload,
  startupWorkload,
]

/** Workload of that name; throws with the list of names otherwise. */
export function workloadNamed(name) {
  const found = WORKLOADS.find((workload) => workload.name === name)
  if (found === undefined) {
    throw new Error(`bench: no workload ${name}; there are ${WORKLOADS.map((w) => w.name).join(', ')}`)
  }
  return found
}
