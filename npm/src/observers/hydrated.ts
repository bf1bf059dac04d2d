import type { DbClient } from '../client/db-client.ts'
import { deepEquals } from '../rows/deep-equals.ts'
import type { RowChange } from '../types/changes.ts'
import type { Collection } from '../types/collection.ts'
import type { Content } from './snapshot.ts'

type Key = string | number
type Change = RowChange<object, Key>

/** Where a result from a server is found. */
export interface HydrationSource {
  readonly client: DbClient
  readonly queryHash: string
}

/** A result from a server, shown while the query that gives it here is not ready. */
export class Hydrated {
  readonly #source: HydrationSource
  readonly #collection: Collection<object, Key>
  #of: object | undefined
  #content: Content | undefined

  constructor(source: HydrationSource, collection: Collection<object, Key>) {
    this.#source = source
    this.#collection = collection
  }

  /** The rows to show instead of the collection's own; undefined if it is ready or has failed, or the client has none. */
  get content(): Content | undefined {
    const { status } = this.#collection
    if (status !== 'idle' && status !== 'loading') return undefined
    const { client, queryHash } = this.#source
    const snapshot = client._getLiveQuery(queryHash)?.state.snapshot
    if (snapshot !== this.#of) {
      this.#of = snapshot
      this.#content = snapshot && {
        keys: snapshot.rows.map(({ key }) => key),
        rows: snapshot.rows.map(({ value }) => value),
      }
    }
    return this.#content
  }

  /** Calls back when the client learns of the result. Returns a function that stops. */
  follow(listener: () => void): () => void {
    const { client, queryHash } = this.#source
    return client.subscribe((event) => {
      if (event.type !== 'liveQueryStreamError' && event.query.queryHash === queryHash) listener()
    })
  }
}

/** A copy of rows by key, which changes can be applied to. */
export class Replica {
  readonly #rows = new Map<Key, object>()

  apply(changes: readonly Change[]): void {
    for (const { type, key, value } of changes) {
      if (type === 'delete') this.#rows.delete(key)
      else this.#rows.set(key, value)
    }
  }

  /** What makes the copy hold these rows instead; it does afterwards. Rows that look the same are no change. */
  become(next: Iterable<readonly [Key, object]>): Change[] {
    const rows = this.#rows
    const wanted = new Map(next)
    const changes: object[] = []
    for (const [key, value] of rows) if (!wanted.has(key)) changes.push({ type: 'delete', key, value })
    for (const [key, value] of wanted) {
      const previousValue = rows.get(key)
      if (previousValue === undefined) changes.push({ type: 'insert', key, value })
      else if (!deepEquals(previousValue, value)) changes.push({ type: 'update', key, value, previousValue })
    }
    rows.clear()
    for (const [key, value] of wanted) rows.set(key, value)
    return changes as Change[]
  }

  entries(): Iterable<readonly [Key, object]> {
    return this.#rows
  }

  /** The rows as inserts. */
  inserts(): Change[] {
    return Array.from(this.#rows, ([key, value]) => ({ type: 'insert', key, value }) as object) as Change[]
  }
}

/** Keys and rows side by side. */
export function* entriesOf({ keys, rows }: Content): Iterable<readonly [Key, object]> {
  for (let i = 0; i < keys.length; i++) yield [keys[i] as Key, rows[i] as object]
}
