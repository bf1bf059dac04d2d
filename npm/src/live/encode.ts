import type { Writer } from '../engine/writer.ts'
import type { BasicExpression, CompareOptions, QueryIR } from '../query/ir.ts'
import { Kind, type TextDictionary } from '../rows/texts.ts'
import type { StringCollationConfig } from '../types/rows.ts'
import { type CompiledSelect, type SelectEntry, selectedExpression } from './select.ts'

/** What the messages say of one expression. */
const Tag = { reference: 0, constant: 1, call: 2, list: 3 } as const

/** A message part before it is written: numbers, strings and lists of them. */
type Part = number | string | null | readonly Part[]

/** A query ready to be sent. Texts and object identities of its constants are taken at the time of sending. */
export interface EncodedQuery {
  readonly query: QueryIR
  readonly select: CompiledSelect | undefined
}

/** What encoding needs to know of the surroundings. */
export interface Encoding {
  readonly dictionary: TextDictionary
  /** Whether the query is only looked at: then constants keep their kinds but not their contents. */
  readonly check: boolean
  /** The collation of order terms that name none. */
  readonly collation: StringCollationConfig
  collationId(config: StringCollationConfig): number
}

/** Encodes queries over one source: aliases are gone, constants are cells, collations are numbers. */
export class QueryEncoder {
  readonly #encoding: Encoding
  /** The texts of the constants met. */
  readonly texts: number[] = []

  constructor(encoding: Encoding) {
    this.#encoding = encoding
  }

  /** Writes `[where, select, order, offset, limit]`. */
  write({ query, select }: EncodedQuery, to: Writer): void {
    writePart(to, [
      (query.where ?? []).map((predicate) => this.#expression(predicate)),
      select === undefined ? null : select.entries.map((entry) => this.#entry(entry)),
      (query.orderBy ?? []).map(({ expression, compareOptions }) => [
        this.#expression(this.#orderExpression(expression, query)),
        compareOptions.direction === 'desc' ? 1 : 0,
        compareOptions.nulls === 'last' ? 1 : 0,
        this.#collation(compareOptions),
      ]),
      count(query.offset),
      count(query.limit),
    ])
  }

  #entry(entry: SelectEntry): Part {
    if ('spread' in entry) return [entry.path, null, entry.spread]
    return [entry.path, this.#expression(entry.expression)]
  }

  #expression(expression: BasicExpression): Part {
    switch (expression.type) {
      case 'ref':
        return [Tag.reference, expression.path.slice(1)]
      case 'val':
        return [Tag.constant, ...this.#cell(expression.value)]
      default:
        return [
          Tag.call,
          expression.name,
          ...expression.args.map((argument, i) => this.#argument(expression.name, argument, i)),
        ]
    }
  }

  #argument(name: string, argument: BasicExpression, at: number): Part {
    if (name !== 'in' || at !== 1 || argument.type !== 'val' || !Array.isArray(argument.value)) {
      return this.#expression(argument)
    }
    return [Tag.list, ...(argument.value as unknown[]).map((value) => this.#cell(value))]
  }

  #cell(value: unknown): [number, number] {
    const { dictionary, check } = this.#encoding
    const kind = dictionary.kindOf(value)
    if (check && kind >= Kind.string) return [kind, 0]
    if (kind >= Kind.string && kind <= Kind.temporal) this.texts.push(dictionary.val)
    return [kind, dictionary.val]
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
}

/** A number of rows as the engine takes it; none for what does not bound anything. */
function count(rows: number | undefined): number | null {
  if (rows === undefined || Number.isNaN(rows) || rows === Number.POSITIVE_INFINITY) return null
  return Math.min(Math.max(0, Math.trunc(rows)), MAX_COUNT)
}

const MAX_COUNT = 0xfffffffe

function writePart(to: Writer, part: Part): void {
  if (part === null) to.nil()
  else if (typeof part === 'number') to.num(part)
  else if (typeof part === 'string') to.str(part)
  else {
    to.array(part.length)
    for (const inner of part) writePart(to, inner)
  }
}
