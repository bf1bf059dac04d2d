/** Rules a query must keep before it is compiled. All of them depend on the tree alone, not on any row. */
import { QueryCompilationError } from '../errors/base.ts'
import {
  DistinctRequiresSelectError,
  DuplicateAliasInSubqueryError,
  FnSelectWithGroupByError,
  HavingRequiresGroupByError,
} from '../errors/compile.ts'
import {
  DuplicateSourceAliasError,
  LimitOffsetRequireOrderByError,
  RecursionError,
  UnsafeAliasPathError,
  UnsupportedFromTypeError,
  UnsupportedNestedQueryError,
  UnsupportedRootScalarSelectError,
} from '../errors/query.ts'
import { checkExpression, type Place } from './check-expressions.ts'
import { checkGroupedSelect, checkHavingNodes, isGrouped, selectedAggregate } from './check-groups.ts'
import { checkJoin } from './check-joins.ts'
import { checkRecursion } from './check-recursion.ts'
import {
  collectCollectionSources,
  directSources,
  type From,
  getHavingExpression,
  getWhereExpression,
  isSelectNode,
  parseSpreadKey,
  type QueryIR,
  type Recursion,
  type SelectEntry,
} from './ir.ts'
import { unsafeNames } from './unsafe-names.ts'

/** What a query finds around it. */
interface Around {
  /** Aliases that it must not use: those of collections that queries around it read themselves. */
  readonly taken: readonly string[]
  /** Aliases of rows of queries around it, which references may be to. */
  readonly rows: readonly string[]
  /** The recursions whose steps it is in. */
  readonly recursions: readonly Recursion[]
}

const nothing: Around = { taken: [], rows: [], recursions: [] }

/**
 * Checks a whole query that is to be run by itself.
 * @throws QueryCompilationError, JoinError, GroupByError: the leaf class names the rule that is broken.
 */
export function checkQuery(query: QueryIR): void {
  assertRootResult(query)
  assertCompilable(query)
}

/**
 * Refuses a query that selects one value per row where whole rows are needed.
 * @throws UnsupportedRootScalarSelectError
 */
export function assertRootResult(query: QueryIR): void {
  if (query.select !== undefined && isSelectNode(query.select)) throw new UnsupportedRootScalarSelectError()
}

/**
 * Checks a whole query, subqueries included, sources first. O(nodes), but for groups: O(selected fields × groups).
 * @throws QueryCompilationError, JoinError, GroupByError: the leaf class names the rule that is broken.
 */
export function assertCompilable(query: QueryIR): void {
  check(query, nothing)
}

function check(query: QueryIR, around: Around): void {
  const { from, join = [] } = query
  const over = `the query over ${JSON.stringify(from.alias || '*')}`
  const sources = directSources(query)
  const inside = { ...around, taken: [...around.taken, ...collectionsAmong(sources)], rows: [] }
  checkSource(from, around, inside)
  for (const { from: joined } of join) {
    if (joined.type === 'queryRef' || joined.type === 'selfRef') checkSource(joined, around, inside)
  }
  const aliases = aliasesOf(sources, around, over)
  if (join.length > 0 && from.type === 'unionAll') {
    throw new QueryCompilationError(
      'A union of queries cannot be joined with its rows unnamed: make it a source, .from({ row: union }).join(…)',
    )
  }
  const before = new Set(directSources({ from }).map(({ alias }) => alias))
  for (const joined of join) {
    checkJoin(joined, before, over)
    before.add(joined.from.alias)
  }
  checkClauses(query, over)
  const rows = [...around.rows, ...aliases]
  const visible = from.type === 'unionAll' ? undefined : new Set(rows)
  const place = (clause: string): Place => ({ name: `${clause} of ${over}`, aliases: visible })
  // A predicate's subquery sees the rows here, so none of its sources may go by the same name.
  const nested = { ...inside, taken: [...inside.taken, ...aliases], rows }
  for (const where of query.where ?? []) {
    checkExpression(getWhereExpression(where), {
      ...place('where()'),
      exists: (node) => check(node.query, nested),
    })
  }
  for (const group of query.groupBy ?? []) checkExpression(group, place('groupBy()'))
  if (query.select !== undefined) checkSelect(query.select, { ...place('select()'), aggregate: () => {} }, '')
  checkGroupedSelect(query)
  checkHaving(query, place('having()'))
  checkOrder(query, place('orderBy()'))
}

