import { describe, expect, it } from 'vitest'
import { minusWherePredicates } from '../../src/predicates/minus.ts'
import { unionWherePredicates } from '../../src/predicates/union.ts'
import { isWhereSubset } from '../../src/predicates/where-subset.ts'
import { compare, fn, type Predicate, ref, val } from './arbitraries.ts'
import { FakeTemporal } from './evaluate.ts'

const eq = (value: unknown, field = 'age') => compare('eq', field, value)
const gt = (value: unknown, field = 'age') => compare('gt', field, value)
const gte = (value: unknown, field = 'age') => compare('gte', field, value)
const lt = (value: unknown, field = 'age') => compare('lt', field, value)
const lte = (value: unknown, field = 'age') => compare('lte', field, value)
const inList = (values: unknown, field = 'age') => compare('in', field, values)
const and = (...args: Predicate[]) => fn('and', ...args)
const or = (...args: Predicate[]) => fn('or', ...args)
const not = (arg: Predicate) => fn('not', arg)
const isNull = (field: string) => fn('isNull', ref(field))
const never = val(false) as Predicate
const always = val(true) as Predicate
const done = ref('done') as Predicate
const open = eq('open', 'state')

/** Trees as data: whether a node is an instance of a class does not matter. */
const tree = (predicate: Predicate | null | undefined): unknown => predicate && structuredCloneOf(predicate)
function structuredCloneOf(node: object): unknown {
  const { type, path, value, name, args } = node as Record<string, unknown> & { args?: object[] }
  return type === 'ref' ? { path } : type === 'val' ? { value } : { name, args: args?.map(structuredCloneOf) }
}

