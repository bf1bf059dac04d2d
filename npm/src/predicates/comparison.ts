/** What one comparison of a field with a constant says about another. */
import { isCall, samePath } from '../expressions/nodes.ts'
import { boundKind, type RangeOperator, relate, sameValue, ValueSet } from '../expressions/values.ts'
import type { BasicExpression, PropRef } from '../query/ir.ts'

/** A field that must be one of some values. */
export interface PointComparison {
  readonly kind: 'points'
  readonly field: PropRef
  readonly values: readonly unknown[]
}

/** A field that must be on one side of a bound. */
export interface RangeComparison {
  readonly kind: 'range'
  readonly field: PropRef
  readonly operator: RangeOperator
  readonly bound: unknown
}

/** A call of `eq`, `in`, `gt`, `gte`, `lt` or `lte` with a field first and a constant second. */
export type Comparison = PointComparison | RangeComparison

/** The comparison an expression is; undefined for all others, among them those with the constant first. */
export function comparisonOf(expression: BasicExpression): Comparison | undefined {
  if (expression.type !== 'func' || expression.args.length !== 2) return undefined
  const [field, { type, value }] = expression.args as [BasicExpression, { type: string; value?: unknown }]
  if (field.type !== 'ref' || type !== 'val') return undefined
  switch (expression.name) {
    case 'eq':
      return { kind: 'points', field, values: [value] }
    case 'in':
      return Array.isArray(value) ? { kind: 'points', field, values: value } : undefined
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte':
      return { kind: 'range', field, operator: expression.name, bound: value }
    default:
      return undefined
  }
}

/** Whether two comparisons are of the same field. */
export function sameField(a: Comparison, b: Comparison): boolean {
  return samePath(a.field.path, b.field.path)
}

/** Whether an operator bounds from below. */
export function isLower(operator: RangeOperator): boolean {
  return operator === 'gt' || operator === 'gte'
}

/** The operator that holds, of values that have an order, exactly where the given one does not. */
export function complement(operator: RangeOperator): RangeOperator {
  return ({ gt: 'lte', gte: 'lt', lt: 'gte', lte: 'gt' } as const)[operator]
}

/** Whether a value satisfies a range. Values it cannot be compared with do not. */
export function satisfies(value: unknown, { operator, bound }: RangeComparison): boolean {
  try {
    return relate(operator, value, bound) === true
  } catch {
    return false
  }
}

/** Whether every value in one range of a field is in the other. False where only the rows could tell. */
export function rangeImplies(sub: RangeComparison, sup: RangeComparison): boolean {
  if (isLower(sub.operator) !== isLower(sup.operator)) return false
  const excludesBound = sup.operator === 'gt' || sup.operator === 'lt'
  const includesBound = sub.operator === 'gte' || sub.operator === 'lte'
  const direction = isLower(sub.operator) ? 'gt' : 'lt'
  const needed = excludesBound && includesBound ? direction : (`${direction}e` as const)
  return boundReadings(sub.bound, sup.bound, (a, b) => relate(needed, a, b) === true)
}

/** Whether everything in one range of a field that is outside the other satisfies the {@link complement} of the other. */
export function hasComplementIn(range: RangeComparison, excluded: RangeComparison): boolean {
  if (isLower(range.operator) !== isLower(excluded.operator)) return false
  return boundReadings(range.bound, excluded.bound, () => true)
}

/**
 * Whether a condition holds between two bounds in every way a row's value may be compared with them. A number or bigint
 * in the row reads a string as a number or bigint: '10' is less than '2', but not for the row whose value is 5. A bound
 * that such values cannot read satisfies none of them. Bounds of different kinds are never comparable.
 */
function boundReadings(sub: unknown, sup: unknown, holds: (sub: unknown, sup: unknown) => boolean): boolean {
  const kind = boundKind(sub)
  if (kind === undefined || kind !== boundKind(sup)) return false
  try {
    if (!holds(sub, sup)) return false
  } catch {
    return false
  }
  if (kind !== 'string') return true
  for (const read of [numberOf, bigintOf]) {
    const number = read(sub as string)
    if (number === undefined) continue
    const other = read(sup as string)
    if (other === undefined || !holds(number, other)) return false
  }
  return true
}

function numberOf(text: string): number | undefined {
  const number = Number(text)
  return Number.isNaN(number) ? undefined : number
}

function bigintOf(text: string): bigint | undefined {
  try {
    return BigInt(text)
  } catch {
    return undefined
  }
}

const sets = new WeakMap<readonly unknown[], ValueSet>()

/**
 * Whether a value, missing ones included, is among those of a point comparison. Lists are remembered with the set of
 * their members, for request data does not change: O(values) the first time, then O(1).
 */
export function hasPoint({ values }: PointComparison, value: unknown): boolean {
  if (values.length < SMALL) return values.some((other) => sameValue(other, value))
  let set = sets.get(values)
  if (set === undefined) {
    set = new ValueSet(values)
    sets.set(values, set)
  }
  return set.has(value)
}

const SMALL = 8

/** Whether an expression is never unknown: it is true or false for every row. */
export function isDecided(expression: BasicExpression): boolean {
  if (expression.type === 'val') return typeof expression.value === 'boolean'
  if (isCall(expression, 'isNull') || isCall(expression, 'isUndefined')) return true
  if (!isCall(expression, 'and') && !isCall(expression, 'or') && !isCall(expression, 'not')) return false
  return expression.args.every(isDecided)
}
