import { sameExpression } from '../expressions/nodes.ts'
import type { BasicExpression, CompareOptions, OrderBy, OrderByClause } from '../query/ir.ts'
import { deepEquals } from '../rows/deep-equals.ts'
import type { CursorExpressions, LoadSubsetOptions } from '../types/subsets.ts'
import { isWhereSubset } from './where-subset.ts'

/** The rows from `offset` on, `limit` of them; all of them without a limit. */
type Page = Pick<LoadSubsetOptions, 'offset' | 'limit'>

/**
 * Whether rows in the order `superset` are also in the order `subset`: the terms of `subset` are the first terms of
 * `superset`, compared the same way. No order is part of any.
 */
export function isOrderBySubset(subset: OrderBy | undefined, superset: OrderBy | undefined): boolean {
  if (subset === undefined || subset.length === 0) return true
  if (superset === undefined || superset.length < subset.length) return false
  return subset.every((term, i) => sameTerm(term, superset[i] as OrderByClause))
}

/** Whether the first `subset` rows are among the first `superset` rows. Without a limit it is all rows. */
export function isLimitSubset(subset: number | undefined, superset: number | undefined): boolean {
  return superset === undefined || (subset !== undefined && subset <= superset)
}

/** Whether one page of an order lies within another. */
export function isOffsetLimitSubset(subset: Page, superset: Page): boolean {
  const { offset: from = 0, limit } = subset
  const { offset: supersetFrom = 0, limit: supersetLimit } = superset
  if (supersetFrom > from) return false
  if (supersetLimit === undefined) return true
  return limit !== undefined && from + limit <= supersetFrom + supersetLimit
}

/**
 * Whether loading `superset` loads everything that `subset` asks for: the rows, or of a page as many rows as it has, at
 * the same places of the order. Which of the rows that are equal in order come first is left to the source.
 *
 * A page has the places it has among the rows of its own filter, so the filters of pages must be the same. A page that
 * is told by its cursor alone is part only of one with the same cursor. Signal and subscription do not matter.
 */
export function isPredicateSubset(subset: LoadSubsetOptions, superset: LoadSubsetOptions): boolean {
  const wheres =
    superset.limit === undefined
      ? isWhereSubset(subset.where, superset.where)
      : sameOptional(subset.where, superset.where)
  return (
    wheres &&
    isOrderBySubset(subset.orderBy, superset.orderBy) &&
    isOffsetLimitSubset(subset, superset) &&
    samePlace(subset, superset)
  )
}

function sameTerm(a: OrderByClause, b: OrderByClause): boolean {
  const left: Partial<CompareOptions> = a.compareOptions
  const right: Partial<CompareOptions> = b.compareOptions
  return (
    (left.direction ?? 'asc') === (right.direction ?? 'asc') &&
    (left.nulls ?? 'first') === (right.nulls ?? 'first') &&
    left.stringSort === right.stringSort &&
    left.locale === right.locale &&
    deepEquals(left.localeOptions, right.localeOptions) &&
    sameExpression(a.expression, b.expression)
  )
}

/** Whether the offsets of both say where they begin, or their cursors say the same. In all rows every page has its place. */
function samePlace(subset: LoadSubsetOptions, superset: LoadSubsetOptions): boolean {
  const { limit, offset = 0, cursor } = superset
  if (limit === undefined && offset === 0 && cursor === undefined) return true
  const told = (options: LoadSubsetOptions) => options.cursor === undefined || options.offset !== undefined
  return (told(subset) && told(superset)) || sameCursor(subset.cursor, cursor)
}

function sameCursor(a: CursorExpressions | undefined, b: CursorExpressions | undefined): boolean {
  if (a === undefined || b === undefined) return a === b
  return (
    a.lastKey === b.lastKey &&
    sameExpression(a.whereFrom, b.whereFrom) &&
    sameExpression(a.whereCurrent, b.whereCurrent)
  )
}

function sameOptional(a: BasicExpression | undefined, b: BasicExpression | undefined): boolean {
  return a === undefined || b === undefined ? a === b : sameExpression(a, b)
}
