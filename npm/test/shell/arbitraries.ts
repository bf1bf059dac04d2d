/** Random rows, queries and histories that reach the awkward values. */
import fc from 'fast-check'
import type { Path, Predicate, Query, Shape, Term } from '../model/query.ts'
import type { Row } from './source.ts'

const bytes = (...values: number[]) => new Uint8Array(values)

/** Values by column. Ordered columns hold one type, nothing and what is no number; `mixed` holds everything. */
const domains: Readonly<Record<string, readonly unknown[]>> = {
  num: [0, -0, 1, 1, 2.5, -3, Number.NaN, Number.POSITIVE_INFINITY, null, undefined],
  text: ['', 'a', 'A', 'b', 'B', 'ä', 'z', 'a_b', '10', '9', null, undefined],
  date: [new Date(0), new Date(5), new Date(Number.NaN), new Date(9), null],
  big: [1n, 2n, 10n, 9007199254740993n, -5n, null],
  bytes: [bytes(1), bytes(1, 2), bytes(), new Uint8Array(200).fill(7), null],
  mixed: [1, '1', true, false, null, undefined, 2, 'x', 0, '', new Date(1), 1n, bytes(1)],
}
const ordered = ['num', 'text', 'date', 'big'] as const

export const keys: readonly (string | number)[] = [1, '1', 2, 3, 4, 5, 'k', 'K', 10]
const keyArb = fc.constantFrom(...keys)

const column = (name: string) => fc.constantFrom(...(domains[name] as readonly unknown[]))

export const rowArb = (id: fc.Arbitrary<string | number>): fc.Arbitrary<Row> =>
  fc.record({
    id,
    num: column('num'),
    text: column('text'),
    date: column('date'),
    big: column('big'),
    bytes: column('bytes'),
    mixed: column('mixed'),
    deep: fc.oneof(
      fc.constant(null),
      fc.record({ num: column('num'), tags: fc.constantFrom([], [1], ['x', { y: 1 }]) }),
    ),
  }) as fc.Arbitrary<Row>

const comparison: fc.Arbitrary<Predicate> = fc
  .constantFrom('num', 'text', 'date', 'big', 'deep')
  .chain((name) =>
    fc.record({
      op: fc.constantFrom('eq' as const, 'gt' as const, 'gte' as const, 'lt' as const, 'lte' as const),
      path: fc.constant<Path>(name === 'deep' ? ['deep', 'num'] : [name]),
      value: column(name === 'deep' ? 'num' : name),
    }),
  )

const leaf: fc.Arbitrary<Predicate> = fc.oneof(
  comparison,
  fc
    .constantFrom('bytes', 'mixed')
    .chain((name) =>
      fc.record({ op: fc.constant('eq' as const), path: fc.constant<Path>([name]), value: column(name) }),
    ),
  fc.constantFrom('num', 'text', 'bytes', 'mixed', 'big').chain((name) =>
    fc.record({
      op: fc.constant('in' as const),
      path: fc.constant<Path>([name]),
      list: fc.array(column(name), { maxLength: 3 }),
    }),
  ),
  fc.record({
    op: fc.constantFrom('like' as const, 'ilike' as const),
    path: fc.constantFrom<Path>(['text'], ['mixed']),
    pattern: fc.constantFrom('%', 'a%', '_', '%B', '', 'a_b', 'Ä'),
  }),
  fc.record({
    op: fc.constantFrom('isNull' as const, 'isUndefined' as const),
    path: fc.constantFrom<Path>(['num'], ['text'], ['mixed'], ['deep', 'num'], ['nowhere']),
  }),
)

const { predicate } = fc.letrec<{ predicate: Predicate }>((tie) => ({
  predicate: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    leaf,
    fc.record({
      op: fc.constantFrom('and' as const, 'or' as const),
      parts: fc.tuple(tie('predicate'), tie('predicate')),
    }),
    fc.record({ op: fc.constant('not' as const), part: tie('predicate') }),
  ),
}))

