/** Rules of recursion: rows reached before may only lead to more rows, so the result never has to be taken back. */
import { RecursionError, UnsafeAliasPathError } from '../errors/query.ts'
import { isGrouped } from './check-groups.ts'
import {
  directSources,
  type Expression,
  type From,
  getWhereExpression,
  isSelectNode,
  nestedQueries,
  parseSpreadKey,
  type QueryIR,
  queriesOf,
  type Recursion,
  type RecursiveRef,
} from './ir.ts'
import { unsafeNames } from './unsafe-names.ts'

/**
 * Checks a recursion, apart from what its two queries must keep as queries.
 * @throws RecursionError
 */
export function checkRecursion({ alias, base, step, recursion, maxDepth, depthField }: RecursiveRef): void {
  if (maxDepth !== undefined && !(Number.isInteger(maxDepth) && maxDepth >= 0)) {
    throw new RecursionError(
      alias,
      `maxDepth must be a whole number of steps, 0 or more, not ${String(maxDepth)}`,
    )
  }
  if (!reads(step, recursion)) {
    throw new RecursionError(
      alias,
      'the step does not use its second argument: join it, as in ' +
        '.innerJoin({ parent: self }, ({ row, parent }) => eq(row.parentId, parent.id))',
    )
  }
  checkMonotone(step, recursion, alias)
  const fields = fieldsOf(base)
  const derived = fieldsOf(step)
  if (fields !== undefined && derived !== undefined) {
    const missing = [...fields].filter((field) => !derived.has(field))
    const extra = [...derived].filter((field) => !fields.has(field))
    if (missing.length > 0 || extra.length > 0) {
      const parts = [
        missing.length > 0 ? `the step lacks ${missing.join(', ')}` : '',
        extra.length > 0 ? `the base lacks ${extra.join(', ')}` : '',
      ]
      throw new RecursionError(
        alias,
        `base and step must select the same fields: ${parts.filter((part) => part !== '').join('; ')}`,
      )
    }
  }
  if (depthField === undefined) return
  if (depthField === '' || unsafeNames.has(depthField)) throw new UnsafeAliasPathError(depthField)
  if (fields?.has(depthField)) {
    throw new RecursionError(
      alias,
      `the field ${JSON.stringify(depthField)} for the depth is selected as well`,
    )
  }
}

/** Whether a query reads the rows of a recursion that were reached before, itself or in a subquery. */
function reads(query: QueryIR, recursion: Recursion): boolean {
  return (
    directSources(query).some((source) => sourceReads(source, recursion)) ||
    nestedQueries(query).some((inner) => reads(inner, recursion))
  )
}

function sourceReads(source: From, recursion: Recursion): boolean {
  if (source.type === 'selfRef') return source.recursion === recursion
  return queriesOf(source).some((inner) => reads(inner, recursion)) || memberReads(source, recursion)
}

function memberReads(source: From, recursion: Recursion): boolean {
  return source.type === 'unionFrom' && source.sources.some((member) => sourceReads(member, recursion))
}

function checkMonotone(query: QueryIR, recursion: Recursion, alias: string): void {
  if (!reads(query, recursion)) return
  const refuse = (what: string): never => {
    throw new RecursionError(
      alias,
      `${what} over rows reached before may take rows back that were reached by them: ` +
        'do it outside, in the query over the recursion',
    )
  }
  if (isGrouped(query)) refuse('groupBy() or an aggregate')
  if (query.limit !== undefined || query.offset !== undefined) refuse('limit() or offset()')
  const sources = directSources({ from: query.from })
  for (const { from, type } of query.join ?? []) {
    const before = sources.some((source) => sourceReads(source, recursion))
    if ((type === 'left' || type === 'full') && sourceReads(from, recursion)) {
      refuse(`a ${type} join that keeps rows without a match`)
    }
    if ((type === 'right' || type === 'full') && before)
      refuse(`a ${type} join that keeps rows without a match`)
    sources.push(from)
  }
  for (const source of sources) {
    for (const inner of queriesOf(source)) checkMonotone(inner, recursion, alias)
  }
  const predicate = (node: Expression, negated: boolean): void => {
    if (node.type === 'exists') {
      if (node.negated !== negated && reads(node.query, recursion)) refuse('notExists()')
      checkMonotone(node.query, recursion, alias)
    } else if (node.type === 'func') {
      for (const argument of node.args) predicate(argument, node.name === 'not' ? !negated : negated)
    }
  }
  for (const where of query.where ?? []) predicate(getWhereExpression(where), false)
}

/** The names of the fields a query's rows have, if they can be told without a row. */
function fieldsOf({ select, fnSelect }: QueryIR): Set<string> | undefined {
  if (fnSelect !== undefined || select === undefined || isSelectNode(select)) return undefined
  const names = Object.keys(select)
  if (names.some((name) => select[name] === true && parseSpreadKey(name) !== undefined)) return undefined
  return new Set(names.map((name) => name.split('.')[0] as string))
}
