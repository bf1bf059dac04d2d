/** Static types of sources: what `from`, `unionAll` and `recursive` are given, and the contexts after them. */

import type { CollectionOptions } from '../types/client.ts'
import type { Collection } from '../types/collection.ts'
import type { Prettify, Untyped, UtilsRecord, VirtualRowProps, WithVirtualProps } from '../types/rows.ts'
import type { InitialQueryBuilder } from './builder.ts'
import type { ContextSchema, ExtractContext, GetResult, QueryOf, RawResult } from './context.ts'
import type { AnyFieldOf, AnyKeyOf, IsAny, IsUnion } from './type-tests.ts'

/** Aliases and where their rows come from. */
export interface Source {
  [alias: string]:
    | Collection<Untyped, Untyped, UtilsRecord>
    | CollectionOptions<Untyped, Untyped, UtilsRecord>
    | QueryOf
}

/** `TSource` if it has one alias, else never. */
export type SingleSource<TSource extends Source> = IsUnion<keyof TSource> extends true ? never : TSource

/** The row type of one source. */
type SourceRow<S> =
  IsAny<S> extends true
    ? S
    : S extends QueryOf<infer TContext>
      ? GetResult<TContext>
      : S extends Collection<infer T, infer TKey, infer _TUtils, infer _TSchema, infer _TInput>
        ? WithVirtualProps<T, TKey>
        : S extends CollectionOptions<infer T, infer TKey, infer _TUtils>
          ? WithVirtualProps<T, TKey>
          : never

/** Row types of a source argument, by alias. */
export type SchemaFromSource<TSource extends Source> = Prettify<{
  [A in keyof TSource]: SourceRow<TSource[A]>
}>

/** The context after `from`. */
export interface ContextFromSource<TSource extends Source> {
  baseSchema: SchemaFromSource<TSource>
  schema: SchemaFromSource<TSource>
  fromSourceName: keyof TSource & string
}

/** The context after `unionAll` of sources. One source alone is as `from`. */
export type ContextFromUnionSource<TSource extends Source> =
  IsUnion<keyof TSource> extends true
    ? {
        baseSchema: SchemaFromSource<TSource>
        schema: { [A in keyof TSource]: SourceRow<TSource[A]> | undefined }
        fromSourceName: keyof TSource & string
        fromSourceNames: keyof TSource & string
        hasUnionFrom: true
      }
    : ContextFromSource<TSource>

type BranchRow<TBranches extends readonly QueryOf[]> = {
  [I in keyof TBranches]: GetResult<ExtractContext<TBranches[I]>>
}[number]

/** The context after `unionAll` of queries: references are to the fields of their result rows. */
export interface ContextFromUnionBranches<TBranches extends readonly QueryOf[]> {
  baseSchema: ContextSchemaOf<BranchRow<TBranches>>
  schema: ContextSchemaOf<BranchRow<TBranches>>
  refsSchema: { [K in AnyKeyOf<BranchRow<TBranches>> & string]: AnyFieldOf<BranchRow<TBranches>, K> }
  fromSourceName: '*'
}

type ContextSchemaOf<Row> = { '*': Row }

/** The base of a recursion under its alias: a query, or a callback that builds it. */
export interface RecursiveSource {
  [alias: string]: QueryOf | ((q: InitialQueryBuilder) => QueryOf)
}

type BaseOf<TSource extends RecursiveSource> =
  TSource[keyof TSource] extends QueryOf<infer TContext>
    ? TContext
    : TSource[keyof TSource] extends (...args: never[]) => QueryOf<infer TContext>
      ? TContext
      : never

/** The rows there already are, as a source in the step of a recursion. */
export type SelfSource<TRow> = QueryOf<{
  baseSchema: ContextSchema & { self: TRow }
  schema: ContextSchema & { self: TRow }
  fromSourceName: 'self'
  result: TRow
  hasResult: true
}>

/** The type of `self` in the step of a recursion over a base. */
export type SelfOf<TSource extends RecursiveSource> = SelfSource<GetResult<BaseOf<TSource>>>

declare const recursionError: unique symbol

/** Shown by the compiler where a step gives other rows than its base. */
export interface StepSelectsOtherFields {
  readonly [recursionError]: 'The step of a recursion must select the same fields as its base'
}

type Plain<T> = T extends unknown ? Omit<T, keyof VirtualRowProps> : never

/** Intersected with the result of a step: no constraint if it gives rows as the base does. */
export type StepConstraint<TSource extends RecursiveSource, TStep extends QueryOf> = [
  Plain<RawResult<ExtractContext<TStep>>>,
] extends [Plain<RawResult<BaseOf<TSource>>>]
  ? unknown
  : StepSelectsOtherFields

type RecursiveSchema<TSource extends RecursiveSource, TDepth extends string> = {
  [A in keyof TSource]: Prettify<GetResult<BaseOf<TSource>> & { [F in TDepth]: number }>
}

/** The context after `recursive`. */
export interface ContextFromRecursion<TSource extends RecursiveSource, TDepth extends string> {
  baseSchema: RecursiveSchema<TSource, TDepth>
  schema: RecursiveSchema<TSource, TDepth>
  fromSourceName: keyof TSource & string
}
