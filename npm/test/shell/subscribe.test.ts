import { describe, expect, it, vi } from 'vitest'
import type { Collection } from '../../src/index.ts'
import { plain, type Row, reported, source } from './source.ts'

/** Batches as text: `insert 1, update 2`. */
function record(collection: Collection<Row>, options?: { includeInitialState?: boolean }): string[] {
  const batches: string[] = []
  collection.subscribeChanges((changes) => {
    batches.push(changes.map(({ type, key }) => `${type} ${key}`).join(', '))
  }, options)
  return batches
}

describe('subscribeChanges', () => {
  it('delivers the present rows during the call, or an empty batch', () => {
    expect(
      record(source({ rows: [{ id: 2 }, { id: 1 }] }).collection, { includeInitialState: true }),
    ).toEqual(['insert 1, insert 2'])
    expect(record(source().collection, { includeInitialState: true })).toEqual([''])
  })

  it('starts an idle collection first', () => {
    const { collection } = source({ startSync: false, rows: [{ id: 1 }] })
    expect(record(collection, { includeInitialState: true })).toEqual(['insert 1'])
    expect([collection.status, collection.subscriberCount]).toEqual(['ready', 1])
  })

  it('tells a subscriber only of keys it knows, unless it says it knows all', () => {
    const { collection, update, remove, insert } = source({ rows: [{ id: 1 }, { id: 2 }] })
    const untold = record(collection)
    const all = record(collection, { includeInitialState: false })
    update({ id: 1, v: 1 })
    update({ id: 1, v: 2 })
    remove(2)
    insert({ id: 3 })
    remove(1, 3)
    expect(untold).toEqual(['insert 1', 'update 1', '', 'insert 3', 'delete 1, delete 3'])
    expect(all).toEqual(['update 1', 'update 1', 'delete 2', 'insert 3', 'delete 1, delete 3'])
  })

  it('gives values as they are read, and the previous value to updates only', () => {
    const { collection, update, insert, remove } = source({ id: 'c', rows: [{ id: 1, v: 1 }] })
    const seen: { type: string; value: object; previousValue?: object | undefined }[] = []
    const before = collection.get(1)
    collection.subscribeChanges((changes) => seen.push(...changes), { includeInitialState: false })
    update({ id: 1, v: 2 })
    insert({ id: 2 })
    const after = collection.get(1)
    remove(1)
    expect(seen[0]).toEqual({ type: 'update', key: 1, value: after, previousValue: before })
    expect(seen[0]?.previousValue).toBe(before)
    expect(seen[0]?.value).toBe(after)
    expect('previousValue' in (seen[1] as object)).toBe(false)
    expect(seen[2]).toEqual({ type: 'delete', key: 1, value: after })
  })

  it('shares messages between subscribers', () => {
    const { collection, insert } = source()
    const seen: unknown[] = []
    for (let i = 0; i < 2; i++)
      collection.subscribeChanges((changes) => seen.push(changes[0]), { includeInitialState: false })
    insert({ id: 1 })
    expect(seen[0]).toBe(seen[1])
  })

  it('says nothing of a row that stays equal', () => {
    const row = () => ({
      id: 1,
      at: new Date(1),
      nested: { list: [1, { x: Number.NaN }] },
      set: new Set([1]),
    })
    const { collection, update, commit } = source({ rows: [row()] })
    const batches = record(collection, { includeInitialState: true })
    update(row())
    commit(({ write }) => {
      write({ type: 'insert', value: { id: 2 } })
      write({ type: 'delete', key: 2 })
      write({ type: 'delete', key: 1 })
      write({ type: 'insert', value: row() })
    })
    expect(batches).toEqual(['insert 1'])
  })

  it('ends for good, also for what is queued', () => {
    const { collection, insert } = source()
    const later = vi.fn()
    collection.subscribeChanges(() => subscription.unsubscribe(), { includeInitialState: false })
    const subscription = collection.subscribeChanges(later, { includeInitialState: false })
    insert({ id: 1 })
    subscription.unsubscribe()
    expect(later).not.toHaveBeenCalled()
    expect(collection.subscriberCount).toBe(1)
  })
})

describe('subscribers that write', () => {
  it('are told first in, first out, and every commit returns with its rows visible', () => {
    const { collection, insert } = source()
    const order: string[] = []
    collection.subscribeChanges((changes) => {
      const { key } = changes[0] as { key: number }
      order.push(`a${key}`)
      if (key >= 3) return
      insert({ id: key + 1 })
      order.push(`size ${collection.size}`)
    })
    collection.subscribeChanges((changes) => order.push(`b${String(changes[0]?.key)}`))
    insert({ id: 1 })
    expect(order).toEqual(['a1', 'size 2', 'b1', 'a2', 'size 3', 'b2', 'a3', 'b3'])
  })

  it('get the present rows at once when they subscribe', () => {
    const { collection, insert } = source()
    const seen: unknown[] = []
    collection.subscribeChanges(() => {
      if (seen.length > 0) return
      insert({ id: 2 })
      collection.subscribeChanges((changes) => seen.push(changes.map(({ key }) => key)), {
        includeInitialState: true,
      })
      seen.push('subscribed')
    })
    insert({ id: 1 })
    expect(seen).toEqual([[1, 2], 'subscribed'])
  })

  it('hear nothing of a session that ended meanwhile', () => {
    const { collection, insert } = source()
    const second = vi.fn()
    collection.subscribeChanges(() => void collection.cleanup(), { includeInitialState: false })
    collection.subscribeChanges(second, { includeInitialState: false })
    insert({ id: 1 })
    expect(second).not.toHaveBeenCalled()
  })
})

describe('subscribers that throw', () => {
  it('disturb nobody else; the first error reaches the writer, the others are reported', async () => {
    const { collection, insert } = source()
    const seen = vi.fn()
    const errors = [new Error('first'), new Error('second')]
    for (const error of errors) {
      collection.subscribeChanges(() => {
        throw error
      })
    }
    collection.subscribeChanges(seen)
    const unhandled = await reported(() => expect(() => insert({ id: 1 })).toThrow(errors[0] as Error))
    expect(unhandled).toEqual([errors[1]])
    expect(seen).toHaveBeenCalledTimes(1)
    expect(plain(collection.get(1))).toEqual({ id: 1 })
  })

  it('are reported when a write inside a callback caused the publication', async () => {
    const { collection, insert } = source()
    const failure = new Error('nested')
    collection.subscribeChanges((changes) => {
      if (changes.some(({ key }) => key === 1)) insert({ id: 2 })
      else throw failure
    })
    expect(await reported(() => insert({ id: 1 }))).toEqual([failure])
    expect(collection.size).toBe(2)
  })

  it('are not subscribed if they throw at the present rows', () => {
    const { collection } = source({ rows: [{ id: 1 }] })
    const failing = () => {
      throw new Error('initial')
    }
    expect(() => collection.subscribeChanges(failing, { includeInitialState: true })).toThrow('initial')
    expect(collection.subscriberCount).toBe(0)
  })
})
