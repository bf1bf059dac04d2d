/** Rules a query must keep before it is compiled. All of them depend on the tree alone, not on any row. */
import { QueryCompilationError } from '../errors/base.ts'
import {
  EmptyReferencePathError,
  LimitOffsetRequireOrderByError,
  UnknownExpressionTypeError,
  UnknownFunctionError,
  UnsafeAliasPathError,
  UnsupportedFromTypeError,
  UnsupportedRootScalarSelectError,
} from '../errors/query.ts'
import { operators } from './functions.ts'
import {
  type BasicExpression,
  getWhereExpression,
  isSelectNode,
  parseSpreadKey,
  type QueryIR,
  type Select,
  type SelectNode,
} from './ir.ts'

const functionNames: ReadonlySet<string> = new Set(operators)
const unsafeNames: ReadonlySet<string> = new Set(['__proto__', 'prototype', 'constructor'])

/**
 * Refuses a query that selects one value per row where whole rows are needed.
 * @throws UnsupportedRootScalarSelectError
 */
export function assertRootResult(query: QueryIR): void {
  if (query.select !== undefined && isSelectNode(query.select)) throw new UnsupportedRootScalarSelectError()
}

/**
 * Checks a whole query, subqueries included, innermost first. O(nodes).
 * @throws QueryCompilationError: the leaf class names the rule that is broken.
 */
export function assertCompilable(query: QueryIR): void {
  const { from } = query
  switch (from.type) {
    case 'collectionRef':
      break
    case 'queryRef':
      assertCompilable(from.query)
      break
    default:
      throw new UnsupportedFromTypeError(String((from as { type?: unknown }).type))
  }
  if ((query.limit !== undefined || query.offset !== undefined) && !query.orderBy?.length) {
    throw new LimitOffsetRequireOrderByError()
  }
  for (const predicate of query.where ?? []) assertExpression(getWhereExpression(predicate))
  for (const term of query.orderBy ?? []) assertExpression(term.expression)
  if (query.select !== undefined) {
    if (isSelectNode(query.select)) assertExpression(query.select)
    else assertSelect(query.select)
  }
}

function assertSelect(select: Select): void {
  for (const [field, entry] of Object.entries(select)) {
    if (entry === true && parseSpreadKey(field) !== undefined) continue
    for (const segment of field.split('.')) {
      if (unsafeNames.has(segment)) throw new UnsafeAliasPathError(segment)
    }
    if (entry === true) continue
    if (isSelectNode(entry)) assertExpression(entry)
    else assertSelect(entry)
  }
}

/**
 * Checks one expression. O(nodes).
 * @throws QueryCompilationError: the leaf class names the rule that is broken.
 */
export function assertExpression(expression: SelectNode): void {
  switch (expression.type) {
    case 'val':
      return
    case 'ref':
      if (expression.path.length === 0) throw new EmptyReferencePathError()
      return
    case 'func':
      if (!functionNames.has(expression.name)) throw new UnknownFunctionError(expression.name)
      for (const argument of expression.args) assertExpression(argument)
      if (expression.name === 'in') assertSearch(expression.args)
      return
    default:
      throw new UnknownExpressionTypeError(String((expression as { type?: unknown }).type))
  }
}

/** A field that is a list can be searched for one value, the same for all rows. */
function assertSearch([member, list]: readonly BasicExpression[]): void {
  if (list === undefined || list.type === 'val' || member?.type === 'val') return
  throw new QueryCompilationError(
    'inArray() with a field as its list needs a constant to look for, such as inArray("red", item.tags): ' +
      'the value looked for and the list cannot both come from the row',
  )
}
