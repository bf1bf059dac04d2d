/** Reading single nodes of an expression tree. */
import type { BasicExpression } from '../query/ir.ts'
import type { Untyped } from '../types/rows.ts'

/** The way to a field from the row, without an alias. A number is a place in a list. */
export type FieldPath = Array<string | number>

/** A copy of the path of a reference; null for any other expression. */
export function extractFieldPath(expression: BasicExpression): FieldPath | null {
  return expression.type === 'ref' ? [...expression.path] : null
}

/** The value of a constant; undefined for any other expression. */
export function extractValue(expression: BasicExpression): Untyped {
  return expression.type === 'val' ? expression.value : undefined
}

/** Visits every node of a tree, a call before its arguments and those from left to right. O(nodes). */
export function walkExpression(
  expression: BasicExpression | null | undefined,
  visitor: (expression: BasicExpression) => void,
): void {
  if (expression === null || expression === undefined) return
  const waiting = [expression]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    visitor(next)
    if (next.type !== 'func') continue
    for (let i = next.args.length - 1; i >= 0; i--) waiting.push(next.args[i] as BasicExpression)
  }
}
