import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  BasicIndex,
  BTreeIndex,
  CollectionConfigurationError,
  createCollection,
  eq,
  findIndexForField,
  gt,
  type IndexInterface,
  IR,
  localOnlyCollectionOptions,
  optimizeExpressionWithIndexes,
  ReverseIndex,
} from '../../src/index.ts'

interface Row {
  id: number
  v: number | null | undefined
}

const field = new IR.PropRef(['v'])
let count = 0

function local(rows: Row[] = [], more: object = {}) {
  return createCollection(
    localOnlyCollectionOptions<Row, number>({
      id: `indexed-${++count}`,
      getKey: (row) => row.id,
      initialData: rows,
      defaultIndexType: BTreeIndex,
      ...more,
    }),
  )
}

const value = fc.constantFrom(-1, 0, 1, 1.5, 2, Number.NaN, null, undefined)
const rows = fc
  .array(value, { maxLength: 12 })
  .map((list): Row[] => list.map((v, i) => ({ id: (i * 7) % 13, v })))

/** Keys with a real value between bounds, in order: the naive answer. */
function between(list: readonly Row[], low: number, high: number, inclusive: boolean): number[] {
  const order = (v: number) => (Number.isNaN(v) ? Number.POSITIVE_INFINITY : v)
  return list
    .filter((row): row is Row & { v: number } => typeof row.v === 'number')
    .filter(({ v }) => (inclusive ? order(v) >= low && order(v) <= high : order(v) > low && order(v) < high))
    .sort((a, b) => order(a.v) - order(b.v) || a.id - b.id)
    .map(({ id }) => id)
}

function ask(index: IndexInterface<number>, low: number, high: number, inclusive: boolean): number[] {
  return [...index.rangeQuery({ from: low, to: high, fromInclusive: inclusive, toInclusive: inclusive })]
}

