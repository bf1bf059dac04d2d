import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createLiveQueryCollection, createTransaction, gt, UnknownFunctionError } from '../../src/index.ts'
import { Func, type OrderBy, PropRef, Value } from '../../src/query/ir.ts'
import type { SubscribeChangesOptions } from '../../src/types.ts'
import { source } from '../shell/source.ts'

const over = (least: number) => new Func<boolean>('gt', [new PropRef(['v']), new Value(least)])
const by = (direction: 'asc' | 'desc'): OrderBy => [
  { expression: new PropRef(['v']), compareOptions: { direction, nulls: 'first' } },
]

function watched(count: number, options: SubscribeChangesOptions = {}) {
  const made = source({ rows: Array.from({ length: count }, (_, i) => ({ id: i + 1, v: i + 1 })) })
  const batches: string[] = []
  const subscription = made.collection.subscribeChanges(
    (changes) => batches.push(changes.map(({ type, key }) => `${type} ${key}`).join()),
    options,
  )
  return { ...made, batches, subscription }
}

describe('a snapshot', () => {
  it('tells in the call of rows that are news, each once', () => {
    const { batches, subscription, update } = watched(4)
    update({ id: 2, v: 20 })
    expect(subscription.hasSentAtLeastOneSnapshot()).toBe(false)
    expect(subscription.requestSnapshot({ where: over(2) })).toBe(true)
    expect([subscription.hasSentAtLeastOneSnapshot(), subscription.hasLoadedInitialState()]).toEqual([
      true,
      false,
    ])
    expect(subscription.requestSnapshot()).toBe(true)
    expect(subscription.hasLoadedInitialState()).toBe(true)
    expect(subscription.requestSnapshot()).toBe(false)
    update({ id: 3, v: 30 })
    expect(batches).toEqual(['insert 2', 'insert 3,insert 4', 'insert 1', 'update 3'])
  })

  it('of an empty or idle collection is an empty batch', () => {
    const { batches, subscription, insert } = watched(0)
    subscription.requestSnapshot({})
    insert({ id: 1, v: 1 })
    expect(batches).toEqual(['', 'insert 1'])
  })

  it('does not tell again of what the subscriber knows by itself', () => {
    const all = watched(2, { includeInitialState: true })
    expect(all.subscription.requestSnapshot()).toBe(false)
    const known = watched(2, { includeInitialState: false })
    expect(known.subscription.requestSnapshot({})).toBe(false)
    expect([all.batches, known.batches]).toEqual([['insert 1,insert 2'], []])
  })

  it('keeps to the condition of its subscription', () => {
    const { batches, subscription } = watched(5, { where: (row) => gt(row.v, 3) })
    subscription.requestSnapshot({ where: over(4) })
    subscription.requestSnapshot()
    expect(batches).toEqual(['insert 5', 'insert 4'])
  })

  it('is told at once from inside a callback, and includes local writes that others have not heard of', () => {
    const { collection, subscription, batches, insert } = watched(2)
    const order: string[] = []
    collection.subscribeChanges(() => {
      order.push(`before ${batches.length}`)
      subscription.requestSnapshot()
      order.push(`after ${batches.length}`)
    })
    insert({ id: 3, v: 3 })
    expect(order).toEqual(['before 1', 'after 2'])
    expect(batches).toEqual(['insert 3', 'insert 1,insert 2'])
    const transaction = createTransaction({ autoCommit: false, mutationFn: async () => {} })
    const other = watched(1)
    transaction.mutate(() => {
      other.collection.insert({ id: 9, v: 9 })
      other.subscription.requestSnapshot()
    })
    expect(other.batches.flatMap((batch) => batch.split(',')).sort()).toEqual(['insert 1', 'insert 9'])
    transaction.isPersisted.promise.catch(() => {})
    transaction.rollback()
  })

  it('of a query follows its fields', () => {
    const { collection } = watched(3)
    const live = createLiveQueryCollection({
      query: (q) => q.from({ r: collection }).select(({ r }) => ({ w: r.v })),
      startSync: true,
    })
    const keys: unknown[] = []
    const subscription = live.subscribeChanges((changes) => keys.push(changes.map(({ key }) => key)))
    subscription.requestSnapshot({ where: new Func<boolean>('gt', [new PropRef(['w']), new Value(1)]) })
    expect(keys).toEqual([[2, 3]])
  })

  it('that cannot be changes nothing', () => {
    const { subscription, batches } = watched(1)
    expect(() => subscription.requestSnapshot({ where: new Func('sounds', []) })).toThrow(
      UnknownFunctionError,
    )
    expect(() => subscription.requestLimitedSnapshot({ orderBy: by('asc'), limit: 0 })).toThrow('limit')
    subscription.unsubscribe()
    expect(subscription.requestSnapshot()).toBe(false)
    subscription.requestLimitedSnapshot({ orderBy: by('asc'), limit: 1 })
    expect(batches).toEqual([])
  })
})

