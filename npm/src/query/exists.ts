/** Predicates about other rows: whether a subquery has any. */
import { BaseQueryBuilder, getQueryIR, type InitialQueryBuilder } from './builder.ts'
import type { QueryOf } from './context.ts'
import { type BasicExpression, Exists } from './ir.ts'

/** A query, or a callback that builds it from a fresh builder. */
export type Subquery = QueryOf | ((q: InitialQueryBuilder) => QueryOf)

function subqueryIR(subquery: Subquery): ReturnType<typeof getQueryIR> {
  const builder = typeof subquery === 'function' ? subquery(new BaseQueryBuilder()) : subquery
  return getQueryIR(builder)
}

/**
 * True if the subquery has a row. A predicate inside the subquery may refer to the rows of the query around it, which
 * makes it a question about each of them:
 *
 * ```ts
 * q.from({ user: users }).where(({ user }) =>
 *   exists((q) => q.from({ post: posts }).where(({ post }) => eq(post.userId, user.id))),
 * )
 * ```
 *
 * What the subquery selects does not matter.
 * @throws QueryMustHaveFromClauseError for a subquery without a source.
 */
export function exists(subquery: Subquery): BasicExpression<boolean> {
  return new Exists(subqueryIR(subquery), false) as unknown as BasicExpression<boolean>
}

/** True if the subquery has no row; see {@link exists}. Never unknown. */
export function notExists(subquery: Subquery): BasicExpression<boolean> {
  return new Exists(subqueryIR(subquery), true) as unknown as BasicExpression<boolean>
}
