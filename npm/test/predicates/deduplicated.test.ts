import { describe, expect, it } from 'vitest'
import { cloneOptions, DeduplicatedLoadSubset } from '../../src/predicates/deduplicated-load-subset.ts'
import type { LoadSubsetOptions } from '../../src/types.ts'
import { compare, fn, ref } from './arbitraries.ts'

const old = compare('gt', 'age', 20)
const older = compare('gt', 'age', 30)
const keys = (...values: number[]) => compare('in', 'id', values)
const byAge = [
  { expression: ref('age'), compareOptions: { direction: 'asc' as const, nulls: 'first' as const } },
]

interface Pending {
  readonly options: LoadSubsetOptions
  resolve(): void
  reject(error: Error): void
}

/** A source whose loads end when the test says so, or at once. */
function source(mode: 'later' | 'now') {
  const calls: Pending[] = []
  const skipped: LoadSubsetOptions[] = []
  const dedupe = new DeduplicatedLoadSubset({
    loadSubset(options) {
      let settle: Omit<Pending, 'options'> = { resolve() {}, reject() {} }
      const loaded = new Promise<void>((resolve, reject) => {
        settle = { resolve, reject }
      })
      calls.push({ options, ...settle })
      return mode === 'now' ? true : loaded
    },
    onDeduplicate: (options) => skipped.push(options),
  })
  const load = (options: LoadSubsetOptions) => dedupe.loadSubset(options)
  return { dedupe, load, calls, skipped, wheres: () => calls.map(({ options }) => options.where) }
}

const plain = (node: unknown) => JSON.parse(JSON.stringify(node ?? null))

describe('requests that earlier ones cover', () => {
  it('do not reach the source, and are told of', () => {
    const { load, calls, skipped } = source('now')
    expect(load({ where: old })).toBe(true)
    const narrower = { where: older }
    expect(load(narrower)).toBe(true)
    expect(calls).toHaveLength(1)
    expect(skipped).toEqual([narrower])
    expect(skipped[0]).toBe(narrower)
  })

  it('may be covered by several together', () => {
    const { load, calls } = source('now')
    load({ where: keys(1, 2) })
    load({ where: keys(3) })
    load({ where: keys(3, 1) })
    load({ where: fn('and', keys(2, 3), old) })
    expect(calls).toHaveLength(2)
  })

  it('may be covered piece by piece', () => {
    const { load, calls } = source('now')
    load({ where: fn('and', old, keys(1)) })
    load({ where: fn('and', old, keys(2)) })
    expect(load({ where: fn('and', old, keys(1, 2)) })).toBe(true)
    expect(calls).toHaveLength(2)
  })

  it('are all of them after all rows were loaded', () => {
    const { load, calls } = source('now')
    load({})
    load({ where: old })
    load({ limit: 10, orderBy: byAge })
    load({})
    expect(calls).toHaveLength(1)
  })

  it('may be pages of loaded filters or of loaded pages', () => {
    const { load, calls } = source('now')
    load({ where: old })
    load({ where: older, limit: 3, orderBy: byAge })
    load({ limit: 10, orderBy: byAge })
    load({ limit: 5, offset: 5, orderBy: byAge })
    expect(calls).toHaveLength(2)
    load({ limit: 5, offset: 6, orderBy: byAge })
    expect(calls).toHaveLength(3)
  })

  it('are no pages of other filters, and no filters of loaded pages', () => {
    const { load, calls } = source('now')
    load({ where: old, limit: 100, orderBy: byAge })
    load({ where: older, limit: 1, orderBy: byAge })
    load({ where: old })
    expect(calls).toHaveLength(3)
  })

  it('are not covered by rows that were loaded from an offset on', () => {
    const { load, calls } = source('now')
    load({ offset: 5, orderBy: byAge })
    load({ where: old })
    expect(calls).toHaveLength(2)
    load({ offset: 7, orderBy: byAge })
    expect(calls).toHaveLength(2)
  })
})

describe('requests that are covered in part', () => {
  it('ask for the rest', () => {
    const { load, wheres } = source('now')
    load({ where: older })
    load({ where: old })
    load({ where: keys(1, 2) })
    load({ where: keys(2, 3) })
    expect(plain(wheres())).toEqual(
      plain([older, fn('and', old, compare('lte', 'age', 30)), keys(1, 2), keys(2, 3)]),
    )
  })

  it('ask for the rest of a list', () => {
    const { load, wheres } = source('now')
    load({ where: keys(1, 2) })
    load({ where: keys(2, 3, 4) })
    load({ where: keys(4, 5) })
    expect(plain(wheres())).toEqual(plain([keys(1, 2), keys(3, 4), compare('eq', 'id', 5)]))
  })

  it('ask for everything where the rest has no simple words', () => {
    const { load, wheres } = source('now')
    load({ where: old })
    load({ where: keys(1) })
    load({})
    expect(wheres()[1]).toBeDefined()
    expect(wheres()[2]).toBeUndefined()
  })

  it('are remembered as they were made', () => {
    const { load, calls } = source('now')
    load({ where: older })
    load({ where: old })
    load({ where: compare('gt', 'age', 25) })
    expect(calls).toHaveLength(2)
  })

  it('are not narrowed if they are pages', () => {
    const { load, wheres } = source('now')
    load({ where: older })
    load({ where: old, limit: 5, orderBy: byAge })
    expect(wheres()[1]).toBe(old)
  })
})

