/** Queries as data, what they mean by plain recomputation, and the same queries through the public builder. */
import * as db from '../../src/index.ts'
import type { Truth } from './values.ts'
import * as values from './values.ts'

export type Key = string | number
export type Row = Record<string, unknown>
export type Path = readonly string[]

export type Predicate =
  | { readonly op: 'eq' | 'gt' | 'gte' | 'lt' | 'lte'; readonly path: Path; readonly value: unknown }
  | { readonly op: 'in'; readonly path: Path; readonly list: readonly unknown[] }
  | { readonly op: 'like' | 'ilike'; readonly path: Path; readonly pattern: string }
  | { readonly op: 'isNull' | 'isUndefined'; readonly path: Path }
  | { readonly op: 'and' | 'or'; readonly parts: readonly [Predicate, Predicate] }
  | { readonly op: 'not'; readonly part: Predicate }

export interface Term {
  readonly path: Path
  readonly direction: 'asc' | 'desc'
  readonly nulls: 'first' | 'last'
}

/** A field of a select: a path, a nested object, or a predicate as a computed field; `spread` puts all fields of the row first. */
export interface Shape {
  readonly spread: boolean
  readonly fields: Readonly<Record<string, Path | Predicate | Readonly<Record<string, Path>>>>
}

export interface Query {
  readonly where: readonly Predicate[]
  readonly order: readonly Term[]
  readonly offset?: number
  readonly limit?: number
  readonly shape?: Shape
}

export type Rows = ReadonlyMap<Key, Row>

function at(row: Row, path: Path): unknown {
  let value: unknown = row
  for (const name of path) {
    if (value === null || value === undefined) return value
    value = (value as Row)[name]
  }
  return value
}

export function truth(predicate: Predicate, row: Row): Truth {
  switch (predicate.op) {
    case 'and':
      return values.and(predicate.parts.map((part) => truth(part, row)))
    case 'or':
      return values.or(predicate.parts.map((part) => truth(part, row)))
    case 'not':
      return values.not(truth(predicate.part, row))
    case 'eq':
      return values.eq(at(row, predicate.path), predicate.value)
    case 'in':
      return values.inList(at(row, predicate.path), predicate.list)
    case 'like':
    case 'ilike':
      return values.like(at(row, predicate.path), predicate.pattern, predicate.op === 'ilike')
    case 'isNull':
      return at(row, predicate.path) === null
    case 'isUndefined':
      return at(row, predicate.path) === undefined
    default:
      return values.relation(predicate.op, at(row, predicate.path), predicate.value)
  }
}

const isPath = (field: unknown): field is Path => Array.isArray(field)
const isPredicate = (field: object): field is Predicate => 'op' in field && typeof field.op === 'string'

function shaped(shape: Shape, row: Row): Row {
  const result: Row = shape.spread ? { ...row } : {}
  for (const [name, field] of Object.entries(shape.fields)) {
    if (isPath(field)) result[name] = at(row, field)
    else if (isPredicate(field)) result[name] = truth(field, row)
    else
      result[name] = Object.fromEntries(Object.entries(field).map(([inner, path]) => [inner, at(row, path)]))
  }
  return result
}

/** The result of a query over rows, in order. */
export function evaluate(query: Query, rows: Rows): Map<Key, Row> {
  const kept = [...rows].filter(([, row]) => query.where.every((predicate) => truth(predicate, row) === true))
  kept.sort(([a, left], [b, right]) => {
    for (const { path, direction, nulls } of query.order) {
      const order = values.byTerm(at(left, path), at(right, path), direction, nulls)
      if (order !== 0) return order
    }
    return values.byKey(a, b)
  })
  const { offset = 0, limit = kept.length, shape } = query
  const window = query.order.length > 0 ? kept.slice(offset, offset + limit) : kept
  return new Map(window.map(([key, row]) => [key, shape === undefined ? row : shaped(shape, row)]))
}

type Ref = { readonly [name: string]: Ref }

const refAt = (ref: Ref, path: Path): Ref => path.reduce((inner, name) => inner[name] as Ref, ref)

function expression(predicate: Predicate, row: Ref): unknown {
  const call = db as unknown as Record<string, (...args: unknown[]) => unknown>
  const fn = (name: string, ...args: unknown[]) => call[name]?.(...args)
  switch (predicate.op) {
    case 'and':
    case 'or':
      return fn(predicate.op, ...predicate.parts.map((part) => expression(part, row)))
    case 'not':
      return fn('not', expression(predicate.part, row))
    case 'in':
      return fn('inArray', refAt(row, predicate.path), predicate.list)
    case 'like':
    case 'ilike':
      return fn(predicate.op, refAt(row, predicate.path), predicate.pattern)
    case 'isNull':
    case 'isUndefined':
      return fn(predicate.op, refAt(row, predicate.path))
    default:
      return fn(predicate.op, refAt(row, predicate.path), predicate.value)
  }
}

interface AnyBuilder {
  where(callback: (refs: { row: Ref }) => unknown): AnyBuilder
  orderBy(callback: (refs: { row: Ref }) => unknown, options: Omit<Term, 'path'>): AnyBuilder
  select(callback: (refs: { row: Ref }) => unknown): AnyBuilder
  limit(count: number): AnyBuilder
  offset(count: number): AnyBuilder
}

function selected(shape: Shape, row: Ref): object {
  const result: Record<string, unknown> = shape.spread ? { ...row } : {}
  for (const [name, field] of Object.entries(shape.fields)) {
    if (isPath(field)) result[name] = refAt(row, field)
    else if (isPredicate(field)) result[name] = expression(field, row)
    else
      result[name] = Object.fromEntries(
        Object.entries(field).map(([inner, path]) => [inner, refAt(row, path)]),
      )
  }
  return result
}

/** A live collection of the query over `source`. */
export function liveOver(source: db.Collection, query: Query, started = true): db.Collection {
  return db.createLiveQueryCollection({
    startSync: started,
    gcTime: 0,
    query: (q) => {
      let builder = q.from({ row: source }) as unknown as AnyBuilder
      for (const predicate of query.where) builder = builder.where(({ row }) => expression(predicate, row))
      for (const { path, ...options } of query.order)
        builder = builder.orderBy(({ row }) => refAt(row, path), options)
      if (query.offset !== undefined) builder = builder.offset(query.offset)
      if (query.limit !== undefined) builder = builder.limit(query.limit)
      const { shape } = query
      if (shape !== undefined) builder = builder.select(({ row }) => selected(shape, row))
      return builder as never
    },
  }) as unknown as db.Collection
}
