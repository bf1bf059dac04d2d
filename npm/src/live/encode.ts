import type { Writer } from '../engine/writer.ts'
import { UnknownExpressionTypeError } from '../errors/query.ts'
import {
  type BasicExpression,
  type CompareOptions,
  type Expression,
  Func,
  getWhereExpression,
  PropRef,
  type QueryIR,
  Value,
} from '../query/ir.ts'
import { memberStep } from '../rows/member-path.ts'
import { Kind, type TextDictionary } from '../rows/texts.ts'
import type { StringCollationConfig } from '../types/rows.ts'
import { type CompiledSelect, type SelectEntry, selectedExpression } from './select.ts'

/** What the messages say of one expression. */
const Tag = { reference: 0, constant: 1, call: 2, list: 3 } as const

/** A query ready to be sent. Texts and object identities of its constants are taken at the time of sending. */
export interface EncodedQuery {
  readonly query: QueryIR
  readonly select: CompiledSelect | undefined
}

/** What encoding needs to know of the surroundings. */
export interface Encoding {
  readonly dictionary: TextDictionary
  /** Whether references begin with an alias. */
  readonly aliased: boolean
  /** The collation of order terms that name none. */
  readonly collation: StringCollationConfig
  collationId(config: StringCollationConfig): number
}

/** Writes queries and conditions over one source: aliases are gone, constants are cells, collations are numbers. */
export class QueryEncoder {
  readonly #encoding: Encoding
  readonly #to: Writer
  /** The texts of the constants met. */
  readonly texts: number[] = []

  constructor(encoding: Encoding, to: Writer) {
    this.#encoding = encoding
    this.#to = to
  }

  /** Writes one condition. */
  condition(expression: BasicExpression): void {
    this.#expression(expression)
  }

  /** Writes `[where, select, order, offset, limit]`. */
  write({ query, select }: EncodedQuery): void {
    const to = this.#to
    const { where = [], orderBy = [] } = query
    to.array(5)
    to.array(where.length)
    for (const predicate of where) this.#expression(getWhereExpression(predicate))
    if (select === undefined) to.nil()
    else {
      to.array(select.entries.length)
      for (const entry of select.entries) this.#entry(entry)
    }
    to.array(orderBy.length)
    for (const { expression, compareOptions } of orderBy) {
      to.array(4)
      this.#expression(this.#orderExpression(expression, query))
      to.int(compareOptions.direction === 'desc' ? 1 : 0)
      to.int(compareOptions.nulls === 'last' ? 1 : 0)
      to.int(this.#collation(compareOptions))
    }
    this.#count(query.offset)
    this.#count(query.limit === Number.POSITIVE_INFINITY ? undefined : query.limit)
  }

  #entry(entry: SelectEntry): void {
    const spread = 'spread' in entry
    this.#to.array(spread ? 3 : 2)
    this.#path(entry.path, 0)
    if (spread) {
      this.#to.nil()
      this.#path(entry.spread, 0)
    } else this.#expression(entry.expression)
  }

  #path(path: readonly string[], from: number): void {
    this.#to.array(path.length - from)
    for (let i = from; i < path.length; i++) this.#to.str(path[i] as string)
  }

  #expression(expression: Expression): void {
    const to = this.#to
    switch (expression.type) {
      case 'ref':
        to.array(2)
        to.int(Tag.reference)
        this.#path(expression.path, this.#encoding.aliased ? 1 : 0)
        break
      case 'val':
        to.array(3)
        to.int(Tag.constant)
        this.#cell(expression.value)
        break
      case 'exists':
      case 'agg':
        throw new UnknownExpressionTypeError(expression.type)
      default: {
        const { name } = expression
        const args = operandsOf(expression)
        if (isSearch(expression)) {
          this.#expression(this.#membership(expression))
          break
        }
        to.array(args.length + 2)
        to.int(Tag.call)
        to.str(name)
        for (let i = 0; i < args.length; i++) this.#argument(name, args[i] as BasicExpression, i)
      }
    }
  }

  /** Looking for a constant in a list that is a field: a column of its own says of every row whether it is there. */
  #membership({ args: [member, list] }: Search): BasicExpression {
    const path = [...list.path, memberStep(member.value, this.#encoding.dictionary)]
    return new Func('eq', [new PropRef(path), new Value(true)])
  }

  #argument(name: string, argument: BasicExpression, at: number): void {
    if (name !== 'in' || at !== 1 || argument.type !== 'val' || !Array.isArray(argument.value)) {
      this.#expression(argument)
      return
    }
    const members: readonly unknown[] = argument.value
    this.#to.array(members.length + 1)
    this.#to.int(Tag.list)
    for (const member of members) {
      this.#to.array(2)
      this.#cell(member)
    }
  }

  /** Writes the two items of a cell. */
  #cell(value: unknown): void {
    const { dictionary } = this.#encoding
    const kind = dictionary.kindOf(value)
    if (kind >= Kind.string && kind <= Kind.temporal) this.texts.push(dictionary.val)
    this.#to.int(kind)
    this.#to.num(dictionary.val)
  }

  /** An order by a selected field is an order by what was selected. */
  #orderExpression(expression: BasicExpression, query: QueryIR): BasicExpression {
    if (expression.type === 'val') return expression
    if (expression.type === 'func') {
      const args = expression.args.map((argument) => this.#orderExpression(argument, query))
      return { ...expression, type: 'func', args } as BasicExpression
    }
    if (expression.path[0] !== '$selected' || query.select === undefined) return expression
    const found = selectedExpression(query.select as never, expression.path.slice(1))
    if (found === undefined) return { type: 'val', value: undefined } as BasicExpression
    return 'type' in found ? found : ({ type: 'ref', path: ['', ...found] } as unknown as BasicExpression)
  }

  #collation(options: CompareOptions): number {
    const { stringSort, locale, localeOptions } = options
    if (stringSort === undefined) return this.#encoding.collationId(this.#encoding.collation)
    return this.#encoding.collationId({ stringSort, locale, localeOptions } as StringCollationConfig)
  }

  /** Writes a number of rows as the engine takes it; none for what does not bound anything. */
  #count(rows: number | null | undefined): void {
    const whole = Math.trunc(rows ?? Number.NaN)
    if (Number.isNaN(whole)) this.#to.nil()
    else this.#to.int(Math.min(Math.max(0, whole), MAX_COUNT))
  }
}

const MAX_COUNT = 0xfffffffe

/** `in` with a constant on the left and a reference on the right. */
interface Search {
  readonly args: readonly [Value, PropRef]
}

function isSearch(call: Func): call is Func & Search {
  const [member, list] = call.args
  if (call.name !== 'in' || member?.type !== 'val' || list?.type !== 'ref') return false
  return member.value !== null && member.value !== undefined
}

/**
 * The arguments of a call. Conditions put together in a loop, as in or(or(a, b), c), are as deep as they are long,
 * and mean the same as or(a, b, c).
 */
function operandsOf({ name, args }: Func): readonly BasicExpression[] {
  const continues = (argument: BasicExpression): argument is Func =>
    argument.type === 'func' && argument.name === name
  if ((name !== 'and' && name !== 'or') || !args.some(continues)) return args
  const flat: BasicExpression[] = []
  const waiting = [...args].reverse()
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (continues(next)) for (const inner of [...next.args].reverse()) waiting.push(inner)
    else flat.push(next)
  }
  return flat
}
