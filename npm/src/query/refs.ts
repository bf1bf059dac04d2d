/**
 * Reference proxies: what builder callbacks receive. Reading a property of a reference gives a longer
 * reference; nothing is evaluated. All proxies share one handler and hold only their path, so a
 * reference costs one small object and one proxy.
 */
import { type BasicExpression, isExpressionLike, PropRef, spreadKey, Value } from './ir.ts'

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
export function refsOf(alias: string): Refs {
  let refs = known.get(alias)
  if (refs === undefined) {
    if (known.size === MOST_KNOWN) known.clear()
    refs = Object.freeze(Object.assign(Object.create(null) as object, { [alias]: createRef([alias]) }))
    known.set(alias, refs)
  }
  return refs
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

/** The expression a callback's value stands for: references, expressions, and every other value as a constant. */
export function toExpression(value: unknown): BasicExpression {
  if (typeof value === 'object' && value !== null) {
    const path = pathOf(value)
    if (path !== undefined) return new PropRef(path)
    // Aggregates and subqueries pass for expressions: see `Expression`.
    if (isExpressionLike(value)) return value as BasicExpression
  }
  return new Value(value)
}