describe('an index', () => {
  it.each([
    [
      'filled by hand',
      (list: Row[]) => {
        const index = new BTreeIndex<number>(1, field)
        index.build(list.map((row) => [row.id, row]))
        return index as IndexInterface<number>
      },
    ],
    ['of a collection', (list: Row[]) => local(list).createIndex((row) => row.v)],
  ])('%s answers like a sorted array', (_name, make) => {
    fc.assert(
      fc.property(
        rows,
        fc.constantFrom(-1, 0, 1),
        fc.constantFrom(1, 1.5, 2),
        fc.boolean(),
        (list, low, high, inclusive) => {
          const index = make(list)
          const wanted = between(list, low, high, inclusive)
          expect(ask(index, low, high, inclusive)).toEqual(wanted)
          expect([
            ...index.rangeQueryReversed({
              from: low,
              to: high,
              fromInclusive: inclusive,
              toInclusive: inclusive,
            }),
          ]).toEqual(wanted.slice().reverse())
          const after = between(list, low, Number.POSITIVE_INFINITY, true).filter(
            (id) => list.find((r) => r.id === id)?.v !== low,
          )
          expect(index.take(2, low)).toEqual(after.slice(0, 2))
          expect(index.take(2, low, (key) => key % 2 === 0)).toEqual(
            after.filter((key) => key % 2 === 0).slice(0, 2),
          )
          expect([...index.equalityLookup(1)].sort()).toEqual(
            list
              .filter(({ v }) => v === 1)
              .map(({ id }) => id)
              .sort(),
          )
          expect([...index.inArrayLookup([1, 2])].sort()).toEqual(
            list
              .filter(({ v }) => v === 1 || v === 2)
              .map(({ id }) => id)
              .sort(),
          )
          expect(index.keyCount).toBe(list.length)
          expect(index.indexedKeysSet.size).toBe(list.length)
          expect(index.takeFromStart(20)).toEqual(index.takeReversedFromEnd(20).reverse())
        },
      ),
      { numRuns: 60 },
    )
  })

  it('of a collection follows the visible rows, pending ones included', () => {
    const collection = createCollection<Row, number>({
      id: 'pending',
      getKey: (row) => row.id,
      startSync: true,
      onUpdate: () => new Promise(() => {}),
      sync: {
        sync: ({ begin, write, commit, markReady }) => {
          begin()
          write({ type: 'insert', value: { id: 1, v: 1 } })
          commit()
          markReady()
        },
      },
    })
    const index = collection.createIndex((row) => row.v, { indexType: BTreeIndex })
    const custom = collection.createIndex((row) => row.v, {
      indexType: BasicIndex,
      options: { compareFn: (a, b) => Number(b) - Number(a) },
    })
    const transaction = collection.update(1, (draft) => {
      draft.v = 5
    })
    expect([...index.lookup('gt', 4)]).toEqual([1])
    expect([[...custom.equalityLookup(1)], [...custom.equalityLookup(5)]]).toEqual([[], [1]])
    transaction.rollback()
    expect([...index.lookup('gt', 4)]).toEqual([])
    expect([...custom.equalityLookup(1)]).toEqual([1])
    expect(custom.supportsRangeOptimization).toBe(false)
  })

  it('keeps equal values in key order or in the order in which they came', () => {
    const fill = (index: IndexInterface<number>) => {
      for (const id of [3, 1, 2]) index.add(id, { id, v: 7 })
      return index
    }
    expect(fill(new BTreeIndex(1, field)).takeFromStart(3)).toEqual([1, 2, 3])
    expect(fill(new BTreeIndex(1, field)).takeReversedFromEnd(3)).toEqual([3, 2, 1])
    expect(fill(new BasicIndex(1, field)).takeFromStart(3)).toEqual([3, 1, 2])
  })

  it('finds dates and bytes by what they stand for, and tells null from undefined', () => {
    const index = new BTreeIndex<number>(1, field)
    index.add(1, { v: new Date(5) })
    index.add(2, { v: new Uint8Array([1, 2]) })
    index.add(3, { v: null })
    index.add(4, {})
    expect([...index.equalityLookup(new Date(5))]).toEqual([1])
    expect([...index.equalityLookup(new Uint8Array([1, 2]))]).toEqual([2])
    expect([[...index.equalityLookup(null)], [...index.equalityLookup(undefined)]]).toEqual([[3], [4]])
    index.update(1, { v: new Date(5) }, { v: new Date(6) })
    index.remove(2, { v: new Uint8Array([1, 2]) })
    expect([index.keyCount, [...index.equalityLookup(new Date(6))]]).toEqual([3, [1]])
  })

  it('refuses an operation it does not know, and counts those it does', () => {
    const index = new BasicIndex(1, field)
    expect(() => index.lookup('like' as never, 1)).toThrow('not supported')
    index.lookup('eq', 1)
    expect(index.getStats()).toMatchObject({ entryCount: 0, lookupCount: 1 })
  })

  it('read from its end is another order', () => {
    const index = new BTreeIndex<number>(1, field)
    for (const id of [1, 2, 3]) index.add(id, { v: id })
    const reverse = new ReverseIndex(index)
    expect(reverse.takeFromStart(2)).toEqual([3, 2])
    expect([...reverse.lookup('gt', 2)]).toEqual([1])
    expect([reverse.matchesDirection('asc'), reverse.matchesDirection('desc')]).toEqual([false, true])
  })
})

