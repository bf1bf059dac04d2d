import { describe, expectTypeOf, test } from 'vitest'
import { count, sum } from '../../src/query/aggregates.ts'
import { Query } from '../../src/query/builder.ts'
import type { QueryResult } from '../../src/query/context.ts'
import { exists, notExists } from '../../src/query/exists.ts'
import {
  add,
  and,
  caseWhen,
  coalesce,
  concat,
  divide,
  eq,
  gt,
  isNull,
  length,
  lower,
  multiply,
  not,
  or,
  subtract,
  upper,
} from '../../src/query/functions.ts'
import type { Aggregate, BasicExpression } from '../../src/query/ir.ts'
import type { Collection, Prettify, VirtualRowProps } from '../../src/types.ts'
import { posts, users } from './rows.ts'

type Row<T> = Prettify<T & VirtualRowProps>
const start = () => new Query().from({ user: users })

describe('values', () => {
  test('strings keep whether they may be missing', () => {
    start().select(({ user }) => {
      expectTypeOf(upper(user.name)).toEqualTypeOf<BasicExpression<string>>()
      expectTypeOf(lower(user.email)).toEqualTypeOf<BasicExpression<string | undefined>>()
      expectTypeOf(upper(user.nickname)).toEqualTypeOf<BasicExpression<string | null>>()
      expectTypeOf(length(user.tags)).toEqualTypeOf<BasicExpression<number>>()
      expectTypeOf(length(user.nickname)).toEqualTypeOf<BasicExpression<number | null>>()
      expectTypeOf(concat(user.name, ' ', user.id)).toEqualTypeOf<BasicExpression<string>>()
      // @ts-expect-error a number has no case
      upper(user.id)
      // @ts-expect-error a number has no length
      length(user.id)
      return {}
    })
  })

  test('numbers', () => {
    start().select(({ user }) => {
      expectTypeOf(add(user.id, 1)).toEqualTypeOf<BasicExpression<number>>()
      expectTypeOf(subtract(user.address.geo.lng, user.id)).toEqualTypeOf<BasicExpression<number>>()
      expectTypeOf(multiply(2, length(user.name))).toEqualTypeOf<BasicExpression<number>>()
      expectTypeOf(divide(user.id, 2)).toEqualTypeOf<BasicExpression<number | null>>()
      expectTypeOf(add(sum(user.id), count(user.id))).toEqualTypeOf<BasicExpression<number>>()
      // @ts-expect-error a string is no number
      add(user.name, 1)
      return {}
    })
  })

  test('coalesce is present if some argument is', () => {
    start().select(({ user }) => {
      expectTypeOf(coalesce(user.nickname, user.email)).toEqualTypeOf<BasicExpression<string | null>>()
      expectTypeOf(coalesce(user.nickname, user.email, user.id)).toEqualTypeOf<
        BasicExpression<string | number>
      >()
      expectTypeOf(coalesce(user.nickname, 'none')).toEqualTypeOf<BasicExpression<string>>()
      expectTypeOf(coalesce(count(user.id), 0)).toEqualTypeOf<BasicExpression<number>>()
      return {}
    })
  })

  test('comparisons and logic are truth values, aggregates numbers', () => {
    start().select(({ user }) => {
      expectTypeOf(eq(user.id, 1)).toEqualTypeOf<BasicExpression<boolean>>()
      expectTypeOf(and(user.active, isNull(user.nickname))).toEqualTypeOf<BasicExpression<boolean>>()
      expectTypeOf(count(user)).toEqualTypeOf<Aggregate<number>>()
      return {}
    })
  })
})

