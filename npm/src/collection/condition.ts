import { InvalidWhereExpressionError } from '../errors/query.ts'
import { assertExpression } from '../query/check-expressions.ts'
import type { BasicExpression } from '../query/ir.ts'
import { createRef, toExpression } from '../query/refs.ts'

/** A condition on rows, as a callback over references to the row's fields or as the expression itself. */
export interface Condition {
  readonly where?: ((row: never) => unknown) | undefined
  readonly whereExpression?: BasicExpression | undefined
}

/**
 * The condition as an expression whose references have no alias; undefined for none.
 *
 * @throws Error for both forms at once.
 * @throws InvalidWhereExpressionError if the callback gives no expression.
 * @throws QueryCompilationError for an expression the engine does not know: the leaf class names the rule.
 */
export function conditionOf({ where, whereExpression }: Condition): BasicExpression | undefined {
  if (where !== undefined && whereExpression !== undefined) {
    throw new Error(
      "Cannot specify both 'where' and 'whereExpression' options: the first is a callback that builds the second",
    )
  }
  const condition = where === undefined ? whereExpression : built(where)
  if (condition !== undefined) assertExpression(condition)
  return condition
}

const row = createRef([])

function built(where: (row: never) => unknown): BasicExpression {
  const result = where(row as never)
  const condition = toExpression(result)
  // A value that became a constant just now was no expression.
  if (condition.type === 'val' && condition !== result) throw new InvalidWhereExpressionError(kindOf(result))
  return condition
}

function kindOf(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}
