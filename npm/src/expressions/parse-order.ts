import type { CompareOptions, OrderBy } from '../query/ir.ts'
import { extractFieldPath, type FieldPath } from './fields.ts'

/** One term of an order over plain fields. What the query did not say of strings is left out. */
export interface ParsedOrderBy {
  readonly field: FieldPath
  readonly direction: CompareOptions['direction']
  readonly nulls: CompareOptions['nulls']
  readonly stringSort?: CompareOptions['stringSort']
  readonly locale?: string | undefined
  readonly localeOptions?: object | undefined
}

const stringOptions = ['stringSort', 'locale', 'localeOptions'] as const

/**
 * The terms of an order, most significant first.
 * @throws Error for a term that is no plain field.
 */
export function parseOrderByExpression(orderBy: OrderBy | null | undefined): ParsedOrderBy[] {
  return (orderBy ?? []).map(({ expression, compareOptions }) => {
    const field = extractFieldPath(expression)
    if (field === null) {
      throw new Error(
        `ORDER BY expression must be a field reference, got: ${expression.type}. ` +
          'Order by computed values where the rows already are',
      )
    }
    const { direction, nulls } = compareOptions
    const parsed: Record<string, unknown> = { field, direction, nulls }
    for (const option of stringOptions) {
      if (option in compareOptions) parsed[option] = compareOptions[option]
    }
    return parsed as unknown as ParsedOrderBy
  })
}
