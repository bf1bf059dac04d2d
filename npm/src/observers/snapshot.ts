import type { Collection } from '../types/collection.ts'
import type { CollectionStatus } from '../types/events.ts'
import type { LiveQuerySnapshot } from '../types/observers.ts'
import { getLiveQueryStatusFlags, isSingleResultCollection } from '../utils/live-query-status.ts'

type Key = string | number

/** The rows of a collection in order, which nobody changes. */
export interface Content {
  readonly keys: readonly Key[]
  readonly rows: readonly object[]
}

/** A snapshot of rows of any type. */
export type AnySnapshot = LiveQuerySnapshot<object, Key, unknown>
type AnyCollection = Collection<object, Key>

/** What there is to be seen of an observer without a collection. */
export function disabledSnapshot(): AnySnapshot {
  return Object.freeze({
    state: undefined,
    data: undefined,
    collection: undefined,
    layoutRevision: 0,
    status: 'disabled',
    ...getLiveQueryStatusFlags('disabled'),
    isReady: true,
    isEnabled: false,
  })
}

/** Keeps the latest snapshot of a collection, and knows whether another one would look the same. */
export class SnapshotCache {
  readonly #collection: AnyCollection
  readonly #single: boolean
  #content: Content = { keys: [], rows: [] }
  #layoutRevision = 0
  #snapshot: AnySnapshot | undefined

  constructor(collection: AnyCollection) {
    this.#collection = collection
    this.#single = isSingleResultCollection(collection)
  }

  /** The content of the latest snapshot. */
  get content(): Content {
    return this.#content
  }

  /** The snapshot for a content and a status: the one there is if it looks the same. O(rows). */
  take(content: Content, status: CollectionStatus): AnySnapshot {
    const sameKeys = sameItems(content.keys, this.#content.keys)
    const known = this.#snapshot
    if (
      known !== undefined &&
      known.status === status &&
      sameKeys &&
      sameItems(content.rows, this.#content.rows)
    ) {
      return known
    }
    if (!sameKeys) this.#layoutRevision++
    this.#content = content
    this.#snapshot = this.#make(content, status)
    return this.#snapshot
  }

  #make({ keys, rows }: Content, status: CollectionStatus): AnySnapshot {
    const single = this.#single
    let data: object[] | undefined
    let state: Map<Key, object> | undefined
    return Object.freeze({
      get state() {
        state ??= new Map(keys.map((key, at) => [key, rows[at] as object]))
        return state as AnySnapshot['state']
      },
      get data() {
        if (single) return rows[0]
        data ??= Array.from(rows)
        return data
      },
      collection: this.#collection,
      layoutRevision: this.#layoutRevision,
      status,
      ...getLiveQueryStatusFlags(status),
      isEnabled: true,
    })
  }
}

/** Whether two lists have the same items in the same order. */
export function sameItems(a: readonly unknown[], b: readonly unknown[]): boolean {
  if (a.length !== b.length) return false
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false
  return true
}
