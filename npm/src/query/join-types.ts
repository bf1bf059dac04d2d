/** Static types of joins: which aliases may be missing from a row afterwards. */
import type { Prettify } from '../types/rows.ts'
import type { Changed, Context, ContextSchema, FromAliases, RefsForContext } from './context.ts'
import type { BasicExpression, JoinType } from './ir.ts'
import type { SchemaFromSource, Source } from './source-types.ts'

/**
 * The row types by alias after a join: a left join makes the joined rows optional, a right join those of the sources the
 * query began with, a full join both. What other joins made optional stays as it is.
 */
export type ApplyJoinOptionalityToMergedSchema<
  TExisting extends ContextSchema,
  TNew extends ContextSchema,
  TJoin extends JoinType,
  TFrom extends string,
> = Prettify<
  {
    [A in keyof TExisting]: A extends TFrom
      ? TJoin extends 'right' | 'full'
        ? TExisting[A] | undefined
        : TExisting[A]
      : TExisting[A]
  } & { [A in keyof TNew]: TJoin extends 'left' | 'full' ? TNew[A] | undefined : TNew[A] }
>

/** The context after a join. */
export type MergeContextWithJoinType<
  TContext extends Context,
  TNew extends ContextSchema,
  TJoin extends JoinType,
> = Changed<
  TContext,
  {
    baseSchema: Prettify<TContext['baseSchema'] & TNew>
    schema: ApplyJoinOptionalityToMergedSchema<
      TContext['schema'],
      TNew,
      TJoin,
      FromAliases<TContext> & string
    >
    hasJoins: true
    joinTypes: Prettify<
      (TContext['joinTypes'] extends Record<string, JoinType> ? TContext['joinTypes'] : unknown) & {
        [A in keyof TNew]: TJoin
      }
    >
  }
>

/** The context in the condition of a join, where no row is missing on either side. */
export type MergeContextForJoinCallback<TContext extends Context, TNew extends ContextSchema> = Changed<
  TContext,
  { schema: Prettify<TContext['baseSchema'] & TNew> }
>

/** Gives the condition of a join: an equality between the joined source and those before it. */
export type JoinOnCallback<TContext extends Context, TSource extends Source> = (
  refs: RefsForContext<MergeContextForJoinCallback<TContext, SchemaFromSource<TSource>>>,
) => BasicExpression<boolean>
