import type {
  DbClientEvent,
  DbClientLiveQuery,
  DehydratedLiveQuery,
  DehydratedLiveQueryResult,
} from '../types/client.ts'

/** The results of live queries that a client has, or waits for, by hash. A newer one takes the place of an older. */
export class LiveQueryCache {
  readonly #queries = new Map<string, Entry>()
  readonly #tell: (event: DbClientEvent) => void

  constructor(tell: (event: DbClientEvent) => void) {
    this.#tell = tell
  }

  get(hash: string): DbClientLiveQuery | undefined {
    return this.#queries.get(hash)
  }

  all(): Iterable<DbClientLiveQuery> {
    return this.#queries.values()
  }

  /** Waits for the result of a query that has been started here. */
  started(queryHash: string, promise: Promise<DehydratedLiveQueryResult>): void {
    this.#put(queryHash, Date.now(), { promise })
  }

  /** Takes over what another client knew. */
  hydrated({ queryHash, dehydratedAt, status, snapshot, promise, error }: DehydratedLiveQuery): void {
    const known = this.#queries.get(queryHash)
    if (known !== undefined && known.state.dehydratedAt >= dehydratedAt) return
    if (status === 'success' && snapshot !== undefined) this.#put(queryHash, dehydratedAt, { snapshot })
    else if (status === 'error') this.#put(queryHash, dehydratedAt, { error })
    else this.#put(queryHash, dehydratedAt, { promise: promise ?? new Promise(() => {}) })
  }

  clear(): void {
    this.#queries.clear()
  }

  #put(queryHash: string, dehydratedAt: number, outcome: Partial<Outcome>): void {
    const known = this.#queries.get(queryHash)
    const entry = known ?? new Entry(queryHash)
    this.#queries.set(queryHash, entry)
    const round = entry.begin(dehydratedAt)
    if (outcome.snapshot !== undefined) entry.succeed(round, outcome.snapshot)
    else if (outcome.promise === undefined) entry.fail(round, outcome.error)
    else this.#follow(entry, round, outcome.promise)
    this.#tell({ type: known === undefined ? 'liveQueryAdded' : 'liveQueryUpdated', query: entry })
  }

  #follow(entry: Entry, round: number, promise: Promise<DehydratedLiveQueryResult>): void {
    promise.then(
      (snapshot) => {
        if (entry.succeed(round, snapshot)) this.#tell({ type: 'liveQueryUpdated', query: entry })
      },
      (error: unknown) => {
        if (!entry.fail(round, error)) return
        this.#tell({ type: 'liveQueryUpdated', query: entry })
        this.#tell({ type: 'liveQueryStreamError', error })
      },
    )
  }
}

interface Outcome {
  readonly snapshot: DehydratedLiveQueryResult
  readonly promise: Promise<DehydratedLiveQueryResult>
  readonly error: unknown
}

/** One live query. Its promise follows the newest round: who waits for an older one gets the newer result. */
class Entry implements DbClientLiveQuery {
  readonly queryHash: string
  readonly state: {
    dehydratedAt: number
    status: 'pending' | 'success' | 'error'
    promise: Promise<DehydratedLiveQueryResult>
    snapshot: DehydratedLiveQueryResult | undefined
    error: unknown
  }
  #round = 0
  #settled = true
  #resolve!: (result: DehydratedLiveQueryResult) => void
  #reject!: (error: unknown) => void

  constructor(queryHash: string) {
    this.queryHash = queryHash
    this.state = {
      dehydratedAt: 0,
      status: 'pending',
      promise: Promise.resolve({ rows: [] }),
      snapshot: undefined,
      error: undefined,
    }
  }

  begin(dehydratedAt: number): number {
    this.state.dehydratedAt = dehydratedAt
    this.state.status = 'pending'
    this.state.error = undefined
    if (this.#settled) {
      this.#settled = false
      this.state.promise = new Promise((resolve, reject) => {
        this.#resolve = resolve
        this.#reject = reject
      })
      this.state.promise.catch(() => {})
    }
    return ++this.#round
  }

  succeed(round: number, snapshot: DehydratedLiveQueryResult): boolean {
    if (round !== this.#round) return false
    this.#settled = true
    this.state.status = 'success'
    this.state.snapshot = snapshot
    this.#resolve(snapshot)
    return true
  }

  fail(round: number, error: unknown): boolean {
    if (round !== this.#round) return false
    this.#settled = true
    this.state.status = 'error'
    this.state.error = error
    this.#reject(error)
    return true
  }
}
