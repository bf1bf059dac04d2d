/** The nodes of expressions. */
import type { QueryIR } from './ir-query.ts'

/** Phantom key that carries the static type of an expression's value. It never exists at run time. */
export declare const valueType: unique symbol

const expressionBrand: unique symbol = Symbol.for('millrace.expression')

abstract class ExpressionNode<T> {
  declare readonly [valueType]: T
  abstract readonly type: string

  get [expressionBrand](): true {
    return true
  }
}

/** A path into the row: alias first inside a query, alias-free in a single-row predicate. */
export class PropRef<T = unknown> extends ExpressionNode<T> {
  readonly type = 'ref' as const
  constructor(readonly path: string[]) {
    super()
  }
}

/** A constant. */
export class Value<T = unknown> extends ExpressionNode<T> {
  readonly type = 'val' as const
  constructor(readonly value: T) {
    super()
  }
}

/** A call of a built-in function by its IR name. In a query an argument may be any {@link Expression}. */
export class Func<T = unknown> extends ExpressionNode<T> {
  readonly type = 'func' as const
  constructor(
    readonly name: string,
    readonly args: BasicExpression[],
  ) {
    super()
  }
}

/** A call of an aggregate function by its IR name: one value per group. */
export class Aggregate<T = unknown> extends ExpressionNode<T> {
  readonly type = 'agg' as const
  constructor(
    readonly name: string,
    readonly args: BasicExpression[],
  ) {
    super()
  }
}

/**
 * Whether a query has any row, or has none if `negated`. References to aliases that are not among the query's own
 * sources are to the row of the query around it. Never unknown.
 */
export class Exists<T = boolean> extends ExpressionNode<T> {
  readonly type = 'exists' as const
  constructor(
    readonly query: QueryIR,
    readonly negated: boolean,
  ) {
    super()
  }
}

/**
 * Any expression that is computed from one row alone; `T` is the static type of its value. What sources are asked for
 * holds nothing else.
 */
export type BasicExpression<T = unknown> = PropRef<T> | Value<T> | Func<T>

/**
 * What may stand in a clause of a query. The static types of clauses and arguments say `BasicExpression`, which the
 * functions that make the other nodes pretend to return; code that reads queries takes expressions as this type.
 */
export type Expression<T = unknown> = BasicExpression<T> | Aggregate<T> | Exists<T>

/**
 * Whether a value was made by one of the expression classes, of any copy of this package. Plain objects
 * do not count: in a select, `{type: 'val', value: x}` is an object with two fields.
 */
export function isExpressionNode(value: unknown): value is Expression {
  return typeof value === 'object' && value !== null && expressionBrand in value
}

/** Whether a value can stand where an expression is expected: a node, or a plain object shaped like one. */
export function isExpressionLike(value: unknown): value is Expression {
  if (typeof value !== 'object' || value === null) return false
  if (expressionBrand in value) return true
  if (!('type' in value)) return false
  switch (value.type) {
    case 'ref':
      return 'path' in value && Array.isArray(value.path)
    case 'val':
      return 'value' in value
    case 'func':
    case 'agg':
      return 'name' in value && 'args' in value && typeof value.name === 'string' && Array.isArray(value.args)
    case 'exists':
      return 'query' in value && typeof value.query === 'object' && 'negated' in value
    default:
      return false
  }
}
