/** Making and comparing nodes. Trees may be plain objects of any origin, so only their `type` tags are looked at. */

import type { BasicExpression, Expression, Func } from '../query/ir.ts'
import { isDate } from '../rows/brands.ts'
import { sameValue } from './values.ts'

/** Any predicate. */
export type Predicate = BasicExpression<boolean>

/** A call as a plain object. */
export function call(name: string, args: readonly BasicExpression[]): Predicate {
  return { type: 'func', name, args } as unknown as Predicate
}

/** A constant as a plain object. */
export function constant<T>(value: T): BasicExpression<T> {
  return { type: 'val', value } as unknown as BasicExpression<T>
}

/** Whether an expression is a call of the function of that name. */
export function isCall(expression: BasicExpression, name: string): expression is Func<boolean> {
  return expression.type === 'func' && expression.name === name
}

/** Whether an expression is exactly this constant. */
export function isConstant(expression: BasicExpression, value: unknown): boolean {
  return expression.type === 'val' && expression.value === value
}

/**
 * The operands of a call of `and` or `or`, those of calls of the same name inside it included; any other expression is
 * its only operand. O(nodes), however deep a chain made in a loop is.
 */
export function operandsOf(expression: BasicExpression, name: 'and' | 'or'): readonly Predicate[] {
  if (!isCall(expression, name)) return [expression as Predicate]
  if (!expression.args.some((argument) => isCall(argument, name))) {
    return expression.args as readonly BasicExpression[] as readonly Predicate[]
  }
  const flat: Predicate[] = []
  const waiting: BasicExpression[] = [...expression.args].reverse()
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (isCall(next, name)) for (let i = next.args.length - 1; i >= 0; i--) waiting.push(next.args[i]!)
    else flat.push(next as Predicate)
  }
  return flat
}

/** All of several predicates as one; one predicate stays as it is. */
export function allOf(operands: readonly Predicate[]): Predicate {
  return operands.length === 1 ? (operands[0] as Predicate) : call('and', operands)
}

const booleanFunctions: ReadonlySet<string> = new Set([
  'eq',
  'gt',
  'gte',
  'lt',
  'lte',
  'in',
  'like',
  'ilike',
  'and',
  'or',
  'not',
  'isNull',
  'isUndefined',
])

/**
 * Whether an expression can only be true, false or unknown. Others, such as a reference to any field, may be 1, which
 * satisfies an `and` without being true.
 */
export function isBoolean(expression: BasicExpression): boolean {
  if (expression.type === 'func') return booleanFunctions.has(expression.name)
  return expression.type === 'val' && (typeof expression.value === 'boolean' || expression.value === null)
}

/** Whether two paths name the same field. */
export function samePath(a: readonly (string | number)[], b: readonly (string | number)[]): boolean {
  return a === b || (a.length === b.length && a.every((name, i) => name === b[i]))
}

/**
 * Whether two trees are the same: same nodes in the same order. Constants compare by identity as expressions see it,
 * but a date is not a number; the lists of `in` compare member by member. O(nodes).
 */
export function sameExpression(a: BasicExpression, b: BasicExpression): boolean {
  const waiting: Expression[] = [a, b]
  for (let right = waiting.pop(); right !== undefined; right = waiting.pop()) {
    const left = waiting.pop() as Expression
    if (left === right) continue
    if (left.type !== right.type) return false
    if (left.type === 'ref') {
      if (!samePath(left.path, (right as typeof left).path)) return false
    } else if (left.type === 'val') {
      if (!sameConstant(left.value, (right as typeof left).value)) return false
    } else if (left.type === 'exists') {
      // Two subqueries that are not one object are taken for different.
      return false
    } else {
      const { name, args } = right as Func
      if (left.name !== name || left.args.length !== args.length) return false
      for (let i = 0; i < args.length; i++) {
        if (name === 'in' && i === 1 && sameList(left.args[i]!, args[i]!)) continue
        waiting.push(left.args[i]!, args[i]!)
      }
    }
  }
  return true
}

function sameList(a: BasicExpression, b: BasicExpression): boolean {
  if (a.type !== 'val' || b.type !== 'val' || !Array.isArray(a.value) || !Array.isArray(b.value)) return false
  const others: readonly unknown[] = b.value
  return a.value.length === others.length && a.value.every((value, i) => sameConstant(value, others[i]))
}

/** Functions of text tell a date from its number, and an invalid date from NaN. */
function sameConstant(a: unknown, b: unknown): boolean {
  return isADate(a) === isADate(b) && sameValue(a, b)
}

function isADate(value: unknown): boolean {
  return typeof value === 'object' && value !== null && isDate(value)
}
