import { afterEach, describe, expect, it, vi } from 'vitest'
import { insideOf } from '../../src/collection/access.ts'
import { theSession } from '../../src/collection/the-session.ts'
import { EngineCommandError } from '../../src/errors/engine.ts'
import { createTransaction } from '../../src/index.ts'
import { Hold, type LocalWrite } from '../../src/sync/local-write.ts'
import type { RootCollection } from '../../src/sync/root-collection.ts'
import { nextNumber } from '../../src/transactions/scope.ts'
import { plain, type Row, type Source, settle, source } from '../shell/source.ts'

const rootOf = ({ collection }: Source) => insideOf(collection) as RootCollection

afterEach(() => {
  vi.restoreAllMocks()
})

const edit = ({ collection }: Source, id: string | number, fields: Record<string, unknown>) =>
  collection.update(id, (draft) => {
    Object.assign(draft, fields)
  })

describe('slots of rows and patches', () => {
  it('are used again whatever becomes of writes', async () => {
    const ends: { resolve(): void; reject(error: Error): void }[] = []
    const feed = source({
      rows: [{ id: 1, n: 0 }],
      rowUpdateMode: 'partial',
      onUpdate: () =>
        new Promise<void>((resolve, reject) => {
          ends.push({ resolve, reject })
        }),
    })
    let highest = 0
    const { source: rows } = rootOf(feed)
    const put = rows.put.bind(rows)
    vi.spyOn(rows, 'put').mockImplementation((raw, keyId) => {
      const slot = put(raw, keyId)
      highest = Math.max(highest, slot)
      return slot
    })
    for (let n = 1; n < 150; n++) {
      edit(feed, 1, { n })
      if (n % 3 === 0) feed.update({ id: 1, m: n })
      const transaction = createTransaction({ autoCommit: false, mutationFn: () => Promise.resolve() })
      transaction.mutate(() => {
        edit(feed, 1, { other: n })
        feed.collection.insert({ id: -n })
        edit(feed, -n, { a: 1 })
      })
      if (n % 2 === 0) transaction.rollback()
      else await transaction.commit()
      const end = ends.shift()
      if (n % 5 === 0) end?.reject(new Error('refused'))
      else end?.resolve()
      await settle()
      feed.update({ id: 1, n })
    }
    expect(plain(feed.collection.toArray)).toEqual([{ id: 1, n: 149, m: 147 }])
    expect(highest).toBeLessThan(40)
    expect(rows.covers).toBe(false)
  }, 30_000)

  it('are free again after a message that the engine refused, however often', () => {
    const feed = source({ rows: [{ id: 1 }] })
    const root = rootOf(feed)
    const insert = (key: number): LocalWrite => ({ op: 'insert', key, row: { id: key }, optimistic: true })
    const update: LocalWrite = {
      op: 'update',
      key: 1,
      row: { id: 1, a: 1 },
      changes: { a: 1 },
      optimistic: true,
    }
    const transaction = nextNumber()
    root.mutate(transaction, [insert(2)], Hold.sending)
    for (let n = 0; n < 500; n++) {
      const writes = [insert(3), update, insert(4), insert(5)]
      expect(() => root.mutate(transaction, writes, Hold.none)).toThrow(EngineCommandError)
    }
    theSession().settle([[transaction, 0]], [root])
    feed.insert({ id: 7 }, { id: 8 }, { id: 9 })
    expect([...feed.collection.keys()]).toEqual([1, 7, 8, 9])
    expect(root.source.keyCapacity).toBeLessThan(12)
  })
})

describe('a row that cannot be put together', () => {
  const failure = new Error('no row')
  const failing = (feed: Source) =>
    vi.spyOn(rootOf(feed).source, 'compose').mockImplementationOnce(() => {
      throw failure
    })

  it('leaves the confirmed row as it was; the rest of the commit stands and its error reaches the caller', () => {
    const feed = source({
      rows: [
        { id: 1, a: 1 },
        { id: 2, a: 1 },
      ],
      rowUpdateMode: 'partial',
    })
    createTransaction({ autoCommit: false, mutationFn: () => Promise.resolve() }).mutate(() =>
      edit(feed, 2, { b: 2 }),
    )
    failing(feed)
    const { begin, write, commit, metadata } = feed.params
    begin()
    write({ type: 'update', value: { id: 1, a: 2 } })
    write({ type: 'insert', value: { id: 3 } })
    metadata.collection.set('at', 1)
    expect(() => commit()).toThrow(failure)
    expect(plain(feed.collection.toArray)).toEqual([{ id: 1, a: 1 }, { id: 2, a: 1, b: 2 }, { id: 3 }])
    expect(metadata.collection.get('at')).toBe(1)
    feed.update({ id: 1, a: 3 })
    expect(plain(feed.collection.get(1))).toEqual({ id: 1, a: 3 })
  })

  it('shows what is below a local write until it can', () => {
    const feed = source({ rows: [{ id: 1, a: 1 }], rowUpdateMode: 'full' })
    createTransaction({ autoCommit: false, mutationFn: () => Promise.resolve() }).mutate(() =>
      edit(feed, 1, { b: 2 }),
    )
    failing(feed)
    expect(() => feed.update({ id: 1, a: 2 } as Row)).toThrow(failure)
    expect(plain(feed.collection.get(1))).toEqual({ id: 1, a: 2 })
    feed.update({ id: 1, a: 3 })
    expect(plain(feed.collection.get(1))).toEqual({ id: 1, a: 3, b: 2 })
  })
})
