import {
  allOf,
  call,
  constant,
  isBoolean,
  isCall,
  isConstant,
  operandsOf,
  type Predicate,
  sameExpression,
} from '../expressions/nodes.ts'
import {
  comparisonOf,
  complement,
  hasComplementIn,
  hasPoint,
  isDecided,
  isLower,
  type PointComparison,
  sameField,
} from './comparison.ts'
import { isWhereSubset } from './where-subset.ts'

/**
 * A predicate for exactly the rows that satisfy `from` and do not satisfy `subtract`, or null where there is none that
 * says it in simple terms: then ask for all of `from`. No `from` means all rows, no `subtract` none.
 *
 * Logic is three-valued, so `not(subtract)` alone is not the rest: rows for which `subtract` is unknown, such as those
 * without the field, satisfy neither. It is the answer only if `subtract` is never unknown.
 */
export function minusWherePredicates(
  from: Predicate | undefined,
  subtract: Predicate | undefined,
): Predicate | null {
  if (subtract === undefined || isConstant(subtract, false)) return from ?? constant(true)
  if (from === undefined) return isDecided(subtract) ? call('not', [subtract]) : null
  if (isWhereSubset(from, subtract)) return constant(false)
  if (!isCall(subtract, 'or')) return minusConjunction(from, subtract)
  let rest: Predicate | null = from
  for (const operand of operandsOf(subtract, 'or')) {
    rest = isWhereSubset(rest, operand) ? constant(false) : minusConjunction(rest, operand)
    if (rest === null || isConstant(rest, false)) break
  }
  return rest
}

/** Takes away what `from` and `subtract` have in common, which leaves a single condition to be taken from `from`. */
function minusConjunction(from: Predicate, subtract: Predicate): Predicate | null {
  const left = operandsOf(from, 'and')
  const right = operandsOf(subtract, 'and')
  const common = left.filter((operand) => right.some((other) => sameExpression(operand, other)))
  const own = left.filter((operand) => !common.includes(operand))
  const excluded = right.filter((other) => !common.some((operand) => sameExpression(operand, other)))
  if (excluded.length !== 1) return null
  const condition = excluded[0] as Predicate
  for (const operand of own) {
    const rest = minusComparison(operand, condition)
    if (rest === undefined) continue
    if (rest.length === 0) return constant(false)
    return allOf([...common, ...own.filter((other) => other !== operand), ...rest])
  }
  // A field alone must be true, as one of several conditions it may hold 1.
  if (!isDecided(condition) || !(isCall(from, 'and') || isBoolean(from))) return null
  return allOf([...common, ...own, call('not', [condition])])
}

/** The conditions that together leave what one comparison has and another has not; undefined if it cannot be said. */
function minusComparison(from: Predicate, subtract: Predicate): readonly Predicate[] | undefined {
  const left = comparisonOf(from)
  const right = comparisonOf(subtract)
  if (left === undefined || right === undefined || !sameField(left, right)) return undefined
  if (left.kind === 'points') {
    return right.kind === 'points' ? withoutPoints(from, left, right) : undefined
  }
  if (right.kind === 'points' || !hasComplementIn(left, right)) return undefined
  const rest = call(complement(right.operator), [left.field, constant(right.bound)])
  return isLower(left.operator) ? [from, rest] : [rest, from]
}

function withoutPoints(from: Predicate, left: PointComparison, right: PointComparison): readonly Predicate[] {
  const values = left.values.filter((value) => !hasPoint(right, value))
  if (values.length === left.values.length) return [from]
  if (values.length === 0) return []
  return [
    values.length === 1
      ? call('eq', [left.field, constant(values[0])])
      : call('in', [left.field, constant(values)]),
  ]
}
