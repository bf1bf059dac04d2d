import { SerializationError } from '../errors/storage.ts'
import type { SyncParams } from '../types/config.ts'
import type { HasMutations, StorageChange, StorageEventApi } from '../types/local.ts'
import type { PendingMutation } from '../types/transactions.ts'
import { randomId } from '../utils/random-id.ts'
import { Arrivals, type Departure } from './arrivals.ts'
import { type RowDifference, RowStore, type StoragePlace } from './row-store.ts'

type Key = string | number
type Params = SyncParams<object, Key>

/** The rows of one collection in web storage: what is stored, and what the collection is told of it. */
export class StoredRows {
  readonly arrivals = new Arrivals()
  readonly store: RowStore
  readonly #id: string
  readonly #place: StoragePlace
  readonly #events: StorageEventApi
  #params: Params | undefined
  /** How much of what is stored the collection has not been told, or not applied: until then it is behind the storage. */
  #waiting = 0

  constructor(id: string, place: StoragePlace, events: StorageEventApi) {
    this.#id = id
    this.#place = place
    this.#events = events
    this.store = new RowStore(place)
  }

  /** Gives the collection what is stored, and what other tabs store until the returned function is called. */
  open(params: Params): () => void {
    this.#params = params
    this.#waiting = 0
    this.store.forget()
    this.#reload()
    params.markReady()
    const heard = ({ key, storageArea }: StorageChange) => {
      // Without a key, the whole storage was cleared.
      const concerned = key === this.#place.storageKey || key === null
      if (concerned && storageArea === this.#place.storage) this.#reload()
    }
    this.#events.addEventListener('storage', heard)
    return () => {
      this.#events.removeEventListener('storage', heard)
      if (this.#params !== params) return
      this.#params = undefined
      this.store.forget()
    }
  }

  /** @throws SerializationError for a row that the parser cannot write. */
  check(mutations: readonly PendingMutation[]): void {
    for (const { type, modified } of mutations) {
      if (type === 'delete') continue
      try {
        this.#place.parser.stringify(modified)
      } catch (error) {
        throw new SerializationError(type, error instanceof Error ? error.message : String(error))
      }
    }
  }

  acceptAll({ mutations, sequenceNumber = Number.POSITIVE_INFINITY }: HasMutations): void {
    const own = (mutations as readonly PendingMutation[]).filter((mutation) => this.#owns(mutation))
    this.check(own)
    this.accept(own, sequenceNumber, undefined)?.()
  }

  /**
   * Stores mutations; what it gives tells the collection. Throws what the storage throws; nothing is stored then.
   */
  accept(
    mutations: readonly PendingMutation[],
    number: number,
    departure: Departure | undefined,
  ): (() => void) | undefined {
    const own = mutations.filter((mutation) => this.#owns(mutation))
    if (own.length === 0) return undefined
    const present: (object | undefined)[] = []
    let changed: RowDifference[]
    try {
      changed = this.store.write((rows) => {
        for (const mutation of own) {
          const key = mutation.key as Key
          const before = rows.get(key)?.data
          present.push(before)
          const after = this.arrivals.rowAfter(mutation, before, departure)
          if (after === undefined) rows.delete(key)
          else if (after !== before) rows.set(key, { versionKey: randomId(), data: after })
        }
        return own.map(({ key }) => key as Key)
      })
    } catch (error) {
      console.error(`The rows could not be stored under "${this.#place.storageKey}":`, error)
      throw error
    }
    for (const [i, mutation] of own.entries()) this.arrivals.arrived(number, mutation, present[i])
    const params = this.#params
    if (params === undefined) {
      this.store.forget()
      return undefined
    }
    this.#waiting++
    return () => {
      if (this.#params !== params) return
      this.#waiting--
      // Rows may be other ones by now.
      this.#tell(
        params,
        changed.map(({ key }) => ({ key, before: undefined, after: this.store.get(key) })),
        true,
      )
    }
  }

  #owns({ collection }: PendingMutation): boolean {
    return collection.id === (this.#params?.collection.id ?? this.#id)
  }

  /** Takes over what is stored. */
  #reload(): void {
    const params = this.#params
    const changed = this.store.reload()
    if (params !== undefined && changed.length > 0) this.#tell(params, changed, this.#waiting > 0)
  }

  /** `behind`: the collection may have other rows than were seen in storage before, so that an insert could meet a row. */
  #tell(params: Params, changed: readonly RowDifference[], behind: boolean): void {
    params.begin()
    for (const { key, before, after } of changed) {
      if (after === undefined) params.write({ type: 'delete', key })
      else if (before !== undefined || behind) params.write({ type: 'update', key, value: after.data })
    }
    if (!behind) {
      for (const { key, before, after } of changed) {
        if (before === undefined && after !== undefined)
          params.write({ type: 'insert', key, value: after.data })
      }
    }
    const receipt = params.commit()
    if (receipt === true) return
    this.#waiting++
    const settled = () => {
      if (this.#params === params) this.#waiting--
    }
    receipt.then(settled, settled)
  }
}
