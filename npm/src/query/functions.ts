/**
 * The functions an expression is written with. Each returns a call node; nothing is computed here.
 * Logic is three-valued: a comparison with null or undefined is unknown, and a filter keeps a row only
 * when its predicate is true.
 */
import { Func } from './ir.ts'
import type { BooleanOperand, Comparand, ListOperand, StringOperand, ValueOf } from './operands.ts'
import { toExpression } from './refs.ts'

function unary(name: string, argument: unknown): Func<boolean> {
  return new Func(name, [toExpression(argument)])
}

function binary(name: string, left: unknown, right: unknown): Func<boolean> {
  return new Func(name, [toExpression(left), toExpression(right)])
}

function variadic(name: string, first: unknown, second: unknown, rest: readonly unknown[]): Func<boolean> {
  const args = [toExpression(first), toExpression(second)]
  for (const operand of rest) args.push(toExpression(operand))
  return new Func(name, args)
}

/** Equal. Dates, temporals and bytes by value, other objects by reference; NaN equals NaN, 0 equals -0. */
export function eq<L>(left: L, right: Comparand<ValueOf<L>>): Func<boolean> {
  return binary('eq', left, right)
}

/** Greater than. Strings compare by code unit; NaN is greater than every other number. */
export function gt<L>(left: L, right: Comparand<ValueOf<L>>): Func<boolean> {
  return binary('gt', left, right)
}

/** Greater than or equal; see {@link gt}. */
export function gte<L>(left: L, right: Comparand<ValueOf<L>>): Func<boolean> {
  return binary('gte', left, right)
}

/** Less than; see {@link gt}. */
export function lt<L>(left: L, right: Comparand<ValueOf<L>>): Func<boolean> {
  return binary('lt', left, right)
}

/** Less than or equal; see {@link gt}. */
export function lte<L>(left: L, right: Comparand<ValueOf<L>>): Func<boolean> {
  return binary('lte', left, right)
}

/** Whether `value` equals a member of `list`. Null members match nothing; a list that is no array has no members. */
export function inArray<L>(value: L, list: ListOperand<ValueOf<L>>): Func<boolean> {
  return binary('in', value, list)
}

/** SQL pattern match: `%` any run, `_` one character, anchored, case-sensitive. Non-strings do not match. */
export function like(text: StringOperand, pattern: StringOperand): Func<boolean> {
  return binary('like', text, pattern)
}

/** {@link like} without regard to case. */
export function ilike(text: StringOperand, pattern: StringOperand): Func<boolean> {
  return binary('ilike', text, pattern)
}

/** Exactly null. Never unknown. */
export function isNull(value: unknown): Func<boolean> {
  return unary('isNull', value)
}

/** Exactly undefined, which includes a missing field. Never unknown. */
export function isUndefined(value: unknown): Func<boolean> {
  return unary('isUndefined', value)
}

/** False if any operand is false, else unknown if any is unknown, else true. */
export function and(first: BooleanOperand, second: BooleanOperand, ...rest: BooleanOperand[]): Func<boolean> {
  return variadic('and', first, second, rest)
}

/** True if any operand is true, else unknown if any is unknown, else false. */
export function or(first: BooleanOperand, second: BooleanOperand, ...rest: BooleanOperand[]): Func<boolean> {
  return variadic('or', first, second, rest)
}

/** Negation; unknown stays unknown. */
export function not(value: BooleanOperand): Func<boolean> {
  return unary('not', value)
}

/** The IR names of the functions above. */
export const operators = [
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
] as const

/** The IR name of a built-in function. */
export type OperatorName = (typeof operators)[number]
