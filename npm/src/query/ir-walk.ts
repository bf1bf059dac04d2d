/** Walks over queries: their sources, and what a reference ends at. */
import type { Collection } from '../types/collection.ts'
import type { Untyped } from '../types/rows.ts'
import { type Expression, PropRef } from './ir-expressions.ts'
import {
  type ConditionalSelect,
  getWhereExpression,
  type IncludesSubquery,
  parseSpreadKey,
  type QueryIR,
  type Select,
  type SelectEntry,
} from './ir-query.ts'
import type { CollectionRef, From, JoinSource } from './ir-sources.ts'

/** A select entry that is one node, not an object of entries nor the mark of a spread. */
export type SelectNode = Expression | ConditionalSelect | IncludesSubquery

/**
 * Whether an entry of a select is a node. An object of fields is none even if a field is called `type`, for that
 * field's value is a node and no string.
 */
export function isSelectNode(entry: SelectEntry): entry is SelectNode {
  return entry !== true && typeof entry.type === 'string'
}

/** The sources a query puts together itself, by join or as a union of sources; those of subqueries are not among them. */
export function directSources({ from, join = [] }: Pick<QueryIR, 'from' | 'join'>): From[] {
  const sources: From[] = from.type === 'unionFrom' ? [...from.sources] : [from]
  for (const joined of join) sources.push(joined.from)
  return sources
}

/**
 * Every collection a query reads, each use once: of its source, of its joins, then those of subqueries in its
 * predicates and in its select. O(nodes).
 */
export function collectCollectionSources(query: QueryIR): CollectionRef[] {
  const sources = new Set<CollectionRef>()
  addSources(query, sources)
  return [...sources]
}

function addSources(query: QueryIR, to: Set<CollectionRef>): void {
  for (const source of directSources(query)) {
    for (const inner of queriesOf(source)) addSources(inner, to)
    if (source.type === 'collectionRef') to.add(source)
  }
  for (const inner of nestedQueries(query)) addSources(inner, to)
}

/** The queries that make up a source. */
export function queriesOf(source: From): readonly QueryIR[] {
  switch (source.type) {
    case 'queryRef':
      return [source.query]
    case 'unionAll':
      return source.queries
    case 'unionFrom':
      return source.sources.flatMap((member) => queriesOf(member))
    case 'recursiveRef':
      return [source.base, source.step]
    default:
      return []
  }
}

/** The queries in the expressions of a query's own clauses: of its predicates first, of its select last. */
export function nestedQueries(query: QueryIR): QueryIR[] {
  const found: QueryIR[] = []
  const expression = (node: Expression): void => {
    if (node.type === 'exists') found.push(node.query)
    else if (node.type === 'func' || node.type === 'agg')
      for (const argument of node.args) expression(argument)
  }
  const entry = (node: SelectEntry): void => {
    if (node === true) return
    if (!isSelectNode(node)) for (const field of Object.values(node)) entry(field)
    else if (node.type === 'includesSubquery') found.push(node.query)
    else if (node.type !== 'conditionalSelect') expression(node)
    else {
      for (const { condition, value } of node.branches) {
        expression(condition)
        entry(value)
      }
      if (node.defaultValue !== undefined) entry(node.defaultValue)
    }
  }
  for (const { left, right } of query.join ?? []) {
    expression(left)
    expression(right)
  }
  for (const where of [...(query.where ?? []), ...(query.having ?? [])]) expression(getWhereExpression(where))
  for (const group of query.groupBy ?? []) expression(group)
  for (const term of query.orderBy ?? []) expression(term.expression)
  if (query.select !== undefined) entry(query.select)
  return found
}

/** The field of a collection that a reference ends at. */
export interface FollowedRef {
  readonly collection: Collection<Untyped, Untyped>
  /** Without an alias. */
  readonly path: string[]
  readonly alias?: string
  readonly sourceId?: string
}

/**
 * Follows a reference of a query through its subqueries to the field it ends at. A path that does not begin with an
 * alias of the query is a field of `collection`. Undefined if the reference ends at a computed value, at a whole
 * row, or at rows of several collections. O(depth of the subqueries).
 */
export function followRef(
  query: Pick<QueryIR, 'from' | 'join' | 'select'>,
  ref: PropRef,
  collection: Collection<Untyped, Untyped>,
): FollowedRef | undefined {
  let at = query
  let [first, ...rest] = ref.path
  for (;;) {
    if (first === undefined) return undefined
    const source = directSources(at).find(({ alias }) => alias === first)
    if (source === undefined) return { collection, path: [first, ...rest] }
    if (rest.length === 0) return undefined
    if (source.type === 'collectionRef') {
      return { collection: source.collection, path: rest, alias: source.alias, sourceId: source.sourceId }
    }
    if (source.type !== 'queryRef') return undefined
    const path = selectedPath(source.query, rest)
    if (path === undefined) return undefined
    at = source.query
    ;[first, ...rest] = path
  }
}

/** The path, alias first, in terms of a query's own sources that one of its result fields stands for. */
function selectedPath(query: QueryIR, field: readonly string[]): readonly string[] | undefined {
  const { select, from, join = [], groupBy = [], fnSelect } = query
  if (fnSelect !== undefined || from.type === 'unionAll' || from.type === 'recursiveRef') return undefined
  if (select === undefined) {
    if (groupBy.length > 0) return undefined
    return join.length > 0 || from.type === 'unionFrom' ? field : [from.alias, ...field]
  }
  let entry: SelectEntry | undefined = select
  for (let i = 0; i < field.length; i++) {
    if (entry === undefined || entry === true) return undefined
    if (isSelectNode(entry)) return entry.type === 'ref' ? [...entry.path, ...field.slice(i)] : undefined
    entry = selectEntry(entry, field[i] as string)
  }
  return entry !== undefined && isSelectNode(entry) && entry.type === 'ref' ? entry.path : undefined
}

/**
 * What gives a field its value: its own entry, or the row spread there. Undefined where nobody can tell without a row,
 * because a spread after another entry replaces it only in rows that have the field.
 */
function selectEntry(select: Select, name: string): SelectEntry | undefined {
  let found: SelectEntry | undefined
  for (const key of Object.keys(select)) {
    if (key === name) {
      found = select[key]
      continue
    }
    const spread = select[key] === true ? parseSpreadKey(key) : undefined
    if (spread === undefined) continue
    if (found !== undefined) return undefined
    found = new PropRef([...spread, name])
  }
  return found
}

/** The sources that a query's strings take their order from: the first of the first, down to a collection. */
export function mainCollection(from: From): CollectionRef | undefined {
  let source: From | JoinSource | undefined = from
  while (source !== undefined && source.type !== 'collectionRef') {
    switch (source.type) {
      case 'queryRef':
        source = source.query.from
        break
      case 'unionFrom':
        source = source.sources[0]
        break
      case 'unionAll':
        source = source.queries[0]?.from
        break
      case 'recursiveRef':
        source = source.base.from
        break
      default:
        return undefined
    }
  }
  return source
}
