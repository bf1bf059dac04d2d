import type { BasicExpression } from '../query/ir.ts'
import type { Untyped } from '../types/rows.ts'
import { extractFieldPath } from './fields.ts'

/** How {@link parseWhereExpression} translates: one function for each operator, by its IR name. */
export interface ParseWhereOptions<T = Untyped> {
  /** Receives the arguments: a field as its path, a constant as its value, a call as what its handler returned. */
  readonly handlers: { readonly [operator: string]: (...args: Untyped[]) => T }
  /** Receives calls without a handler, their arguments as they are in the tree. Without it they are errors. */
  readonly onUnknownOperator?: (operator: string, args: Untyped[]) => T
}

/**
 * Translates a predicate into a source's own language, from the inside out. Null without a predicate; a tree that is a
 * single constant or reference gives its value or path.
 * @throws Error for an operator that `options` have no function for.
 */
export function parseWhereExpression<T = Untyped>(
  expression: BasicExpression<boolean> | null | undefined,
  options: ParseWhereOptions<T>,
): T | null {
  if (expression === null || expression === undefined) return null
  return translated(expression, options) as T
}

function translated<T>(expression: BasicExpression, options: ParseWhereOptions<T>): Untyped {
  switch (expression.type) {
    case 'val':
      return expression.value
    case 'ref':
      return extractFieldPath(expression)
    case 'func':
      break
    default:
      throw new Error(
        `Cannot parse an expression of type ${String((expression as { type?: unknown }).type)}: ` +
          'a predicate has constants, references and calls only',
      )
  }
  const { name, args } = expression
  const { handlers, onUnknownOperator } = options
  const handler = handlerOf(handlers, name)
  if (handler !== undefined) return handler(...args.map((argument) => translated(argument, options)))
  if (onUnknownOperator !== undefined) return onUnknownOperator(name, [...args])
  throw new Error(
    `No handler provided for operator: ${name}. Available handlers: ${Object.keys(handlers).join(', ')}. ` +
      'Add one, or pass onUnknownOperator',
  )
}

/** What every object inherits, such as `constructor`, handles no operator. */
function handlerOf<T>(handlers: ParseWhereOptions<T>['handlers'], name: string) {
  const handler = handlers[name]
  return handler === (Object.prototype as Record<string, unknown>)[name] ? undefined : handler
}
