import type { PendingMutation } from '../types/transactions.ts'

type Key = string | number
type Fields = Record<string, unknown>

const WHOLE = Symbol('whole row')

/** A transaction whose handler is running, and what later writes have left of it meanwhile. */
export interface Departure {
  readonly number: number
  readonly keys: readonly Key[]
  /** By key: the fields that a later write has set already, or the whole row. */
  readonly overtaken: Map<Key, Set<string> | typeof WHOLE>
}

/**
 * The order in which local writes take effect on rows that live here. Handlers take as long as they like, so a write can
 * arrive before one that was made earlier. Of the same row the later write counts, field by field, whichever
 * arrives first; an update that arrives before the insert it builds on brings the row along.
 *
 * Only writes whose handlers are running are kept here.
 */
export class Arrivals {
  readonly #underway = new Map<Key, Departure[]>()
  /** Rows that an update has brought along, so that their insert has nothing left to do. */
  readonly #early = new WeakSet<object>()

  /** Begins to keep account of a transaction, until `end`. */
  depart(number: number, mutations: readonly PendingMutation[]): Departure {
    const departure: Departure = {
      number,
      keys: mutations.map(({ key }) => key as Key),
      overtaken: new Map(),
    }
    for (const key of departure.keys) {
      const list = this.#underway.get(key)
      if (list === undefined) this.#underway.set(key, [departure])
      else list.push(departure)
    }
    return departure
  }

  /** The transaction has arrived, or has failed. */
  end(departure: Departure): void {
    for (const key of departure.keys) {
      const rest = this.#underway.get(key)?.filter((other) => other !== departure) ?? []
      if (rest.length === 0) this.#underway.delete(key)
      else this.#underway.set(key, rest)
    }
  }

  /** The row that a mutation makes of the present one, or none; the present one if what came later says it all. */
  rowAfter(
    mutation: PendingMutation,
    present: object | undefined,
    departure: Departure | undefined,
  ): object | undefined {
    const overtaken = departure?.overtaken.get(mutation.key as Key)
    if (overtaken === WHOLE) return present
    if (mutation.type === 'delete') return undefined
    const early = present !== undefined && this.#early.has(present)
    if (mutation.type === 'insert') return early ? present : mutation.modified
    const built = present === undefined || present === (mutation.original as object)
    const row =
      built && overtaken === undefined
        ? mutation.modified
        : patched(present ?? mutation.modified, mutation, overtaken)
    if (early || present === undefined) this.#early.add(row)
    return row
  }

  /** Takes note that a mutation has taken effect on the row that was present. */
  arrived(number: number, mutation: PendingMutation, present: object | undefined): void {
    const key = mutation.key as Key
    const alone = mutation.type === 'update' && present === undefined
    for (const { number: made, overtaken } of this.#underway.get(key) ?? []) {
      if (made >= number) continue
      const before = overtaken.get(key)
      if (before === WHOLE) continue
      if (mutation.type !== 'update' || alone) overtaken.set(key, WHOLE)
      else overtaken.set(key, new Set([...(before ?? []), ...Object.keys(mutation.changes)]))
    }
  }
}

/** A row with the changes of an update that nobody has overtaken. */
function patched(row: object, mutation: PendingMutation, overtaken: ReadonlySet<string> | undefined): object {
  const modified = mutation.modified as Fields
  const result = Object.create(Object.getPrototypeOf(modified) as object | null) as Fields
  for (const name of Object.keys(row)) setField(result, name, (row as Fields)[name])
  for (const name of Object.keys(mutation.changes)) {
    if (overtaken?.has(name)) continue
    if (Object.hasOwn(modified, name)) setField(result, name, modified[name])
    else delete result[name]
  }
  return result
}

/** Sets a field of its own, whatever its name. */
function setField(row: Fields, name: string, value: unknown): void {
  if (name !== '__proto__') row[name] = value
  else Object.defineProperty(row, name, { value, enumerable: true, configurable: true, writable: true })
}
