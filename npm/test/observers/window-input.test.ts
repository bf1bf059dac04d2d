import { describe, expect, it } from 'vitest'
import {
  assertLiveQueryWindowManyResult,
  BaseQueryBuilder,
  compareLiveQueryWindowDependencies,
  createLiveQueryCollection,
  getLiveQueryWindowCollectionWarning,
  getLiveQueryWindowInputKind,
  isLiveQueryWindowCollection,
  normalizeLiveQueryWindowPageSize,
  resolveLiveQueryWindowInput,
  shouldPreserveLiveQueryWindowPageCount,
} from '../../src/index.ts'
import { source } from '../shell/source.ts'
import { ordered, rows } from './fixture.ts'

const { collection, live } = ordered({ rows: rows(1, 2, 3) }, 2)
const single = createLiveQueryCollection((q) =>
  q
    .from({ r: collection })
    .orderBy(({ r }) => r.v)
    .findOne(),
)
const unordered = createLiveQueryCollection((q) => q.from({ r: collection }))

describe('what a paged list is made from', () => {
  it('is a collection or a function', () => {
    expect([getLiveQueryWindowInputKind(live), getLiveQueryWindowInputKind(() => live)]).toEqual([
      'collection',
      'query',
    ])
    for (const wrong of [undefined, null, 5, { query: () => live }, new BaseQueryBuilder()]) {
      expect(() => getLiveQueryWindowInputKind(wrong)).toThrow(/pre-created live query collection or a query/)
    }
  })

  it('is resolved to a collection or to a query', () => {
    expect(resolveLiveQueryWindowInput(live)).toEqual({ kind: 'collection', collection: live })
    expect(resolveLiveQueryWindowInput(() => live)).toEqual({ kind: 'collection', collection: live })
    const made = resolveLiveQueryWindowInput((q) => q.from({ r: collection }))
    expect([made.kind, made.kind === 'query' && made.query instanceof BaseQueryBuilder]).toEqual([
      'query',
      true,
    ])
    for (const nothing of [undefined, null, { query: 1 }]) {
      expect(() => resolveLiveQueryWindowInput(() => nothing)).toThrow(/must return a query builder/)
    }
  })

  it('has an order and many rows', () => {
    const { collection: root } = source()
    const all: readonly { readonly utils: object }[] = [live, unordered, root]
    expect(all.map((made) => isLiveQueryWindowCollection(made))).toEqual([true, false, false])
    assertLiveQueryWindowManyResult(live)
    expect(() => assertLiveQueryWindowManyResult(single)).toThrow(/Remove .findOne\(\)/)
  })

  it('is warned of if it shows other rows', () => {
    expect(getLiveQueryWindowCollectionWarning(live, 2)).toBeUndefined()
    expect(getLiveQueryWindowCollectionWarning(live, 21)).toMatch(
      /has window \{offset: 0, limit: 2\} but the hook expects \{offset: 0, limit: 21\}/,
    )
    expect(() => getLiveQueryWindowCollectionWarning(unordered, 2)).toThrow(/must have an ORDER BY/)
    expect(() => getLiveQueryWindowCollectionWarning(single, 2)).toThrow(/single-result/)
  })
})

describe('the size of pages', () => {
  it('is a positive whole number, or 20', () => {
    const sizes = [7, undefined, 0, -1, 1.5, Number.NaN, '5', Number.POSITIVE_INFINITY, null]
    expect(sizes.map(normalizeLiveQueryWindowPageSize)).toEqual([7, 20, 20, 20, 20, 20, 20, 20, 20])
  })
})

describe('dependencies', () => {
  const compare = compareLiveQueryWindowDependencies
  it('have changed if one is another value, and may still hold the same', () => {
    const date = new Date(1)
    expect(compare([1, date], [1, date])).toEqual({ changed: false, structurallyEqual: true })
    expect(compare([Number.NaN, 0], [Number.NaN, -0])).toEqual({ changed: false, structurallyEqual: true })
    expect(compare([{ a: [1] }], [{ a: [1] }])).toEqual({ changed: true, structurallyEqual: true })
    expect(compare([1], [2])).toEqual({ changed: true, structurallyEqual: false })
    expect(compare([1, 2], [1])).toEqual({ changed: true, structurallyEqual: false })
    expect(compare(undefined, [])).toEqual({ changed: true, structurallyEqual: false })
  })

  it('decide with the shape of pages whether as many pages are shown again', () => {
    const again = {
      hasPreviousController: true,
      previousInputKind: 'query',
      inputKind: 'query',
      dependenciesChanged: true,
      dependenciesStructurallyEqual: true,
      pageShapeChanged: false,
    } as const
    const keep = shouldPreserveLiveQueryWindowPageCount
    expect(keep(again)).toBe(true)
    expect(keep({ ...again, dependenciesChanged: false, pageShapeChanged: true })).toBe(true)
    expect(keep({ ...again, dependenciesStructurallyEqual: false })).toBe(false)
    expect(keep({ ...again, dependenciesChanged: false })).toBe(false)
    expect(keep({ ...again, hasPreviousController: false })).toBe(false)
    expect(keep({ ...again, previousInputKind: undefined })).toBe(false)
    expect(keep({ ...again, inputKind: 'collection', previousInputKind: 'collection' })).toBe(false)
  })
})