describe('isWhereSubset', () => {
  const cases: [title: string, sub: Predicate | undefined, sup: Predicate | undefined, expected: boolean][] =
    [
      ['all rows are within all rows', undefined, undefined, true],
      ['all rows are not within a filter', undefined, gt(1), false],
      ['a filter is within all rows', gt(1), undefined, true],
      ['no rows are within any filter', never, gt(1), true],
      ['the constant true is recognised only as itself', gt(1), always, false],
      [
        'equal predicates are within each other',
        fn('like', ref('name'), val('a%')),
        fn('like', ref('name'), val('a%')),
        true,
      ],
      [
        'functions with other arguments are not',
        fn('like', ref('name'), val('a%')),
        fn('like', ref('name'), val('%')),
        false,
      ],
      ['a conjunction is within each of its operands', and(gt(10), open), open, true],
      ['and within weaker ones of them', and(gt(10), open), and(gt(5), open), true],
      ['but not within one it has no operand for', and(gt(10), open), eq('ann', 'name'), false],
      ['a disjunction is within what holds all its operands', or(eq(1), eq(7)), lt(10), true],
      ['but not if one operand is outside', or(eq(1), eq(17)), lt(10), false],
      ['an operand is within a disjunction', gt(10), or(open, gt(5)), true],
      [
        'a conjunction is within one that has an operand of it that is a disjunction',
        and(or(gt(1), open), done),
        or(gt(1), open),
        true,
      ],
      ['values are within the same values in any order', inList([3, 1]), inList([1, 2, 3]), true],
      ['but not within others', inList([1, 4]), inList([1, 2, 3]), false],
      ['one value is within a list', eq(2), inList([1, 2]), true],
      ['a list of one is within the value', inList([2]), eq(2), true],
      ['an empty list is within everything', inList([]), eq(1), true],
      ['nothing is within an empty list', eq(1), inList([]), false],
      ['values are within a range they satisfy', inList([6, 7]), gt(5), true],
      ['and within several ranges, each within one', inList([1, 9]), or(lt(3), gt(8)), true],
      ['but a value at the bound only if it is included', eq(5), gt(5), false],
      ['at an included bound', eq(5), gte(5), true],
      ['a lower bound is within the same', gt(5), gt(5), true],
      ['gt within the gte of its bound', gt(5), gte(5), true],
      ['gte within the gt of a smaller bound only', gte(5), gt(5), false],
      ['gte within gt of a smaller bound', gte(6), gt(5), true],
      ['lt within lte of its bound', lt(5), lte(5), true],
      ['lte not within lt of its bound', lte(5), lt(5), false],
      ['lte within lt of a larger bound', lte(4), lt(5), true],
      ['a range is not within values', gt(5), eq(6), false],
      ['ranges in opposite directions are not comparable', gt(5), lt(10), false],
      ['fields are not each other', gt(5, 'a'), gt(5, 'b'), false],
      ['a constant on the left is not understood', fn('lt', val(10), ref('age')), gt(5), false],
      ['dates compare by time', gt(new Date(9)), gt(new Date(5)), true],
      ['a date is the number of its milliseconds', eq(new Date(9)), eq(9), true],
      ['0 is -0', eq(0), eq(-0), true],
      ['NaN is NaN', eq(Number.NaN), inList([1, Number.NaN]), true],
      ['an invalid date is NaN', eq(new Date(Number.NaN)), eq(Number.NaN), true],
      ['bigints are not numbers', eq(1n), eq(1), false],
      ['ranges of bigints compare', gt(9n), gt(5n), true],
      ['ranges of a bigint and a number do not: rows with texts read them differently', gt(3), gt(2n), false],
      ['bytes are equal by content', eq(new Uint8Array([1, 2])), inList([new Uint8Array([1, 2])]), true],
      ['temporals are equal by content', eq(new FakeTemporal(1)), eq(new FakeTemporal(1)), true],
      ['and ordered by their type', gt(new FakeTemporal(2)), gt(new FakeTemporal(1)), true],
      ['objects are equal to themselves only', eq({}), eq({}), false],
      ['texts compare by code unit', gt('b'), gt('a'), true],
      ['but texts that a number can be compared with as numbers too', gt('2'), gt('10'), false],
      ['iso dates are no numbers', gt('2024-05-01'), gt('2024-01-01'), true],
      ['null satisfies no range', eq(null), gte(null), false],
      ['no range is within one with null', gt(5), gt(null), false],
      ['a list with null is not within the list without it', inList([1, null]), inList([1]), false],
      ['a list without null is within the list with it', inList([1]), inList([1, null]), true],
      ['null is not undefined', eq(null), eq(undefined), false],
      ['negations are compared as they are', not(gt(5)), not(gt(5)), true],
      ['and not understood', eq(5), not(gt(5)), false],
      ['a field as a condition is within itself', done, done, true],
      [
        'a field that is one of several conditions may hold 1, which is not true',
        and(done, open),
        done,
        false,
      ],
      ['but that is enough for one of several conditions', and(done, open, gt(1)), and(done, open), true],
    ]
  it.each(cases)('%s', (_title, sub, sup, expected) => {
    expect(isWhereSubset(sub, sup)).toBe(expected)
  })

  it('reads plain objects as well as nodes of the classes', () => {
    const plain = {
      type: 'func',
      name: 'gt',
      args: [
        { type: 'ref', path: ['age'] },
        { type: 'val', value: 7 },
      ],
    }
    expect(isWhereSubset(plain as never, gt(5))).toBe(true)
  })

  it('reads chains as deep as they are long', () => {
    let chain = eq(0)
    for (let i = 1; i < 20_000; i++) chain = or(chain, eq(i))
    expect(isWhereSubset(chain, lt(20_000))).toBe(true)
    expect(isWhereSubset(eq(19_999), chain)).toBe(true)
    expect(isWhereSubset(chain, or(chain, open))).toBe(true)
  })

  it('looks a long list up instead of searching it', () => {
    let reads = 0
    const list = Array.from({ length: 3000 }, (_, i) => i)
    const counted = new Proxy(list, {
      get(target, name, receiver) {
        reads++
        return Reflect.get(target, name, receiver)
      },
    })
    const values = Array.from({ length: 1000 }, (_, i) => i * 2)
    expect(isWhereSubset(inList(values), inList(counted))).toBe(true)
    expect(isWhereSubset(inList([2999, 2998]), inList(counted))).toBe(true)
    expect(reads).toBeLessThan(list.length * 3)
  })
})

