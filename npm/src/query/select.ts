import { UnsupportedNestedQueryError } from '../errors/query.ts'
import {
  type ConditionalBranch,
  ConditionalSelect,
  type Expression,
  isExpressionNode,
  PropRef,
  parseSpreadKey,
  type Select,
  type SelectEntry,
  spreadKey,
  Value,
} from './ir.ts'
import { isProjection } from './projection.ts'
import { isQueryLike, pathOf, toExpression, withSpreadNumbering } from './refs.ts'

/** Runs a select callback and turns its result into the IR's select clause. */
export function buildSelect(callback: () => unknown): Select | Expression {
  return withSpreadNumbering(() => {
    const result = callback()
    const path = pathOf(result)
    if (path !== undefined) return path.length < 2 ? { [spreadKey(path, 0)]: true } : new PropRef(path)
    if (typeof result !== 'object' || result === null || isExpressionNode(result)) return toExpression(result)
    // Refused as an operand, for it is none, and here, where it would be the whole row.
    if (isProjection(result) || isQueryLike(result)) return toExpression(result)
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

function selectValue(value: unknown, field: string): SelectEntry {
  const path = pathOf(value)
  if (path !== undefined) return new PropRef(path)
  if (value === undefined) return new Value(null)
  if (typeof value !== 'object' || value === null) return new Value(value)
  if (isExpressionNode(value)) return value
  if (isProjection(value)) return conditional(value.args, field)
  if (isQueryLike(value)) throw new UnsupportedNestedQueryError(field)
  return selectObject(value)
}

/** The arguments of `caseWhen`: conditions and values in turn, and perhaps a default. */
function conditional(args: readonly unknown[], field: string): ConditionalSelect {
  const branches: ConditionalBranch[] = []
  for (let i = 0; i + 1 < args.length; i += 2) {
    branches.push({ condition: toExpression(args[i]), value: selectValue(args[i + 1], field) })
  }
  const defaultValue = args.length % 2 === 1 ? selectValue(args.at(-1), field) : undefined
  return new ConditionalSelect(branches, defaultValue)
}
