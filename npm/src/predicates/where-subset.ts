import {
  isBoolean,
  isCall,
  isConstant,
  operandsOf,
  type Predicate,
  sameExpression,
  samePath,
} from '../expressions/nodes.ts'
import { ValueSet } from '../expressions/values.ts'
import type { PropRef } from '../query/ir.ts'
import { comparisonOf, hasPoint, rangeImplies, sameField, satisfies } from './comparison.ts'

/**
 * Whether every row that satisfies `subset` satisfies `superset`, told from the predicates alone. No predicate means all
 * rows. True is a promise for all rows there may be; false also where it cannot be told: beyond equal parts, `and` and
 * `or`, only comparisons of a field with a constant are understood, the field first.
 */
export function isWhereSubset(subset: Predicate | undefined, superset: Predicate | undefined): boolean {
  if (superset === undefined) return true
  return subset !== undefined && implies(subset, superset, 'true', 'true')
}

/**
 * What it means that a predicate holds. The operands of `and` need not be true: they must not be false or unknown,
 * which for a field that holds 1 makes a difference.
 */
type Strength = 'true' | 'accepted'

function implies(sub: Predicate, sup: Predicate, known: Strength, needed: Strength): boolean {
  if (isConstant(sub, false)) return true
  if (sameExpression(sub, sup)) return known === 'true' || needed === 'accepted' || isBoolean(sub)
  if (isCall(sup, 'and')) {
    return operandsOf(sup, 'and').every((operand) => implies(sub, operand, known, 'accepted'))
  }
  if (isCall(sub, 'or')) {
    return operandsOf(sub, 'or').every((operand) => implies(operand, sup, 'true', needed))
  }
  if (
    isCall(sup, 'or') &&
    alternativesOf(sup).others.some((operand) => implies(sub, operand, known, 'true'))
  ) {
    return true
  }
  if (isCall(sub, 'and')) {
    return operandsOf(sub, 'and').some((operand) => implies(operand, sup, 'accepted', needed))
  }
  const comparison = comparisonOf(sub)
  if (comparison === undefined) return false
  if (comparison.kind === 'points') {
    return comparison.values.every((value) => pointImplies(comparison.field, value, sup))
  }
  const other = comparisonOf(sup)
  return other?.kind === 'range' && sameField(comparison, other) && rangeImplies(comparison, other)
}

/** Whether a predicate is true for every row whose field has the given value. */
function pointImplies(field: PropRef, value: unknown, sup: Predicate): boolean {
  if (isCall(sup, 'or')) {
    const { points, others } = alternativesOf(sup)
    return (
      points.get(nameOf(field))?.has(value) === true ||
      others.some((operand) => pointImplies(field, value, operand))
    )
  }
  if (isCall(sup, 'and'))
    return operandsOf(sup, 'and').every((operand) => pointImplies(field, value, operand))
  const comparison = comparisonOf(sup)
  if (comparison === undefined || !samePath(comparison.field.path, field.path)) return false
  return comparison.kind === 'points' ? hasPoint(comparison, value) : satisfies(value, comparison)
}

/** The operands of an `or`: the values it names of each field, and everything that names none. */
interface Alternatives {
  readonly points: ReadonlyMap<string, ValueSet>
  readonly others: readonly Predicate[]
}

const alternatives = new WeakMap<Predicate, Alternatives>()

/** Remembered with the node, for request data does not change: O(operands) the first time. */
function alternativesOf(disjunction: Predicate): Alternatives {
  const known = alternatives.get(disjunction)
  if (known !== undefined) return known
  const points = new Map<string, ValueSet>()
  const others: Predicate[] = []
  for (const operand of operandsOf(disjunction, 'or')) {
    const comparison = comparisonOf(operand)
    if (comparison?.kind !== 'points') {
      others.push(operand)
      continue
    }
    const name = nameOf(comparison.field)
    let values = points.get(name)
    if (values === undefined) {
      values = new ValueSet()
      points.set(name, values)
    }
    for (const value of comparison.values) values.add(value)
  }
  const found = { points, others }
  alternatives.set(disjunction, found)
  return found
}

function nameOf(field: PropRef): string {
  return JSON.stringify(field.path)
}
