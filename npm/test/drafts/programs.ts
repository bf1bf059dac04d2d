/**
 * Random rows and random programs that change them. A program runs the same way on a draft and on a clone: it keeps
 * the objects it has come by and works on one of them at each step.
 */
import fc from 'fast-check'

export interface Step {
  /** Which of the objects the program has come by. */
  readonly on: number
  readonly what: number
  readonly at: number
  /** Which of the objects to put somewhere. */
  readonly other: number
  readonly value: number
}

export const stepsArb: fc.Arbitrary<Step[]> = fc.array(
  fc.record({ on: fc.nat(40), what: fc.nat(40), at: fc.nat(5), other: fc.nat(40), value: fc.nat(3) }),
  { maxLength: 25 },
)

const names = ['a', 'b', 'c', 'constructor', '__proto__', 'toString'] as const

/** Makes a row: `picks` decides its parts, and which of them are referred to more than once. */
export function makeRow(picks: readonly number[], loops: boolean, unique: boolean): Record<string, unknown> {
  let next = 0
  let count = 0
  const pick = (below: number) => (picks[next++ % picks.length] ?? 0) % below
  const number = () => (unique ? 1000 + count++ : pick(3))
  const made: object[] = []
  const row: Record<string, unknown> = {}
  if (loops) made.push(row)
  const part = (depth: number): unknown => {
    const kind = pick(depth > 2 ? 2 : 9)
    if (kind === 0) return number()
    if (kind === 1) return [null, undefined, 'x', Number.NaN, true][pick(5)]
    if (kind === 2 && made.length > 0) return made[pick(made.length)]
    const keep = <T extends object>(value: T): T => {
      made.push(value)
      return value
    }
    if (kind === 3) return keep(new Date(number()))
    if (kind === 4) return keep(new Uint16Array([number(), number()]))
    if (kind === 5) {
      const list = keep<unknown[]>([number()])
      for (let i = pick(4); i > 0; i--) list.push(part(depth + 1))
      return list
    }
    if (kind === 6) {
      const map = keep(new Map<unknown, unknown>([['a', number()]]))
      for (let i = pick(3); i > 0; i--) map.set(names[i], part(depth + 1))
      return map
    }
    if (kind === 7) {
      const set = keep(new Set<unknown>([number()]))
      for (let i = pick(3); i > 0; i--) set.add(part(depth + 1))
      return set
    }
    const object = keep<Record<string, unknown>>({ id: number() })
    for (let i = pick(4); i > 0; i--) define(object, names[pick(6)] as string, part(depth + 1))
    return object
  }
  row.id = number()
  for (const name of ['p', 'q', 'r', 's', 't', 'u']) row[name] = part(0)
  return row
}

export function define(to: object, name: string, value: unknown): void {
  Object.defineProperty(to, name, { value, enumerable: true, configurable: true, writable: true })
}

/** Runs a program. `fresh` numbers what it makes, so that two runs make the same. */
export function run(root: object, steps: readonly Step[], unique: boolean, met: object[] = [root]): object[] {
  let count = 0
  const meet = (value: unknown) => {
    if (typeof value === 'object' && value !== null && met.length < 60) met.push(value)
  }
  for (const step of steps) {
    const number = unique ? 5000 + count++ : step.value
    const other = met[step.other % met.length] as object
    const values = [
      number,
      'x',
      undefined,
      null,
      other,
      { id: number },
      [number, other],
      { id: number, o: other },
    ]
    values.push(new Map([['k', other]]), new Set([number, other]), new Date(number))
    const value = values[(step.value + step.what) % values.length]
    const on = met[step.on % met.length] as object
    if (Array.isArray(on)) editList(on, step, value, meet)
    else if (on instanceof Map) editMap(on, step, value, meet)
    else if (on instanceof Set) editSet(on, step, value, meet)
    else if (on instanceof Date) on.setTime(number)
    else if (on instanceof Uint16Array) on[step.at % 2] = number
    else editObject(on as Record<string, unknown>, step, value, meet)
  }
  return met
}

type Meet = (value: unknown) => void

function editObject(on: Record<string, unknown>, { what, at }: Step, value: unknown, meet: Meet): void {
  const keys = Object.keys(on)
  const name = what % 3 === 0 ? (names[at % names.length] as string) : (keys[at % (keys.length || 1)] ?? 'a')
  if (what % 7 === 0) delete on[name]
  // A clone would take `__proto__` for its prototype, where drafts take it for a name.
  else if (what % 7 < 4) define(on, name, value)
  else if (what % 7 === 4) for (const item of Object.values(on)) meet(item)
  else if (Object.hasOwn(on, name)) meet(on[name])
}

function editList(on: unknown[], { what, at, value: n }: Step, value: unknown, meet: Meet): void {
  const byText = (a: unknown, b: unknown) => String(typeof a).localeCompare(String(typeof b))
  const edits: (() => void)[] = [
    () => on.push(value),
    () => meet(on.pop()),
    () => meet(on.shift()),
    () => on.unshift(value, n),
    () => on.splice(at, n, value).forEach(meet),
    () => on.reverse(),
    () => on.sort(byText),
    () => on.fill(value, at, at + n),
    () => on.copyWithin(0, at),
    () => (on[at] = value),
    () => (on.length = Math.min(on.length, at)),
    () => delete on[at],
    () => meet(on[at]),
    () => meet(on.find((item) => typeof item === 'object' && item !== null)),
    () => on.forEach(meet),
    () => on.map((item) => item).forEach(meet),
    () => {
      for (const item of on) meet(item)
    },
    () => on.push(...on.slice(0, n)),
    () => on.push(on.indexOf(value as never), on.includes(value)),
  ]
  edits[what % edits.length]?.()
}

function editMap(on: Map<unknown, unknown>, { what, at }: Step, value: unknown, meet: Meet): void {
  const key = what % 2 === 0 ? names[at % 3] : [...on.keys()][at % (on.size || 1)]
  const edits: (() => void)[] = [
    () => on.set(key, value),
    () => on.set(value, at),
    () => on.delete(key),
    () => at === 0 && on.clear(),
    () => meet(on.get(key)),
    () => on.forEach(meet),
    () => {
      for (const [name, item] of on) {
        meet(name)
        meet(item)
      }
    },
    () => on.has(value) && on.set('has', at),
  ]
  edits[what % edits.length]?.()
}

function editSet(on: Set<unknown>, { what, at }: Step, value: unknown, meet: Meet): void {
  const edits: (() => void)[] = [
    () => on.add(value),
    () => on.delete([...on][at % (on.size || 1)]),
    () => at === 0 && on.clear(),
    () => on.forEach(meet),
    () => {
      for (const item of on) meet(item)
    },
    () => on.has(value) && on.add('has'),
  ]
  edits[what % edits.length]?.()
}
