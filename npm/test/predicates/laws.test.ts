import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { minusWherePredicates } from '../../src/predicates/minus.ts'
import { isPredicateSubset } from '../../src/predicates/page-subset.ts'
import { unionWherePredicates } from '../../src/predicates/union.ts'
import { isWhereSubset } from '../../src/predicates/where-subset.ts'
import type { OrderBy } from '../../src/query/ir.ts'
import type { LoadSubsetOptions } from '../../src/types.ts'
import { byTerm } from '../model/values.ts'
import { comparisonArb, predicateArb, ref, relatedArb, rowArb, rowsArb } from './arbitraries.ts'
import { keeps, type Row } from './evaluate.ts'

const wheres = fc.oneof(
  { weight: 3, arbitrary: relatedArb },
  { weight: 1, arbitrary: fc.tuple(predicateArb, predicateArb) },
)

describe('claims about filters hold for every row', () => {
  it('isWhereSubset: a row of the subset is a row of the superset', () => {
    let claims = 0
    fc.assert(
      fc.property(wheres, rowsArb, ([sub, sup], rows) => {
        if (!isWhereSubset(sub, sup)) return
        claims++
        for (const row of rows) if (keeps(sub, row)) expect(keeps(sup, row)).toBe(true)
      }),
      { numRuns: 6000 },
    )
    expect(claims).toBeGreaterThan(600)
  })

  it('isWhereSubset: every predicate is within itself', () => {
    fc.assert(
      fc.property(predicateArb, (predicate) => {
        expect(isWhereSubset(predicate, predicate)).toBe(true)
      }),
      { numRuns: 300 },
    )
  })

  it('unionWherePredicates: exactly the rows that satisfy any', () => {
    const list = fc.oneof(
      relatedArb.map((pair) => [...pair]),
      fc.array(predicateArb, { maxLength: 4 }),
      fc.constantFrom('a', 'b', 'c', 'd').chain((field) => fc.array(comparisonArb(field), { maxLength: 5 })),
    )
    fc.assert(
      fc.property(list, rowsArb, (predicates, rows) => {
        const union = unionWherePredicates(predicates)
        for (const row of rows) {
          expect(keeps(union, row)).toBe(predicates.some((predicate) => keeps(predicate, row)))
        }
      }),
      { numRuns: 4000 },
    )
  })

  it('what is united is within the union', () => {
    fc.assert(
      fc.property(fc.array(predicateArb, { minLength: 1, maxLength: 4 }), (predicates) => {
        const union = unionWherePredicates(predicates)
        for (const predicate of predicates) expect(isWhereSubset(predicate, union)).toBe(true)
      }),
      { numRuns: 1000 },
    )
  })

  it('minusWherePredicates: exactly the rows of the one that are not rows of the other', () => {
    let answers = 0
    const optional = (where: fc.Arbitrary<readonly [object, object]>) =>
      fc
        .tuple(where, fc.nat(9))
        .map(([[from, subtract], n]) => [n === 0 ? undefined : from, n === 1 ? undefined : subtract])
    fc.assert(
      fc.property(optional(wheres) as never, rowsArb, ([from, subtract]: never[], rows) => {
        const rest = minusWherePredicates(from, subtract)
        if (rest === null) return
        answers++
        for (const row of rows) {
          const expected = keeps(from, row) && !(subtract !== undefined && keeps(subtract, row))
          expect(keeps(rest, row)).toBe(expected)
        }
      }),
      { numRuns: 6000 },
    )
    expect(answers).toBeGreaterThan(1000)
  })
})

const fields = ['a', 'b'] as const
const orderArb: fc.Arbitrary<OrderBy> = fc.array(
  fc.record({
    expression: fc.constantFrom(...fields).map((field) => ref(field)),
    compareOptions: fc.record({
      direction: fc.constantFrom('asc' as const, 'desc' as const),
      nulls: fc.constantFrom('first' as const, 'first' as const, 'last' as const),
    }),
  }),
  { minLength: 1, maxLength: 2 },
)

function sorted(rows: readonly Row[], order: OrderBy): readonly Row[] {
  return [...rows].sort((x, y) => {
    for (const { expression, compareOptions } of order) {
      const field = (expression as { path: string[] }).path[0] as string
      const difference = byTerm(x[field], y[field], compareOptions.direction, compareOptions.nulls)
      if (difference !== 0) return difference
    }
    return 0
  })
}

/** A value as an order sees it. */
const place = (value: unknown) =>
  value instanceof Date ? value.getTime() : typeof value === 'number' ? value + 0 : (value ?? null)

const page = (rows: readonly Row[], { offset = 0, limit = rows.length }: LoadSubsetOptions) =>
  rows.slice(offset, offset + limit)

describe('claims about pages', () => {
  it('isPredicateSubset: the rows at the places of the page are among those loaded, ties aside', () => {
    let claims = 0
    const count = fc.option(fc.nat(4), { nil: undefined })
    const options = (where: fc.Arbitrary<object | undefined>, order: OrderBy) =>
      fc.record({ where, orderBy: fc.constantFrom(order, order.slice(0, 1)), offset: count, limit: count })
    const pair = fc
      .tuple(wheres, orderArb, orderArb, fc.boolean())
      .chain(([[sub, sup], order, other, sameWhere]) =>
        fc.tuple(
          options(fc.constantFrom(sub, undefined), order),
          options(fc.constantFrom(sameWhere ? sub : sup, undefined), sameWhere ? order : other),
        ),
      )
    fc.assert(
      fc.property(
        pair as never,
        fc.array(rowArb, { maxLength: 10 }),
        ([sub, sup]: LoadSubsetOptions[], rows) => {
          const [wanted, loading] = [sub as LoadSubsetOptions, sup as LoadSubsetOptions]
          if (!isPredicateSubset(wanted, loading)) return
          claims++
          const order = wanted.orderBy as OrderBy
          const values = (list: readonly Row[]) =>
            list.map((row) =>
              order.map(({ expression }) => place(row[(expression as { path: string[] }).path[0] as string])),
            )
          // Ties of the superset's order come in the order of the rows, those of the subset's the other way round.
          const all = sorted(
            rows.filter((row) => keeps(loading.where, row)),
            loading.orderBy as OrderBy,
          )
          const before = all.slice(0, loading.offset ?? 0).filter((row) => keeps(wanted.where, row)).length
          const loaded = page(all, loading).filter((row) => keeps(wanted.where, row))
          const expected = page(
            sorted(rows.filter((row) => keeps(wanted.where, row)).reverse(), order),
            wanted,
          )
          const got = page(sorted(loaded, order), { ...wanted, offset: (wanted.offset ?? 0) - before })
          expect(values(got)).toEqual(values(expected))
        },
      ),
      { numRuns: 6000 },
    )
    expect(claims).toBeGreaterThan(300)
  })
})