describe('the indexes of a collection', () => {
  it('have ids of their own, of which a failed attempt uses one up', () => {
    const collection = local([], { defaultIndexType: undefined })
    expect(() => collection.createIndex((row) => row.v)).toThrow(CollectionConfigurationError)
    const index = collection.createIndex((row) => row.v, { indexType: BTreeIndex, name: 'by v' })
    expect([index.id, index.name, [...collection.indexes.keys()]]).toEqual([2, 'by v', [2]])
  })

  it('are told of, described, and removed once', () => {
    const collection = local()
    const told: string[] = []
    collection.on('index:added', ({ type, index }) => told.push(`${type} ${index.indexId}`))
    collection.on('index:removed', ({ type, index }) => told.push(`${type} ${index.indexId}`))
    const index = collection.createIndex((row) => row.v)
    const [metadata] = collection.getIndexMetadata()
    expect(metadata).toMatchObject({
      signatureVersion: 1,
      indexId: 1,
      resolver: { kind: 'constructor', name: 'BTreeIndex' },
    })
    const twin = local()
    twin.createIndex((row) => row.id)
    twin.createIndex((row) => row.v, { name: 'another name', indexType: BasicIndex })
    expect(twin.getIndexMetadata()[1]?.signature).toBe(metadata?.signature)
    expect(twin.getIndexMetadata()[0]?.signature).not.toBe(metadata?.signature)
    expect(twin.removeIndex(index)).toBe(false)
    expect([collection.removeIndex(index), collection.removeIndex(1)]).toEqual([true, false])
    expect(told).toEqual(['index:added 1', 'index:removed 1'])
  })

  it('go with a cleanup', async () => {
    const collection = local([{ id: 1, v: 1 }])
    collection.createIndex((row) => row.v)
    await collection.cleanup()
    expect(collection.indexes.size).toBe(0)
  })

  it('are made for conditions of subscriptions where that is wanted, and that needs a type', () => {
    const collection = local([{ id: 1, v: 1 }], { autoIndex: 'eager' })
    collection.subscribeChanges(() => {}, { where: (row) => gt(row.v, 0) })
    collection.subscribeChanges(() => {}, { where: (row) => eq(row.v, 1) })
    expect([...collection.indexes.values()].map(({ name }) => name)).toEqual(['auto:v'])
    expect(() => local([], { autoIndex: 'eager', defaultIndexType: undefined })).toThrow(
      CollectionConfigurationError,
    )
  })
})

describe('planning', () => {
  it('finds an index of a field, or its reverse', () => {
    const collection = local([{ id: 1, v: 1 }])
    expect(findIndexForField(collection, ['v'])).toBeUndefined()
    const index = collection.createIndex((row) => row.v)
    expect(findIndexForField(collection, ['v'])).toBe(index)
    expect(findIndexForField(collection, ['v'], { direction: 'desc' })).toBeInstanceOf(ReverseIndex)
    expect(findIndexForField(collection, ['v'], { nulls: 'last' })).toBeUndefined()
    expect(findIndexForField(collection, ['id'])).toBeUndefined()
  })

  it('gives at least the rows an expression is true of, and exactly those when it says so', () => {
    const leaf = fc
      .tuple(
        fc.constantFrom('eq', 'gt', 'gte', 'lt', 'lte'),
        fc.constantFrom(-1, 0, 1, 2, null),
        fc.boolean(),
      )
      .map(
        ([name, v, swapped]) =>
          new IR.Func(name, swapped ? [new IR.Value(v), field] : [field, new IR.Value(v)]),
      )
    const member = fc
      .array(fc.constantFrom(0, 1, 2, null), { maxLength: 3 })
      .map((list) => new IR.Func('in', [field, new IR.Value(list)]))
    const expression = fc.letrec<{ e: IR.Func }>((tie) => ({
      e: fc.oneof(
        { maxDepth: 2 },
        leaf,
        member,
        fc
          .tuple(fc.constantFrom('and', 'or'), tie('e'), tie('e'))
          .map(([name, a, b]) => new IR.Func(name, [a, b])),
      ),
    })).e
    fc.assert(
      fc.property(rows, expression, (list, e) => {
        const collection = local(list)
        collection.createIndex((row) => row.v)
        const { canOptimize, matchingKeys, isExact } = optimizeExpressionWithIndexes(e, collection)
        const wanted = collection.currentStateAsChanges({ where: e }).map(({ key }) => key)
        expect(canOptimize).toBe(true)
        for (const key of wanted) expect(matchingKeys.has(key)).toBe(true)
        if (isExact) expect(matchingKeys.size).toBe(wanted.length)
      }),
      { numRuns: 80 },
    )
  })

  it('knows nothing without an index, of virtual fields and of ranges of strings in a locale', () => {
    const collection = local()
    const none = (e: IR.Func) => optimizeExpressionWithIndexes(e, collection).canOptimize
    expect(none(new IR.Func('eq', [field, new IR.Value(1)]))).toBe(false)
    collection.createIndex((row) => row.v)
    expect(none(new IR.Func('eq', [new IR.PropRef(['$key']), new IR.Value(1)]))).toBe(false)
    expect(none(new IR.Func('gt', [field, new IR.Value('a')]))).toBe(false)
    expect(none(new IR.Func('like', [field, new IR.Value('a')]))).toBe(false)
  })
})