describe('unionWherePredicates', () => {
  const cases: [title: string, list: Predicate[], expected: Predicate][] = [
    ['nothing is false', [], never],
    ['one predicate is itself', [and(gt(1), open)], and(gt(1), open)],
    ['values become one list', [eq(1), eq(2)], inList([1, 2])],
    ['equal values are one', [eq(1), eq(1)], eq(1)],
    [
      '0 and -0 are one value, a date and its number too',
      [eq(0), inList([-0, new Date(4)]), eq(4)],
      inList([0, new Date(4)]),
    ],
    ['lists are joined', [inList([1, 2]), inList([2, 3])], inList([1, 2, 3])],
    ['and take single values in', [inList([1, 2]), eq(3)], inList([1, 2, 3])],
    ['the smallest lower bound stays', [gt(10), gt(5), gte(7)], gt(5)],
    ['gte is wider than gt of the same bound', [gt(5), gte(5)], gte(5)],
    ['the largest upper bound stays', [lt(5), lte(9), lt(9)], lte(9)],
    ['bounds in both directions stay', [gt(9), lt(5)], or(gt(9), lt(5))],
    ['values and bounds stay beside each other', [eq(1), gt(5), eq(2), gt(9)], or(gt(5), inList([1, 2]))],
    ['bounds that cannot be compared stay', [gt(5), gt('x')], or(gt(5), gt('x'))],
    ['fields stay apart', [gt(5), open], or(gt(5), open)],
    [
      'disjunctions are taken apart',
      [or(eq(1), open), or(eq(2), or(gt(7), eq(3)))],
      or(gt(7), inList([1, 2, 3]), open),
    ],
    [
      'everything else stays once',
      [and(gt(1), open), not(open), and(gt(1), open)],
      or(and(gt(1), open), not(open)),
    ],
  ]
  it.each(cases)('%s', (_title, list, expected) => {
    expect(tree(unionWherePredicates(list))).toEqual(tree(expected))
  })

  it('leaves its operands as they are', () => {
    const list = inList([1])
    unionWherePredicates([list, eq(2)])
    expect(tree(list)).toEqual(tree(inList([1])))
  })
})

describe('minusWherePredicates', () => {
  const cases: [
    title: string,
    from: Predicate | undefined,
    subtract: Predicate | undefined,
    expected: Predicate | null,
  ][] = [
    ['without anything to take away all stays', gt(5), undefined, gt(5)],
    ['all rows without anything are all rows', undefined, undefined, always],
    ['no rows can be taken away from anything', gt(5), never, gt(5)],
    ['all rows without the rows of a filter: what is unknown has no words', undefined, gt(5), null],
    ['unless it is never unknown', undefined, isNull('age'), not(isNull('age'))],
    ['what is within leaves nothing', gt(10), gt(5), never],
    ['a range without a further one is what lies between', gt(10), gt(20), and(gt(10), lte(20))],
    ['an included bound is excluded', gte(10), gte(20), and(gte(10), lt(20))],
    ['the same from above', lt(20), lt(10), and(gte(10), lt(20))],
    ['with included bounds', lte(20), lte(10), and(gt(10), lte(20))],
    ['dates too', gt(new Date(1)), gt(new Date(5)), and(gt(new Date(1)), lte(new Date(5)))],
    ['bounds that cannot be compared', gt(5), gt('x'), null],
    ['ranges in opposite directions', gt(5), lt(9), null],
    ['texts that are numbers for some rows', gt('1'), gt('x'), null],
    ['texts that are not', gt('a'), gt('x'), and(gt('a'), lte('x'))],
    ['values without some of them', inList([1, 2, 3]), inList([2]), inList([1, 3])],
    ['values without one of them', inList([1, 2, 3]), eq(2), inList([1, 3])],
    ['one value left is no list', inList([1, 2]), eq(2), eq(1)],
    ['values without other values', eq(1), eq(2), eq(1)],
    ['a list without all its values', inList([1, 2]), inList([2, 1]), never],
    ['other fields', gt(5), open, null],
    ['what both have in common comes first', and(inList([1, 2]), open), and(open, eq(1)), and(open, eq(2))],
    ['common conditions and ranges', and(open, gt(10)), and(gt(20), open), and(open, gt(10), lte(20))],
    ['one of several conditions narrowed', and(open, inList([1, 2])), eq(1), and(open, eq(2))],
    ['several conditions that differ', and(open, gt(5)), and(gt(9), eq(1, 'b')), null],
    ['a condition that is never unknown', open, and(open, isNull('age')), and(open, not(isNull('age')))],
    ['each of several taken away', inList([1, 2, 3]), or(eq(1), and(eq(2))), eq(3)],
    ['all of several taken away', and(open, inList([1, 2])), or(and(open, eq(1)), and(open, eq(2))), never],
    ['a condition that may hold 1 taken from a field that is true', done, and(done, isNull('age')), null],
    ['the field alone is not what the conjunction has', and(done, open), done, null],
  ]
  it.each(cases)('%s', (_title, from, subtract, expected) => {
    expect(tree(minusWherePredicates(from, subtract))).toEqual(tree(expected))
  })
})
