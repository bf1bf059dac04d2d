/** Types that follow a query through its builder calls, from its source to its result rows. */
import type { Collection } from '../types/collection.ts'
import type { Prettify, Untyped, UtilsRecord, VirtualRowProps, WithVirtualProps } from '../types/rows.ts'
import type { BasicExpression } from './ir.ts'
import type { IsPlainObject, Ref, RefBrand } from './ref-types.ts'

/** Phantom key under which a builder carries its context. It never exists at run time. */
export declare const contextType: unique symbol

/** Row types by alias. */
export type ContextSchema = Record<string, Untyped>

/** What is known about a query after the calls made so far. */
export interface Context {
  /** Row types of the sources as they were added. */
  baseSchema: ContextSchema
  /** Row types of the sources as the clauses see them. */
  schema: ContextSchema
  /** The alias of the query's source. */
  fromSourceName: string
  /** The type a select produced. */
  result?: Untyped
  /** Whether there was a select. */
  hasResult?: true
}

/** Anything that carries a context: a builder at some stage. */
export interface QueryOf<TContext extends Context = Context> {
  readonly [contextType]: TContext
}

/** The argument of `from`: one alias and where its rows come from. */
export interface Source {
  [alias: string]: Collection<Untyped, Untyped, UtilsRecord> | QueryOf
}

type IsAny<T> = 0 extends 1 & T ? true : false
type IsUnion<T, Whole = T> = T extends unknown ? ([Whole] extends [T] ? false : true) : never

/** `TSource` if it has one alias, else never. */
export type SingleSource<TSource extends Source> = IsUnion<keyof TSource> extends true ? never : TSource

type SourceRow<S> =
  IsAny<S> extends true
    ? S
    : S extends QueryOf<infer TContext>
      ? GetResult<TContext>
      : S extends Collection<infer T, infer TKey, infer _TUtils, infer _TSchema, infer _TInput>
        ? WithVirtualProps<T, TKey>
        : never

/** Row types of a source argument. */
export type SchemaFromSource<TSource extends Source> = Prettify<{
  [A in keyof TSource]: SourceRow<TSource[A]>
}>

/** The context after `from`. */
export interface ContextFromSource<TSource extends Source> {
  baseSchema: SchemaFromSource<TSource>
  schema: SchemaFromSource<TSource>
  fromSourceName: keyof TSource & string
}

/** The context after `select`. */
export type WithResult<TContext extends Context, TResult> = Prettify<
  Omit<TContext, 'result' | 'hasResult'> & { result: TResult; hasResult: true }
>

type RawResult<TContext extends Context> = TContext['hasResult'] extends true
  ? TContext['result']
  : TContext['schema'][TContext['fromSourceName']]

type ResultRow<R> = IsAny<R> extends true ? R : R extends object ? Prettify<R & VirtualRowProps> : R

/** The row type of a query's result, virtual properties included. */
export type GetResult<TContext extends Context> = ResultRow<RawResult<TContext>>

/** What reading a whole result gives. */
export type InferResultType<TContext extends Context> = Array<GetResult<TContext>>

/** The context of a builder type. */
export type ExtractContext<TQuery> = TQuery extends QueryOf<infer TContext> ? TContext : never

/** The row type a builder produces. */
export type QueryResult<TQuery> = GetResult<ExtractContext<TQuery>>

/** References to the sources of a query, by alias. */
export type RefsForContext<TContext extends Context> = {
  readonly [A in keyof TContext['schema']]: Ref<TContext['schema'][A]>
}

/** References in `orderBy`: the sources, and `$selected` once there was a select. */
export type RefsWithSelected<TContext extends Context> = RefsForContext<TContext> &
  (TContext['hasResult'] extends true ? { readonly $selected: Ref<TContext['result']> } : unknown)

/** Gives a predicate: an expression, or a reference to a field that holds one's value. */
export type WhereCallback<TContext extends Context> = (
  refs: RefsForContext<TContext>,
) => RefBrand<unknown> | BasicExpression

/** Gives what to order by, or a list of it that shares the options. */
export type OrderByCallback<TContext extends Context> = (refs: RefsWithSelected<TContext>) => unknown

/** One value of a select object. */
export type SelectValue =
  | RefBrand<unknown>
  | BasicExpression
  | string
  | number
  | bigint
  | boolean
  | null
  | undefined
  | SelectObject

/** What a select callback may return as an object: fields, nested objects, spread rows. */
export interface SelectObject {
  readonly [field: string]: SelectValue
}

// The key is a parameter of its own on purpose. Mapped over `keyof S` directly, the fields of a spread row
// would inherit the removal of `?` from their references and lose the undefined that belongs to the value.
type SelectedFields<S, Field extends PropertyKey> = {
  [K in Field]: K extends keyof S ? ResultTypeFromSelect<S[K]> : never
}

/** The result type of a select callback's return type. */
export type ResultTypeFromSelect<S> =
  IsAny<S> extends true
    ? S
    : S extends RefBrand<infer T>
      ? T
      : S extends BasicExpression<infer T>
        ? T
        : [IsPlainObject<S>] extends [true]
          ? SelectedFields<S, keyof S>
          : S

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
