import { describe, expect, it, vi } from 'vitest'
import { insideOf } from '../../src/collection/access.ts'
import { createLiveQueryCollection } from '../../src/index.ts'
import { plain, source } from '../shell/source.ts'

const rows = [3, 1, 2].map((id) => ({ id, v: id * 10 }))

describe('iteration', () => {
  it('gives keys, rows and pairs in one order', () => {
    const { collection } = source({ rows })
    const keys = [1, 2, 3]
    expect([...collection.keys()]).toEqual(keys)
    expect(plain([...collection.values()]).map(({ id }) => id)).toEqual(keys)
    expect([...collection.entries()].map(([key, row]) => [key, row.id])).toEqual(
      keys.map((key) => [key, key]),
    )
    expect([...collection].map(([key]) => key)).toEqual(keys)
    expect(collection.map((row, key, index) => [row.id, key, index])).toEqual(
      keys.map((key, i) => [key, key, i]),
    )
  })

  it('can be stopped, continued and started over', () => {
    const { collection } = source({ rows })
    const values = collection.values()
    expect(values.next().value).toBe(collection.get(1))
    expect(values[Symbol.iterator]()).toBe(values)
    expect([...values]).toEqual([collection.get(2), collection.get(3)])
    expect([values.next(), values.next()]).toEqual([
      { value: undefined, done: true },
      { value: undefined, done: true },
    ])
    expect([...collection.values()]).toHaveLength(3)
  })

  it('begins with the first element that is asked for, and shows one state', () => {
    const { collection, insert, remove } = source({ rows })
    const entries = collection.entries()
    insert({ id: 0 })
    expect(entries.next().value?.[0]).toBe(0)
    remove(1, 2)
    insert({ id: 4 })
    expect([...entries].map(([key, row]) => [key, row.id])).toEqual([
      [1, 1],
      [2, 2],
      [3, 3],
    ])
  })

  it('gives the very rows that are read by key', () => {
    const { collection } = source({ rows })
    for (const [key, row] of collection) expect(row).toBe(collection.get(key))
    for (const row of collection.values()) expect(row).toBe(collection.get(row.id))
  })

  it('is empty for what has not started, is empty or was cleaned up', () => {
    const idle = source({ startSync: false, rows }).collection
    const none = source().collection
    const over = source({ rows }).collection
    void over.cleanup()
    for (const collection of [idle, none, over]) {
      expect([[...collection], [...collection.keys()], [...collection.values()]]).toEqual([[], [], []])
    }
  })

  it('follows the order of a query', () => {
    const { collection, update } = source({ rows })
    const live = createLiveQueryCollection({
      query: (q) => q.from({ r: collection }).orderBy(({ r }) => r.v, 'desc'),
      startSync: true,
    })
    expect([...live.keys()]).toEqual([3, 2, 1])
    update({ id: 1, v: 100 })
    expect([...live.entries()].map(([key, row]) => [key, row.v])).toEqual([
      [1, 100],
      [3, 30],
      [2, 20],
    ])
  })

  it('reads the order once for many loops over one state, and hands out no list it keeps', () => {
    const { collection, insert } = source({ rows })
    const calls = vi.spyOn(insideOf(collection), 'rowList')
    for (let i = 0; i < 3; i++) expect([...collection.values(), ...collection].length).toBe(6)
    expect(calls).toHaveBeenCalledTimes(1)
    collection.toArray.pop()
    collection.toArray.reverse()
    expect([...collection.keys()]).toEqual([1, 2, 3])
    expect(plain([...collection.values()]).map(({ id }) => id)).toEqual([1, 2, 3])
    insert({ id: 0 })
    expect([...collection.values()]).toEqual(collection.toArray)
  })

  it('shows a row of the present version after its source changed nothing that can be seen', () => {
    const { collection, update } = source({ rows })
    const live = createLiveQueryCollection({
      query: (q) => q.from({ r: collection }).select(({ r }) => ({ id: r.id })),
      startSync: true,
    })
    expect([...live.values()]).toHaveLength(3)
    update({ id: 1, v: 99 })
    for (const [key, row] of live) expect(row).toBe(live.get(key))
  })
})

describe('a handler that looks at its collection', () => {
  it('sees the write it is to send, also through loops that have read the rows before', async () => {
    const seen: unknown[] = []
    const { collection } = source({
      rows,
      onInsert: (async () => {
        seen.push([...collection.keys()], [...collection.values()].length, [...collection].length)
        seen.push([...collection._state.optimisticUpserts.keys()])
      }) as never,
    })
    expect([[...collection.keys()].length, [...collection.values()].length]).toEqual([3, 3])
    await collection.insert({ id: 9 }).isPersisted.promise
    expect(seen).toEqual([[1, 2, 3, 9], 4, 4, [9]])
  })
})
