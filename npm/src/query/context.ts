/** Types that follow a query through its builder calls, from its source to its result rows. */
import type { Prettify, Untyped, VirtualRowProps } from '../types/rows.ts'
import type { BasicExpression, JoinType } from './ir.ts'
import type { ValueOf } from './operands.ts'
import type { IsPlainObject, Ref, RefBrand } from './ref-types.ts'
import type { IsAny } from './type-tests.ts'

/** Phantom key under which a builder carries its context. It never exists at run time. */
export declare const contextType: unique symbol

/** Row types by alias. */
export type ContextSchema = Record<string, Untyped>

/** What is known about a query after the calls made so far. */
export interface Context {
  /** Row types of the sources as they were added. */
  baseSchema: ContextSchema
  /** Row types of the sources as the clauses see them: undefined included where a row may be missing. */
  schema: ContextSchema
  /** What references are to where that is not the sources: the fields of a union of queries. */
  refsSchema?: ContextSchema | undefined
  /** The alias of the query's source; `*` for a union of queries. */
  fromSourceName: string
  /** The aliases of a union of sources. */
  fromSourceNames?: string | undefined
  /** Whether a row has one of several sources. */
  hasUnionFrom?: true | undefined
  /** Whether something was joined. */
  hasJoins?: true | undefined
  /** How each alias was joined. */
  joinTypes?: Record<string, JoinType> | undefined
  /** The row type that grouping gives as long as there is no select. */
  groups?: Untyped
  /** The type a select produced. */
  result?: Untyped
  /** Whether there was a select. */
  hasResult?: true | undefined
  /** Whether the result is one row at most. */
  singleResult?: true | undefined
}

/** Anything that carries a context: a builder at some stage. */
export interface QueryOf<TContext extends Context = Context> {
  readonly [contextType]: TContext
}

/** The aliases of the sources a query began with. */
export type FromAliases<TContext extends Context> = TContext['fromSourceNames'] extends string
  ? TContext['fromSourceNames']
  : TContext['fromSourceName']

/** A context whose members are replaced by those of `TChange`. */
export type Changed<TContext, TChange> = Prettify<Omit<TContext, keyof TChange> & TChange>

/** The context after `select`. */
export type WithResult<TContext extends Context, TResult> = Changed<
  TContext,
  { result: TResult; hasResult: true }
>

/** The context after `findOne`. */
export type WithSingleResult<TContext extends Context> = Changed<TContext, { singleResult: true }>

type GroupKeys<TGroup> = TGroup extends readonly unknown[]
  ? { [I in keyof TGroup & `${number}` as `__key_${I}`]: ValueOf<TGroup[I]> }
  : { __key_0: ValueOf<TGroup> }

/** The context after `groupBy`. */
export type WithGroups<TContext extends Context, TGroup> = Changed<
  TContext,
  {
    groups: TContext['groups'] extends object ? Record<`__key_${number}`, unknown> : GroupKeys<TGroup>
  }
>

/** A row of a union of sources: that of one, the others missing, and what was joined to it. */
type UnionRow<TContext extends Context, Aliases extends string> = {
  [A in Aliases]: Prettify<
    { [Only in A]: TContext['baseSchema'][Only] } & { [Other in Exclude<Aliases, A>]?: undefined } & Omit<
        TContext['schema'],
        Aliases
      >
  >
}[Aliases]

/** Whether a join after the sources keeps rows that have none of them. */
type SourcesMayMiss<TContext extends Context> =
  TContext['joinTypes'] extends Record<string, JoinType>
    ? Extract<TContext['joinTypes'][keyof TContext['joinTypes']], 'right' | 'full'> extends never
      ? false
      : true
    : false

/** Rows by alias, as functional clauses and results without a select see them. */
export type NamespacedResult<TContext extends Context> = TContext['hasUnionFrom'] extends true
  ? SourcesMayMiss<TContext> extends true
    ?
        | UnionRow<TContext, FromAliases<TContext> & string>
        | Prettify<
            { [A in FromAliases<TContext> & string]?: undefined } & Omit<
              TContext['schema'],
              FromAliases<TContext>
            >
          >
    : UnionRow<TContext, FromAliases<TContext> & string>
  : Prettify<TContext['schema']>

