/**
 * What a predicate says of a row, one rule after the other as documented for expressions. Written to be read; shares
 * nothing with the library but the shape of a tree.
 */
export type Row = Readonly<Record<string, unknown>>
export type Truth = boolean | null

interface Node {
  readonly type: string
  readonly path?: readonly (string | number)[]
  readonly value?: unknown
  readonly name?: string
  readonly args?: readonly Node[]
}

const missing = (value: unknown) => value === null || value === undefined
const number = (value: unknown) => (value instanceof Date ? value.getTime() : value)
const isNotANumber = (value: unknown) => Number.isNaN(number(value))

export function same(a: unknown, b: unknown): boolean {
  if (isNotANumber(a) || isNotANumber(b)) return isNotANumber(a) && isNotANumber(b)
  if (a instanceof Uint8Array && b instanceof Uint8Array) return [...a].join() === [...b].join()
  if (a instanceof FakeTemporal && b instanceof FakeTemporal) return a.day === b.day
  return number(a) === number(b)
}

function order(a: unknown, b: unknown): number | null {
  if (isNotANumber(a) || isNotANumber(b)) return Number(isNotANumber(a)) - Number(isNotANumber(b))
  if (a instanceof FakeTemporal || b instanceof FakeTemporal) {
    if (!(a instanceof FakeTemporal && b instanceof FakeTemporal)) throw new TypeError('no order')
    return FakeTemporal.compare(a, b)
  }
  if (a instanceof Uint8Array && b instanceof Uint8Array) {
    const at = [...a].findIndex((byte, i) => byte !== b[i])
    return at < 0 ? a.length - b.length : (a[at] as number) - (b[at] ?? -1)
  }
  const [x, y] = [number(a), number(b)] as [number, number]
  if (typeof x === 'object' || typeof y === 'object') return null
  return x < y ? -1 : x > y ? 1 : x >= y ? 0 : Number.NaN
}

/** A stand-in for a Temporal type, which not every host has. */
export class FakeTemporal {
  readonly day: number
  constructor(day: number) {
    this.day = day
  }
  static compare(a: FakeTemporal, b: FakeTemporal): number {
    return a.day - b.day
  }
  get [Symbol.toStringTag]() {
    return 'Temporal.PlainDate'
  }
  toString() {
    return `day ${this.day}`
  }
}

/** The value of an expression for a row. */
export function evaluate(node: Node, row: Row): unknown {
  if (node.type === 'val') return node.value
  if (node.type === 'ref') {
    let value: unknown = row
    for (const name of node.path as readonly string[]) {
      if (missing(value)) return value
      value = (value as Row)[name]
    }
    return value
  }
  const args = (node.args as readonly Node[]).map((argument) => evaluate(argument, row))
  const [a, b] = args
  switch (node.name) {
    case 'and':
      return args.includes(false) ? false : args.some(missing) ? null : true
    case 'or':
      return args.includes(true) ? true : args.some(missing) ? null : false
    case 'not':
      return missing(a) ? null : !a
    case 'isNull':
      return a === null
    case 'isUndefined':
      return a === undefined
    case 'in':
      if (missing(a)) return null
      return Array.isArray(b) && b.some((member) => !missing(member) && same(a, member))
  }
  if (missing(a) || missing(b)) return null
  if (node.name === 'eq') return same(a, b)
  const difference = order(a, b)
  if (difference === null) return null
  switch (node.name) {
    case 'gt':
      return difference > 0
    case 'gte':
      return difference >= 0
    case 'lt':
      return difference < 0
    case 'lte':
      return difference <= 0
  }
  throw new Error(`no rule for ${node.name}`)
}

/** Whether a row passes a filter: only true keeps it, and so does no filter. */
export function keeps(node: object | null | undefined, row: Row): boolean {
  return node === null || node === undefined || evaluate(node as Node, row) === true
}