function checkSource(source: From, around: Around, inside: Around): void {
  switch (source.type) {
    case 'collectionRef':
      return
    case 'queryRef':
      check(source.query, inside)
      return
    case 'unionFrom':
      if (source.sources.length === 0) throw new UnsupportedFromTypeError('a union of no sources')
      for (const member of source.sources) checkSource(member, around, inside)
      return
    case 'unionAll':
      if (source.queries.length === 0) throw new UnsupportedFromTypeError('a union of no queries')
      for (const branch of source.queries) check(branch, inside)
      checkBranchAliases(source.queries)
      return
    case 'recursiveRef':
      check(source.base, inside)
      check(source.step, { ...inside, recursions: [...inside.recursions, source.recursion] })
      checkRecursion(source)
      return
    case 'selfRef':
      if (around.recursions.includes(source.recursion)) return
      throw new RecursionError(
        source.alias,
        'the second argument of a step is a source inside that step alone: build the query in the step',
      )
    default:
      throw new UnsupportedFromTypeError(String((source as { type?: unknown }).type))
  }
}

/** The rows of a union of queries are told apart by the aliases they come from. */
function checkBranchAliases(branches: readonly QueryIR[]): void {
  const seen = new Set<string>()
  for (const branch of branches) {
    const own = new Set(collectCollectionSources(branch).map(({ alias }) => alias))
    for (const alias of own) {
      if (seen.has(alias)) throw new DuplicateSourceAliasError(alias, 'another query of the union')
      seen.add(alias)
    }
  }
}

function collectionsAmong(sources: readonly From[]): string[] {
  return sources.filter(({ type }) => type === 'collectionRef').map(({ alias }) => alias)
}

/** The aliases of a query's sources. */
function aliasesOf(sources: readonly From[], around: Around, over: string): string[] {
  const aliases = new Set<string>()
  for (const { alias, type } of sources) {
    if (type === 'unionAll') continue
    if (aliases.has(alias)) throw new DuplicateSourceAliasError(alias, over)
    if (around.taken.includes(alias) && (type === 'collectionRef' || around.rows.includes(alias))) {
      throw new DuplicateAliasInSubqueryError(alias, around.taken)
    }
    aliases.add(alias)
  }
  return [...aliases]
}

function checkClauses(query: QueryIR, over: string): void {
  const { from, select, fnSelect, groupBy = [] } = query
  const bounded = query.limit !== undefined || query.offset !== undefined
  if (bounded && !query.orderBy?.length) throw new LimitOffsetRequireOrderByError(over)
  const hasShape = select !== undefined || fnSelect !== undefined
  if (query.distinct && !hasShape && from.type !== 'unionAll') throw new DistinctRequiresSelectError(over)
  if (fnSelect !== undefined && groupBy.length > 0) throw new FnSelectWithGroupByError(over)
  if (query.having?.length && !isGrouped(query)) throw new HavingRequiresGroupByError(over)
}

function checkSelect(entry: SelectEntry, place: Place, path: string): void {
  if (entry === true) return
  if (!isSelectNode(entry)) {
    for (const [field, inner] of Object.entries(entry)) {
      const spread = inner === true ? parseSpreadKey(field) : undefined
      if (spread === undefined) checkFieldName(field)
      else if (spread.length > 0) checkExpression({ type: 'ref', path: spread } as never, place)
      checkSelect(inner, place, path === '' ? field : `${path}.${field}`)
    }
    return
  }
  switch (entry.type) {
    case 'includesSubquery':
      throw new UnsupportedNestedQueryError(path)
    case 'conditionalSelect':
      for (const { condition, value } of entry.branches) {
        checkExpression(condition, place)
        checkSelect(value, place, path)
      }
      if (entry.defaultValue !== undefined) checkSelect(entry.defaultValue, place, path)
      return
    default:
      checkExpression(entry, place)
  }
}

function checkFieldName(field: string): void {
  for (const segment of field.split('.')) {
    if (unsafeNames.has(segment)) throw new UnsafeAliasPathError(segment)
  }
}

function checkHaving(query: QueryIR, place: Place): void {
  const check = { ...withSelected(place), aggregate: selectedAggregate(query, 'having()') }
  for (const having of query.having ?? []) {
    const expression = getHavingExpression(having)
    checkHavingNodes(expression)
    checkExpression(expression, check)
  }
}

function checkOrder(query: QueryIR, place: Place): void {
  const selected = withSelected(place)
  const check = isGrouped(query)
    ? { ...selected, aggregate: selectedAggregate(query, 'orderBy()') }
    : selected
  for (const { expression } of query.orderBy ?? []) checkExpression(expression, check)
}

function withSelected(place: Place): Place {
  return place.aliases === undefined ? place : { ...place, aliases: new Set([...place.aliases, '$selected']) }
}
