import { NONE } from '../rows/members.ts'
import { RootCollection } from '../sync/root-collection.ts'
import type { CollectionStateView, RowsView } from '../types/internals.ts'
import type { ManagedCollection } from './lifecycle.ts'

type Key = string | number

/** Rows by key, found one by one; `each` visits them. */
class Rows implements RowsView<Key, object> {
  readonly #size: () => number
  readonly #get: (key: Key) => object | undefined
  readonly #each: (visit: (key: Key, row: object) => void) => void

  constructor(
    size: () => number,
    get: (key: Key) => object | undefined,
    each: (visit: (key: Key, row: object) => void) => void,
  ) {
    this.#size = size
    this.#get = get
    this.#each = each
  }

  get size(): number {
    return this.#size()
  }

  get(key: Key): object | undefined {
    return this.#get(key)
  }

  has(key: Key): boolean {
    return this.#get(key) !== undefined
  }

  keys(): IterableIterator<Key> {
    const keys: Key[] = []
    this.#each((key) => keys.push(key))
    return keys.values()
  }

  values(): IterableIterator<object> {
    const rows: object[] = []
    this.#each((_key, row) => rows.push(row))
    return rows.values()
  }

  entries(): IterableIterator<[Key, object]> {
    const entries: [Key, object][] = []
    this.#each((key, row) => entries.push([key, row]))
    return entries.values()
  }

  [Symbol.iterator](): IterableIterator<[Key, object]> {
    return this.entries()
  }
}

/** What lies below the visible rows of a collection. The rows of a query have nothing below them. */
export function stateView(inside: ManagedCollection): CollectionStateView<object, Key> {
  return inside instanceof RootCollection ? rootState(inside) : queryState(inside)
}

function rootState(root: RootCollection): CollectionStateView<object, Key> {
  const { source } = root
  /** Visits keys that local writes cover, with the confirmed rows and the visible ones. */
  const eachCovered = (
    visit: (key: Key, confirmed: object | undefined, shown: object | undefined) => void,
  ) => {
    root.look()
    for (const [keyId, slot] of source.covered) {
      const key = source.key(keyId)
      visit(key, slot === NONE ? undefined : source.raw(slot), root.stored(key))
    }
  }
  const count = (counts: (confirmed: object | undefined, shown: object | undefined) => boolean) => {
    let n = 0
    eachCovered((_key, confirmed, shown) => {
      if (counts(confirmed, shown)) n++
    })
    return n
  }
  const isCovered = (key: Key) => {
    root.look()
    const id = source.idOf(key)
    return id !== undefined && source.below(id) !== undefined
  }
  const synced = new Rows(
    () =>
      root.size +
      count((confirmed, shown) => confirmed !== undefined && shown === undefined) -
      count((confirmed, shown) => confirmed === undefined && shown !== undefined),
    (key) => root.confirmed(key),
    (visit) => {
      for (const key of root.keyList()) {
        const row = root.confirmed(key)
        if (row !== undefined) visit(key, row)
      }
      eachCovered((key, confirmed, shown) => {
        if (confirmed !== undefined && shown === undefined) visit(key, confirmed)
      })
    },
  )
  const upserts = new Rows(
    () => count((_confirmed, shown) => shown !== undefined),
    (key) => (isCovered(key) ? root.stored(key) : undefined),
    (visit) =>
      eachCovered((key, _confirmed, shown) => {
        if (shown !== undefined) visit(key, shown)
      }),
  )
  const deletes = new Rows(
    () => count((confirmed, shown) => confirmed !== undefined && shown === undefined),
    (key) => (root.has(key) ? undefined : root.confirmed(key)),
    (visit) =>
      eachCovered((key, confirmed, shown) => {
        if (confirmed !== undefined && shown === undefined) visit(key, confirmed)
      }),
  )
  return {
    syncedData: synced,
    syncedMetadata: { get: (key) => root.rowMetadata(key) },
    optimisticUpserts: upserts,
    optimisticDeletes: deletes,
    get pendingSyncedTransactions() {
      const { waiting, uncommitted } = root
      return Array.from({ length: waiting + uncommitted }, (_, i) => ({ committed: i < waiting }))
    },
  }
}

function queryState(inside: ManagedCollection): CollectionStateView<object, Key> {
  const nothing = new Rows(
    () => 0,
    () => undefined,
    () => {},
  )
  return {
    syncedData: new Rows(
      () => inside.size,
      (key) => inside.get(key),
      (visit) => inside.visit(visit),
    ),
    syncedMetadata: { get: () => undefined },
    optimisticUpserts: nothing,
    optimisticDeletes: nothing,
    pendingSyncedTransactions: [],
  }
}
