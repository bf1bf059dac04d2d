import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type RangeOperator, relate, sameValue, ValueSet } from '../../src/expressions/values.ts'
import { domains } from '../predicates/arbitraries.ts'
import { evaluate, FakeTemporal, same } from '../predicates/evaluate.ts'

const valueArb = fc.constantFrom(
  ...Object.values(domains).flat(),
  {},
  Symbol.iterator,
  new Uint8Array(300).fill(1),
)
const present = valueArb.filter((value) => value !== null && value !== undefined)

describe('sameValue', () => {
  it('agrees with the naive model on every two values that are present', () => {
    fc.assert(
      fc.property(present, present, (a, b) => {
        expect(sameValue(a, b)).toBe(same(a, b))
      }),
      { numRuns: 1000 },
    )
  })

  it('is an equivalence', () => {
    fc.assert(
      fc.property(valueArb, valueArb, valueArb, (a, b, c) => {
        expect(sameValue(a, a)).toBe(true)
        expect(sameValue(a, b)).toBe(sameValue(b, a))
        if (sameValue(a, b) && sameValue(b, c)) expect(sameValue(a, c)).toBe(true)
      }),
      { numRuns: 1000 },
    )
  })

  it('tells null from undefined, and types of temporals from each other', () => {
    expect(sameValue(null, undefined)).toBe(false)
    const other = { [Symbol.toStringTag]: 'Temporal.PlainTime', toString: () => 'day 1' }
    expect(sameValue(new FakeTemporal(1), other)).toBe(false)
  })

  it('is what a set of values goes by', () => {
    fc.assert(
      fc.property(fc.array(valueArb), valueArb, (values, value) => {
        const set = new ValueSet(values)
        expect(set.has(value)).toBe(values.some((other) => sameValue(other, value)))
        expect(set.add(value)).toBe(!values.some((other) => sameValue(other, value)))
        expect(set.has(value)).toBe(true)
      }),
      { numRuns: 500 },
    )
  })
})

describe('relate', () => {
  it('agrees with the naive model, in what it refuses too', () => {
    const outcome = (run: () => unknown) => {
      try {
        return run()
      } catch (error) {
        return (error as Error).constructor
      }
    }
    const operator = fc.constantFrom<RangeOperator>('gt', 'gte', 'lt', 'lte')
    fc.assert(
      fc.property(operator, valueArb, valueArb, (name, a, b) => {
        if (typeof a === 'symbol' || typeof b === 'symbol') return
        const args = [a, b].map((value) => ({ type: 'val', value }))
        expect(outcome(() => relate(name, a, b))).toBe(
          outcome(() => evaluate({ type: 'func', name, args }, {})),
        )
      }),
      { numRuns: 2000 },
    )
  })

  it('has no answer for opaque values', () => {
    expect(relate('gt', Symbol('a'), 1)).toBeNull()
    expect(relate('lt', {}, {})).toBeNull()
    expect(relate('lt', new Uint8Array(1), '1')).toBeNull()
  })

  it('refuses a temporal beside anything else', () => {
    expect(() => relate('gt', new FakeTemporal(1), 1)).toThrow(
      'Cannot compare Temporal.PlainDate with number',
    )
    expect(() => relate('gt', 'x', new FakeTemporal(1))).toThrow(
      'Cannot compare string with Temporal.PlainDate',
    )
  })
})
