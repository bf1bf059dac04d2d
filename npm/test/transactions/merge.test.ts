import { beforeEach, describe, expect, it } from 'vitest'
import {
  createCollection,
  createTransaction,
  type PendingMutation,
  type SyncParams,
  type Transaction,
} from '../../src/index.ts'
import { type Row, type Source, settle } from '../shell/source.ts'
import { items, seen, set } from './world.ts'

let rows: Source['collection']
let feed: Source
let transaction: Transaction
const open = () => createTransaction({ autoCommit: false, mutationFn: async () => {} })
const only = () => {
  expect(transaction.mutations).toHaveLength(1)
  return transaction.mutations[0] as PendingMutation<Row>
}

beforeEach(() => {
  feed = items()
  rows = feed.collection
  transaction = open()
})

describe('two mutations of one row in a transaction', () => {
  it('an insert that is updated is an insert of the later row', () => {
    transaction.mutate(() => rows.insert({ id: 9, n: 1, a: 1 }, { metadata: { by: 'insert' } }))
    const first = only()
    transaction.mutate(() => rows.update(9, set(2)))
    const merged = only()
    expect(merged).toMatchObject({
      type: 'insert',
      original: {},
      modified: { id: 9, n: 2, a: 1 },
      changes: { id: 9, n: 2, a: 1 },
      metadata: { by: 'insert' },
      createdAt: first.createdAt,
    })
    expect(merged.mutationId).not.toBe(first.mutationId)
    expect(seen(rows)).toBe('1=1 2=2 3=3 9=2*')
    transaction.mutate(() => rows.update(9, { metadata: { by: 'update' } }, set(3)))
    expect(only().metadata).toEqual({ by: 'update' })
  })

  it('an insert that is deleted is nothing', () => {
    transaction.mutate(() => {
      rows.insert({ id: 9, n: 1 })
      rows.delete(9)
    })
    expect(transaction.mutations).toEqual([])
    expect(seen(rows)).toBe('1=1 2=2 3=3')
  })

  it('an insert that is deleted and inserted again is the later insert', () => {
    transaction.mutate(() => {
      rows.insert({ id: 9, n: 1 })
      rows.delete(9)
      rows.insert({ id: 9, n: 2 })
    })
    expect(only()).toMatchObject({ type: 'insert', original: {}, modified: { id: 9, n: 2 } })
    expect(seen(rows)).toBe('1=1 2=2 3=3 9=2*')
  })

  it('an update that is updated has the first original and all changes, the later ones winning', () => {
    transaction.mutate(() => {
      rows.update(1, { metadata: { by: 1 } }, (draft) => {
        draft.n = 5
        draft.a = 1
      })
      rows.update(1, (draft) => {
        draft.n = 6
        draft.b = 2
      })
    })
    expect(only()).toMatchObject({
      type: 'update',
      original: { id: 1, n: 1 },
      modified: { id: 1, n: 6, a: 1, b: 2 },
      changes: { n: 6, a: 1, b: 2 },
      metadata: { by: 1 },
    })
    expect(seen(rows)).toBe('1=6* 2=2 3=3')
  })

  it('an update that is deleted is the delete of the row as it was then', () => {
    transaction.mutate(() => {
      rows.update(1, set(5))
      rows.delete(1)
    })
    const row = { id: 1, n: 5 }
    expect(only()).toMatchObject({ type: 'delete', original: row, modified: row, changes: row })
    expect(seen(rows)).toBe('2=2 3=3')
  })

  it('a delete that is inserted again is an update of the row from before', () => {
    transaction.mutate(() => {
      rows.delete(1)
      rows.insert({ id: 1, n: 8, fresh: true })
    })
    expect(only()).toMatchObject({
      type: 'update',
      original: { id: 1, n: 1 },
      modified: { id: 1, n: 8, fresh: true },
      changes: { n: 8, fresh: true },
    })
    expect(seen(rows)).toBe('1=8* 2=2 3=3')
    transaction.rollback()
    expect(seen(rows)).toBe('1=1 2=2 3=3')
  })

  it('a row that replaces a deleted one lacks the fields it does not have', () => {
    const wide = items({ rows: [{ id: 1, n: 1, old: 1 }] }).collection
    transaction.mutate(() => {
      wide.delete(1)
      wide.insert({ id: 1, n: 1 })
    })
    expect(Object.entries(only().changes)).toEqual([['old', undefined]])
    expect(Object.hasOwn(wide.get(1) as object, 'old')).toBe(false)
  })

  it('mutations applied by hand replace those of the same kind', () => {
    transaction.mutate(() => rows.delete(1))
    const first = only()
    transaction.applyMutations([{ ...first, mutationId: 'second' } as PendingMutation])
    expect(only().mutationId).toBe('second')
  })

  it('a row keeps the place of its first mutation, and the list of mutations its identity', () => {
    const { mutations } = transaction
    transaction.mutate(() => {
      rows.update(1, set(5))
      rows.update(2, set(5))
      rows.update(1, set(6))
    })
    expect(transaction.mutations.map(({ key }) => key)).toEqual([1, 2])
    transaction.mutate(() => {
      rows.insert([7, 8, 9].map((id) => ({ id, n: 0 })))
      rows.delete([7, 9])
      rows.update(8, set(1))
    })
    expect(transaction.mutations.map(({ key }) => key)).toEqual([1, 2, 8])
    expect(transaction.mutations).toBe(mutations)
  })

  it('rows of other collections and keys of another type are other rows', () => {
    const other = items({ rows: [{ id: '1', n: 'text' }] }).collection
    const mixed = items({
      rows: [
        { id: 1, n: 'number' },
        { id: '1', n: 'text' },
      ],
    }).collection
    transaction.mutate(() => {
      rows.update(1, set(5))
      other.update('1', set(6))
      mixed.update(1, set(7))
      mixed.update('1', set(8))
    })
    expect(transaction.mutations.map(({ key, changes }) => [key, changes.n])).toEqual([
      [1, 5],
      ['1', 6],
      [1, 7],
      ['1', 8],
    ])
    expect([mixed.get(1)?.n, mixed.get('1')?.n]).toEqual([7, 8])
  })

  it('shows before confirmation only if both are to be shown', () => {
    transaction.mutate(() => {
      rows.update(1, set(5))
      rows.update(1, { optimistic: false }, set(6))
    })
    expect(only()).toMatchObject({ optimistic: false, changes: { n: 6 } })
    expect(seen(rows)).toBe('1=1 2=2 3=3')
  })

  it('an update of a row whose earlier update does not show holds both', () => {
    transaction.mutate(() => {
      rows.update(1, { optimistic: false }, set(5))
      rows.update(1, (draft) => {
        draft.a = 1
      })
    })
    expect(only()).toMatchObject({
      original: { id: 1, n: 1 },
      modified: { id: 1, n: 5, a: 1 },
      changes: { n: 5, a: 1 },
    })
  })

  it('a delete that does not show is replaced by a later update', () => {
    transaction.mutate(() => {
      rows.delete(1, { optimistic: false })
      rows.update(1, set(5))
    })
    expect(only()).toMatchObject({ type: 'update', original: { id: 1, n: 1 }, changes: { n: 5 } })
    expect(seen(rows)).toBe('1=5* 2=2 3=3')
  })
})

