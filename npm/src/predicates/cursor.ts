import { type BasicExpression, Func, type OrderBy, type OrderByClause, Value } from '../query/ir.ts'
import { isDate } from '../rows/brands.ts'
import type { CursorExpressions } from '../types/subsets.ts'

/**
 * A predicate for the rows behind the place where the terms of an order have the given values. Missing values have no
 * place in it: what is compared with null is unknown. Undefined without terms or values; terms without a value are left
 * out.
 */
export function buildCursor(
  orderBy: OrderBy,
  values: readonly unknown[],
): BasicExpression<boolean> | undefined {
  const count = Math.min(orderBy.length, values.length)
  let cursor: Func<boolean> | undefined
  for (let i = 0; i < count; i++) {
    const { expression, compareOptions } = orderBy[i] as OrderByClause
    let behind = compare(compareOptions.direction === 'desc' ? 'lt' : 'gt', expression, values[i])
    if (i > 0) {
      let before = compare('eq', (orderBy[0] as OrderByClause).expression, values[0])
      for (let j = 1; j < i; j++) {
        before = new Func('and', [before, compare('eq', (orderBy[j] as OrderByClause).expression, values[j])])
      }
      behind = new Func('and', [before, behind])
    }
    cursor = cursor === undefined ? behind : new Func('or', [cursor, behind])
  }
  return cursor
}

/**
 * Where a page continues behind the given values. A source may keep times finer than a date does, so a date stands for
 * its whole millisecond among the rows at the same place. Undefined without terms or values.
 */
export function cursorExpressions(
  orderBy: OrderBy,
  values: readonly unknown[],
  lastKey?: string | number,
): CursorExpressions | undefined {
  const whereFrom = buildCursor(orderBy, values)
  if (whereFrom === undefined) return undefined
  const whereCurrent = atPlace((orderBy[0] as OrderByClause).expression, values[0])
  return lastKey === undefined ? { whereFrom, whereCurrent } : { whereFrom, whereCurrent, lastKey }
}

function atPlace(expression: BasicExpression, value: unknown): BasicExpression<boolean> {
  if (typeof value !== 'object' || value === null || !isDate(value) || Number.isNaN(value.getTime())) {
    return compare('eq', expression, value)
  }
  const next = new Date(value.getTime() + 1)
  return new Func('and', [compare('gte', expression, value), compare('lt', expression, next)])
}

function compare(name: string, expression: BasicExpression, value: unknown): Func<boolean> {
  return new Func(name, [expression, new Value(value)])
}
