import type { ManagedCollection } from '../collection/lifecycle.ts'
import { findRows } from '../live/find.ts'
import { type BasicExpression, type CompareOptions, Func, Value } from '../query/ir.ts'
import { valueAt } from '../rows/paths.ts'
import type { IndexStore, StoreRange } from './store.ts'

type Key = string | number

/** How many rows are asked for at once when not all are wanted. */
const PAGE = 64

/** What the engine knows of a collection's rows by value: it keeps the order itself, and nothing is kept here. */
export class EngineStore implements IndexStore {
  readonly #collection: ManagedCollection
  readonly #expression: BasicExpression
  readonly #order: CompareOptions

  constructor(collection: ManagedCollection, expression: BasicExpression, order: CompareOptions) {
    this.#collection = collection
    this.#expression = expression
    this.#order = order
  }

  get size(): number {
    return this.#collection.size
  }

  equal(value: unknown): Key[] {
    return findRows(this.#collection, { where: [this.#equals(value)] }).map(([key]) => key)
  }

  range({ from, to, reversed, limit = Number.POSITIVE_INFINITY, filter }: StoreRange): Key[] {
    const descending = this.#order.direction === 'desc'
    const where: BasicExpression[] = []
    if (from !== undefined) where.push(this.#beyond(from.value, from.inclusive, !descending))
    if (to !== undefined) where.push(this.#beyond(to.value, to.inclusive, descending))
    const found: Key[] = []
    const take = (key: Key) => {
      if (found.length < limit && (filter === undefined || filter(key))) found.push(key)
    }
    // Keys of equal values are in key order either way in the engine, and reversed here.
    let equal: Key[] = []
    let last: unknown
    for (const [key, row] of this.#pages(where, reversed, limit)) {
      if (!reversed) take(key)
      else {
        const value = this.#valueOf(row)
        if (equal.length > 0 && !sameValue(last, value)) {
          equal.reverse().forEach(take)
          equal = []
        }
        equal.push(key)
        last = value
      }
      if (found.length >= limit) break
    }
    equal.reverse().forEach(take)
    return found
  }

  /** Rows in order, read as far as they are wanted. */
  *#pages(where: BasicExpression[], reversed: boolean, limit: number): Generator<[Key, object]> {
    const orderBy = [{ expression: this.#expression, compareOptions: this.#ordered(reversed) }]
    if (limit === Number.POSITIVE_INFINITY) {
      yield* findRows(this.#collection, { where, orderBy })
      return
    }
    for (let offset = 0; ; offset += PAGE) {
      const page = findRows(this.#collection, { where, orderBy, offset, limit: PAGE })
      yield* page
      if (page.length < PAGE) return
    }
  }

  #valueOf(row: object): unknown {
    return this.#expression.type === 'ref' ? valueAt(row, this.#expression.path) : undefined
  }

  entries(): [unknown, Key[]][] {
    const orderBy = [{ expression: this.#expression, compareOptions: this.#ordered(false) }]
    const entries: [unknown, Key[]][] = []
    let last: [unknown, Key[]] | undefined
    for (const [key, row] of findRows(this.#collection, { orderBy })) {
      const value = this.#valueOf(row)
      if (last !== undefined && sameValue(last[0], value)) last[1].push(key)
      else {
        last = [value, [key]]
        entries.push(last)
      }
    }
    return entries
  }

  #ordered(reversed: boolean): CompareOptions {
    if (!reversed) return this.#order
    return {
      ...this.#order,
      direction: this.#order.direction === 'asc' ? 'desc' : 'asc',
      nulls: this.#order.nulls === 'first' ? 'last' : 'first',
    }
  }

  #equals(value: unknown): BasicExpression {
    if (value === undefined) return new Func('isUndefined', [this.#expression])
    if (value === null) return new Func('isNull', [this.#expression])
    return new Func('eq', [this.#expression, new Value(value)])
  }

  #beyond(value: unknown, inclusive: boolean, upwards: boolean): BasicExpression {
    const name = upwards ? (inclusive ? 'gte' : 'gt') : inclusive ? 'lte' : 'lt'
    return new Func(name, [this.#expression, new Value(value)])
  }
}

/** Whether two values stand at one place of the order. */
function sameValue(a: unknown, b: unknown): boolean {
  if (a === null || a === undefined) return b === null || b === undefined
  if (a === b || (Number.isNaN(a) && Number.isNaN(b))) return true
  return a instanceof Date && b instanceof Date && a.getTime() === b.getTime()
}