describe('a limited snapshot', () => {
  it('tells of the next rows of an order that are news', () => {
    const { batches, subscription, update } = watched(6)
    update({ id: 5, v: 5, x: 1 })
    subscription.requestLimitedSnapshot({ orderBy: by('desc'), limit: 2 })
    subscription.requestLimitedSnapshot({ orderBy: by('asc'), limit: 2, where: over(1) })
    subscription.requestLimitedSnapshot({ orderBy: by('asc'), limit: 9 })
    expect(batches).toEqual(['insert 5', 'insert 6,insert 4', 'insert 2,insert 3', 'insert 1'])
  })

  it('keeps a replica whole, whatever is asked for and changed in whichever order', () => {
    const step = fc.oneof(
      fc.record({
        kind: fc.constant('put' as const),
        id: fc.integer({ min: 1, max: 6 }),
        v: fc.integer({ min: 0, max: 5 }),
      }),
      fc.record({ kind: fc.constant('remove' as const), id: fc.integer({ min: 1, max: 6 }) }),
      fc.record({ kind: fc.constant('where' as const), least: fc.integer({ min: 0, max: 5 }) }),
      fc.record({ kind: fc.constant('limit' as const), limit: fc.integer({ min: 1, max: 3 }) }),
    )
    fc.assert(
      fc.property(fc.array(step, { maxLength: 15 }), fc.boolean(), (steps, filtered) => {
        const made = source()
        const rows = new Map<number, number>()
        const told = new Map<number, number>()
        const subscription = made.collection.subscribeChanges(
          (changes) => {
            for (const { type, key, value } of changes) {
              expect([type, told.has(key as number)]).toEqual([type, type !== 'insert'])
              if (type === 'delete') told.delete(key as number)
              else told.set(key as number, value.v as number)
            }
          },
          filtered ? { where: (row) => gt(row.v, 1) } : {},
        )
        const kept = (v: number) => !filtered || v > 1
        for (const step of steps) {
          const before = told.size
          if (step.kind === 'put') {
            made.update({ id: step.id, v: step.v })
            rows.set(step.id, step.v)
          } else if (step.kind === 'remove') {
            made.remove(step.id)
            rows.delete(step.id)
          } else if (step.kind === 'where') {
            subscription.requestSnapshot({ where: over(step.least) })
            for (const [id, v] of rows) if (v > step.least && kept(v)) expect(told.get(id)).toBe(v)
          } else {
            const news = [...rows].filter(([id, v]) => kept(v) && !told.has(id)).length
            subscription.requestLimitedSnapshot({ orderBy: by('asc'), limit: step.limit })
            expect(told.size - before).toBe(Math.min(step.limit, news))
          }
          for (const [id, v] of told) expect(rows.get(id)).toBe(v)
        }
        subscription.requestSnapshot()
        expect(told).toEqual(new Map([...rows].filter(([, v]) => kept(v))))
        void made.collection.cleanup()
      }),
      { numRuns: 300 },
    )
  })
})