describe('requests under way', () => {
  it('are shared by callers without a signal', async () => {
    const { load, calls, skipped } = source('later')
    const first = load({ where: old })
    const second = load({ where: older })
    expect(second).toBe(first)
    expect(skipped).toEqual([])
    calls[0]?.resolve()
    await second
    await Promise.resolve()
    expect(skipped).toEqual([{ where: older }])
    expect(load({ where: old })).toBe(true)
    expect(calls).toHaveLength(1)
  })

  it('are not shared with or between callers that can cancel', () => {
    const { load, calls } = source('later')
    const signal = new AbortController().signal
    load({ where: old })
    load({ where: old, signal })
    load({ where: old, signal: new AbortController().signal })
    load({ where: older })
    expect(calls).toHaveLength(3)
    expect(calls.map(({ options }) => options.signal)).toEqual([undefined, signal, expect.any(AbortSignal)])
    expect(calls[1]?.options.signal).toBe(signal)
  })

  it('that fail are errors of all that share them, and count for nothing', async () => {
    const { load, calls, skipped } = source('later')
    const first = load({ where: old })
    const second = load({ where: old })
    calls[0]?.reject(new Error('offline'))
    await expect(first).rejects.toThrow('offline')
    await expect(second).rejects.toThrow('offline')
    load({ where: old })
    expect(calls).toHaveLength(2)
    expect(skipped).toEqual([])
  })

  it('that fail at once count for nothing either', () => {
    let calls = 0
    const dedupe = new DeduplicatedLoadSubset({
      loadSubset() {
        calls++
        throw new Error('offline')
      },
    })
    expect(() => dedupe.loadSubset({})).toThrow('offline')
    expect(() => dedupe.loadSubset({})).toThrow('offline')
    expect(calls).toBe(2)
  })

  it('that are aborted are not remembered, whatever becomes of them', async () => {
    const { load, calls } = source('later')
    const controller = new AbortController()
    const loading = load({ where: old, signal: controller.signal })
    controller.abort()
    calls[0]?.resolve()
    await loading
    load({ where: old })
    expect(calls).toHaveLength(2)
  })

  it('that were aborted before do not begin', () => {
    const { load, calls, skipped } = source('later')
    expect(load({ where: old, signal: AbortSignal.abort() })).toBe(true)
    expect(calls).toHaveLength(0)
    expect(skipped).toEqual([])
  })

  it('that can be cancelled are remembered when they succeed', async () => {
    const { load, calls } = source('later')
    const loading = load({ where: old, signal: new AbortController().signal })
    calls[0]?.resolve()
    await loading
    expect(load({ where: older, signal: new AbortController().signal })).toBe(true)
    expect(calls).toHaveLength(1)
  })
})

describe('reset', () => {
  it('forgets filters, pages and everything', () => {
    const { dedupe, load, calls } = source('now')
    for (const options of [{ where: old }, { limit: 5, orderBy: byAge }, {}]) {
      load(options)
      dedupe.reset()
      load(options)
      dedupe.reset()
    }
    expect(calls).toHaveLength(6)
  })

  it('forgets what is under way, whenever that ends', async () => {
    const { dedupe, load, calls } = source('later')
    const before = load({ where: old })
    dedupe.reset()
    const after = load({ where: old })
    expect(after).not.toBe(before)
    calls[0]?.resolve()
    await before
    expect(load({ where: old })).toBe(after)
    calls[1]?.resolve()
    await after
    expect(load({ where: old })).toBe(true)
    expect(calls).toHaveLength(2)
  })

  it('called by the source while it begins a load lets nobody share that load', () => {
    const calls: LoadSubsetOptions[] = []
    const dedupe: DeduplicatedLoadSubset = new DeduplicatedLoadSubset({
      loadSubset(options) {
        calls.push(options)
        dedupe.reset()
        return new Promise(() => {})
      },
    })
    void dedupe.loadSubset({ where: old })
    void dedupe.loadSubset({ where: old })
    expect(calls).toHaveLength(2)
  })
})

describe('what is passed on', () => {
  it('is a copy with all the request had', () => {
    const { load, calls } = source('now')
    const options = { where: old, limit: 5, offset: 2, orderBy: byAge, subscription: {} as never }
    load(options)
    expect(calls[0]?.options).not.toBe(options)
    expect(calls[0]?.options).toEqual(options)
  })

  it('copies orders and cursors, but no expressions', () => {
    const cursor = { whereFrom: old, whereCurrent: older, lastKey: 1 }
    const copy = cloneOptions({ where: old, orderBy: byAge, cursor })
    expect(copy).toEqual({ where: old, orderBy: byAge, cursor })
    expect(copy.orderBy?.[0]).not.toBe(byAge[0])
    expect(copy.orderBy?.[0]?.compareOptions).not.toBe(byAge[0]?.compareOptions)
    expect(copy.orderBy?.[0]?.expression).toBe(byAge[0]?.expression)
    expect(copy.cursor).not.toBe(cursor)
    expect(copy.cursor?.whereFrom).toBe(old)
    expect(copy.where).toBe(old)
  })

  it('can be given to a collection without the object it belongs to', () => {
    const { dedupe, calls } = source('now')
    const { loadSubset } = dedupe
    loadSubset({})
    expect(calls).toHaveLength(1)
  })
})
