import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import {
  and,
  type Collection,
  createCollection,
  createLiveQueryCollection,
  eq,
  gt,
  inArray,
  isNull,
  isUndefined,
  LimitOffsetRequireOrderByError,
  liveQueryCollectionOptions,
  lt,
  MissingInsertHandlerError,
  not,
  or,
  Query,
  QueryCompilationError,
  UnsafeAliasPathError,
  UnsupportedRootScalarSelectError,
} from '../../src/index.ts'
import { list, plain, type Row, reported, settle, source } from './source.ts'

const ids = (collection: { readonly toArray: unknown[] }) => collection.toArray.map((row) => (row as Row).id)

describe('live queries', () => {
  let logged: ReturnType<typeof vi.spyOn>
  beforeEach(() => {
    logged = vi.spyOn(console, 'error').mockImplementation(() => {})
  })
  afterEach(() => logged.mockRestore())

  it('order by selected fields, whether a spread comes before or after them', () => {
    const { collection } = source({
      rows: [
        { id: 1, v: 2, w: 1 },
        { id: 2, v: 1, w: 2 },
      ],
    })
    const shown = (query: Parameters<typeof createLiveQueryCollection>[0]) =>
      ids(createLiveQueryCollection(query))
    const rows = new Query().from({ row: collection })
    const before = rows
      .select(({ row }) => ({ n: { v: row.v }, ...row }))
      .orderBy(({ $selected }) => $selected.n.v)
    const after = rows.select(({ row }) => ({ ...row, w: row.v })).orderBy(({ $selected }) => $selected.w)
    const standard = rows.select(({ row }) => ({ w: 'none', ...row })).orderBy(({ $selected }) => $selected.w)
    const spread = rows.select(({ row }) => ({ n: row.v, ...row })).orderBy(({ $selected }) => $selected.id)
    expect(shown({ query: before as never, startSync: true })).toEqual([2, 1])
    expect(shown({ query: after as never, startSync: true })).toEqual([2, 1])
    expect(shown({ query: standard as never, startSync: true })).toEqual([1, 2])
    expect(shown({ query: spread as never, startSync: true })).toEqual([1, 2])
  })

  it('take conditions that were put together in a loop', () => {
    const { collection } = source({ rows: Array.from({ length: 500 }, (_, id) => ({ id })) })
    const some = createLiveQueryCollection({
      query: (q) =>
        q.from({ row: collection }).where(({ row }) => {
          let chain = or(eq(row.id, 0), eq(row.id, 'none'))
          for (let id = 2; id < 400; id += 2) chain = or(and(eq(row.id, id), not(eq(row.id, 4))), chain)
          return chain
        }),
      startSync: true,
    })
    expect(ids(some)).toEqual(Array.from({ length: 200 }, (_, i) => 2 * i).filter((id) => id !== 4))
  })

  it('bound their rows by what is a number', () => {
    const { collection } = source({ rows: [{ id: 1 }, { id: 2 }, { id: 3 }] })
    const ordered = new Query().from({ row: collection }).orderBy(({ row }) => row.id)
    const shown = (query: typeof ordered) => ids(createLiveQueryCollection({ query, startSync: true }))
    const none = null as never
    expect(shown(ordered.limit(none).offset(none))).toEqual([1, 2, 3])
    expect(shown(ordered.limit(Number.POSITIVE_INFINITY).offset(1))).toEqual([2, 3])
    expect(shown(ordered.offset(Number.POSITIVE_INFINITY))).toEqual([])
    expect(shown(ordered.limit(-1))).toEqual([])
  })

  it('leave out fields whose literal has none', () => {
    const { collection } = source({ rows: [{ id: 1 }] })
    const query = new Query()
      .from({ row: collection })
      .select(({ row }) => ({ id: row.id, at: new Date(0) as never, none: {} }))
    expect(list(createLiveQueryCollection({ query, startSync: true }))).toEqual([{ id: 1 }])
  })

  it('look for a constant in lists that are fields', () => {
    const mark = {}
    const { collection, update, insert } = source({
      rows: [
        { id: 1, tags: ['red', 'blue'] },
        { id: 2, tags: [1, Number.NaN, null, mark] },
        { id: 3, tags: 'red' },
        { id: 4, tags: [new Date(5), 5n, new Uint8Array([1])] },
        { id: 5 },
      ],
    })
    const holding = (value: unknown) =>
      createLiveQueryCollection({
        query: (q) => q.from({ row: collection }).where(({ row }) => inArray(value, row.tags)),
        startSync: true,
      })
    const red = holding('red')
    expect(ids(red)).toEqual([1])
    for (const value of [1, Number.NaN, mark]) expect(ids(holding(value))).toEqual([2])
    for (const value of [5, new Date(5), 5n, new Uint8Array([1])]) expect(ids(holding(value))).toEqual([4])
    for (const value of ['1', {}, null, undefined, true]) expect(ids(holding(value))).toEqual([])

    const named = new Query()
      .from({ row: collection })
      .select(({ row }) => ({ id: row.id, labels: row.tags }))
    const others = createLiveQueryCollection({
      query: (q) =>
        q
          .from({ item: named })
          .where(({ item }) => not(inArray('red', item.labels as never)))
          .select(({ item }) => ({ id: item.id, blue: inArray('blue', item.labels as never) })),
      startSync: true,
    })
    update({ id: 1, tags: ['blue'] }, { id: 5, tags: ['red'] })
    insert({ id: 6, tags: ['red', 'red'] })
    expect(ids(red)).toEqual([5, 6])
    expect(list(others)).toEqual([
      { id: 1, blue: true },
      { id: 2, blue: false },
      { id: 3, blue: false },
      { id: 4, blue: false },
    ])
    expect(() =>
      createLiveQueryCollection((q) =>
        q.from({ row: collection }).where(({ row }) => inArray(row.id, row.tags as never)),
      ),
    ).toThrow(QueryCompilationError)
  })

  it('have their faults found at creation', () => {
    const { collection } = source()
    const query = new Query().from({ r: collection })
    expect(() => createLiveQueryCollection({ query: query.limit(1) })).toThrow(LimitOffsetRequireOrderByError)
    expect(() =>
      createLiveQueryCollection({ query: query.select(({ r }) => ({ a: { constructor: r.id } })) }),
    ).toThrow(UnsafeAliasPathError)
    expect(() => createLiveQueryCollection({ query: query.select(({ r }) => r.id) as never })).toThrow(
      UnsupportedRootScalarSelectError,
    )
  })

  it('show the very rows of their source where they select nothing', () => {
    const { collection } = source({ rows: [{ id: 1, v: 1 }] })
    const live = createLiveQueryCollection({ query: (q) => q.from({ r: collection }), startSync: true })
    const over = createLiveQueryCollection({ query: (q) => q.from({ l: live }), startSync: true })
    expect(live.get(1)).toBe(collection.get(1))
    expect(over.toArray[0]).toBe(collection.get(1))
  })

  it('assemble a row once for each version, however often it is read', () => {
    const { collection, update } = source({ rows: [{ id: 1, v: 1, w: 1 }] })
    const live = createLiveQueryCollection({
      id: 'picked',
      query: (q) => q.from({ r: collection }).select(({ r }) => ({ id: r.id, v: r.v })),
      startSync: true,
    })
    const changes = vi.fn()
    live.subscribeChanges(changes, { includeInitialState: false })
    const row = live.get(1)
    expect(row).toEqual({ id: 1, v: 1, $synced: true, $origin: 'remote', $key: 1, $collectionId: 'picked' })
    update({ id: 1, v: 1, w: 2 })
    expect(live.get(1)).toBe(row)
    expect(live.toArray[0]).toBe(row)
    expect(changes).not.toHaveBeenCalled()
    update({ id: 1, v: 2, w: 2 })
    expect(live.get(1)).not.toBe(row)
    expect(changes.mock.calls[0]?.[0]).toEqual([
      { type: 'update', key: 1, value: live.get(1), previousValue: row },
    ])
  })

  it('select constants, nested objects, spreads, whole rows and computed fields', () => {
    const { collection } = source({ id: 'src', rows: [{ id: 1, v: 5, deep: { x: 1, y: null } }] })
    const live = createLiveQueryCollection({
      startSync: true,
      query: (q) =>
        q.from({ r: collection }).select(({ r }) => ({
          'a.b': r.v,
          a: { c: 'constant' },
          none: r.missing,
          big: gt(r.v, 3),
          unknown: gt(r.missing, 3),
          row: r,
          deep: { ...(r.deep as unknown as object), z: r.id },
          nothing: isNull(r.v),
        })),
    })
    const row = live.get(1) as unknown as Record<string, unknown>
    expect(plain(row)).toEqual({
      a: { b: 5, c: 'constant' },
      none: undefined,
      big: true,
      unknown: null,
      row: { id: 1, v: 5, deep: { x: 1, y: null } },
      deep: { x: 1, y: null, z: 1 },
      nothing: false,
    })
    expect(row.row).toBe(collection.get(1))
    const spread = createLiveQueryCollection({
      startSync: true,
      query: (q) => q.from({ r: collection }).select(({ r }) => ({ ...r, v: r.id })),
    })
    expect(spread.get(1)).toMatchObject({ v: 1, $collectionId: 'src', $key: 1 })
  })

  it('follow computed fields through updates', () => {
    const { collection, update } = source({
      rows: [
        { id: 1, v: 1 },
        { id: 2, v: 9 },
      ],
    })
    const live = createLiveQueryCollection({
      startSync: true,
      query: (q) =>
        q.from({ r: collection }).select(({ r }) => ({ id: r.id, low: and(gt(r.v, 0), lt(r.v, 3)) })),
    })
    const over = createLiveQueryCollection({
      startSync: true,
      query: (q) => q.from({ l: live }).where(({ l }) => eq(l.low, true)),
    })
    expect([list(live), ids(over)]).toEqual([
      [
        { id: 1, low: true },
        { id: 2, low: false },
      ],
      [1],
    ])
    update({ id: 1, v: 8 }, { id: 2, v: 2 })
    expect([list(live), ids(over)]).toEqual([
      [
        { id: 1, low: false },
        { id: 2, low: true },
      ],
      [2],
    ])
    expect(over.get(2)).toBe(live.get(2))
  })

  it('order strings by locale unless told otherwise', () => {
    const rows = ['b', 'a', 'B', 'ä', 'Z'].map((id) => ({ id }))
    const { collection } = source({ rows })
    const ordered = (options: object) =>
      ids(
        createLiveQueryCollection({
          startSync: true,
          query: (q) => q.from({ r: collection }).orderBy(({ r }) => r.id, options),
        }),
      )
    expect(ordered({})).toEqual(['a', 'ä', 'b', 'B', 'Z'])
    expect(ordered({ stringSort: 'lexical' })).toEqual(['B', 'Z', 'a', 'b', 'ä'])
    expect(ordered({ stringSort: 'locale', locale: 'sv' })).toEqual(['a', 'b', 'B', 'Z', 'ä'])
    expect(
      ordered({ direction: 'desc', stringSort: 'locale', localeOptions: { caseFirst: 'upper' } }),
    ).toEqual(['Z', 'b', 'B', 'ä', 'a'])
    const lexical = source({ rows, defaultStringCollation: { stringSort: 'lexical' } }).collection
    const inherited = createLiveQueryCollection({
      startSync: true,
      query: (q) => q.from({ r: lexical }).orderBy(({ r }) => r.id),
    })
    expect(ids(inherited)).toEqual(['B', 'Z', 'a', 'b', 'ä'])
    expect(inherited.compareOptions).toEqual({ stringSort: 'lexical' })
  })

  it('order by what they select', () => {
    const { collection, update } = source({
      rows: [
        { id: 1, v: { n: 3 } },
        { id: 2, v: { n: 1 } },
      ],
    })
    const live = createLiveQueryCollection({
      startSync: true,
      query: (q) =>
        q
          .from({ r: collection })
          .select(({ r }) => ({ id: r.id, inner: { v: r.v as unknown as { n: number } } }))
          .orderBy(({ $selected }) => $selected.inner.v.n),
    })
    expect(ids(live)).toEqual([2, 1])
    update({ id: 2, v: { n: 5 } })
    expect(ids(live)).toEqual([1, 2])
  })

  it('tell moves of rows that stay equal as an empty batch', () => {
    const { collection, update } = source({
      rows: [
        { id: 1, v: 1 },
        { id: 2, v: 2 },
      ],
    })
    const live = createLiveQueryCollection({
      startSync: true,
      query: (q) =>
        q
          .from({ r: collection })
          .orderBy(({ r }) => r.v)
          .select(({ r }) => ({ id: r.id })),
    })
    const changes = vi.fn()
    live.subscribeChanges(changes)
    const [first] = live.toArray
    update({ id: 1, v: 3 })
    expect(changes.mock.calls).toEqual([[[]]])
    expect(ids(live)).toEqual([2, 1])
    expect(live.toArray[1]).toBe(first)
  })

  it('take queries as sources, and queries over queries', () => {
    const { collection, insert, remove } = source({ rows: [1, 2, 3, 4].map((id) => ({ id, v: id % 2 })) })
    const odd = new Query().from({ r: collection }).where(({ r }) => eq(r.v, 1))
    const live = createLiveQueryCollection({
      startSync: true,
      query: (q) =>
        q.from({ o: odd.orderBy(({ r }) => r.id, 'desc').limit(2) }).select(({ o }) => ({ id: o.id })),
    })
    expect(ids(live)).toEqual([1, 3])
    insert({ id: 5, v: 1 })
    expect(ids(live)).toEqual([3, 5])
    remove(3)
    expect(ids(live)).toEqual([1, 5])
    expect(collection.subscriberCount).toBe(1)
    void live.cleanup()
    expect(collection.subscriberCount).toBe(0)
  })

  it('are one batch downstream for one commit, seen complete everywhere', () => {
    const { collection, update } = source({ rows: [{ id: 1, v: 0 }] })
    const left = createLiveQueryCollection({ query: (q) => q.from({ r: collection }), startSync: true })
    const right = createLiveQueryCollection({
      query: (q) => q.from({ l: left }).select(({ l }) => ({ w: l.v })),
      startSync: true,
    })
    const seen: unknown[] = []
    const look = () => seen.push([collection.get(1)?.v, left.get(1)?.v, right.get(1)?.w])
    for (const watched of [collection, left, right] as unknown as Collection[]) watched.subscribeChanges(look)
    update({ id: 1, v: 7 })
    expect(seen).toEqual([
      [7, 7, 7],
      [7, 7, 7],
      [7, 7, 7],
    ])
  })

  it('compare temporals by value and refuse an order between different types', async () => {
    class Temporal {
      constructor(
        readonly text: string,
        readonly tag: string,
      ) {}
      get [Symbol.toStringTag]() {
        return `Temporal.${this.tag}`
      }
      toString() {
        return this.text
      }
      static compare(a: Temporal, b: Temporal) {
        return a.text < b.text ? -1 : Number(a.text > b.text)
      }
    }
    const date = (text: string) => new Temporal(text, 'PlainDate')
    const { collection, update } = source({
      rows: [
        { id: 1, d: date('2024-03-01') },
        { id: 2, d: date('2024-01-01') },
      ],
    })
    const order = createLiveQueryCollection({
      query: (q) => q.from({ r: collection }).orderBy(({ r }) => r.d),
      startSync: true,
    })
    const late = createLiveQueryCollection({
      query: (q) => q.from({ r: collection }).where(({ r }) => gt(r.d, date('2024-02-01'))),
      startSync: true,
    })
    const same = createLiveQueryCollection({
      query: (q) => q.from({ r: collection }).where(({ r }) => eq(r.d, date('2024-01-01'))),
      startSync: true,
    })
    expect([ids(order), ids(late), ids(same)]).toEqual([[2, 1], [1], [2]])
    update({ id: 1, d: date('2023-12-31') })
    expect([ids(order), ids(late), ids(same)]).toEqual([[1, 2], [], [2]])
    const errors = await reported(() => {
      try {
        update({ id: 1, d: new Temporal('12:00', 'PlainTime') })
      } catch (error) {
        expect(error).toBeInstanceOf(TypeError)
      }
    })
    expect(errors).toEqual([])
    update({ id: 2, d: date('2025-01-01') })
    expect([late.size, same.size]).toEqual([0, 0])
    expect([late.status, same.status, collection.get(1)?.d]).toEqual([
      'error',
      'ready',
      expect.objectContaining({ text: '12:00' }),
    ])
  })

  it('tell undefined, null and missing fields apart', () => {
    const { collection } = source({ rows: [{ id: 1, v: null }, { id: 2, v: undefined }, { id: 3 }] })
    const where = (test: (value: unknown) => unknown) =>
      ids(
        createLiveQueryCollection({
          startSync: true,
          query: (q) => q.from({ r: collection }).where(({ r }) => test(r.v) as never),
        }),
      )
    expect([where(isNull), where(isUndefined)]).toEqual([[1], [2, 3]])

    const selected = createLiveQueryCollection({
      startSync: true,
      query: (q) => q.from({ r: collection }).select(({ r }) => ({ v: r.v, none: undefined })),
    })
    const over = (test: (value: unknown) => unknown, field: 'v' | 'none') =>
      createLiveQueryCollection({
        startSync: true,
        query: (q) => q.from({ r: selected }).where(({ r }) => test(r[field]) as never),
      }).size
    expect(list(selected)).toStrictEqual([null, undefined, undefined].map((v) => ({ v, none: null })))
    expect([over(isNull, 'v'), over(isUndefined, 'v'), over(isNull, 'none')]).toEqual([1, 2, 3])
  })

  it('filter by virtual properties', () => {
    const { collection } = source({ id: 'here', rows: [{ id: 1 }, { id: 'a' }] })
    const live = createLiveQueryCollection({
      startSync: true,
      query: (q) =>
        q
          .from({ r: collection })
          .where(({ r }) => and(eq(r.$key, 'a'), eq(r.$collectionId, 'here')))
          .where(({ r }) => and(eq(r.$synced, true), eq(r.$origin, 'remote'))),
    })
    expect(ids(live)).toEqual(['a'])
  })

  it('can be configured and created apart, and refuse direct writes', async () => {
    const { collection } = source({ rows: [{ id: 1 }] })
    const options = liveQueryCollectionOptions({ id: 'apart', query: (q) => q.from({ r: collection }) })
    const live = createCollection({ ...options, startSync: true })
    expect([live.id, live.size, live.getKeyFromItem(live.get(1) as never)]).toEqual(['apart', 1, 1])
    expect(() => live.insert({ id: 2 } as never)).toThrow(MissingInsertHandlerError)
    await settle()
  })
})
