import fc from 'fast-check'
import type { BasicExpression } from '../../src/query/ir.ts'
import { Func, PropRef, Value } from '../../src/query/ir.ts'
import { FakeTemporal, type Row } from './evaluate.ts'

export type Predicate = BasicExpression<boolean>

export const ref = (...path: string[]) => new PropRef(path)
export const val = <T>(value: T) => new Value(value)
export const fn = (name: string, ...args: BasicExpression[]): Predicate => new Func(name, args)
export const compare = (name: string, field: string, value: unknown) => fn(name, ref(field), val(value))

const opaque = { opaque: true }
const bytes = (...values: number[]) => new Uint8Array(values)

/** Values a field may have, with ties and with everything that is no ordinary value. `c` holds all types together. */
export const domains: Readonly<Record<string, readonly unknown[]>> = {
  a: [0, -0, 1, 2, 2, 3.5, Number.NaN, null, undefined],
  b: [new Date(0), new Date(5), new Date(5), new Date(9), new Date(Number.NaN), 5, null],
  c: [1, '1', '10', '2', '', 'x', 'y', true, false, 5n, 2n, new Date(1), bytes(1), bytes(1, 2), opaque, null],
  d: [new FakeTemporal(1), new FakeTemporal(2), new FakeTemporal(2), new FakeTemporal(3), null],
}
const fields = Object.keys(domains)
const valueIn = (field: string) => fc.constantFrom(...(domains[field] as readonly unknown[]))

export const rowArb: fc.Arbitrary<Row> = fc.record(
  Object.fromEntries(fields.map((field) => [field, valueIn(field)])),
) as fc.Arbitrary<Row>

export const rowsArb = fc.array(rowArb, { minLength: 1, maxLength: 12 })

const ranges = ['gt', 'gte', 'lt', 'lte'] as const

/** A comparison of one field with a constant. */
export const comparisonArb = (field: string): fc.Arbitrary<Predicate> =>
  fc.oneof(
    fc
      .tuple(fc.constantFrom('eq', ...ranges), valueIn(field))
      .map(([name, value]) => compare(name, field, value)),
    fc.array(valueIn(field), { maxLength: 12 }).map((values) => compare('in', field, values)),
  )

const fieldArb = fc.constantFrom(...fields)

const leafArb: fc.Arbitrary<Predicate> = fc.oneof(
  { weight: 6, arbitrary: fieldArb.chain(comparisonArb) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.constantFrom('isNull', 'isUndefined'), fieldArb)
      .map(([name, field]) => fn(name, ref(field))),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(fc.constantFrom(...ranges), valueIn('a')).map(([n, v]) => fn(n, val(v), ref('a'))),
  },
  // Fields as conditions: whatever they hold.
  { weight: 1, arbitrary: fieldArb.map((field) => ref(field) as Predicate) },
  { weight: 1, arbitrary: fc.constantFrom(true, false, null).map((value) => val(value) as Predicate) },
)

export const { predicate: predicateArb } = fc.letrec<{ predicate: Predicate }>((tie) => ({
  predicate: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    leafArb,
    fc
      .tuple(fc.constantFrom('and', 'or'), fc.array(tie('predicate'), { minLength: 1, maxLength: 3 }))
      .map(([name, args]) => fn(name, ...args)),
    tie('predicate').map((argument) => fn('not', argument)),
  ),
}))

/** What is never unknown, and fields as conditions. */
const conditionArb = fc.constantFrom(
  ref('c') as Predicate,
  ref('a') as Predicate,
  fn('isNull', ref('a')),
  fn('isUndefined', ref('a')),
)

/** Two predicates that have much to do with each other: parts of the same few conditions on the same fields. */
export const relatedArb: fc.Arbitrary<readonly [Predicate, Predicate]> = fc
  .tuple(
    fc.array(fc.oneof(fieldArb.chain(comparisonArb), predicateArb, conditionArb), {
      minLength: 2,
      maxLength: 4,
    }),
    fieldArb,
  )
  .chain(([parts, field]) => {
    const some = fc.subarray(parts, { minLength: 1 })
    const put = fc
      .tuple(fc.constantFrom('and', 'or', 'alone'), some, fc.option(comparisonArb(field), { nil: undefined }))
      .map(([name, chosen, extra]): Predicate => {
        const all = extra === undefined ? chosen : [...chosen, extra]
        return name === 'alone' || all.length === 1 ? (all.at(-1) as Predicate) : fn(name, ...all)
      })
    const single = comparisonArb(field)
    return fc.oneof(
      fc.tuple(put, put),
      fc.tuple(single, single),
      fc.tuple(put, single),
      fc.tuple(single, put),
    )
  })