describe('caseWhen', () => {
  test('of scalars is an expression', () => {
    const q = start()
      .where(({ user }) => eq(caseWhen(user.active, 1, 0), 1))
      .select(({ user }) => ({
        nothing: caseWhen(user.active, user.name),
        both: caseWhen(user.active, user.name, user.id),
        many: caseWhen(eq(user.id, 1), user.joined, eq(user.id, 2), user.nickname, user.email),
      }))
    type Result = QueryResult<typeof q>
    expectTypeOf<Result['nothing']>().toEqualTypeOf<string | null>()
    expectTypeOf<Result['both']>().toEqualTypeOf<string | number>()
    expectTypeOf<Result['many']>().toEqualTypeOf<Date | string | null | undefined>()
  })

  test('of objects is a union of shapes, for select alone', () => {
    const q = start().select(({ user }) => ({
      who: caseWhen(user.active, { name: user.name, kind: 'user' }, { code: user.id }),
      maybe: caseWhen(user.active, { deep: caseWhen(gt(user.id, 1), { id: user.id }) }),
    }))
    type Result = QueryResult<typeof q>
    expectTypeOf<Result['who']>().toEqualTypeOf<{ name: string; kind: 'user' } | { code: number }>()
    expectTypeOf<Result['maybe']>().toEqualTypeOf<{ deep: { id: number } | undefined } | undefined>()
    start().where(({ user }) => {
      const shape = caseWhen(user.active, { a: user.id })
      // @ts-expect-error a shape is no operand
      return not(shape)
    })
  })
})

describe('subqueries as predicates', () => {
  test('take a query or a callback, and see the rows around them', () => {
    const q = start()
      .where(({ user }) =>
        or(
          exists((q) => q.from({ post: posts }).where(({ post }) => eq(post.authorId, user.id))),
          not(notExists(new Query().from({ other: users }).where(({ other }) => eq(other.id, user.id)))),
        ),
      )
      .where(() => exists(new Query().from({ post: posts })))
    expectTypeOf<QueryResult<typeof q>>().toEqualTypeOf<QueryResult<ReturnType<typeof start>>>()
    expectTypeOf(exists(start())).toEqualTypeOf<BasicExpression<boolean>>()
    // @ts-expect-error a query without a source
    exists(new Query())
    // @ts-expect-error no query
    exists(true)
  })
})

describe('recursion', () => {
  interface Place {
    id: number
    parentId: number | null
    name: string
  }
  const places = {} as Collection<Place, number>

  test('gives the rows of its base', () => {
    const q = new Query()
      .recursive(
        {
          place: (q) =>
            q
              .from({ top: places })
              .where(({ top }) => isNull(top.parentId))
              .select(({ top }) => ({ id: top.id, name: top.name })),
        },
        (q, self) =>
          q
            .from({ child: places })
            .innerJoin({ parent: self }, ({ child, parent }) => eq(child.parentId, parent.id))
            .select(({ child, parent }) => ({ id: child.id, name: concat(parent.name, '/', child.name) })),
      )
      .where(({ place }) => gt(place.id, 1))
    expectTypeOf<QueryResult<typeof q>>().toEqualTypeOf<Row<{ id: number; name: string }>>()
  })

  test('with a depth, a base given as a builder, and a select over it', () => {
    const base = new Query().from({ top: places })
    const q = new Query()
      .recursive(
        { place: base },
        (q, self) =>
          q
            .from({ parent: self })
            .innerJoin({ child: places }, ({ child, parent }) => eq(child.parentId, parent.id))
            .select(({ child }) => child),
        { depth: 'level', maxDepth: 5 },
      )
      .orderBy(({ place }) => place.level)
      .select(({ place }) => ({ id: place.id, level: place.level }))
    expectTypeOf<QueryResult<typeof q>>().toEqualTypeOf<Row<{ id: number; level: number }>>()
    const over = new Query().from({ q }).select(({ q }) => ({ level: q.level }))
    expectTypeOf<QueryResult<typeof over>>().toEqualTypeOf<Row<{ level: number }>>()
  })

  test('refuses a step that gives other rows', () => {
    const base = new Query().from({ top: places }).select(({ top }) => ({ id: top.id }))
    new Query().recursive(
      { place: base },
      // @ts-expect-error another type of the field
      (q, self) => q.from({ parent: self }).select(({ parent }) => ({ id: concat(parent.id, 'x') })),
    )
    new Query().recursive(
      { place: base },
      // @ts-expect-error no such field
      (q, self) => q.from({ parent: self }).select(({ parent }) => ({ other: parent.id })),
    )
    // @ts-expect-error no such field of the rows there are
    new Query().recursive({ place: base }, (q, self) => q.from({ p: self }).where(({ p }) => eq(p.name, 'x')))
  })
})
