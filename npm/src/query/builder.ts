import {
  InvalidSourceError,
  InvalidSourceTypeError,
  InvalidWhereExpressionError,
  OnlyOneSourceAllowedError,
  QueryMustHaveFromClauseError,
} from '../errors/query.ts'
import type { StringCollationConfig } from '../types/rows.ts'
import type {
  Context,
  ContextFromSource,
  contextType,
  OrderByCallback,
  RefsForContext,
  ResultTypeFromSelect,
  SelectValue,
  SingleSource,
  Source,
  WhereCallback,
  WithResult,
} from './context.ts'
import {
  type BasicExpression,
  CollectionRef,
  type CompareOptions,
  type From,
  type OrderByClause,
  type OrderByDirection,
  type QueryIR,
  QueryRef,
} from './ir.ts'
import { isCollection } from './is-collection.ts'
import { createRef, type Refs, refsOf, toExpression } from './refs.ts'
import { buildSelect } from './select.ts'

/** Options of `orderBy`: ascending with nulls first unless said otherwise. */
export type OrderByOptions = StringCollationConfig & {
  readonly direction?: OrderByDirection
  readonly nulls?: 'first' | 'last'
}

/** A builder that has no source yet. */
export type InitialQueryBuilder = Pick<BaseQueryBuilder, 'from'>

/** A builder with a source: what `from` and every later call return. */
export type QueryBuilder<TContext extends Context> = Omit<BaseQueryBuilder<TContext>, 'from' | '_getQuery'>

/**
 * Builds a query. Immutable: every method returns another builder, so a partly built query can be kept and
 * continued in several ways. Callbacks run during the call and receive references, never rows.
 */
export class BaseQueryBuilder<TContext extends Context = Context> {
  declare readonly [contextType]: TContext
  readonly #query: Partial<QueryIR>

  constructor(query: Partial<QueryIR> = {}) {
    this.#query = query
  }

  /**
   * Sets the source: `{alias: collection}` or `{alias: builder}`, exactly one.
   * @throws InvalidSourceTypeError, OnlyOneSourceAllowedError, InvalidSourceError for anything else.
   * @throws QueryMustHaveFromClauseError for a builder that has no source itself.
   */
  from<TSource extends Source>(source: SingleSource<TSource>): QueryBuilder<ContextFromSource<TSource>> {
    return this.#with<ContextFromSource<TSource>>({ from: sourceOf(source, 'from clause') })
  }

  /**
   * Keeps the rows for which the predicate is true. Several calls are ANDed.
   * @throws InvalidWhereExpressionError if the callback returns something that is no expression.
   */
  where(callback: WhereCallback<TContext>): QueryBuilder<TContext> {
    const result: unknown = callback(this.#refs as unknown as RefsForContext<TContext>)
    const predicate = toExpression(result) as BasicExpression<boolean>
    // A value that became a constant just now was no expression.
    if (predicate.type === 'val' && predicate !== result)
      throw new InvalidWhereExpressionError(kindOf(result))
    const where = this.#query.where
    return this.#with<TContext>({ where: where ? [...where, predicate] : [predicate] })
  }

  /**
   * Sets the shape of the result rows, replacing an earlier select: an object of fields, nested objects
   * and spread rows, or a row reference for all its fields.
   */
  select<TSelect extends SelectValue>(
    callback: (refs: RefsForContext<TContext>) => TSelect,
  ): QueryBuilder<WithResult<TContext, ResultTypeFromSelect<TSelect>>> {
    const select = buildSelect(() => callback(this.#refs as unknown as RefsForContext<TContext>))
    return this.#with<WithResult<TContext, ResultTypeFromSelect<TSelect>>>({ select })
  }

  /**
   * Adds a term of the order; earlier terms come first, ties are resolved by key. A list gives several
   * terms with the same options. `$selected` refers to the fields of a select made before this call.
   */
  orderBy(
    callback: OrderByCallback<TContext>,
    options: OrderByDirection | OrderByOptions = 'asc',
  ): QueryBuilder<TContext> {
    const refs = this.#refs
    const visible = this.#query.select ? { ...refs, $selected: createRef(['$selected']) } : refs
    const result = callback(visible as unknown as Parameters<OrderByCallback<TContext>>[0])
    const compareOptions = compareOptionsOf(options)
    const terms: OrderByClause[] = this.#query.orderBy ? [...this.#query.orderBy] : []
    for (const term of Array.isArray(result) ? (result as unknown[]) : [result]) {
      terms.push({ expression: toExpression(term), compareOptions })
    }
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
    return new BaseQueryBuilder<TNext>({ ...this.#query, ...clauses })
  }

  get #refs(): Refs {
    return this.#query.from === undefined ? NO_REFS : refsOf(this.#query.from.alias)
  }
}

/** What callbacks see of a query without a source. */
const NO_REFS: Refs = Object.freeze(Object.create(null) as Record<string, never>)

/** Starts a query: `new Query().from({ user: users })`. The same class, typed so that a source comes first. */
export const Query = BaseQueryBuilder as unknown as new () => InitialQueryBuilder

/** Whether a value is a query builder, of any copy of this package. */
export function isQueryBuilder(value: unknown): value is BaseQueryBuilder {
  return (
    typeof value === 'object' &&
    value !== null &&
    typeof (value as { _getQuery?: unknown })._getQuery === 'function'
  )
}

/** The query a builder at any stage holds. */
export function getQueryIR(builder: object): QueryIR {
  return (builder as BaseQueryBuilder)._getQuery()
}

function sourceOf(source: unknown, clause: string): From {
  if (typeof source !== 'object' || source === null || Array.isArray(source)) {
    throw new InvalidSourceTypeError(clause, kindOf(source))
  }
  const aliases = Object.keys(source)
  const alias = aliases[0]
  if (alias === undefined) throw new InvalidSourceTypeError(clause, 'empty object')
  if (aliases.length > 1) throw new OnlyOneSourceAllowedError(clause)
  const value = (source as Record<string, unknown>)[alias]
  if (isCollection(value)) return new CollectionRef(value, alias)
  if (isQueryBuilder(value)) return new QueryRef(value._getQuery(), alias)
  throw new InvalidSourceError(alias)
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

function kindOf(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}
