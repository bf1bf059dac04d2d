/** Rules of expressions: which nodes there are, what they refer to, and where each kind may stand. */
import { QueryCompilationError } from '../errors/base.ts'
import { AggregateNotSupportedError } from '../errors/compile.ts'
import { UnsupportedAggregateFunctionError } from '../errors/joins.ts'
import {
  EmptyReferencePathError,
  ExistsOutsideWhereError,
  UnknownExpressionTypeError,
  UnknownFunctionError,
  UnknownSourceReferenceError,
} from '../errors/query.ts'
import { operators } from './functions.ts'
import type { Aggregate, BasicExpression, Exists, Expression, Func } from './ir.ts'

/** The names of the aggregates, which are compared without regard to case. */
export const aggregateNames: ReadonlySet<string> = new Set(['count', 'sum', 'avg', 'min', 'max'])

// The functions of dates have no builder: they come in trees from elsewhere.
const functionNames: ReadonlySet<string> = new Set([
  ...operators.filter((name) => !aggregateNames.has(name)),
  'date',
  'datetime',
  'strftime',
])

const connectives: ReadonlySet<string> = new Set(['and', 'or', 'not'])

/** What an expression finds where it stands. */
export interface Place {
  /** The clause and its query, for messages: `where() of the query over "user"`. */
  readonly name: string
  /** The names that references may begin with; undefined where any may be. */
  readonly aliases: ReadonlySet<string> | undefined
  /** Checks an aggregate; absent where there is none. */
  readonly aggregate?: (aggregate: Aggregate) => void
  /** Checks a subquery; absent where there is none. */
  readonly exists?: (exists: Exists<unknown>) => void
}

/**
 * Checks one expression. O(nodes).
 * @throws QueryCompilationError, GroupByError: the leaf class names the rule that is broken.
 */
export function checkExpression(expression: Expression, place: Place): void {
  switch (expression.type) {
    case 'val':
      return
    case 'ref': {
      const [alias] = expression.path
      if (alias === undefined) throw new EmptyReferencePathError(place.name)
      if (place.aliases !== undefined && !place.aliases.has(alias)) {
        throw new UnknownSourceReferenceError(expression.path.join('.'), [...place.aliases], place.name)
      }
      return
    }
    case 'func': {
      const { name, args } = expression
      if (!functionNames.has(name)) throw new UnknownFunctionError(name, place.name)
      const inside = connectives.has(name) ? place : withoutExists(place)
      for (const argument of args) checkExpression(argument, inside)
      if (name === 'in') checkSearch(args, place)
      return
    }
    case 'agg':
      checkAggregateCall(expression, place)
      return
    case 'exists':
      if (place.exists === undefined) throw new ExistsOutsideWhereError(place.name)
      place.exists(expression)
      return
    default:
      throw new UnknownExpressionTypeError(String((expression as { type?: unknown }).type), place.name)
  }
}

function checkAggregateCall(call: Aggregate, place: Place): void {
  if (place.aggregate === undefined) throw new AggregateNotSupportedError(call.name, place.name)
  if (!aggregateNames.has(call.name.toLowerCase())) {
    throw new UnsupportedAggregateFunctionError(call.name, place.name)
  }
  const { aggregate: _no, ...rest } = withoutExists(place)
  for (const argument of call.args)
    checkExpression(argument, { ...rest, name: `${call.name}() in ${place.name}` })
  place.aggregate(call)
}

function withoutExists(place: Place): Place {
  if (place.exists === undefined) return place
  const { exists: _no, ...rest } = place
  return rest
}

/**
 * Checks a condition on the rows of one collection, whose references have no alias. O(nodes).
 * @throws QueryCompilationError: the leaf class names the rule that is broken.
 */
export function assertExpression(expression: BasicExpression): void {
  checkExpression(expression, { name: 'the condition', aliases: undefined })
}

/** A field that is a list can be searched for one value, the same for all rows. */
function checkSearch([member, list]: readonly BasicExpression[], place: Place): void {
  if (list === undefined || list.type === 'val' || member?.type === 'val') return
  throw new QueryCompilationError(
    'inArray() with a field as its list needs a constant to look for, such as inArray("red", item.tags): ' +
      `the value looked for and the list cannot both come from the row (in ${place.name})`,
  )
}

/** The aliases that the references of an expression begin with. */
export function aliasesIn(expression: Expression, into = new Set<string>()): Set<string> {
  if (expression.type === 'ref') {
    if (expression.path[0] !== undefined) into.add(expression.path[0])
  } else if (expression.type === 'func' || expression.type === 'agg') {
    for (const argument of (expression as Func).args) aliasesIn(argument, into)
  }
  return into
}

/** Whether an aggregate stands somewhere in an expression. */
export function hasAggregate(expression: Expression): boolean {
  if (expression.type === 'agg') return true
  return expression.type === 'func' && expression.args.some((argument) => hasAggregate(argument))
}
