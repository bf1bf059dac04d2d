import { QueryBuilderError } from '../errors/base.ts'
import {
  type Expression,
  isExpressionNode,
  PropRef,
  parseSpreadKey,
  type Select,
  spreadKey,
  Value,
} from './ir.ts'
import { pathOf, toExpression, withSpreadNumbering } from './refs.ts'

/** Runs a select callback and turns its result into the IR's select clause. */
export function buildSelect(callback: () => unknown): Select | Expression {
  return withSpreadNumbering(() => {
    const result = callback()
    const path = pathOf(result)
    if (path !== undefined) return path.length === 1 ? { [spreadKey(path, 0)]: true } : new PropRef(path)
    if (typeof result !== 'object' || result === null || isExpressionNode(result)) return toExpression(result)
    return selectObject(result)
  })
}

function selectObject(fields: object): Select {
  const select: Select = {}
  for (const [field, value] of Object.entries(fields)) {
    const entry = isSpread(field, value) ? true : selectValue(value, field)
    if (field === '__proto__') {
      // Assignment would set the prototype and lose the field, and with it the error compilation owes for it.
      Object.defineProperty(select, field, {
        value: entry,
        enumerable: true,
        configurable: true,
        writable: true,
      })
    } else {
      select[field] = entry
    }
  }
  return select
}

// Spreading a reference copies its marker key; the value read under it is the reference to that "field".
function isSpread(field: string, value: unknown): boolean {
  return parseSpreadKey(field) !== undefined && (value === true || pathOf(value)?.at(-1) === field)
}

function selectValue(value: unknown, field: string): Expression | Select {
  const path = pathOf(value)
  if (path !== undefined) return new PropRef(path)
  if (value === undefined) return new Value(null)
  if (typeof value !== 'object' || value === null) return new Value(value)
  if (isExpressionNode(value)) return value
  if (typeof (value as { _getQuery?: unknown })._getQuery === 'function') {
    throw new QueryBuilderError(
      `Cannot select a query as field "${field}": a select holds expressions, nested objects and spread rows. ` +
        `Use the query as a source of its own, .from({ alias: query }).`,
    )
  }
  return selectObject(value)
}
