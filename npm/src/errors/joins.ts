/** Errors of joins and groups. */
import { shown, TanStackDBError } from './base.ts'

/** A join that cannot be compiled. */
export class JoinError extends TanStackDBError {
  constructor(message: string) {
    super(message)
    this.name = 'JoinError'
  }
}

/** A join of an unknown kind. */
export class UnsupportedJoinTypeError extends JoinError {
  constructor(joinType: string, alias?: string) {
    super(`Unsupported join type: ${shown(joinType)}${ofJoin(alias)}. Use inner, left, right or full`)
  }
}

/** Both sides of a join condition are about one source. */
export class InvalidJoinConditionSameSourceError extends JoinError {
  constructor(alias: string) {
    super(
      `Invalid join condition: both expressions refer to the same source ${shown(alias)}; compare it with the joined one`,
    )
  }
}

/** A side of a join condition is about no source. */
export class InvalidJoinConditionSourceMismatchError extends JoinError {
  constructor(alias?: string) {
    super(
      'Invalid join condition: expressions must reference source aliases, one side the joined source' +
        `${alias === undefined ? '' : ` ${shown(alias)}`} and the other a source before it, as in eq(user.teamId, team.id)`,
    )
  }
}

/** A side of a join condition is about a source that is not there yet. */
export class InvalidJoinConditionLeftSourceError extends JoinError {
  constructor(alias: string) {
    super(
      `Invalid join condition: left expression refers to ${shown(alias)}, which is not among the sources so far; ` +
        `join that source first`,
    )
  }
}

/** No side of a join condition is about the joined source. */
export class InvalidJoinConditionRightSourceError extends JoinError {
  constructor(alias: string) {
    super(
      `Invalid join condition: right expression does not refer to the joined source ${shown(alias)}; ` +
        `compare one of its fields with a field of a source before it`,
    )
  }
}

/** A join condition with another fault. */
export class InvalidJoinCondition extends JoinError {
  constructor(alias?: string) {
    super(
      `Invalid join condition${ofJoin(alias)}: compare a field of the joined source with one of the sources so far, by eq()`,
    )
  }
}

/** The joined source is of an unknown kind. */
export class UnsupportedJoinSourceTypeError extends JoinError {
  constructor(type: string, alias?: string) {
    super(
      `Unsupported join source type: ${shown(type)}${ofJoin(alias)}. Join a collection or a query builder`,
    )
  }
}

/** A grouping that cannot be compiled. */
export class GroupByError extends TanStackDBError {
  constructor(message: string) {
    super(message)
    this.name = 'GroupByError'
  }
}

/** A selected field is neither an aggregate nor grouped by. */
export class NonAggregateExpressionNotInGroupByError extends GroupByError {
  constructor(alias: string) {
    super(
      `Non-aggregate expression '${alias}' in SELECT must also appear in GROUP BY clause: ` +
        `add it to groupBy(), or put it inside an aggregate such as count(), sum() or min()`,
    )
  }
}

/** An aggregate of an unknown name. */
export class UnsupportedAggregateFunctionError extends GroupByError {
  constructor(functionName: string, place?: string) {
    super(
      `Unsupported aggregate function: ${shown(functionName)}${place === undefined ? '' : ` in ${place}`}. Use count, sum, avg, min or max`,
    )
  }
}

/** A having clause uses an aggregate that is not selected. */
export class AggregateFunctionNotInSelectError extends GroupByError {
  constructor(functionName: string, clause = 'having()') {
    super(
      `The aggregate ${shown(functionName)} in ${clause} must also be in select(): add it as a field, ` +
        'and refer to it by $selected',
    )
  }
}

/** A having clause holds an unknown kind of expression. */
export class UnknownHavingExpressionTypeError extends GroupByError {
  constructor(type: string) {
    super(
      `Unknown expression type in having(): ${shown(type)}. Build it with the query functions, such as gt(count(row.id), 1)`,
    )
  }
}

function ofJoin(alias: string | undefined): string {
  return alias === undefined ? '' : ` of the source ${shown(alias)}`
}
