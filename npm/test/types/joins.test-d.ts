import { describe, expectTypeOf, test } from 'vitest'
import { collectionOptions } from '../../src/client/options.ts'
import { avg, count, max, min, sum } from '../../src/query/aggregates.ts'
import { Query, type QueryBuilder } from '../../src/query/builder.ts'
import type {
  Context,
  ExtractContext,
  FunctionalHavingRow,
  InferResultType,
  QueryResult,
} from '../../src/query/context.ts'
import { eq, gt, isUndefined } from '../../src/query/functions.ts'
import type { MergeContextWithJoinType } from '../../src/query/join-types.ts'
import type { CollectionConfig, Prettify, VirtualRowProps, WithVirtualProps } from '../../src/types.ts'
import { loose, type Post, posts, type User, users } from './rows.ts'

type Row<T> = Prettify<T & VirtualRowProps>
type UserRow = WithVirtualProps<User, number>
type PostRow = WithVirtualProps<Post, string>
const start = () => new Query().from({ user: users })

describe('joins', () => {
  const joined = (type: 'inner' | 'left' | 'right' | 'full') => type

  test('without a select, rows by alias; who may be missing depends on the kind', () => {
    const inner = start().innerJoin({ post: posts }, ({ user, post }) => eq(post.authorId, user.id))
    expectTypeOf<QueryResult<typeof inner>>().toEqualTypeOf<Row<{ user: UserRow; post: PostRow }>>()
    const left = start().leftJoin({ post: posts }, ({ user, post }) => eq(user.id, post.authorId))
    expectTypeOf<QueryResult<typeof left>>().toEqualTypeOf<
      Row<{ user: UserRow; post: PostRow | undefined }>
    >()
    const right = start().rightJoin({ post: posts }, ({ user, post }) => eq(user.id, post.authorId))
    expectTypeOf<QueryResult<typeof right>>().toEqualTypeOf<
      Row<{ user: UserRow | undefined; post: PostRow }>
    >()
    const full = start().fullJoin({ post: posts }, ({ user, post }) => eq(user.id, post.authorId))
    expectTypeOf<QueryResult<typeof full>>().toEqualTypeOf<
      Row<{ user: UserRow | undefined; post: PostRow | undefined }>
    >()
  })

  test('join is a left join unless it says otherwise', () => {
    const on = ({ user, post }: { user: { id: never }; post: { authorId: never } }) =>
      eq(user.id, post.authorId)
    const plain = start().join({ post: posts }, ({ user, post }) => eq(user.id, post.authorId))
    expectTypeOf<QueryResult<typeof plain>['post']>().toEqualTypeOf<PostRow | undefined>()
    const inner = start().join({ post: posts }, ({ user, post }) => eq(user.id, post.authorId), 'inner')
    expectTypeOf<QueryResult<typeof inner>['post']>().toEqualTypeOf<PostRow>()
    const right = start().join({ post: posts }, ({ user, post }) => eq(user.id, post.authorId), 'right')
    expectTypeOf<QueryResult<typeof right>['user']>().toEqualTypeOf<UserRow | undefined>()
    expectTypeOf(on).toBeFunction()
    // @ts-expect-error no kind of join
    start().join({ post: posts }, ({ user, post }) => eq(user.id, post.authorId), 'cross')
    expectTypeOf(joined).toBeFunction()
  })

  test('the condition sees whole rows on both sides, and compares like with like', () => {
    start()
      .leftJoin({ post: posts }, ({ user, post }) => eq(user.id, post.authorId))
      .leftJoin({ reply: posts }, ({ post, reply }) => {
        expectTypeOf<typeof post.id>().toEqualTypeOf<typeof reply.id>()
        return eq(post.id, reply.id)
      })
    // @ts-expect-error a number is compared with a string
    start().join({ post: posts }, ({ user, post }) => eq(user.id, post.id))
    // @ts-expect-error no such field
    start().join({ post: posts }, ({ user, post }) => eq(user.id, post.nope))
    // @ts-expect-error two sources
    start().join({ post: posts, other: posts }, () => eq(1, 1))
    // @ts-expect-error no expression
    start().join({ post: posts }, ({ user }) => user.id === 1)
  })

  test('later right and full joins make the first source optional alone', () => {
    const q = start()
      .innerJoin({ post: posts }, ({ user, post }) => eq(user.id, post.authorId))
      .rightJoin({ other: users }, ({ user, other }) => eq(user.id, other.id))
    type Result = QueryResult<typeof q>
    expectTypeOf<Result['user']>().toEqualTypeOf<UserRow | undefined>()
    expectTypeOf<Result['post']>().toEqualTypeOf<PostRow>()
    expectTypeOf<Result['other']>().toEqualTypeOf<UserRow>()
  })

  test('optional rows are read without question marks, and their fields may be undefined', () => {
    const q = start()
      .leftJoin({ post: posts }, ({ user, post }) => eq(user.id, post.authorId))
      .where(({ post }) => isUndefined(post))
      .where(({ user, post }) => gt(post.authorId, user.id))
      .select(({ user, post }) => ({
        name: user.name,
        postId: post.id,
        kind: post.content.kind,
        post,
        whole: { ...post },
      }))
    type Result = QueryResult<typeof q>
    expectTypeOf<Result['name']>().toEqualTypeOf<string>()
    expectTypeOf<Result['postId']>().toEqualTypeOf<string | undefined>()
    expectTypeOf<Result['kind']>().toEqualTypeOf<'text' | 'image' | undefined>()
    expectTypeOf<Result['post']>().toEqualTypeOf<PostRow | undefined>()
    expectTypeOf<Result['whole']['id']>().toEqualTypeOf<string | undefined>()
  })

  test('descriptors, subqueries and untyped rows are joined as collections are', () => {
    const described = collectionOptions({} as CollectionConfig<Post, string> & { id: string })
    const recent = new Query().from({ p: posts }).select(({ p }) => ({ by: p.authorId, key: p.id }))
    const q = start()
      .innerJoin({ d: described }, ({ user, d }) => eq(user.id, d.authorId))
      .innerJoin({ r: recent }, ({ user, r }) => eq(user.id, r.by))
      .leftJoin({ l: loose }, ({ user, l }) => eq(l.anything!, user.id))
      .select(({ d, r }) => ({ d: d.id, r: r.key }))
    expectTypeOf<QueryResult<typeof q>>().toEqualTypeOf<Row<{ d: string; r: string }>>()
    const from = new Query().from({ d: described })
    expectTypeOf<QueryResult<typeof from>>().toEqualTypeOf<Prettify<PostRow>>()
  })

  test('the context says how each alias was joined', () => {
    const q = start()
      .leftJoin({ post: posts }, ({ user, post }) => eq(user.id, post.authorId))
      .innerJoin({ other: users }, ({ user, other }) => eq(user.id, other.id))
    type C = ExtractContext<typeof q>
    expectTypeOf<C['joinTypes']>().toEqualTypeOf<{ post: 'left'; other: 'inner' }>()
    expectTypeOf<C['hasJoins']>().toEqualTypeOf<true>()
    expectTypeOf<C['fromSourceName']>().toEqualTypeOf<'user'>()
    type Merged = MergeContextWithJoinType<Context, { x: { a: 1 } }, 'full'>
    expectTypeOf<Merged['schema']['x']>().toEqualTypeOf<{ a: 1 } | undefined>()
  })
})

