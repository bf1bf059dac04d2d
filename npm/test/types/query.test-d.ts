import { describe, expectTypeOf, test } from 'vitest'
import { type InitialQueryBuilder, Query, type QueryBuilder } from '../../src/query/builder.ts'
import type {
  Context,
  ExtractContext,
  GetResult,
  InferResultType,
  QueryResult,
} from '../../src/query/context.ts'
import { and, eq, gt, inArray, isNull, like, not, or } from '../../src/query/functions.ts'
import type { BasicExpression } from '../../src/query/ir.ts'
import type {
  Collection,
  InferCollectionType,
  LiveQueryCollectionConfig,
  Prettify,
  RootQueryBuilder,
  VirtualRowProps,
  WithVirtualProps,
} from '../../src/types.ts'
import { loose, type Post, posts, type User, users } from './rows.ts'

type Row<T> = Prettify<T & VirtualRowProps>
const start = () => new Query().from({ user: users })

describe('sources', () => {
  test('a single source gives the row with virtual properties', () => {
    const q = start()
    expectTypeOf<QueryResult<typeof q>>().toEqualTypeOf<Prettify<WithVirtualProps<User, number>>>()
    expectTypeOf<QueryResult<typeof q>['$key']>().toEqualTypeOf<number>()
    expectTypeOf<InferResultType<ExtractContext<typeof q>>>().toEqualTypeOf<Array<QueryResult<typeof q>>>()
    expectTypeOf<InferCollectionType<typeof users>>().toEqualTypeOf<WithVirtualProps<User, number>>()
  })

  test('the initial builder offers from alone, later ones do not offer it', () => {
    expectTypeOf<keyof InitialQueryBuilder>().toEqualTypeOf<'from' | 'unionAll' | 'recursive'>()
    expectTypeOf(start()).not.toHaveProperty('from')
    expectTypeOf(start()).not.toHaveProperty('_getQuery')
  })

  test('there is one alias, and its value is a source', () => {
    // @ts-expect-error two aliases
    new Query().from({ user: users, post: posts })
    // @ts-expect-error no source
    new Query().from({ user: 'users' })
    // @ts-expect-error no object
    new Query().from('users')
  })

  test('a subquery gives its selected shape', () => {
    const inner = start().select(({ user }) => ({ id: user.id, label: user.name }))
    const q = new Query().from({ i: inner }).where(({ i }) => {
      expectTypeOf(i).not.toHaveProperty('name')
      return eq(i.label, 'x')
    })
    expectTypeOf<QueryResult<typeof q>>().toEqualTypeOf<Row<{ id: number; label: string }>>()
  })

  test('untyped rows stay usable', () => {
    const q = new Query().from({ x: loose }).where(({ x }) => eq(x.anything!, 1))
    expectTypeOf<QueryResult<typeof q>['$synced']>().toEqualTypeOf<boolean>()
    expectTypeOf<GetResult<Context>>().toBeAny()
  })
})

