/**
 * The functions an expression is written with. Each returns a call node; nothing is computed here.
 * Logic is three-valued: a comparison with null or undefined is unknown, and a filter keeps a row only
 * when its predicate is true.
 */
import { isPlainObject } from '../rows/brands.ts'
import { type BasicExpression, Func, isExpressionNode } from './ir.ts'
import type {
  BooleanOperand,
  Comparand,
  LengthOperand,
  ListOperand,
  NumberOperand,
  StringOperand,
  ValueOf,
} from './operands.ts'
import { CaseProjection, isProjection } from './projection.ts'
import { isQueryLike, pathOf, toExpression } from './refs.ts'
import type { CaseArguments, CaseWhenResult } from './select-types.ts'

function call<T>(name: string, operands: readonly unknown[]): BasicExpression<T> {
  return new Func(name, operands.map(toExpression))
}

function unary(name: string, argument: unknown): BasicExpression<boolean> {
  return call(name, [argument])
}

function binary(name: string, left: unknown, right: unknown): BasicExpression<boolean> {
  return call(name, [left, right])
}

function variadic(
  name: string,
  first: unknown,
  second: unknown,
  rest: readonly unknown[],
): BasicExpression<boolean> {
  return call(name, [first, second, ...rest])
}

/** Equal. Dates, temporals and bytes by value, other objects by reference; NaN equals NaN, 0 equals -0. */
export function eq<L>(left: L, right: Comparand<ValueOf<L>>): BasicExpression<boolean> {
  return binary('eq', left, right)
}

/** Greater than. Strings compare by code unit; NaN is greater than every other number. */
export function gt<L>(left: L, right: Comparand<ValueOf<L>>): BasicExpression<boolean> {
  return binary('gt', left, right)
}

/** Greater than or equal; see {@link gt}. */
export function gte<L>(left: L, right: Comparand<ValueOf<L>>): BasicExpression<boolean> {
  return binary('gte', left, right)
}

/** Less than; see {@link gt}. */
export function lt<L>(left: L, right: Comparand<ValueOf<L>>): BasicExpression<boolean> {
  return binary('lt', left, right)
}

/** Less than or equal; see {@link gt}. */
export function lte<L>(left: L, right: Comparand<ValueOf<L>>): BasicExpression<boolean> {
  return binary('lte', left, right)
}

/** Whether `value` equals a member of `list`. Null members match nothing; a list that is no array has no members. */
export function inArray<L>(value: L, list: ListOperand<ValueOf<L>>): BasicExpression<boolean> {
  return binary('in', value, list)
}

/** SQL pattern match: `%` any run, `_` one character, anchored, case-sensitive. Non-strings do not match. */
export function like(text: StringOperand, pattern: StringOperand): BasicExpression<boolean> {
  return binary('like', text, pattern)
}

/** {@link like} without regard to case. */
export function ilike(text: StringOperand, pattern: StringOperand): BasicExpression<boolean> {
  return binary('ilike', text, pattern)
}

/** Exactly null. Never unknown. */
export function isNull(value: unknown): BasicExpression<boolean> {
  return unary('isNull', value)
}

/** Exactly undefined, which includes a missing field. Never unknown. */
export function isUndefined(value: unknown): BasicExpression<boolean> {
  return unary('isUndefined', value)
}

/** False if any operand is false, else unknown if any is unknown, else true. */
export function and(
  first: BooleanOperand,
  second: BooleanOperand,
  ...rest: BooleanOperand[]
): BasicExpression<boolean> {
  return variadic('and', first, second, rest)
}

/** True if any operand is true, else unknown if any is unknown, else false. */
export function or(
  first: BooleanOperand,
  second: BooleanOperand,
  ...rest: BooleanOperand[]
): BasicExpression<boolean> {
  return variadic('or', first, second, rest)
}

/** Negation; unknown stays unknown. */
export function not(value: BooleanOperand): BasicExpression<boolean> {
  return unary('not', value)
}

/** What string functions keep of their argument's type: that it may be missing. */
type Missing<X> = Extract<ValueOf<X>, null | undefined>