describe('unions of sources', () => {
  test('a row is exactly one of them', () => {
    const q = new Query().unionAll({ user: users, post: posts })
    expectTypeOf<QueryResult<typeof q>>().toEqualTypeOf<
      Row<{ user: UserRow; post?: undefined }> | Row<{ post: PostRow; user?: undefined }>
    >()
    const selected = q.select(({ user, post }) => ({ name: user.name, post: post.id }))
    expectTypeOf<QueryResult<typeof selected>>().toEqualTypeOf<
      Row<{ name: string | undefined; post: string | undefined }>
    >()
  })

  test('one source alone is as from', () => {
    const q = new Query().unionAll({ user: users })
    expectTypeOf<QueryResult<typeof q>>().toEqualTypeOf<Prettify<UserRow>>()
  })

  test('joins after a union', () => {
    const q = new Query()
      .unionAll({ user: users, post: posts })
      .leftJoin({ author: users }, ({ post, author }) => eq(post.authorId, author.id))
    type Result = QueryResult<typeof q>
    expectTypeOf<Result['author']>().toEqualTypeOf<UserRow | undefined>()
    expectTypeOf<Result>().toExtend<{ user?: UserRow | undefined; post?: PostRow | undefined }>()
  })
})

describe('unions of queries', () => {
  const names = start().select(({ user }) => ({ label: user.name, n: user.id }))
  const links = new Query()
    .from({ post: posts })
    .select(({ post }) => ({ label: post.id, url: post.content }))

  test('the result is a row of any of them', () => {
    const q = new Query().unionAll(names, links)
    expectTypeOf<QueryResult<typeof q>>().toEqualTypeOf<
      Row<{ label: string; n: number }> | Row<{ label: string; url: Post['content'] }>
    >()
  })

  test('references are to fields, over the queries that have them', () => {
    const q = new Query()
      .unionAll(names, links)
      .where(({ label }) => eq(label, 'x'))
      .orderBy(({ n }) => n)
      .select(({ label, n, url }) => ({ label, n, kind: url.kind }))
    expectTypeOf<QueryResult<typeof q>>().toEqualTypeOf<
      Row<{ label: string; n: number; kind: 'text' | 'image' }>
    >()
    // @ts-expect-error no query has it
    new Query().unionAll(names, links).where(({ nope }) => eq(nope, 1))
  })
})