describe('select', () => {
  const select = start().select

  test('references, expressions and literals', () => {
    const q = start().select(({ user }) => ({
      id: user.id,
      email: user.email,
      nickname: user.nickname,
      role: user.role,
      joined: user.joined,
      tags: user.tags,
      adult: gt(user.id, 18),
      label: 'user' as const,
      nothing: null,
    }))
    expectTypeOf<QueryResult<typeof q>>().toEqualTypeOf<
      Row<{
        id: number
        email: string | undefined
        nickname: string | null
        role: 'admin' | 'guest'
        joined: Date
        tags: string[]
        adult: boolean
        label: 'user'
        nothing: null
      }>
    >()
  })

  test('nested objects and what may be missing on the way', () => {
    const q = start().select(({ user }) => ({
      where: { city: user.address.city, lng: user.address.geo.lng },
      title: user.company.title,
      theme: user.settings.theme,
      since: user.settings.since,
      address: user.address,
      company: user.company,
    }))
    expectTypeOf<QueryResult<typeof q>>().toEqualTypeOf<
      Row<{
        where: { city: string; lng: number | undefined }
        title: string | null
        theme: string | undefined
        since: Date | undefined
        address: User['address']
        company: User['company']
      }>
    >()
  })

  test('a row reference selects the whole row, as the result or as a field', () => {
    const whole = start().select(({ user }) => user)
    expectTypeOf<QueryResult<typeof whole>>().toEqualTypeOf<Prettify<WithVirtualProps<User, number>>>()
    const field = start().select(({ user }) => ({ user }))
    expectTypeOf<QueryResult<typeof field>['user']>().toEqualTypeOf<WithVirtualProps<User, number>>()
  })

  test('spreads merge, overrides replace, removed keys disappear', () => {
    const spread = start().select(({ user }) => ({
      ...user,
      role: 'admin' as const,
      extra: user.address.city,
    }))
    type Spread = QueryResult<typeof spread>
    expectTypeOf<Spread['role']>().toEqualTypeOf<'admin'>()
    expectTypeOf<Spread['extra']>().toEqualTypeOf<string>()
    expectTypeOf<Spread['id']>().toEqualTypeOf<number>()
    expectTypeOf<Spread['email']>().toEqualTypeOf<string | undefined>()
    expectTypeOf<Spread['settings']>().toEqualTypeOf<User['settings']>()
    expectTypeOf<Spread['company']>().toEqualTypeOf<User['company']>()
    expectTypeOf<Spread['$key']>().toEqualTypeOf<number>()
    const rest = start().select(({ user: { email: _email, ...kept } }) => kept)
    expectTypeOf<QueryResult<typeof rest>>().not.toHaveProperty('email')
    expectTypeOf<QueryResult<typeof rest>['name']>().toEqualTypeOf<string>()
  })

  test('the last select wins', () => {
    const q = start()
      .select(({ user }) => ({ id: user.id }))
      .select(({ user }) => ({ name: user.name }))
    expectTypeOf<QueryResult<typeof q>>().toEqualTypeOf<Row<{ name: string }>>()
  })

  test('unions of objects distribute', () => {
    const q = new Query().from({ p: posts }).select(({ p }) => ({ kind: p.content.kind, content: p.content }))
    expectTypeOf<QueryResult<typeof q>>().toEqualTypeOf<
      Row<{ kind: 'text' | 'image'; content: Post['content'] }>
    >()
  })

  test('lists and dates are no select values', () => {
    // @ts-expect-error a list literal would become an object
    select(() => ({ list: [1, 2] }))
    // @ts-expect-error a date literal would vanish
    select(() => ({ at: new Date() }))
  })
})

describe('awkward rows', () => {
  interface Tree {
    id: number
    parent?: Tree
    children: Tree[]
    free: ReturnType<typeof JSON.parse>
    opaque: unknown
    flag: boolean | null
    mixed: { a: number } | string
    seen: Map<string, number>
    bytes: Uint8Array
  }
  const trees = {} as Collection<Tree, number, { refetch: () => void }>

  test('recursive, untyped, opaque and mixed fields', () => {
    const q = new Query()
      .from({ t: trees })
      .where(({ t }) => and(eq(t.parent.parent.id, 1), eq(t.free.anything, 2), t.flag))
      .select(({ t }) => ({
        grand: t.parent.parent.id,
        free: t.free,
        opaque: t.opaque,
        flag: t.flag,
        mixed: t.mixed,
        seen: t.seen,
        bytes: t.bytes,
      }))
    type Result = QueryResult<typeof q>
    expectTypeOf<Result['grand']>().toEqualTypeOf<number | undefined>()
    expectTypeOf<Result['free']>().toBeAny()
    expectTypeOf<Result['opaque']>().toBeUnknown()
    expectTypeOf<Result['flag']>().toEqualTypeOf<boolean | null>()
    expectTypeOf<Result['mixed']>().toEqualTypeOf<Tree['mixed']>()
    expectTypeOf<Result['seen']>().toEqualTypeOf<Map<string, number>>()
    expectTypeOf<Result['bytes']>().toEqualTypeOf<Uint8Array>()
  })

  test('unions of rows, and results as sources', () => {
    const events = {} as Collection<{ type: 'a'; a: number } | { type: 'b'; b: string }, string>
    const q = new Query().from({ e: events }).where(({ e }) => eq(e.type, 'a'))
    const live = {} as Collection<QueryResult<typeof q>>
    const over = new Query().from({ l: live }).select(({ l }) => ({ type: l.type, key: l.$key }))
    expectTypeOf<QueryResult<typeof over>>().toEqualTypeOf<Row<{ type: 'a' | 'b'; key: string }>>()
  })
})

