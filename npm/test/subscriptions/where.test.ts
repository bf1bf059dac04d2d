import { describe, expect, it, vi } from 'vitest'
import {
  and,
  createLiveQueryCollection,
  createTransaction,
  EmptyReferencePathError,
  eq,
  gt,
  gte,
  InvalidWhereExpressionError,
  inArray,
  isNull,
  like,
  not,
  or,
  UnknownExpressionTypeError,
  UnknownFunctionError,
} from '../../src/index.ts'
import { Func, PropRef, Value } from '../../src/query/ir.ts'
import type { SubscribeChangesOptions } from '../../src/types.ts'
import { plain, type Row, source } from '../shell/source.ts'

type Options = SubscribeChangesOptions
type Watched = Pick<ReturnType<typeof source>['collection'], 'subscribeChanges'>

/** Batches as text: `insert 1, update 2`. */
function record(collection: Watched, options: Options): string[] {
  const batches: string[] = []
  collection.subscribeChanges(
    (changes) => batches.push(changes.map(({ type, key }) => `${type} ${key}`).join(', ')),
    options,
  )
  return batches
}

describe('a subscription with a condition', () => {
  it('is told of rows that come to satisfy it as inserts, of those that no longer do as deletes', () => {
    const { collection, update, insert, remove } = source({
      rows: [
        { id: 1, on: true, n: 0 },
        { id: 2, on: false, n: 0 },
      ],
    })
    const batches = record(collection, { includeInitialState: true, where: (row) => eq(row.on, true) })
    update({ id: 1, on: false, n: 0 }, { id: 2, on: true, n: 0 })
    update({ id: 1, on: false, n: 5 })
    update({ id: 2, on: true, n: 5 })
    insert({ id: 3, on: false }, { id: 4, on: true })
    remove(3, 4)
    expect(batches).toEqual(['insert 1', 'delete 1, insert 2', 'update 2', 'insert 4', 'delete 4'])
  })

  it('gives the row before as the value of a delete, and previous values to updates only', () => {
    const { collection, update } = source({ rows: [{ id: 1, on: true, n: 1 }] })
    const seen: { type: string; value: object; previousValue?: object | undefined }[] = []
    collection.subscribeChanges((changes) => seen.push(...changes), {
      includeInitialState: true,
      where: (row) => eq(row.on, true),
    })
    update({ id: 1, on: true, n: 2 })
    update({ id: 1, on: false, n: 3 })
    update({ id: 1, on: true, n: 4 })
    expect(seen.map(({ type, value, previousValue }) => plain([type, value, previousValue]))).toEqual([
      ['insert', { id: 1, on: true, n: 1 }, undefined],
      ['update', { id: 1, on: true, n: 2 }, { id: 1, on: true, n: 1 }],
      ['delete', { id: 1, on: true, n: 2 }, undefined],
      ['insert', { id: 1, on: true, n: 4 }, undefined],
    ])
  })

  it('knows what it was told of', () => {
    const { collection, update, remove } = source({ rows: [1, 2, 3].map((id) => ({ id, on: true })) })
    const where: Options['where'] = (row) => eq(row.on, true)
    const untold = record(collection, { where })
    const known = record(collection, { where, includeInitialState: false })
    update({ id: 1, on: true, n: 1 })
    update({ id: 2, on: false })
    remove(3)
    update({ id: 1, on: false })
    expect(untold).toEqual(['insert 1', 'delete 1'])
    expect(known).toEqual(['update 1', 'delete 2', 'delete 3', 'delete 1'])
  })

  it('hears that the collection is ready, and an empty batch where nothing satisfies it at the start', () => {
    const { collection, params, insert } = source({ ready: false, rows: [{ id: 1, v: 1 }] })
    const batches = record(collection, { includeInitialState: true, where: (row) => gt(row.v, 5) })
    insert({ id: 2, v: 2 })
    params.markReady()
    expect(batches).toEqual(['', ''])
  })

  const rows: Row[] = [
    { id: 1, v: 1, name: 'ann', tags: ['a'], at: new Date(1), big: 1n },
    { id: 2, v: null, name: 'bob', tags: ['b'], at: new Date(2), big: 2n },
    { id: 'x', name: 'eve', deep: { on: true }, at: new Date(3), big: 3n },
  ]
  it.each<[string, Options['where'], (string | number)[]]>([
    ['a comparison', (row) => gte(row.v, 1), [1]],
    ['a pattern', (row) => like(row.name, '%b%'), [2]],
    ['a nested field', (row) => eq(row.deep.on, true), ['x']],
    ['a field that is true itself', (row) => row.deep.on, ['x']],
    ['null', (row) => isNull(row.v), [2]],
    ['a list', (row) => inArray(row.name, ['ann', 'eve']), ['x', 1]],
    ['a field that is a list', (row) => inArray('b', row.tags), [2]],
    ['a date', (row) => gt(row.at, new Date(1)), ['x', 2]],
    ['a bigint', (row) => eq(row.big, 3n), ['x']],
    ['the key', (row) => eq(row.$key, 'x'), ['x']],
    ['logic', (row) => or(and(eq(row.name, 'ann'), eq(row.v, 1)), not(gt(row.big, 1n))), [1]],
    ['what is unknown', (row) => not(eq(row.v, 7)), [1]],
  ])('may ask for %s', (_what, where, keys) => {
    const { collection } = source({ rows })
    const told: (string | number)[] = []
    collection.subscribeChanges((changes) => told.push(...changes.map(({ key }) => key)), {
      includeInitialState: true,
      ...(where === undefined ? {} : { where }),
    })
    expect(told).toEqual(keys)
  })

  it('takes an expression, also of plain objects', () => {
    const { collection } = source({ rows })
    const whereExpression = new Func<boolean>('eq', [new PropRef(['name']), new Value('bob')])
    const expected = ['insert 2']
    expect(record(collection, { includeInitialState: true, whereExpression })).toEqual(expected)
    const copy = JSON.parse(JSON.stringify(whereExpression)) as Func<boolean>
    expect(record(collection, { includeInitialState: true, whereExpression: copy })).toEqual(expected)
    const always = new Value(true)
    expect(record(collection, { includeInitialState: true, whereExpression: always })).toHaveLength(1)
  })

  it('sees local writes and their end', () => {
    const { collection } = source({ rows: [{ id: 1, on: false }] })
    const pending = record(collection, { where: (row) => eq(row.$synced, false) })
    const on = record(collection, { where: (row) => eq(row.on, true) })
    const transaction = createTransaction({ autoCommit: false, mutationFn: async () => {} })
    transaction.mutate(() =>
      collection.update(1, (draft) => {
        draft.on = true
      }),
    )
    transaction.isPersisted.promise.catch(() => {})
    transaction.rollback()
    expect([pending, on]).toEqual([
      ['insert 1', 'delete 1'],
      ['insert 1', 'delete 1'],
    ])
  })

  it('works on the result of a query, over its own fields', () => {
    const { collection, update } = source({
      rows: [
        { id: 1, v: 1 },
        { id: 2, v: 2 },
      ],
    })
    const live = createLiveQueryCollection({
      query: (q) => q.from({ r: collection }).select(({ r }) => ({ id: r.id, double: r.v })),
      startSync: true,
    })
    const batches = record(live as unknown as Watched, {
      includeInitialState: true,
      where: (row) => gt(row.double, 1),
    })
    update({ id: 1, v: 5 })
    update({ id: 2, v: 0 })
    expect(batches).toEqual(['insert 2', 'insert 1', 'delete 2'])
  })

  it('outlives a cleanup', () => {
    const { collection, insert } = source({ rows: [{ id: 1, on: true }, { id: 2 }] })
    const batches = record(collection, { where: (row) => eq(row.on, true) })
    void collection.cleanup()
    collection.startSyncImmediate()
    batches.length = 0
    insert({ id: 3, on: true }, { id: 4, on: false })
    expect(batches).toEqual(['insert 3'])
  })
})