describe('groups', () => {
  test('aggregates keep the type of what they are of', () => {
    const q = start()
      .groupBy(({ user }) => [user.role, user.active])
      .select(({ user }) => ({
        role: user.role,
        n: count(user.id),
        first: min(user.joined),
        last: max(user.name),
        total: sum(user.id),
        mean: avg(user.address.geo.lng),
      }))
    expectTypeOf<QueryResult<typeof q>>().toEqualTypeOf<
      Row<{
        role: 'admin' | 'guest'
        n: number
        first: Date
        last: string
        total: number
        mean: number | undefined
      }>
    >()
    // @ts-expect-error rows cannot be summed up
    start().select(({ user }) => ({ n: sum(user) }))
  })

  test('without a select there are the keys', () => {
    const one = start().groupBy(({ user }) => user.role)
    expectTypeOf<QueryResult<typeof one>>().toEqualTypeOf<Row<{ __key_0: 'admin' | 'guest' }>>()
    const two = start().groupBy(({ user }) => [user.role, user.id])
    expectTypeOf<QueryResult<typeof two>>().toEqualTypeOf<
      Row<{ __key_0: 'admin' | 'guest'; __key_1: number }>
    >()
  })

  test('having and orderBy see what is selected, and aggregates', () => {
    start()
      .groupBy(({ user }) => user.role)
      .select(({ user }) => ({ role: user.role, n: count(user.id) }))
      .having(({ $selected }) => gt($selected.n, 1))
      .having(({ user }) => gt(count(user.id), 1))
      .orderBy(({ $selected }) => $selected.n, 'desc')
      .orderBy(({ user }) => count(user.id))
    // @ts-expect-error no select yet
    start().having(({ $selected }) => gt($selected.n, 1))
    start()
      .select(({ user }) => ({ n: count(user.id) }))
      // @ts-expect-error no such field
      .having(({ $selected }) => gt($selected.m, 1))
    // @ts-expect-error a number is compared with a string
    start().having(({ user }) => gt(count(user.id), 'x'))
  })
})