describe('predicates', () => {
  test('return expressions and check their operands', () => {
    start().where(({ user }) => {
      expectTypeOf(eq(user.id, 1)).toExtend<BasicExpression<boolean>>()
      eq(user.role, 'admin')
      eq(user.email, undefined)
      eq(user.nickname, null)
      eq(1, user.id)
      eq(user.name, user.email)
      gt(user.joined, new Date())
      gt(user.$key, 3)
      inArray(user.id, [1, 2, null])
      inArray('a', user.tags)
      isNull(user)
      like(user.email, '%@%')
      not(user.active)
      // @ts-expect-error a number is compared with a string
      eq(user.id, '1')
      // @ts-expect-error a string is compared with a number reference
      eq(user.name, user.id)
      // @ts-expect-error members of another type
      inArray(user.id, ['1'])
      // @ts-expect-error a pattern is a string
      like(user.name, 1)
      // @ts-expect-error a number is no truth value
      not(user.id)
      // @ts-expect-error and takes two operands or more
      and(user.active)
      return or(and(user.active, eq(user.id, 1)), not(user.active), user.active)
    })
  })

  test('a where takes an expression or a field, not a JavaScript boolean', () => {
    start().where(({ user }) => user.active)
    // @ts-expect-error a comparison of references
    start().where(({ user }) => user.id === 1)
    // @ts-expect-error an unknown field
    start().where(({ user }) => eq(user.nope, 1))
    // @ts-expect-error an unknown alias
    start().where(({ post }) => post.id)
  })

  test('$selected exists in orderBy once there is a result', () => {
    start()
      .select(({ user }) => ({ label: user.name }))
      .orderBy(({ $selected }) => $selected.label)
      .orderBy(({ user }) => [user.id, user.name], {
        direction: 'desc',
        nulls: 'last',
        stringSort: 'lexical',
      })
    // @ts-expect-error no select yet
    start().orderBy(({ $selected }) => $selected)
    // @ts-expect-error no such direction
    start().orderBy(({ user }) => user.id, 'down')
  })

  test('clauses keep the context', () => {
    const q = start()
      .where(({ user }) => user.active)
      .orderBy(({ user }) => user.id)
      .limit(1)
      .offset(1)
    expectTypeOf<ExtractContext<typeof q>>().toEqualTypeOf<ExtractContext<ReturnType<typeof start>>>()
    expectTypeOf(q).toExtend<QueryBuilder<ExtractContext<typeof q>>>()
  })
})

describe('whole queries', () => {
  const live = <C extends Context>(build: (q: InitialQueryBuilder) => RootQueryBuilder<C>): GetResult<C> =>
    build(new Query()) as never
  const configured = <C extends Context>(config: LiveQueryCollectionConfig<C>): GetResult<C> =>
    config as never

  test('infer the result from a function, a config with a function, and a config with a builder', () => {
    const build = (q: InitialQueryBuilder) => q.from({ user: users }).select(({ user }) => ({ id: user.id }))
    expectTypeOf(live(build)).toEqualTypeOf<Row<{ id: number }>>()
    expectTypeOf(live((q) => q.from({ user: users }))).toEqualTypeOf<
      Prettify<WithVirtualProps<User, number>>
    >()
    expectTypeOf(configured({ query: build })).toEqualTypeOf<Row<{ id: number }>>()
    expectTypeOf(configured({ query: build(new Query()), startSync: true })).toEqualTypeOf<
      Row<{ id: number }>
    >()
    expectTypeOf(
      configured({ query: (q) => q.from({ user: users }).select(({ user }) => ({ n: user.name })) }),
    ).toEqualTypeOf<Row<{ n: string }>>()
  })

  test('refuse scalar results', () => {
    // @ts-expect-error one value per row
    live((q) => q.from({ user: users }).select(({ user }) => user.name))
    // @ts-expect-error a date is a value
    live((q) => q.from({ user: users }).select(({ user }) => user.joined))
    // @ts-expect-error one expression per row
    live((q) => q.from({ user: users }).select(({ user }) => eq(user.id, 1)))
    // @ts-expect-error the same in a config
    configured({ query: (q) => q.from({ user: users }).select(({ user }) => user.name) })
  })
})
