import {
  InvalidSourceTypeError,
  InvalidWhereExpressionError,
  JoinConditionMustBeEqualityError,
  OnlyOneSourceAllowedError,
  QueryMustHaveFromClauseError,
} from '../errors.ts'
import type { StringCollationConfig } from '../types/rows.ts'
import type {
  Context,
  contextType,
  FunctionalHavingRow,
  FunctionalRow,
  GroupByCallback,
  HavingCallback,
  OrderByCallback,
  QueryOf,
  RefsForContext,
  WhereCallback,
  WithGroups,
  WithResult,
  WithSingleResult,
} from './context.ts'
import {
  type BasicExpression,
  type CompareOptions,
  type Func,
  type JoinClause,
  type JoinType,
  type OrderByClause,
  type OrderByDirection,
  type QueryIR,
  Recursion,
  RecursiveRef,
  type RowFunction,
  UnionAll,
  UnionFrom,
} from './ir.ts'
import type { JoinOnCallback, MergeContextWithJoinType } from './join-types.ts'
import { isQueryLike, kindOf, pathOf, type Refs, refsFor, toExpression } from './refs.ts'
import { buildSelect } from './select.ts'
import type { ResultTypeFromSelect, SelectValue } from './select-types.ts'
import type {
  ContextFromRecursion,
  ContextFromSource,
  ContextFromUnionBranches,
  ContextFromUnionSource,
  RecursiveSource,
  SchemaFromSource,
  SelfOf,
  SingleSource,
  Source,
  StepConstraint,
} from './source-types.ts'
import { aliasesOf, manySources, oneSource, type ResolveCollection, Self } from './sources.ts'

/** Options of `orderBy`: ascending with nulls first unless said otherwise. */
export type OrderByOptions = StringCollationConfig & {
  readonly direction?: OrderByDirection
  readonly nulls?: 'first' | 'last'
}

/** Options of `recursive`. */
export interface RecursiveOptions<TDepth extends string = string> {
  /** How many steps are taken at most; as many as there are if left out. 0 gives the base alone. */
  readonly maxDepth?: number
  /** The name of a field that says in how many steps a row was reached at the least: 0 for a row of the base. */
  readonly depth?: TDepth
}

/** A builder that has no source yet. */
export type InitialQueryBuilder = Pick<BaseQueryBuilder, 'from' | 'unionAll' | 'recursive'>

/** A builder with a source: what `from` and every later call return. */
export type QueryBuilder<TContext extends Context> = Omit<
  BaseQueryBuilder<TContext>,
  'from' | 'unionAll' | 'recursive' | '_getQuery'
>

/** The clauses that are callbacks over whole rows. What they read is not known, so nothing of them is indexed. */
export interface FunctionalClauses<TContext extends Context> {
  /** Makes the result rows, replacing an earlier select. */
  select<TResult>(
    callback: (row: FunctionalRow<TContext>) => TResult,
  ): QueryBuilder<WithResult<TContext, TResult>>
  /** Keeps the rows for which the callback returns exactly true. */
  where(callback: (row: FunctionalRow<TContext>) => unknown): QueryBuilder<TContext>
  /**
   * Keeps the result rows, or groups, that the callback accepts. Over groups it sees `$selected` alone and must return
   * exactly true.
   */
  having(callback: (row: FunctionalHavingRow<TContext>) => unknown): QueryBuilder<TContext>
}

/**
 * Builds a query. Immutable: every method returns another builder, so a partly built query can be kept and
 * continued in several ways. Callbacks run during the call and receive references, never rows; those of `fn` are kept
 * and run with rows.
 */
export class BaseQueryBuilder<TContext extends Context = Context> {
  declare readonly [contextType]: TContext
  readonly #query: Partial<QueryIR>
  readonly #resolve: ResolveCollection | undefined

  /** `resolveCollection` gives the collections of descriptors among the sources. */
  constructor(query: Partial<QueryIR> = {}, resolveCollection?: ResolveCollection) {
    this.#query = query
    this.#resolve = resolveCollection
  }

  /**
   * Sets the source: `{alias: collection}` or `{alias: builder}`, exactly one.
   * @throws InvalidSourceTypeError, OnlyOneSourceAllowedError, InvalidSourceError for anything else.
   * @throws QueryMustHaveFromClauseError for a builder that has no source itself.
   */
  from<TSource extends Source>(source: SingleSource<TSource>): QueryBuilder<ContextFromSource<TSource>> {
    return this.#with<ContextFromSource<TSource>>({ from: oneSource(source, 'from clause', this.#resolve) })
  }