/** The result type before virtual properties are added. */
export type RawResult<TContext extends Context> = TContext['hasResult'] extends true
  ? TContext['result']
  : TContext['groups'] extends object
    ? TContext['groups']
    : TContext['hasUnionFrom'] extends true
      ? NamespacedResult<TContext>
      : TContext['hasJoins'] extends true
        ? NamespacedResult<TContext>
        : TContext['schema'][TContext['fromSourceName']]

type ResultRow<R> = IsAny<R> extends true ? R : R extends object ? Prettify<R & VirtualRowProps> : R

/** The row type of a query's result, virtual properties included. */
export type GetResult<TContext extends Context> = ResultRow<RawResult<TContext>>

/** What reading a whole result gives: a list of rows, or one row or none after `findOne`. */
export type InferResultType<TContext extends Context> = TContext['singleResult'] extends true
  ? GetResult<TContext> | undefined
  : Array<GetResult<TContext>>

/** The context of a builder type. */
export type ExtractContext<TQuery> = TQuery extends QueryOf<infer TContext> ? TContext : never

/** The row type a builder produces. */
export type QueryResult<TQuery> = GetResult<ExtractContext<TQuery>>

type RefsTo<TSchema> = { readonly [A in keyof TSchema]: Ref<TSchema[A]> }

/** References to the sources of a query, by alias; of a union of queries, to the fields of its rows. */
export type RefsForContext<TContext extends Context> = TContext['refsSchema'] extends ContextSchema
  ? RefsTo<TContext['refsSchema']>
  : RefsTo<TContext['schema']>

/** References in `orderBy` and `having`: the sources, and `$selected` once there was a select. */
export type RefsWithSelected<TContext extends Context> = RefsForContext<TContext> &
  (TContext['hasResult'] extends true ? { readonly $selected: Ref<TContext['result']> } : unknown)

/** Gives a predicate: an expression, or a reference to a field that holds one's value. */
export type WhereCallback<TContext extends Context> = (
  refs: RefsForContext<TContext>,
) => RefBrand<unknown> | BasicExpression

/** Gives a predicate over groups: an expression of aggregates and of `$selected`. */
export type HavingCallback<TContext extends Context> = (
  refs: RefsWithSelected<TContext>,
) => RefBrand<unknown> | BasicExpression

/** Gives what to order by, or a list of it that shares the options. */
export type OrderByCallback<TContext extends Context> = (refs: RefsWithSelected<TContext>) => unknown

/** Gives what to group by: one expression, or a list. */
export type GroupByCallback<TContext extends Context, TGroup = unknown> = (
  refs: RefsForContext<TContext>,
) => TGroup

/** What `fn.select` and `fn.where` are called with: whole rows by alias, or the row of a union of queries. */
export type FunctionalRow<TContext extends Context> = TContext['refsSchema'] extends ContextSchema
  ? TContext['schema']['*']
  : NamespacedResult<TContext>

/** What `fn.having` is called with. Over groups there is `$selected` alone. */
export type FunctionalHavingRow<TContext extends Context> = FunctionalRow<TContext> &
  (TContext['hasResult'] extends true ? { $selected: TContext['result'] } : unknown)

declare const rootResultError: unique symbol

/** Shown by the compiler where a query with a scalar select is used as a whole. */
export interface RootScalarSelectNotSupported {
  readonly [rootResultError]: "A live query's select() must return an object, for example { name: user.name }"
}

/**
 * Intersected with a builder type where a query is used as a whole: no constraint if its result is an
 * object, an unsatisfiable one with an explanation otherwise.
 */
export type RootObjectResultConstraint<TContext extends Context> =
  IsAny<RawResult<TContext>> extends true
    ? unknown
    : [IsPlainObject<RawResult<TContext>>] extends [true]
      ? unknown
      : RootScalarSelectNotSupported