describe('one row', () => {
  test('findOne makes the result a row or none, wherever it stands', () => {
    const before = start()
      .findOne()
      .leftJoin({ post: posts }, ({ user, post }) => eq(user.id, post.authorId))
      .select(({ user }) => ({ id: user.id }))
    const after = start()
      .select(({ user }) => ({ id: user.id }))
      .findOne()
    type One = Row<{ id: number }> | undefined
    expectTypeOf<InferResultType<ExtractContext<typeof before>>>().toEqualTypeOf<One>()
    expectTypeOf<InferResultType<ExtractContext<typeof after>>>().toEqualTypeOf<One>()
  })

  test('a limit of one is still a list', () => {
    const q = start()
      .orderBy(({ user }) => user.id)
      .limit(1)
      .distinct()
    expectTypeOf<InferResultType<ExtractContext<typeof q>>>().toEqualTypeOf<Array<Prettify<UserRow>>>()
  })
})

describe('functional clauses', () => {
  test('see whole rows by alias', () => {
    const q = start()
      .leftJoin({ post: posts }, ({ user, post }) => eq(user.id, post.authorId))
      .fn.where(({ user, post }) => {
        expectTypeOf(user).toEqualTypeOf<UserRow>()
        expectTypeOf(post).toEqualTypeOf<PostRow | undefined>()
        return user.active
      })
      .fn.select(({ user, post }) => ({ name: user.name, post: post?.id ?? null }))
    expectTypeOf<QueryResult<typeof q>>().toEqualTypeOf<Row<{ name: string; post: string | null }>>()
    const ordered = q.orderBy(({ $selected }) => $selected.name)
    expectTypeOf<QueryResult<typeof ordered>>().toEqualTypeOf<QueryResult<typeof q>>()
  })

  test('having sees what is selected besides', () => {
    const q = start().select(({ user }) => ({ n: count(user.id) }))
    q.fn.having(({ $selected }) => {
      expectTypeOf($selected).toEqualTypeOf<{ n: number }>()
      return $selected.n > 1
    })
    start().fn.having(({ user }) => user.active)
    // @ts-expect-error no select yet
    start().fn.having(({ $selected }) => $selected)
    type HavingRow = FunctionalHavingRow<ExtractContext<typeof q>>
    expectTypeOf<HavingRow['user']>().toEqualTypeOf<UserRow>()
  })

  test('a select replaces a functional one, and the other way round', () => {
    const q = start()
      .fn.select(({ user }) => ({ a: user.id }))
      .select(({ user }) => ({ b: user.name }))
    expectTypeOf<QueryResult<typeof q>>().toEqualTypeOf<Row<{ b: string }>>()
    const back = q.fn.select(() => ({ c: true }))
    expectTypeOf<QueryResult<typeof back>>().toEqualTypeOf<Row<{ c: boolean }>>()
  })

  test('of a union see each row as what it is', () => {
    const q = new Query().unionAll({ user: users, post: posts }).fn.select((row) => {
      expectTypeOf(row.user).toEqualTypeOf<UserRow | undefined>()
      return { id: row.user === undefined ? row.post.id : row.user.name }
    })
    expectTypeOf<QueryResult<typeof q>>().toEqualTypeOf<Row<{ id: string }>>()
  })
})

test('builders with a source offer no other', () => {
  const q = start().leftJoin({ post: posts }, ({ user, post }) => eq(user.id, post.authorId))
  expectTypeOf(q).not.toHaveProperty('from')
  expectTypeOf(q).not.toHaveProperty('unionAll')
  expectTypeOf(q).not.toHaveProperty('recursive')
  expectTypeOf(q).toExtend<QueryBuilder<ExtractContext<typeof q>>>()
})
