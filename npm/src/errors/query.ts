/** Errors of building and compiling queries. */
import { listed, QueryBuilderError, QueryCompilationError, shown } from './base.ts'

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

const sourceExamples: Readonly<Record<string, string>> = {
  'from clause': '.from({ todos: todosCollection })',
  'join clause': '.join({ users: usersCollection }, ({ todos, users }) => eq(todos.userId, users.id))',
  'unionAll clause':
    '.unionAll({ todos: todosCollection, notes: notesCollection }) or .unionAll(query, query)',
  'recursive clause': '.recursive({ place: base }, (q, self) => step)',
}

/** A clause was not given an object with an alias. */
export class InvalidSourceTypeError extends QueryBuilderError {
  constructor(context: string, type: string) {
    super(
      `Invalid source for ${context}: Expected an object with a single key-value pair like { alias: collection }. ` +
        `For example: ${sourceExamples[context] ?? sourceExamples['from clause']}. Got: ${type}`,
    )
  }
}

/** A query has no source. */
export class QueryMustHaveFromClauseError extends QueryBuilderError {
  constructor() {
    super('Query must have a from clause: start it with .from({ alias: collection })')
  }
}

/** A callback of `where` or `having` returned something that is no expression. */
export class InvalidWhereExpressionError extends QueryBuilderError {
  constructor(valueType: string, clause: 'where' | 'having' = 'where') {
    super(
      `Invalid ${clause}() expression: expected a predicate such as eq(user.id, 1) or a boolean field, got ${valueType}. ` +
        `JavaScript operators such as === run while the query is built, on references; use eq, gt, and, not instead`,
    )
  }
}

/** A query stands where a field of `select` does. */
export class UnsupportedNestedQueryError extends QueryBuilderError {
  constructor(field: string) {
    super(
      `Cannot select a query as field ${shown(field)}: nested queries in select() are not supported yet. ` +
        `Join the query as a source, .leftJoin({ alias: query }, …), or ask exists(query) in where()`,
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
  constructor(place = 'the query') {
    super(
      `LIMIT and OFFSET require an ORDER BY clause to ensure deterministic results: add orderBy() to ${place}`,
    )
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
  constructor(type: string, place?: string) {
    super(`Unknown expression type: ${type}${inPlace(place)}. Build expressions with the query functions`)
  }
}

/** A reference names nothing. */
export class EmptyReferencePathError extends QueryCompilationError {
  constructor(place?: string) {
    super(`Reference path cannot be empty${inPlace(place)}: name a source, or a field of one`)
  }
}

/** A call of a function that does not exist. */
export class UnknownFunctionError extends QueryCompilationError {
  constructor(functionName: string, place?: string) {
    super(
      `Unknown function: ${functionName}${inPlace(place)}. Build expressions with the exported query functions`,
    )
  }
}

/** A reference to a source that the query does not have. */
export class UnknownSourceReferenceError extends QueryCompilationError {
  constructor(path: string, aliases: readonly string[], place: string) {
    super(
      `${shown(path)} in ${place} refers to no source of it; there are: ${listed(aliases)}. ` +
        `Use the references that the clause's own callback is given`,
    )
  }
}

/** Two sources of a query have one name. */
export class DuplicateSourceAliasError extends QueryCompilationError {
  constructor(alias: string, place: string) {
    super(`Duplicate source alias ${shown(alias)} in ${place}: give each source an alias of its own`)
  }
}

/** A subquery as a predicate stands where it cannot be asked. */
export class ExistsOutsideWhereError extends QueryCompilationError {
  constructor(place: string) {
    super(
      `exists() and notExists() cannot stand in ${place}: use them in where(), alone or inside and(), or(), not()`,
    )
  }
}

/** A recursion that cannot be run to its end. */
export class RecursionError extends QueryCompilationError {
  constructor(alias: string, fault: string) {
    super(`The recursion ${shown(alias)} cannot be run: ${fault}`)
  }
}

function inPlace(place: string | undefined): string {
  return place === undefined ? '' : ` in ${place}`
}
