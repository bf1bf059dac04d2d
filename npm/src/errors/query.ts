/** Errors of building and compiling queries. */
import { QueryBuilderError, QueryCompilationError, shown } from './base.ts'

/** A clause was given several sources. */
export class OnlyOneSourceAllowedError extends QueryBuilderError {
  constructor(context: string) {
    super(
      `Only one source is allowed in the ${context}: pass an object with one alias, such as { user: users }`,
    )
  }
}

/** A query used as a source has no source itself. */
export class SubQueryMustHaveFromClauseError extends QueryBuilderError {
  constructor(context: string) {
    super(
      `A subquery passed to the ${context} must have a from clause itself: start it with .from({ alias: source })`,
    )
  }
}

/** The value under an alias is neither a collection nor a query. */
export class InvalidSourceError extends QueryBuilderError {
  constructor(alias: string) {
    super(
      `Invalid source: the value under the alias ${shown(alias)} is neither a collection nor a query builder`,
    )
  }
}

/** A clause was not given an object with an alias. */
export class InvalidSourceTypeError extends QueryBuilderError {
  constructor(context: string, type: string) {
    super(
      `Invalid source for ${context}: Expected an object with a single key-value pair like { alias: collection }. ` +
        `For example: .from({ todos: todosCollection }). Got: ${type}`,
    )
  }
}

/** A query has no source. */
export class QueryMustHaveFromClauseError extends QueryBuilderError {
  constructor() {
    super('Query must have a from clause: start it with .from({ alias: collection })')
  }
}

/** A where callback returned something that is no expression. */
export class InvalidWhereExpressionError extends QueryBuilderError {
  constructor(valueType: string) {
    super(
      `Invalid where() expression: expected a predicate such as eq(user.id, 1) or a boolean field, got ${valueType}. ` +
        `JavaScript operators such as === run while the query is built, on references; use eq, gt, and, not instead`,
    )
  }
}

/** A selected field has a name that could reach an object's prototype. */
export class UnsafeAliasPathError extends QueryCompilationError {
  constructor(segment: string) {
    super(
      `Unsafe field name ${shown(segment)} in select(): choose a name other than __proto__, prototype and constructor`,
    )
    this.name = 'UnsafeAliasPathError'
  }
}

/** A whole query selects one value instead of an object. */
export class UnsupportedRootScalarSelectError extends QueryCompilationError {
  constructor() {
    super(
      'Top-level scalar select() is not supported by createLiveQueryCollection() or queryOnce(). ' +
        'Return an object, for example .select(({ user }) => ({ name: user.name }))',
    )
  }
}

/** A limit or an offset without an order. */
export class LimitOffsetRequireOrderByError extends QueryCompilationError {
  constructor() {
    super('LIMIT and OFFSET require an ORDER BY clause to ensure deterministic results')
  }
}

/** A source is no kind the compiler knows. */
export class UnsupportedFromTypeError extends QueryCompilationError {
  constructor(type: string) {
    super(
      `Unsupported FROM type: ${type}. Build queries with the query builder, from collections and other queries`,
    )
  }
}

/** An expression node is no kind the compiler knows. */
export class UnknownExpressionTypeError extends QueryCompilationError {
  constructor(type: string) {
    super(`Unknown expression type: ${type}. Build expressions with the query functions`)
  }
}

/** A reference names nothing. */
export class EmptyReferencePathError extends QueryCompilationError {
  constructor() {
    super('Reference path cannot be empty: name a source, or a field of one')
  }
}

/** A call of a function that does not exist. */
export class UnknownFunctionError extends QueryCompilationError {
  constructor(functionName: string) {
    super(`Unknown function: ${functionName}. Build expressions with the exported query functions`)
  }
}
