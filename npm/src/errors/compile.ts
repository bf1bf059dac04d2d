/** More errors of building, compiling and planning queries. */
import { listed, QueryBuilderError, QueryCompilationError, shown, TanStackDBError } from './base.ts'

/** The condition of a join is no equality. */
export class JoinConditionMustBeEqualityError extends QueryBuilderError {
  constructor() {
    super('A join condition must be an equality: return eq(a.field, b.field) from the callback')
  }
}

/** `distinct` without a select. */
export class DistinctRequiresSelectError extends QueryCompilationError {
  constructor(place = 'the query') {
    super(`DISTINCT requires a SELECT clause: say by select() in ${place} which fields make rows distinct`)
  }
}

/** A functional select together with a grouping. */
export class FnSelectWithGroupByError extends QueryCompilationError {
  constructor(place = 'the query') {
    super(`fn.select() cannot be used with groupBy(): use select() with aggregates in ${place}`)
  }
}

/** `having` without a grouping. */
export class HavingRequiresGroupByError extends QueryCompilationError {
  constructor(place = 'the query') {
    super(
      `HAVING requires a GROUP BY clause or an aggregate in select(): use where() to filter rows of ${place}`,
    )
  }
}

/** A query was compiled without the input of one of its collections. */
export class CollectionInputNotFoundError extends QueryCompilationError {
  constructor(alias: string, collectionId?: string, availableKeys?: readonly string[]) {
    super(
      `No input for the source ${shown(alias)}${collectionId === undefined ? '' : ` (collection ${shown(collectionId)})`}` +
        `${availableKeys === undefined ? '' : `; there are inputs for: ${listed(availableKeys)}`}. ` +
        `Pass one for every source of the query`,
    )
  }
}

/** A subquery reuses an alias of a query around it. */
export class DuplicateAliasInSubqueryError extends QueryCompilationError {
  constructor(alias: string, parentAliases: readonly string[]) {
    super(
      `Subquery uses alias ${shown(alias)}, which a query around it uses as well (${listed(parentAliases)}): ` +
        `give the source of one of them another alias`,
    )
  }
}

/** A joined collection is not known to the compiler. */
export class JoinCollectionNotFoundError extends QueryCompilationError {
  constructor(collectionId: string) {
    super(
      `The joined collection ${shown(collectionId)} was not found among the inputs of the query: pass its rows with the others`,
    )
  }
}

/** A source of a running query has no subscription. */
export class SubscriptionNotFoundError extends QueryCompilationError {
  constructor(
    resolvedAlias: string,
    originalAlias: string,
    collectionId: string,
    available: readonly string[],
  ) {
    super(
      `No subscription for the source ${shown(originalAlias)} (${shown(resolvedAlias)}, collection ${shown(collectionId)}); ` +
        `there are subscriptions for: ${listed(available)}. Subscribe to every source before the query runs`,
    )
  }
}

/** An aggregate where only expressions over one row can stand. */
export class AggregateNotSupportedError extends QueryCompilationError {
  constructor(functionName?: string, place = 'this clause') {
    const what = functionName === undefined ? 'Aggregates are' : `The aggregate ${functionName}() is`
    super(`${what} not supported in ${place}: use it in select(), having() or orderBy()`)
  }
}

/** A compiled query lacks inputs for some of its sources. */
export class MissingAliasInputsError extends QueryCompilationError {
  constructor(missingAliases: readonly string[]) {
    super(
      `No inputs for the sources ${listed(missingAliases)}: pass one for every source of the query, subqueries included`,
    )
  }
}

/** The window of a query without an order was to be moved. */
export class SetWindowRequiresOrderByError extends QueryCompilationError {
  constructor() {
    super('setWindow() can only be called on collections with an ORDER BY clause: add orderBy() to the query')
  }
}

/** A query that cannot be rewritten. */
export class QueryOptimizerError extends TanStackDBError {
  constructor(message: string) {
    super(message)
    this.name = 'QueryOptimizerError'
  }
}

/** No expressions to combine. */
export class CannotCombineEmptyExpressionListError extends QueryOptimizerError {
  constructor() {
    super('An empty list of expressions cannot be combined: leave the where clause out instead')
  }
}

/** A predicate could not be moved to a source. */
export class WhereClauseConversionError extends QueryOptimizerError {
  constructor(collectionId: string, alias: string) {
    super(
      `A where clause could not be converted for the source ${shown(alias)} of collection ${shown(collectionId)}: ` +
        `build it with the query functions, or filter after the source by fn.where()`,
    )
  }
}

/**
 * A query or value whose identity cannot be written down, such as one that holds a function. It stands outside the tree of
 * this package's errors because callers catch it to fall back on a key of their own. `path` leads to the culprit.
 */
export class UnhashableQueryIRError extends Error {
  readonly path: string
  readonly reason: string

  constructor(path: string, reason: string) {
    super(
      `The query has no stable identity: ${reason} at ${path}. Give it a queryKey, or build it without that part`,
    )
    this.name = 'UnhashableQueryIRError'
    this.path = path
    this.reason = reason
  }
}
