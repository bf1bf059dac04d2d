import { UnknownExpressionTypeError } from '../errors/query.ts'
import {
  type BasicExpression,
  isSelectNode,
  parseSpreadKey,
  type Select,
  type SelectNode,
} from '../query/ir.ts'
import { Path } from '../rows/paths.ts'
import type { Member, Template } from '../rows/template.ts'

/** One field of a result row as the engine knows it: an expression, or the spread of the object at a path. */
export type SelectEntry =
  | { readonly path: readonly string[]; readonly expression: BasicExpression }
  | { readonly path: readonly string[]; readonly spread: readonly string[] }

/** A select clause, compiled for both sides. */
export interface CompiledSelect {
  readonly template: Template
  readonly entries: readonly SelectEntry[]
}

/** The fields of one object while they are collected; replacing a field moves it to the end. */
interface Fields {
  readonly list: Field[]
}

type Field =
  | { readonly name: string; readonly fields: Fields }
  | { readonly name: string; readonly expression: BasicExpression }
  | { readonly name: undefined; readonly spread: readonly string[] }

/** Compiles a select clause. A name with dots stands for nested objects. */
export function compileSelect(select: Select): CompiledSelect {
  const root: Fields = { list: [] }
  collect(select, root)
  const entries: SelectEntry[] = []
  let computed = 0

  const compile = (field: Field, prefix: readonly string[]): Member => {
    if (field.name === undefined) {
      entries.push({ path: prefix, spread: field.spread })
      return { kind: 'spread', path: field.spread.length === 0 ? undefined : new Path(field.spread) }
    }
    const { name } = field
    const path = [...prefix, name]
    if ('fields' in field) {
      return { kind: 'object', name, members: field.fields.list.map((inner) => compile(inner, path)) }
    }
    const { expression } = field
    const source = expression.type === 'ref' ? expression.path.slice(1) : undefined
    if (source?.length === 0) {
      entries.push({ path, spread: [] })
      return { kind: 'row', name }
    }
    entries.push({ path, expression })
    if (source !== undefined) return { kind: 'value', name, path: new Path(source) }
    if (expression.type === 'val') return { kind: 'constant', name, value: expression.value }
    return { kind: 'computed', name, index: computed++ }
  }

  const members = root.list.map((field) => compile(field, []))
  return { template: { members, computed }, entries }
}

function collect(select: Select, into: Fields): void {
  for (const [name, entry] of Object.entries(select)) {
    const spread = entry === true ? parseSpreadKey(name) : undefined
    if (spread !== undefined) {
      into.list.push({ name: undefined, spread: spread.slice(1) })
      continue
    }
    const segments = name.split('.')
    const last = segments.pop() as string
    const target = segments.reduce(nested, into)
    if (entry === true) continue
    if (isSelectNode(entry)) put(target, { name: last, expression: computedEntry(entry) })
    // An object without fields, which a Date given as a literal looks like, is no field.
    else if (Object.keys(entry).length > 0) collect(entry, nested(target, last))
  }
}

/** An entry that is computed from one row. */
function computedEntry(entry: SelectNode): BasicExpression {
  switch (entry.type) {
    case 'agg':
    case 'exists':
    case 'conditionalSelect':
    case 'includesSubquery':
      throw new UnknownExpressionTypeError(entry.type)
    default:
      return entry
  }
}

/** The object under a name, made if there is none. */
function nested(fields: Fields, name: string): Fields {
  const present = fields.list.find((field) => field.name === name)
  if (present !== undefined && 'fields' in present) return present.fields
  const made: Fields = { list: [] }
  put(fields, { name, fields: made })
  return made
}

function put(fields: Fields, field: Field): void {
  const at = fields.list.findIndex(({ name }) => name !== undefined && name === field.name)
  if (at >= 0) fields.list.splice(at, 1)
  fields.list.push(field)
}

/**
 * The expression that a path into the selected row stands for; undefined when nothing is there. Whether a spread covers
 * an earlier field depends on the row: a constant is taken for a default of what is spread, and anything else for a
 * field that the row does not have.
 */
export function selectedExpression(
  select: Select,
  path: readonly string[],
): BasicExpression | readonly string[] | undefined {
  const { entries } = compileSelect(select)
  let spread: readonly string[] | undefined
  for (let i = entries.length - 1; i >= 0; i--) {
    const entry = entries[i] as SelectEntry
    if (!entry.path.every((name, at) => path[at] === name)) continue
    const rest = path.slice(entry.path.length)
    if ('spread' in entry) {
      if (rest.length > 0) spread ??= [...entry.spread, ...rest]
    } else if (spread !== undefined && entry.expression.type === 'val') return spread
    else if (rest.length === 0) return entry.expression
    else if (entry.expression.type === 'ref') return [...entry.expression.path.slice(1), ...rest]
  }
  return spread
}
