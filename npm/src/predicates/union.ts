import { call, constant, operandsOf, type Predicate, sameExpression } from '../expressions/nodes.ts'
import { ValueSet } from '../expressions/values.ts'
import { type Comparison, comparisonOf, type PointComparison, rangeImplies } from './comparison.ts'

/** What was found of one field: its values together, and the bounds that do not imply each other. */
interface Group {
  readonly points: { readonly comparison: PointComparison; readonly predicate: Predicate }[]
  readonly ranges: Predicate[]
}

/**
 * A predicate for exactly the rows that satisfy any of the given ones. Values of one field become one `in`, of its
 * bounds in one direction the widest stay. No predicates are `false`, one is itself. O(predicates²) at worst, in fields
 * and bounds that cannot be compared; linear in values.
 */
export function unionWherePredicates(predicates: readonly Predicate[]): Predicate {
  if (predicates.length === 0) return constant(false)
  if (predicates.length === 1) return predicates[0] as Predicate
  const parts: (Group | Predicate)[] = []
  const groups = new Map<string, Group>()
  for (const predicate of predicates) {
    for (const operand of operandsOf(predicate, 'or')) {
      const comparison = comparisonOf(operand)
      if (comparison === undefined) {
        if (!parts.some((part) => !isGroup(part) && sameExpression(part, operand))) parts.push(operand)
        continue
      }
      const field = JSON.stringify(comparison.field.path)
      let group = groups.get(field)
      if (group === undefined) {
        group = { points: [], ranges: [] }
        groups.set(field, group)
        parts.push(group)
      }
      add(group, comparison, operand)
    }
  }
  const operands = parts.flatMap((part) => (isGroup(part) ? [...part.ranges, ...pointsOf(part)] : part))
  return operands.length === 1 ? (operands[0] as Predicate) : call('or', operands)
}

function isGroup(part: Group | Predicate): part is Group {
  return 'points' in part
}

function add({ points, ranges }: Group, comparison: Comparison, predicate: Predicate): void {
  if (comparison.kind === 'points') {
    points.push({ comparison, predicate })
    return
  }
  const kept = ranges.filter((range) => {
    const other = comparisonOf(range)
    return other?.kind !== 'range' || !rangeImplies(other, comparison)
  })
  const implied = kept.some((range) => {
    const other = comparisonOf(range)
    return other?.kind === 'range' && rangeImplies(comparison, other)
  })
  if (implied) return
  ranges.splice(0, ranges.length, ...kept, predicate)
}

function pointsOf({ points }: Group): Predicate[] {
  const [first] = points
  if (first === undefined) return []
  if (points.length === 1) return [first.predicate]
  const seen = new ValueSet()
  const values: unknown[] = []
  for (const { comparison } of points) {
    for (const value of comparison.values) if (seen.add(value)) values.push(value)
  }
  const { field } = first.comparison
  return [
    values.length === 1 ? call('eq', [field, constant(values[0])]) : call('in', [field, constant(values)]),
  ]
}
