/**
 * Reference proxies: what builder callbacks receive. Reading a property of a reference gives a longer
 * reference; nothing is evaluated. All proxies share one handler and hold only their path, so a
 * reference costs one small object and one proxy.
 */
import { QueryBuilderError } from '../errors/base.ts'
import {
  type BasicExpression,
  directSources,
  isExpressionLike,
  PropRef,
  type QueryIR,
  spreadKey,
  Value,
} from './ir.ts'
import { isProjection } from './projection.ts'

const refPath: unique symbol = Symbol.for('millrace.ref')

interface RefTarget {
  readonly path: string[]
}

/** A reference as the run time sees it, without the static row type. */
export interface RefProxy {
  readonly __refProxy: true
  readonly __path: string[]
  readonly [refPath]: string[]
}

let spreads = 0

const handler: ProxyHandler<RefTarget> = {
  get(target, property) {
    if (typeof property === 'symbol') return property === refPath ? target.path : undefined
    if (property === '__refProxy') return true
    if (property === '__path') return target.path
    return new Proxy<RefTarget>({ path: [...target.path, property] }, handler)
  },
  has(_target, property) {
    return property === '__refProxy' || property === '__path' || property === refPath
  },
  // Spreading or enumerating a reference cannot list fields nobody knows yet: it leaves one marker key.
  ownKeys(target) {
    return [spreadKey(target.path, spreads++)]
  },
  getOwnPropertyDescriptor(_target, property) {
    if (typeof property === 'symbol') return undefined
    return { value: undefined, enumerable: true, configurable: true, writable: true }
  },
}

/** A reference to the row of one alias. */
export function createRef(path: string[]): RefProxy {
  return new Proxy<RefTarget>({ path }, handler) as unknown as RefProxy
}

/** The argument of builder callbacks: a reference by its alias. */
export type Refs = Readonly<Record<string, RefProxy>>

const MOST_KNOWN = 256
const known = new Map<string, Refs>()

/**
 * The references of a query over one source. A plain frozen object, so `in` works and an unknown alias reads as
 * undefined. It is kept, for an application has few aliases and many queries.
 */
function refsOf(alias: string): Refs {
  let refs = known.get(alias)
  if (refs === undefined) {
    if (known.size === MOST_KNOWN) known.clear()
    refs = refsOfAll([alias])
    known.set(alias, refs)
  }
  return refs
}

function refsOfAll(aliases: readonly string[]): Refs {
  const refs = Object.create(null) as Record<string, RefProxy>
  for (const alias of aliases) refs[alias] = createRef([alias])
  return Object.freeze(refs)
}

/** Any name is a field of the rows; spread or taken as a whole, they are the rows. */
const fieldsHandler: ProxyHandler<RefTarget> = {
  ...handler,
  get(target, property) {
    return property === '$selected' ? undefined : handler.get?.(target, property, undefined)
  },
  has(_target, property) {
    return typeof property === 'string' && property !== '$selected'
  },
}

const selectedFieldsHandler: ProxyHandler<RefTarget> = { ...handler, has: () => true }

/** What callbacks see of a query without a source. */
const NO_REFS = refsOfAll([])

/** The references of a query to its sources, and with `$selected` to what it selects. */
export function refsFor(query: Partial<QueryIR>, selected: boolean): Refs {
  const { from, join = [] } = query
  if (from === undefined) return NO_REFS
  if (from.type === 'unionAll') {
    const rows = new Proxy<RefTarget>({ path: [] }, selected ? selectedFieldsHandler : fieldsHandler)
    return rows as unknown as Refs
  }
  if (join.length === 0 && !selected && from.type !== 'unionFrom') return refsOf(from.alias)
  const aliases = directSources({ from, join }).map(({ alias }) => alias)
  if (selected) aliases.push('$selected')
  return refsOfAll(aliases)
}

/** Runs a select callback with spread markers numbered from 0, so equal queries have equal trees. */
export function withSpreadNumbering<R>(run: () => R): R {
  const outer = spreads
  spreads = 0
  try {
    return run()
  } finally {
    spreads = outer
  }
}

/** The path of a reference, or undefined for any other value. */
export function pathOf(value: unknown): string[] | undefined {
  return typeof value === 'object' && value !== null ? (value as Partial<RefProxy>)[refPath] : undefined
}

/** Whether a value is a query builder, of any copy of this package. */
export function isQueryLike(value: unknown): value is { _getQuery(): QueryIR } {
  return (
    typeof value === 'object' &&
    value !== null &&
    typeof (value as { _getQuery?: unknown })._getQuery === 'function'
  )
}

/**
 * The expression a callback's value stands for: references, expressions, and every other value as a constant.
 * @throws QueryBuilderError for what only `select` can use.
 */
export function toExpression(value: unknown): BasicExpression {
  if (typeof value === 'object' && value !== null) {
    const path = pathOf(value)
    if (path !== undefined) return new PropRef(path)
    // Aggregates and subqueries pass for expressions: see `Expression`.
    if (isExpressionLike(value)) return value as BasicExpression
    if (isProjection(value)) {
      throw new QueryBuilderError(
        'caseWhen() with objects as values is a projection, which can only be a field of select(): ' +
          'use caseWhen() with scalar values here',
      )
    }
    if (isQueryLike(value)) {
      throw new QueryBuilderError(
        'A query cannot be an operand: use exists(query) or notExists(query), or join the query as a source',
      )
    }
  }
  return new Value(value)
}

/** The kind of a value as it appears in a message. */
export function kindOf(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}
