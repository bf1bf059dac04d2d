import type { BasicExpression, Func } from '../query/ir.ts'
import type { Untyped } from '../types/rows.ts'
import type { LoadSubsetOptions } from '../types/subsets.ts'
import { extractFieldPath, type FieldPath } from './fields.ts'
import { operandsOf } from './nodes.ts'
import { type ParsedOrderBy, parseOrderByExpression } from './parse-order.ts'

/** One condition on one field. */
export interface SimpleComparison {
  readonly field: FieldPath
  /** An IR name such as `eq` or `isNull`, with `not_` in front where the condition is negated. */
  readonly operator: string
  /** What the field is compared with; left out for `isNull` and `isUndefined`. */
  readonly value?: Untyped
}

const comparisons: ReadonlySet<string> = new Set(['eq', 'gt', 'gte', 'lt', 'lte', 'in'])
const tests: ReadonlySet<string> = new Set(['isNull', 'isUndefined'])

/**
 * A predicate as a list of conditions that all must hold, for sources that understand nothing else. A predicate that is
 * a single constant or reference gives no condition, so such a source sends more than was asked for.
 * @throws Error for anything that is no conjunction of comparisons of a field with a constant.
 */
export function extractSimpleComparisons(
  expression: BasicExpression<boolean> | null | undefined,
): SimpleComparison[] {
  const found: SimpleComparison[] = []
  if (expression !== null && expression !== undefined) collect(expression, found)
  return found
}

function collect(expression: BasicExpression, into: SimpleComparison[]): void {
  if (expression.type === 'val' || expression.type === 'ref') return
  if (expression.type !== 'func') {
    throw unsupported(`expressions of type '${String((expression as { type?: unknown }).type)}'`)
  }
  if (expression.name === 'and') {
    for (const operand of operandsOf(expression, 'and')) collect(operand, into)
  } else if (expression.name === 'not') {
    const [negated] = expression.args
    if (negated?.type !== 'func') throw unsupported(`'not' of a ${negated?.type ?? 'missing argument'}`)
    into.push(conditionOf(negated, 'not_'))
  } else into.push(conditionOf(expression, ''))
}

function conditionOf({ name, args }: Func, prefix: '' | 'not_'): SimpleComparison {
  const isTest = tests.has(name)
  if (!isTest && !comparisons.has(name)) {
    throw unsupported(prefix === '' ? `'${name}' operator` : `'not(${name})'`)
  }
  const [first, second] = args
  const field = first === undefined ? null : extractFieldPath(first)
  const operator = `${prefix}${name}`
  if (field !== null && isTest) return { field, operator }
  if (field !== null && second?.type === 'val') return { field, operator, value: second.value }
  throw unsupported(
    `'${operator}' of ${args.map((argument) => argument.type).join(' and ')}; ` +
      `its operands must be a field${isTest ? '' : ' and then a constant'}`,
  )
}

function unsupported(what: string): Error {
  return new Error(
    `extractSimpleComparisons does not support ${what}. Use parseWhereExpression, which takes any predicate`,
  )
}

/**
 * What a source is asked for, as lists. Offset and cursor are not among them: read those from the options.
 * @throws Error where {@link extractSimpleComparisons} or {@link parseOrderByExpression} do.
 */
export function parseLoadSubsetOptions(options: LoadSubsetOptions | null | undefined): {
  filters: SimpleComparison[]
  sorts: ParsedOrderBy[]
  limit?: number
} {
  if (options === null || options === undefined) return { filters: [], sorts: [] }
  const { where, orderBy, limit } = options
  const lists = { filters: extractSimpleComparisons(where), sorts: parseOrderByExpression(orderBy) }
  return limit === undefined ? lists : { ...lists, limit }
}