describe('a delete without confirmation that is inserted', () => {
  it('ends with the transaction', async () => {
    transaction.mutate(() => {
      rows.delete(1)
      rows.insert({ id: 1, n: 8 })
    })
    await transaction.commit()
    await settle()
    expect(seen(rows)).toBe('1=1 2=2 3=3')
  })
})

describe('one call with a key that is named twice', () => {
  it('gives it one draft and one mutation', () => {
    const write = rows.update([1, 2, 1], (drafts) => {
      expect(drafts).toHaveLength(3)
      expect(drafts[0]).toBe(drafts[2])
      for (const draft of drafts) draft.n = (draft.n as number) + 10
    })
    expect(write.mutations.map(({ key, changes }) => [key, changes.n])).toEqual([
      [1, 21],
      [2, 12],
    ])
    expect(rows.delete([3, 3]).mutations).toHaveLength(1)
  })
})

describe('a row that a transaction deletes and inserts anew', () => {
  it('is the whole inserted row, whatever the source makes of the deleted one meanwhile', () => {
    let params: SyncParams<{ id: number; a?: number; b?: number }, number> | undefined
    const collection = createCollection<{ id: number; a?: number; b?: number }, number>({
      getKey: (row) => row.id,
      startSync: true,
      sync: {
        rowUpdateMode: 'full',
        sync: (given) => {
          params = given
          given.begin()
          given.write({ type: 'insert', value: { id: 1, a: 1, b: 1 } })
          given.commit()
          given.markReady()
        },
      },
    })
    const transaction = createTransaction({ autoCommit: false, mutationFn: async () => {} })
    transaction.mutate(() => {
      collection.delete(1)
      collection.insert({ id: 1, a: 2 })
      collection.update(1, (draft) => {
        draft.a = 3
      })
    })
    params?.begin()
    params?.write({ type: 'update', value: { id: 1, a: 9, b: 9 } })
    params?.commit()
    expect(collection.get(1)).toMatchObject({ id: 1, a: 3 })
    expect(collection.get(1)).not.toHaveProperty('b')
    expect(transaction.mutations).toMatchObject([{ type: 'update', changes: { a: 3, b: undefined } }])
    transaction.rollback()
    expect(collection.get(1)).toMatchObject({ a: 9, b: 9 })
  })
})
