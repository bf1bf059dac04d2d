import { describe, expect, it } from 'vitest'
import { buildCursor, cursorExpressions } from '../../src/predicates/cursor.ts'
import {
  isLimitSubset,
  isOffsetLimitSubset,
  isOrderBySubset,
  isPredicateSubset,
} from '../../src/predicates/page-subset.ts'
import type { CompareOptions, OrderBy, OrderByClause } from '../../src/query/ir.ts'
import type { LoadSubsetOptions } from '../../src/types.ts'
import { compare, fn, ref } from './arbitraries.ts'

const term = (field: string, options: Partial<CompareOptions> = {}): OrderByClause => ({
  expression: ref(field),
  compareOptions: { direction: 'asc', nulls: 'first', ...options },
})
const age = term('age')
const name = term('name')

describe('isOrderBySubset', () => {
  it.each<[title: string, sub: OrderBy | undefined, sup: OrderBy | undefined, expected: boolean]>([
    ['no order is part of any', undefined, [age], true],
    ['an empty one too', [], undefined, true],
    ['an order is part of itself', [age, name], [age, name], true],
    ['the first terms are part of all', [age], [age, name], true],
    ['later terms are not', [name], [age, name], false],
    ['more terms are not', [age, name], [age], false],
    ['an order is not part of none', [age], undefined, false],
    ['another direction is another order', [age], [term('age', { direction: 'desc' })], false],
    ['so is another place of nulls', [age], [term('age', { nulls: 'last' })], false],
    ['so is another collation', [name], [term('name', { stringSort: 'lexical' })], false],
    [
      'equal collations are the same',
      [term('name', { stringSort: 'locale', locale: 'de', localeOptions: { numeric: true } })],
      [term('name', { stringSort: 'locale', locale: 'de', localeOptions: { numeric: true } })],
      true,
    ],
    [
      'what is left out has its default',
      [{ expression: ref('age'), compareOptions: { direction: 'asc' } as CompareOptions }],
      [age],
      true,
    ],
  ])('%s', (_title, sub, sup, expected) => {
    expect(isOrderBySubset(sub, sup)).toBe(expected)
  })
})

describe('limits and offsets', () => {
  it('isLimitSubset: fewer rows are among more, all rows only among all', () => {
    expect(isLimitSubset(5, 5)).toBe(true)
    expect(isLimitSubset(6, 5)).toBe(false)
    expect(isLimitSubset(6, undefined)).toBe(true)
    expect(isLimitSubset(undefined, undefined)).toBe(true)
    expect(isLimitSubset(undefined, 5)).toBe(false)
  })

  it('isOffsetLimitSubset: a page lies within another', () => {
    expect(isOffsetLimitSubset({ offset: 5, limit: 5 }, { limit: 10 })).toBe(true)
    expect(isOffsetLimitSubset({ offset: 6, limit: 5 }, { limit: 10 })).toBe(false)
    expect(isOffsetLimitSubset({ limit: 5 }, { offset: 1, limit: 10 })).toBe(false)
    expect(isOffsetLimitSubset({ offset: 7, limit: 5 }, { offset: 3 })).toBe(true)
    expect(isOffsetLimitSubset({ offset: 7 }, { offset: 3, limit: 100 })).toBe(false)
    expect(isOffsetLimitSubset({}, {})).toBe(true)
  })
})