describe('a condition that cannot be', () => {
  const where: Options['where'] = (row) => eq(row.v, 1)
  const unknown = (node: object) => ({ whereExpression: node as never })

  it.each<[string, Options, string | (new (...given: never[]) => Error)]>([
    [
      'given twice',
      { where, whereExpression: new Value(true) },
      "Cannot specify both 'where' and 'whereExpression' options",
    ],
    ['no expression', { where: () => true }, InvalidWhereExpressionError],
    ['the row itself', { where: (row) => row }, EmptyReferencePathError],
    ['an unknown function', unknown(new Func('sounds', [new PropRef(['v'])])), UnknownFunctionError],
    ['an unknown node', unknown({ type: 'guess' }), UnknownExpressionTypeError],
    [
      'a callback that throws',
      {
        where: () => {
          throw new Error('callback')
        },
      },
      'callback',
    ],
  ])('%s is refused before anything happens', (_what, options, error) => {
    const made = source({ startSync: false })
    const { collection } = made
    const events = vi.fn()
    collection.on('subscribers:change', events)
    expect(() => collection.subscribeChanges(() => {}, options)).toThrow(error as never)
    expect([collection.status, collection.subscriberCount, events.mock.calls]).toEqual(['idle', 0, []])
  })

  it('that a row does not let be read is refused, and the subscription with it', () => {
    const failure = new Error('getter')
    const row = Object.defineProperty({ id: 1 }, 'v', {
      get() {
        throw failure
      },
    }) as Row
    const { collection, insert } = source({ rows: [row] })
    const callback = vi.fn()
    expect(() => collection.subscribeChanges(callback, { where })).toThrow(failure)
    expect(collection.subscriberCount).toBe(0)
    insert({ id: 2, v: 1 })
    expect([callback.mock.calls, collection.size]).toEqual([[], 2])
  })
})
