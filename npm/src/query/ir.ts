/**
 * The intermediate representation of a query: what the builder produces and what is compiled for the
 * engine. Nodes carry a `type` tag; code that reads a tree tests the tag, never the class, because
 * trees may come from another copy of this package or from code that writes plain objects.
 */
import type { Collection } from '../types/collection.ts'
import type { StringCollationConfig, Untyped } from '../types/rows.ts'

/** Phantom key that carries the static type of an expression's value. It never exists at run time. */
export declare const valueType: unique symbol

const expressionBrand: unique symbol = Symbol.for('millrace.expression')

/** One query: its source and its clauses, in no particular order of execution. Treated as immutable. */
export interface QueryIR {
  readonly from: From
  readonly select?: Select | BasicExpression
  readonly where?: readonly Where[]
  readonly orderBy?: OrderBy
  readonly limit?: number
  readonly offset?: number
}

/** Where the rows of a query come from. */
export type From = CollectionRef | QueryRef

/** A predicate; the entries of a query's `where` list are ANDed. */
export type Where = BasicExpression<boolean>

/** A predicate that is judged again where it stands, although it was also passed on to the source. */
export interface ResidualWhere {
  readonly expression: BasicExpression<boolean>
  readonly residual: true
}

/**
 * Output fields in authoring order. A key that {@link parseSpreadKey} recognises has the value `true`
 * and stands for all fields of the row at its path, merged at that position.
 */
export interface Select {
  [field: string]: SelectEntry
}

/** One value of a {@link Select}: a computed field, a nested object, or the mark of a spread. */
export type SelectEntry = BasicExpression | Select | true

/** The terms of an order, most significant first. */
export type OrderBy = readonly OrderByClause[]

/** One term of an order. */
export interface OrderByClause {
  readonly expression: BasicExpression
  readonly compareOptions: CompareOptions
}

/** `asc` puts small values first. */
export type OrderByDirection = 'asc' | 'desc'

/**
 * How one order term compares. `nulls` places null and undefined regardless of the direction; an absent
 * `stringSort` means the collation of the query's source.
 */
export interface CompareOptions {
  readonly direction: OrderByDirection
  readonly nulls: 'first' | 'last'
  readonly stringSort?: StringCollationConfig['stringSort']
  readonly locale?: string | undefined
  readonly localeOptions?: object | undefined
}

abstract class ExpressionNode<T> {
  declare readonly [valueType]: T
  abstract readonly type: string

  get [expressionBrand](): true {
    return true
  }
}

/** A path into the row: alias first inside a query, alias-free in a single-row predicate. */
export class PropRef<T = unknown> extends ExpressionNode<T> {
  readonly type = 'ref' as const
  constructor(readonly path: string[]) {
    super()
  }
}

/** A constant. */
export class Value<T = unknown> extends ExpressionNode<T> {
  readonly type = 'val' as const
  constructor(readonly value: T) {
    super()
  }
}

/** A call of a built-in function by its IR name. */
export class Func<T = unknown> extends ExpressionNode<T> {
  readonly type = 'func' as const
  constructor(
    readonly name: string,
    readonly args: BasicExpression[],
  ) {
    super()
  }
}

/** A call of an aggregate function by its IR name: one value per group. */
export class Aggregate<T = unknown> extends ExpressionNode<T> {
  readonly type = 'agg' as const
  constructor(
    readonly name: string,
    readonly args: BasicExpression[],
  ) {
    super()
  }
}

/** Any expression that gives one value per row; `T` is the static type of that value. */
export type BasicExpression<T = unknown> = PropRef<T> | Value<T> | Func<T>

let sourceCount = 0

/** One use of a collection as a source. Two uses of one collection are two sources. */
export class CollectionRef {
  readonly type = 'collectionRef' as const
  readonly #source = ++sourceCount
  constructor(
    readonly collection: Collection,
    readonly alias: string,
  ) {}

  /**
   * Identity of this use, `source-<n>`, unique in the process. It lives on the prototype so that two
   * references to the same collection under the same alias stay structurally equal.
   */
  get sourceId(): string {
    return `source-${String(this.#source)}`
  }
}

/** A query used as a source. */
export class QueryRef {
  readonly type = 'queryRef' as const
  constructor(
    readonly query: QueryIR,
    readonly alias: string,
  ) {}
}