describe('isPredicateSubset', () => {
  const old = compare('gt', 'age', 20)
  const older = compare('gt', 'age', 30)
  const cursor = (key: number) => ({
    whereFrom: compare('gt', 'age', key),
    whereCurrent: compare('eq', 'age', key),
    lastKey: key,
  })
  it.each<[title: string, sub: LoadSubsetOptions, sup: LoadSubsetOptions, expected: boolean]>([
    ['all rows are among all rows', {}, {}, true],
    ['rows of a narrower filter are among all of a wider one', { where: older }, { where: old }, true],
    ['pages too', { where: older, limit: 5 }, { where: old }, true],
    ['but not among a page of it', { where: older, limit: 5 }, { where: old, limit: 50 }, false],
    ['pages of one filter lie within each other', { where: old, limit: 5 }, { where: old, limit: 50 }, true],
    [
      'equal filters need not be the same object',
      { where: compare('gt', 'age', 20), limit: 5 },
      { where: old, limit: 5 },
      true,
    ],
    ['pages of all rows too', { limit: 5 }, { limit: 50 }, true],
    [
      'the order has to be that of the larger page',
      { limit: 5, orderBy: [age] },
      { limit: 50, orderBy: [name] },
      false,
    ],
    ['offsets count', { limit: 5, offset: 50 }, { limit: 50 }, false],
    [
      'with an offset the cursor does not matter',
      { limit: 5, offset: 5, cursor: cursor(7) },
      { limit: 10, offset: 0 },
      true,
    ],
    [
      'a page told by its cursor is not the first page',
      { limit: 5 },
      { limit: 50, cursor: cursor(7) },
      false,
    ],
    [
      'nor a page with another cursor',
      { limit: 5, cursor: cursor(9) },
      { limit: 50, cursor: cursor(7) },
      false,
    ],
    ['but one with the same', { limit: 5, cursor: cursor(7) }, { limit: 50, cursor: cursor(7) }, true],
    ['every page is among all rows', { limit: 5, cursor: cursor(9) }, {}, true],
    ['the signal does not matter', { signal: new AbortController().signal }, {}, true],
  ])('%s', (_title, sub, sup, expected) => {
    expect(isPredicateSubset(sub, sup)).toBe(expected)
  })
})

describe('buildCursor', () => {
  const plain = (node: unknown) => JSON.parse(JSON.stringify(node ?? null))
  const desc = term('name', { direction: 'desc' })

  it('needs a term and a value', () => {
    expect(buildCursor([], [1])).toBeUndefined()
    expect(buildCursor([age], [])).toBeUndefined()
    expect(cursorExpressions([age], [])).toBeUndefined()
  })

  it('goes in the direction of the term', () => {
    expect(plain(buildCursor([age], [7]))).toEqual(plain(compare('gt', 'age', 7)))
    expect(plain(buildCursor([desc], ['x']))).toEqual(plain(compare('lt', 'name', 'x')))
  })

  it('of several terms, later ones decide where the earlier are equal', () => {
    const first = compare('gt', 'age', 7)
    const second = fn('and', compare('eq', 'age', 7), compare('lt', 'name', 'x'))
    const third = fn(
      'and',
      fn('and', compare('eq', 'age', 7), compare('eq', 'name', 'x')),
      compare('gt', 'id', 3),
    )
    expect(plain(buildCursor([age, desc, term('id')], [7, 'x', 3]))).toEqual(
      plain(fn('or', fn('or', first, second), third)),
    )
    expect(plain(buildCursor([age, desc, term('id')], [7, 'x']))).toEqual(plain(fn('or', first, second)))
  })

  it('comes with the rows at the same place and the last key', () => {
    const cursor = cursorExpressions([age, desc], [7, 'x'], 'k')
    expect(plain(cursor?.whereCurrent)).toEqual(plain(compare('eq', 'age', 7)))
    expect(cursor?.lastKey).toBe('k')
    expect(cursorExpressions([age], [7])).not.toHaveProperty('lastKey')
  })

  it('takes a date for its whole millisecond', () => {
    const at = new Date(1000)
    const cursor = cursorExpressions([age], [at])
    expect(plain(cursor?.whereFrom)).toEqual(plain(compare('gt', 'age', at)))
    expect(plain(cursor?.whereCurrent)).toEqual(
      plain(fn('and', compare('gte', 'age', at), compare('lt', 'age', new Date(1001)))),
    )
  })

  it('takes an invalid date as the value it is', () => {
    const at = new Date(Number.NaN)
    expect(plain(cursorExpressions([age], [at])?.whereCurrent)).toEqual(plain(compare('eq', 'age', at)))
  })
})