  /**
   * Puts the results of several queries together. Later clauses refer to the fields of the result rows without an
   * alias.
   * @throws QueryMustHaveFromClauseError for a builder that has no source itself.
   */
  unionAll<TBranches extends readonly [QueryOf, ...QueryOf[]]>(
    ...queries: TBranches
  ): QueryBuilder<ContextFromUnionBranches<TBranches>>
  /**
   * Puts the rows of several sources together: `{a: source, b: source}`. Each row is one of them under its alias; the
   * other aliases are missing.
   * @throws InvalidSourceTypeError, InvalidSourceError for anything that is no source.
   */
  unionAll<TSource extends Source>(source: TSource): QueryBuilder<ContextFromUnionSource<TSource>>
  unionAll(...given: readonly unknown[]): unknown {
    const [first] = given
    if (isQueryLike(first)) {
      const queries = given.map((query, i) => {
        if (!isQueryLike(query)) {
          throw new InvalidSourceTypeError(
            'unionAll clause',
            `${kindOf(query)} as argument ${String(i + 1)} after a query`,
          )
        }
        return query._getQuery()
      })
      return this.#with<Context>({ from: new UnionAll(queries) })
    }
    if (given.length > 1) throw new InvalidSourceTypeError('unionAll clause', 'several arguments')
    const sources = manySources(first, 'unionAll clause', this.#resolve)
    const [only] = sources
    return this.#with<Context>({
      from: sources.length === 1 && only !== undefined ? only : new UnionFrom(sources),
    })
  }

  /**
   * Sets the source to the rows that can be reached: those of the base, and those that the step derives from rows
   * reached before, until it derives no others. A row that is reached several times is one row.
   *
   * ```ts
   * q.recursive(
   *   { place: (q) => q.from({ top: places }).where(({ top }) => isNull(top.parentId)) },
   *   (q, self) =>
   *     q.from({ child: places })
   *       .innerJoin({ parent: self }, ({ child, parent }) => eq(child.parentId, parent.id))
   *       .select(({ child }) => child),
   *   { depth: 'level' },
   * )
   * ```
   *
   * `self` is a source in the step: the rows reached before, without the depth field. The step selects the same fields
   * as the base.
   * @throws InvalidSourceTypeError, OnlyOneSourceAllowedError unless the base is one query under one alias.
   */
  recursive<TSource extends RecursiveSource, TStep extends QueryOf, const TDepth extends string = never>(
    base: TSource,
    step: (q: InitialQueryBuilder, self: SelfOf<TSource>) => TStep & StepConstraint<TSource, TStep>,
    options: RecursiveOptions<TDepth> = {},
  ): QueryBuilder<ContextFromRecursion<TSource, TDepth>> {
    const clause = 'recursive clause'
    const [alias = '', ...others] = aliasesOf(base, clause)
    if (others.length > 0) throw new OnlyOneSourceAllowedError(clause)
    const recursion = new Recursion()
    const start = () => new BaseQueryBuilder({}, this.#resolve)
    const given: unknown = base[alias]
    const baseQuery = queryIn(typeof given === 'function' ? given(start()) : given, clause, alias)
    const self = new Self(recursion) as unknown as SelfOf<TSource>
    const stepQuery = queryIn(step(start(), self), clause, alias)
    const { maxDepth, depth } = options
    return this.#with<ContextFromRecursion<TSource, TDepth>>({
      from: new RecursiveRef(alias, baseQuery, stepQuery, recursion, { maxDepth, depthField: depth }),
    })
  }

  /**
   * Adds a source: each row is put together with the rows of the new source for which the condition holds, an equality
   * between the new source and those before it. A `left` join, the default, keeps rows that match nothing; `right` keeps
   * rows of the new source that match nothing; `full` keeps both; `inner` neither.
   * @throws JoinConditionMustBeEqualityError unless the callback returns `eq(…)`.
   * @throws InvalidSourceTypeError, OnlyOneSourceAllowedError, InvalidSourceError unless there is one source.
   */
  join<TSource extends Source, TJoin extends JoinType = 'left'>(
    source: SingleSource<TSource>,
    on: JoinOnCallback<TContext, TSource>,
    type?: TJoin,
  ): QueryBuilder<MergeContextWithJoinType<TContext, SchemaFromSource<TSource>, TJoin>> {
    const from = oneSource(source, 'join clause', this.#resolve)
    const join = this.#query.join ?? []
    const joined: JoinClause = { from, type: type ?? 'left', left: UNSET, right: UNSET }
    const refs = refsFor({ ...this.#query, join: [...join, joined] }, false)
    const [left, right] = sidesOf(on(refs as unknown as Parameters<typeof on>[0]))
    return this.#with<MergeContextWithJoinType<TContext, SchemaFromSource<TSource>, TJoin>>({
      join: [...join, { from, type: type ?? 'left', left, right }],
    })
  }

  /** {@link join} that keeps rows that match nothing. */
  leftJoin<TSource extends Source>(
    source: SingleSource<TSource>,
    on: JoinOnCallback<TContext, TSource>,
  ): QueryBuilder<MergeContextWithJoinType<TContext, SchemaFromSource<TSource>, 'left'>> {
    return this.join<TSource, 'left'>(source, on, 'left')
  }

  /** {@link join} that keeps rows of the new source that match nothing. */
  rightJoin<TSource extends Source>(
    source: SingleSource<TSource>,
    on: JoinOnCallback<TContext, TSource>,
  ): QueryBuilder<MergeContextWithJoinType<TContext, SchemaFromSource<TSource>, 'right'>> {
    return this.join<TSource, 'right'>(source, on, 'right')
  }

  /** {@link join} that keeps matching pairs alone. */
  innerJoin<TSource extends Source>(
    source: SingleSource<TSource>,
    on: JoinOnCallback<TContext, TSource>,
  ): QueryBuilder<MergeContextWithJoinType<TContext, SchemaFromSource<TSource>, 'inner'>> {
    return this.join<TSource, 'inner'>(source, on, 'inner')
  }

  /** {@link join} that keeps rows of either side that match nothing. */
  fullJoin<TSource extends Source>(
    source: SingleSource<TSource>,
    on: JoinOnCallback<TContext, TSource>,
  ): QueryBuilder<MergeContextWithJoinType<TContext, SchemaFromSource<TSource>, 'full'>> {
    return this.join<TSource, 'full'>(source, on, 'full')
  }

  /**
   * Keeps the rows for which the predicate is true. Several calls are ANDed.
   * @throws InvalidWhereExpressionError if the callback returns something that is no expression.
   */
  where(callback: WhereCallback<TContext>): QueryBuilder<TContext> {
    const predicate = predicateOf(callback(this.#refs as unknown as RefsForContext<TContext>), 'where')
    return this.#with<TContext>({ where: [...(this.#query.where ?? []), predicate] })
  }

  /**
   * Keeps the groups for which the predicate is true: an expression over `$selected` and over aggregates that are
   * selected. Several calls are ANDed.
   * @throws InvalidWhereExpressionError if the callback returns something that is no expression.
   */
  having(callback: HavingCallback<TContext>): QueryBuilder<TContext> {
    const predicate = predicateOf(callback(this.#refsWithSelected as never), 'having')
    return this.#with<TContext>({ having: [...(this.#query.having ?? []), predicate] })
  }

  /**
   * Sets the shape of the result rows, replacing an earlier select: an object of fields, nested objects
   * and spread rows, or a row reference for all its fields.
   */
  select<TSelect extends SelectValue>(
    callback: (refs: RefsForContext<TContext>) => TSelect,
  ): QueryBuilder<WithResult<TContext, ResultTypeFromSelect<TSelect>>> {
    const select = buildSelect(() => callback(this.#refs as unknown as RefsForContext<TContext>))
    const { fnSelect: _replaced, ...query } = this.#query
    return new BaseQueryBuilder<WithResult<TContext, ResultTypeFromSelect<TSelect>>>(
      { ...query, select },
      this.#resolve,
    )
  }

  /**
   * Groups the rows by the values of expressions; each group is one row. A list gives several; so do several calls.
   * What is selected besides aggregates must be among them.
   */
  groupBy<const TGroup>(
    callback: GroupByCallback<TContext, TGroup>,
  ): QueryBuilder<WithGroups<TContext, TGroup>> {
    const result: unknown = callback(this.#refs as unknown as RefsForContext<TContext>)
    const groups = listOf(result).map(toExpression)
    return this.#with<WithGroups<TContext, TGroup>>({ groupBy: [...(this.#query.groupBy ?? []), ...groups] })
  }

  /**
   * Adds a term of the order; earlier terms come first, ties are resolved by key. A list gives several
   * terms with the same options. `$selected` refers to the fields of a select made before this call.
   */
  orderBy(
    callback: OrderByCallback<TContext>,
    options: OrderByDirection | OrderByOptions = 'asc',
  ): QueryBuilder<TContext> {
    const result = callback(this.#refsWithSelected as unknown as Parameters<OrderByCallback<TContext>>[0])
    const compareOptions = compareOptionsOf(options)
    const terms: OrderByClause[] = this.#query.orderBy ? [...this.#query.orderBy] : []
    for (const term of listOf(result)) terms.push({ expression: toExpression(term), compareOptions })
    return this.#with<TContext>({ orderBy: terms })
  }

  /** Keeps the first `count` rows of the order. Needs `orderBy`. Replaces an earlier limit. */
  limit(count: number): QueryBuilder<TContext> {
    return this.#with<TContext>({ limit: count })
  }

  /** Skips the first `count` rows of the order. Needs `orderBy`. Replaces an earlier offset. */
  offset(count: number): QueryBuilder<TContext> {
    return this.#with<TContext>({ offset: count })
  }

  /** Keeps one of the rows that are equal in all that is selected. Needs a select. */
  distinct(): QueryBuilder<TContext> {
    return this.#with<TContext>({ distinct: true })
  }

  /** Makes the result the first row, or undefined where there is none. The query's collection still has all rows. */
  findOne(): QueryBuilder<WithSingleResult<TContext>> {
    return this.#with<WithSingleResult<TContext>>({ singleResult: true })
  }

  /** Clauses as callbacks over whole rows, for what expressions cannot say. */
  get fn(): FunctionalClauses<TContext> {
    const { select: _replaced, ...query } = this.#query
    const { fnWhere = [], fnHaving = [] } = query
    return {
      select: <TResult>(callback: (row: FunctionalRow<TContext>) => TResult) =>
        new BaseQueryBuilder<WithResult<TContext, TResult>>({ ...query, fnSelect: callback }, this.#resolve),
      where: (callback) => this.#with<TContext>({ fnWhere: [...fnWhere, callback as RowFunction] }),
      having: (callback) => this.#with<TContext>({ fnHaving: [...fnHaving, callback as RowFunction] }),
    }
  }

  /**
   * The query built so far. Shared, not to be changed.
   * @throws QueryMustHaveFromClauseError without a source.
   */
  _getQuery(): QueryIR {
    const { from } = this.#query
    if (from === undefined) throw new QueryMustHaveFromClauseError()
    return this.#query as QueryIR
  }

  /** A builder of the same query with some clauses replaced. */
  #with<TNext extends Context>(clauses: Partial<QueryIR>): QueryBuilder<TNext> {
    return new BaseQueryBuilder<TNext>({ ...this.#query, ...clauses }, this.#resolve)
  }

  get #refs(): Refs {
    return refsFor(this.#query, false)
  }

  get #refsWithSelected(): Refs {
    return refsFor(this.#query, this.#query.select !== undefined || this.#query.fnSelect !== undefined)
  }
}

/** Starts a query: `new Query().from({ user: users })`. The same class, typed so that a source comes first. */
export const Query = BaseQueryBuilder as unknown as new () => InitialQueryBuilder

/** Whether a value is a query builder, of any copy of this package. */
export function isQueryBuilder(value: unknown): value is BaseQueryBuilder {
  return isQueryLike(value)
}

/** The query a builder at any stage holds. */
export function getQueryIR(builder: object): QueryIR {
  return (builder as BaseQueryBuilder)._getQuery()
}

/** Stands for the sides of a join's condition while its callback runs. */
const UNSET = toExpression(undefined)

/** The sides of a join's condition, as written. */
function sidesOf(condition: unknown): readonly [BasicExpression, BasicExpression] {
  // Of a reference every property is another reference.
  const call: object = pathOf(condition) === undefined ? ((condition ?? {}) as object) : {}
  const { type, name, args } = call as Partial<Func>
  const [left, right, another] = Array.isArray(args) ? (args as BasicExpression[]) : []
  if (type !== 'func' || name !== 'eq' || !left || !right || another) {
    throw new JoinConditionMustBeEqualityError()
  }
  return [left, right]
}

function predicateOf(result: unknown, clause: 'where' | 'having'): BasicExpression<boolean> {
  const predicate = toExpression(result) as BasicExpression<boolean>
  // A value that became a constant just now was no expression.
  if (predicate.type === 'val' && (predicate as unknown) !== result) {
    throw new InvalidWhereExpressionError(kindOf(result), clause)
  }
  return predicate
}

function queryIn(value: unknown, clause: string, alias: string): QueryIR {
  if (!isQueryLike(value)) {
    throw new InvalidSourceTypeError(clause, `${kindOf(value)} instead of a query for "${alias}"`)
  }
  return value._getQuery()
}

function listOf(result: unknown): readonly unknown[] {
  return Array.isArray(result) ? (result as unknown[]) : [result]
}

function compareOptionsOf(options: OrderByDirection | OrderByOptions): CompareOptions {
  if (typeof options === 'string') return { direction: options, nulls: 'first' }
  const locale = options.stringSort === 'locale' ? options : undefined
  return {
    direction: options.direction ?? 'asc',
    nulls: options.nulls ?? 'first',
    stringSort: options.stringSort,
    locale: locale?.locale,
    localeOptions: locale?.localeOptions,
  }
}