/**
 * Whether a value was made by one of the expression classes, of any copy of this package. Plain objects
 * do not count: in a select, `{type: 'val', value: x}` is an object with two fields.
 */
export function isExpressionNode(value: unknown): value is BasicExpression {
  return typeof value === 'object' && value !== null && expressionBrand in value
}

/** Whether a value can stand where an expression is expected: a node, or a plain object shaped like one. */
export function isExpressionLike(value: unknown): value is BasicExpression {
  if (typeof value !== 'object' || value === null) return false
  if (expressionBrand in value) return true
  if (!('type' in value)) return false
  switch (value.type) {
    case 'ref':
      return 'path' in value && Array.isArray(value.path)
    case 'val':
      return 'value' in value
    case 'func':
    case 'agg':
      return 'name' in value && 'args' in value && typeof value.name === 'string' && Array.isArray(value.args)
    default:
      return false
  }
}

const spreadPrefix = '__SPREAD_SENTINEL__'

/** The select key that stands for all fields of the row at `path`; `n` keeps several spreads apart. */
export function spreadKey(path: readonly string[], n: number): string {
  return `${spreadPrefix}${path.join('.')}__${String(n)}`
}

/** The path a spread key names, or undefined for an ordinary field name. */
export function parseSpreadKey(key: string): string[] | undefined {
  if (!key.startsWith(spreadPrefix)) return undefined
  const end = key.lastIndexOf('__')
  return end < spreadPrefix.length ? undefined : key.slice(spreadPrefix.length, end).split('.')
}

/** Every collection a query reads, subqueries included, each use once, outermost source first. */
export function collectCollectionSources(query: QueryIR): CollectionRef[] {
  const sources: CollectionRef[] = []
  let from = query.from
  while (from.type === 'queryRef') from = from.query.from
  sources.push(from)
  return sources
}

/** The field under which an include that selects one value, not an object, keeps it. */
export const INCLUDES_SCALAR_FIELD = '__includes_scalar__'

/** The predicate of an entry of a `where` list. */
export function getWhereExpression(where: Where | ResidualWhere): BasicExpression<boolean> {
  return 'expression' in where ? where.expression : where
}

/** The predicate of an entry of a `having` list. */
export function getHavingExpression(having: Where | ResidualWhere): BasicExpression<boolean> {
  return getWhereExpression(having)
}

/** Whether an entry of a `where` list was also passed on to the source. */
export function isResidualWhere(where: Where | ResidualWhere): where is ResidualWhere {
  return 'residual' in where && where.residual === true
}

/** Marks a predicate as one that was also passed on to the source. */
export function createResidualWhere(where: Where | ResidualWhere): ResidualWhere {
  return { expression: getWhereExpression(where), residual: true }
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
 * alias of the query is a field of `collection`. Undefined if the reference ends at a computed value or at a whole
 * row. O(depth of the subqueries).
 */
export function followRef(
  query: Pick<QueryIR, 'from' | 'select'>,
  ref: PropRef,
  collection: Collection<Untyped, Untyped>,
): FollowedRef | undefined {
  let at = query
  let [first, ...rest] = ref.path
  for (;;) {
    if (first === undefined) return undefined
    const { from } = at
    if (from.alias !== first) return { collection, path: [first, ...rest] }
    if (rest.length === 0) return undefined
    if (from.type === 'collectionRef') {
      return { collection: from.collection, path: rest, alias: from.alias, sourceId: from.sourceId }
    }
    const path = selectedPath(from.query, rest)
    if (path === undefined) return undefined
    at = from.query
    ;[first, ...rest] = path
  }
}

/** The path, alias first, in terms of a query's own source that one of its result fields stands for. */
function selectedPath({ select, from }: QueryIR, field: readonly string[]): readonly string[] | undefined {
  if (select === undefined) return [from.alias, ...field]
  let entry: SelectEntry | undefined = select
  for (let i = 0; i < field.length; i++) {
    if (entry === undefined || entry === true) return undefined
    if (isExpressionLike(entry)) return entry.type === 'ref' ? [...entry.path, ...field.slice(i)] : undefined
    entry = selectEntry(entry, field[i] as string)
  }
  return entry !== undefined && entry !== true && isExpressionLike(entry) && entry.type === 'ref'
    ? entry.path
    : undefined
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