/** The text in upper case. A value that is no string stays as it is. */
export function upper<X extends StringOperand>(text: X): BasicExpression<string | Missing<X>> {
  return call('upper', [text])
}

/** The text in lower case. A value that is no string stays as it is. */
export function lower<X extends StringOperand>(text: X): BasicExpression<string | Missing<X>> {
  return call('lower', [text])
}

/** The number of code units of a text, or of members of a list; 0 for anything else. */
export function length<X extends LengthOperand>(value: X): BasicExpression<number | Missing<X>> {
  return call('length', [value])
}

/** The texts of the values one after the other; null and undefined have none. */
export function concat(...values: unknown[]): BasicExpression<string> {
  return call('concat', values)
}

type CoalesceValue<TArgs extends readonly unknown[]> =
  | NonNullable<ValueOf<TArgs[number]>>
  | (true extends { [I in keyof TArgs]: IsPresent<ValueOf<TArgs[I]>> }[number] ? never : null)

type IsPresent<T> = unknown extends T ? false : Extract<T, null | undefined> extends never ? true : false

/** The first value that is neither null nor undefined; null if there is none. */
export function coalesce<TArgs extends unknown[]>(...values: TArgs): BasicExpression<CoalesceValue<TArgs>> {
  return call('coalesce', values)
}

/** The sum. Null and undefined count as 0; texts are put together. */
export function add(left: NumberOperand, right: NumberOperand): BasicExpression<number> {
  return call('add', [left, right])
}

/** The difference. Null and undefined count as 0. */
export function subtract(left: NumberOperand, right: NumberOperand): BasicExpression<number> {
  return call('subtract', [left, right])
}

/** The product. Null and undefined count as 0. */
export function multiply(left: NumberOperand, right: NumberOperand): BasicExpression<number> {
  return call('multiply', [left, right])
}

/** The quotient; null if the divisor is 0, null or undefined. A dividend that is missing counts as 0. */
export function divide(left: NumberOperand, right: NumberOperand): BasicExpression<number | null> {
  return call('divide', [left, right])
}

/**
 * The value after the first condition that holds, else the default, else null: `caseWhen(c1, v1, c2, v2, …, default)`.
 * If a value is an object, the result is for `select` alone: a field whose shape depends on the row.
 *
 * @throws Error for fewer than two arguments, and for a condition that is no expression.
 */
export function caseWhen<const TArgs extends CaseArguments>(...args: TArgs): CaseWhenResult<TArgs> {
  const given: readonly unknown[] = args
  if (given.length < 2) {
    throw new Error(
      `caseWhen() takes a condition and a value at least, got ${String(given.length)} argument(s): caseWhen(gt(user.age, 17), "adult", "minor")`,
    )
  }
  for (let i = 0; i + 1 < given.length; i += 2) assertCondition(given[i], i)
  const values = given.filter((_, i) => i % 2 === 1 || i === given.length - 1)
  const made = values.some(isShape) ? new CaseProjection<unknown>(given) : call('caseWhen', given)
  return made as unknown as CaseWhenResult<TArgs>
}

function assertCondition(condition: unknown, at: number): void {
  if (pathOf(condition) !== undefined || isExpressionNode(condition)) return
  const fits = condition === null || (typeof condition !== 'object' && typeof condition !== 'function')
  if (fits) return
  throw new Error(
    `caseWhen() conditions must be expression-like values: argument ${String(at + 1)} is ` +
      `${Array.isArray(condition) ? 'an array' : `a plain ${typeof condition}`}. Use a predicate such as eq(user.id, 1)`,
  )
}

/** Whether a value of a case is more than one value: an object of fields, or something only `select` takes. */
function isShape(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || pathOf(value) !== undefined) return false
  if (isExpressionNode(value)) return false
  return isProjection(value) || isQueryLike(value) || isPlainObject(value)
}

/** The IR names of all functions that build expressions, aggregates last. */
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
  'upper',
  'lower',
  'length',
  'concat',
  'add',
  'subtract',
  'multiply',
  'divide',
  'coalesce',
  'caseWhen',
  'count',
  'avg',
  'sum',
  'min',
  'max',
] as const

/** The IR name of a built-in function. */
export type OperatorName = (typeof operators)[number]