const term: fc.Arbitrary<Term> = fc.record({
  path: fc.oneof(
    fc.constantFrom(...ordered).map((name): Path => [name]),
    fc.constant<Path>(['deep', 'num']),
  ),
  direction: fc.constantFrom('asc', 'desc'),
  nulls: fc.constantFrom('first', 'last'),
})

const fields: Shape['fields'] = { id: ['id'], n: ['num'], inner: { t: ['text'], d: ['deep', 'num'] } }
const shape: fc.Arbitrary<Shape> = fc.oneof(
  fc.constant({ spread: true, fields: {} }),
  fc.constant({ spread: true, fields: { num: ['text'], extra: ['nowhere'] } as Shape['fields'] }),
  fc.constant({ spread: false, fields }),
  predicate.map((flag): Shape => ({ spread: false, fields: { ...fields, flag } })),
)

/** Queries over rows of the source. */
export const queryArb: fc.Arbitrary<Query> = fc
  .record({
    where: fc.array(predicate, { maxLength: 2 }),
    order: fc.array(term, { maxLength: 3 }),
    offset: fc.option(fc.nat(9), { nil: undefined }),
    limit: fc.option(fc.nat(6), { nil: undefined }),
    shape: fc.option(shape, { nil: undefined }),
  })
  .map(({ where, order, offset, limit, shape }) => ({
    where,
    order,
    ...(order.length > 0 && offset !== undefined ? { offset } : {}),
    ...(order.length > 0 && limit !== undefined ? { limit } : {}),
    ...(shape === undefined ? {} : { shape }),
  }))

/** Queries over the results of others: fields that are there under every shape. */
export const outerQueryArb: fc.Arbitrary<Query> = fc
  .record({
    where: fc.array(
      fc.oneof(
        fc.record({
          op: fc.constant('not' as const),
          part: fc.constant<Predicate>({ op: 'isNull', path: ['id'] }),
        }),
        fc.record({
          op: fc.constantFrom('gt' as const, 'lte' as const),
          path: fc.constantFrom<Path>(['n'], ['inner', 'd']),
          value: column('num'),
        }),
      ),
      { maxLength: 1 },
    ),
    order: fc.array(
      fc.record({
        path: fc.constantFrom<Path>(['n'], ['num'], ['inner', 't'], ['inner', 'd']),
        direction: fc.constantFrom('asc' as const, 'desc' as const),
        nulls: fc.constantFrom('first' as const, 'last' as const),
      }),
      { maxLength: 1 },
    ),
    limit: fc.option(fc.nat(4), { nil: undefined }),
  })
  .map(({ where, order, limit }) => ({
    where,
    order,
    ...(order.length > 0 && limit !== undefined ? { limit } : {}),
  }))

export type Write = { readonly key: string | number; readonly row: Row | undefined }

export type Step =
  | { readonly do: 'commit'; readonly truncate: boolean; readonly writes: readonly Write[] }
  /** The next insert that subscribers hear of makes one of them write this. */
  | { readonly do: 'echo'; readonly write: Write }
  /** The next batch of the source meets a subscriber that throws. */
  | { readonly do: 'throw' }
  | { readonly do: 'restart'; readonly which: number }
  /** The source is cleaned up under its queries, and everything starts again, empty. */
  | { readonly do: 'restart all' }
  | { readonly do: 'read' }

const write: fc.Arbitrary<Write> = keyArb.chain((key) =>
  fc.record({ key: fc.constant(key), row: fc.option(rowArb(fc.constant(key)), { nil: undefined, freq: 3 }) }),
)

export const stepArb: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant('commit' as const),
      truncate: fc.boolean().chain((maybe) => (maybe ? fc.boolean() : fc.constant(false))),
      writes: fc.array(write, { maxLength: 4 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('echo' as const), write }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('restart' as const), which: fc.nat(9) }) },
  { weight: 1, arbitrary: fc.constantFrom({ do: 'throw' as const }, { do: 'restart all' as const }) },
  { weight: 2, arbitrary: fc.constant({ do: 'read' as const }) },
)
