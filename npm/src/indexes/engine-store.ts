import type { ManagedCollection } from '../collection/lifecycle.ts'
import { findRows } from '../live/find.ts'
import { type BasicExpression, type CompareOptions, Func, Value } from '../query/ir.ts'
import { valueAt } from '../rows/paths.ts'
import type { IndexStore, StoreRange } from './store.ts'

type Key = string | number

/** How many rows are asked for at once when a filter may turn some of them away. */
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

  range({ from, to, reversed, limit, filter }: StoreRange): Key[] {
    const descending = this.#order.direction === 'desc'
    const where: BasicExpression[] = []
    if (from !== undefined) where.push(this.#beyond(from.value, from.inclusive, !descending))
    if (to !== undefined) where.push(this.#beyond(to.value, to.inclusive, descending))
    const orderBy = [{ expression: this.#expression, compareOptions: this.#ordered(reversed) }]
    if (limit === undefined || filter === undefined) {
      return findRows(this.#collection, { where, orderBy, limit }).map(([key]) => key)
    }
    const found: Key[] = []
    for (let offset = 0; found.length < limit; offset += PAGE) {
      const page = findRows(this.#collection, { where, orderBy, offset, limit: PAGE })
      for (const [key] of page) {
        if (found.length === limit) break
        if (filter(key)) found.push(key)
      }
      if (page.length < PAGE) break
    }
    return found
  }

  entries(): [unknown, Key[]][] {
    const orderBy = [{ expression: this.#expression, compareOptions: this.#ordered(false) }]
    const entries: [unknown, Key[]][] = []
    let last: [unknown, Key[]] | undefined
    for (const [key, row] of findRows(this.#collection, { orderBy })) {
      const value = this.#expression.type === 'ref' ? valueAt(row, this.#expression.path) : undefined
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

function sameValue(a: unknown, b: unknown): boolean {
  if (a === b || (Number.isNaN(a) && Number.isNaN(b))) return true
  return a instanceof Date && b instanceof Date && a.getTime() === b.getTime()
}
