/** The clauses of a query. */
import type { StringCollationConfig } from '../types/rows.ts'
import type { BasicExpression, Expression, PropRef } from './ir-expressions.ts'
import type { From, JoinSource } from './ir-sources.ts'

/**
 * One query: its source and its clauses. Execution does not follow the order of the calls that built it: sources, joins,
 * `where`, `fnWhere`, `select` or `fnSelect`, `groupBy`, `having`, `fnHaving`, `distinct`, `orderBy` with `offset` and
 * `limit`. Treated as immutable.
 */
export interface QueryIR {
  readonly from: From
  readonly select?: Select | Expression
  /** Applied in this order, each to all that was joined before it. */
  readonly join?: readonly JoinClause[]
  /** ANDed. */
  readonly where?: readonly Where[]
  readonly groupBy?: readonly BasicExpression[]
  /** ANDed. */
  readonly having?: readonly Having[]
  readonly orderBy?: OrderBy
  readonly limit?: number
  readonly offset?: number
  readonly distinct?: true
  /** Whether the result is the first row alone. The rows of the query itself are not limited by it. */
  readonly singleResult?: true
  readonly fnSelect?: RowFunction
  readonly fnWhere?: readonly RowFunction[]
  readonly fnHaving?: readonly RowFunction[]
}

/** A callback of `fn.select`, `fn.where` or `fn.having`, which is called with rows by alias. */
export type RowFunction = (row: never) => unknown

/** A predicate; the entries of a query's `where` list are ANDed. */
export type Where = BasicExpression<boolean> | ResidualWhere

/** A predicate over groups; it may hold aggregates. */
export type Having = Where

/** A predicate in a wrapper, which may say that it is judged again where it stands, although its source judged it too. */
export interface ResidualWhere {
  readonly expression: BasicExpression<boolean>
  readonly residual?: true
}

/** The kinds of joins, by which side keeps rows without a match. */
export type JoinType = 'inner' | 'left' | 'right' | 'full'

/** One joined source. */
export interface JoinClause {
  readonly from: JoinSource
  /** `outer` and `cross` have names and are refused by compilation. */
  readonly type: JoinType | 'outer' | 'cross'
  /** The sides of the equality, as written: either may be about the joined source. */
  readonly left: BasicExpression
  readonly right: BasicExpression
}

/**
 * Output fields in authoring order. A key that {@link parseSpreadKey} recognises has the value `true`
 * and stands for all fields of the row at its path, merged at that position. The path is empty for a row of a union of
 * queries.
 */
export interface Select {
  [field: string]: SelectEntry
}

/** One value of a {@link Select}: a computed field, a nested object, or the mark of a spread. */
export type SelectEntry = Expression | Select | ConditionalSelect | IncludesSubquery | true

/** One way a {@link ConditionalSelect} can go. */
export interface ConditionalBranch {
  readonly condition: BasicExpression
  readonly value: SelectEntry
}

/** A field whose shape depends on the row: the value of the first branch whose condition holds. */
export class ConditionalSelect {
  readonly type = 'conditionalSelect' as const
  /** The value where no condition holds; null if absent. */
  declare readonly defaultValue?: SelectEntry

  constructor(
    readonly branches: readonly ConditionalBranch[],
    defaultValue?: SelectEntry,
  ) {
    if (defaultValue !== undefined) this.defaultValue = defaultValue
  }
}

/** What the rows of an include become in the row that includes them. */
export type IncludesMaterialization = 'collection' | 'array' | 'singleton' | 'concat'

/** The field under which an include that selects one value, not an object, keeps it. */
export const INCLUDES_SCALAR_FIELD = '__includes_scalar__'

/** A query whose rows belong to each row of the query around it, by an equality of two fields. */
export class IncludesSubquery {
  readonly type = 'includesSubquery' as const
  declare readonly parentFilters?: readonly Where[]
  declare readonly parentProjection?: readonly PropRef[]
  declare readonly scalarField?: string

  constructor(
    readonly query: QueryIR,
    readonly correlationField: PropRef,
    readonly childCorrelationField: PropRef,
    readonly fieldName: string,
    parentFilters?: readonly Where[],
    parentProjection?: readonly PropRef[],
    readonly materialization: IncludesMaterialization = 'collection',
    scalarField?: string,
  ) {
    if (parentFilters !== undefined) this.parentFilters = parentFilters
    if (parentProjection !== undefined) this.parentProjection = parentProjection
    if (scalarField !== undefined) this.scalarField = scalarField
  }
}

/** The terms of an order, most significant first. */
export type OrderBy = readonly OrderByClause[]

/** One term of an order. Over groups the expression may hold aggregates. */
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

const spreadPrefix = '__SPREAD_SENTINEL__'

/** The select key that stands for all fields of the row at `path`; `n` keeps several spreads apart. */
export function spreadKey(path: readonly string[], n: number): string {
  return `${spreadPrefix}${path.join('.')}__${String(n)}`
}

/** The path a spread key names, or undefined for an ordinary field name. */
export function parseSpreadKey(key: string): string[] | undefined {
  if (!key.startsWith(spreadPrefix)) return undefined
  const end = key.lastIndexOf('__')
  if (end < spreadPrefix.length) return undefined
  return end === spreadPrefix.length ? [] : key.slice(spreadPrefix.length, end).split('.')
}

/** The predicate of an entry of a `where` list. */
export function getWhereExpression(where: Where): BasicExpression<boolean> {
  return 'expression' in where ? where.expression : where
}

/** The predicate of an entry of a `having` list. */
export function getHavingExpression(having: Having): BasicExpression<boolean> {
  return getWhereExpression(having)
}

/** Whether an entry of a `where` list was also passed on to the source. */
export function isResidualWhere(where: Where): where is ResidualWhere {
  return 'residual' in where && where.residual === true
}

/** Marks a predicate as one that was also passed on to the source. */
export function createResidualWhere(where: Where): ResidualWhere {
  return { expression: getWhereExpression(where), residual: true }
}
