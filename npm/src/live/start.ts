import { insideOf } from '../collection/access.ts'
import type { ManagedCollection } from '../collection/lifecycle.ts'
import { theSession } from '../collection/the-session.ts'
import { QueryCompilationError } from '../errors/base.ts'
import { InvalidSourceError, UnsupportedFromTypeError } from '../errors/query.ts'
import { type From, mainCollection, type QueryIR } from '../query/ir.ts'
import type { StringCollationConfig } from '../types/rows.ts'
import { LiveCollection } from './live-collection.ts'
import { compileSelect } from './select.ts'

/** How a live collection is called and how long it stays unwatched. */
export interface LiveIdentity {
  readonly id: string
  readonly gcTime?: number
  /** Whether somebody else tells of its failures. */
  readonly quiet?: boolean
}

const unrun = ['join', 'groupBy', 'having', 'distinct', 'fnSelect', 'fnWhere', 'fnHaving'] as const

/** Refuses clauses that the engine is not asked for yet, rather than leave them out of the result. */
function assertRunnable(query: QueryIR): void {
  for (const clause of unrun) {
    if (query[clause] !== undefined) {
      throw new QueryCompilationError(
        `A query with ${clause} cannot be run yet: build it from where, select and orderBy`,
      )
    }
  }
}

/** The inside of the collection of a query that has been checked. */
export function liveCollection(query: QueryIR, { id, gcTime, quiet }: LiveIdentity): LiveCollection {
  assertRunnable(query)
  return new LiveCollection(
    {
      id,
      gcTime,
      quiet,
      query: { query, select: query.select === undefined ? undefined : compileSelect(query.select as never) },
      input: inputOf(query.from, { id, quiet: quiet ?? false }),
      ownsInput: query.from.type === 'queryRef',
      collation: mainCollation(query.from),
    },
    theSession,
  )
}

/** The collection a query reads; a query as a source becomes a collection of its own that nobody else sees. */
function inputOf(from: From, identity: LiveIdentity): ManagedCollection {
  if (from.type === 'queryRef') {
    return liveCollection(from.query, { ...identity, gcTime: Number.POSITIVE_INFINITY })
  }
  if (from.type !== 'collectionRef') throw new UnsupportedFromTypeError(from.type)
  const inside: ManagedCollection | undefined = insideOf(from.collection)
  if (inside === undefined) throw new InvalidSourceError(from.alias)
  return inside
}

/** How strings compare where a query does not say: as in the collection at the bottom of its sources. */
function mainCollation(from: From): StringCollationConfig {
  return mainCollection(from)?.collection.compareOptions ?? {}
}
