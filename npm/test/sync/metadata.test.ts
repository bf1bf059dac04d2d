import { describe, expect, it, vi } from 'vitest'
import { type Source, settle, source } from '../shell/source.ts'

const stored = ({ collection }: Source, key: string | number) => collection._state.syncedMetadata.get(key)

/** A source with a write to row 1 that is being sent until `accept`. */
function blocked() {
  let accept = () => {}
  const feed = source({
    rowUpdateMode: 'partial',
    rows: [{ id: 1, a: 1 }],
    onUpdate: () =>
      new Promise<void>((resolve) => {
        accept = resolve
      }),
  })
  feed.collection.update(1, (draft) => {
    ;(draft as { a?: number }).a = 5
  })
  return {
    feed,
    accept: async () => {
      accept()
      await settle()
    },
  }
}

describe('metadata of rows', () => {
  it('comes with inserts and updates, and goes with deletes and inserts that bring none', () => {
    const feed = source()
    feed.commit(({ write }) => {
      for (const id of [1, 2, 3, 4]) write({ type: 'insert', value: { id }, metadata: { v: 1 } })
    })
    feed.commit(({ write }) => {
      write({ type: 'update', value: { id: 1, x: 1 } })
      write({ type: 'update', value: { id: 2, x: 1 }, metadata: { v: 2 } })
      write({ type: 'delete', key: 3 })
      write({ type: 'insert', value: { id: 4 } })
    })
    expect([1, 2, 3, 4].map((id) => stored(feed, id))).toEqual([{ v: 1 }, { v: 2 }, undefined, undefined])
  })

  it('is what was staged last', () => {
    const feed = source()
    feed.commit(({ write, metadata }) => {
      metadata.row.set(1, 'before')
      write({ type: 'insert', value: { id: 1 } })
      write({ type: 'insert', value: { id: 2 } })
      metadata.row.set(2, 'after')
      write({ type: 'insert', value: { id: 3 }, metadata: { v: 1 } })
      metadata.row.delete(3)
      write({ type: 'insert', value: { id: 4 }, metadata: { v: 1 } })
      write({ type: 'delete', key: 4 })
    })
    expect([1, 2, 3, 4].map((id) => stored(feed, id))).toEqual([undefined, 'after', undefined, undefined])
  })

  it('is read as the open transaction stages it, and applied with it', () => {
    const feed = source()
    const { begin, write, truncate, commit, metadata } = feed.params
    feed.commit(({ metadata: { row } }) => {
      row.set(1, 'one')
      row.set(2, 'two')
    })
    begin()
    metadata.row.set(1, 'uno')
    write({ type: 'delete', key: 2 })
    expect([metadata.row.get(1), metadata.row.get(2)]).toEqual(['uno', undefined])
    expect([stored(feed, 1), stored(feed, 2)]).toEqual(['one', 'two'])
    truncate()
    expect([metadata.row.get(1), metadata.row.get(2)]).toEqual([undefined, undefined])
    metadata.row.set(2, 'dos')
    expect(stored(feed, 1)).toBe('one')
    commit()
    expect([stored(feed, 1), stored(feed, 2)]).toEqual([undefined, 'dos'])
  })

  it('of a row that waits goes when a later transaction that waits deletes the row', async () => {
    const { feed, accept } = blocked()
    feed.commit(({ write }) => write({ type: 'update', value: { id: 1, a: 2 }, metadata: { v: 1 } }))
    feed.commit(({ write }) => write({ type: 'delete', key: 1 }))
    expect(stored(feed, 1)).toBeUndefined()
    await accept()
    expect([feed.collection.size, stored(feed, 1)]).toEqual([0, undefined])
  })

  it('goes with a delete in a transaction that was begun before it was there', () => {
    const feed = source()
    const { begin, write, commit } = feed.params
    begin()
    write({ type: 'delete', key: 1 })
    feed.commit((inner) => inner.write({ type: 'insert', value: { id: 1 }, metadata: { v: 1 } }))
    expect(stored(feed, 1)).toEqual({ v: 1 })
    commit()
    expect([feed.collection.size, stored(feed, 1)]).toEqual([0, undefined])
  })
})

describe('metadata of a collection', () => {
  it('is listed by prefix, staged over applied, and survives a truncate', () => {
    const feed = source()
    const { begin, truncate, commit, metadata } = feed.params
    feed.commit(({ metadata: { collection } }) => {
      collection.set('a:1', 1)
      collection.set('a:2', 2)
      collection.set('b', 3)
    })
    begin()
    metadata.collection.set('a:3', 3)
    metadata.collection.delete('a:1')
    truncate()
    expect(metadata.collection.list('a:')).toEqual([
      { key: 'a:2', value: 2 },
      { key: 'a:3', value: 3 },
    ])
    commit()
    expect(metadata.collection.list().map(({ key }) => key)).toEqual(['a:2', 'b', 'a:3'])
    expect(metadata.collection.get('a:1')).toBeUndefined()
  })

  it('can be written alone, without an event, and read at any time', () => {
    let early: unknown = 'unread'
    const feed = source({
      onSync: ({ metadata }) => {
        early = metadata.collection.get('x')
      },
    })
    const changes = vi.fn()
    feed.collection.subscribeChanges(changes, { includeInitialState: false })
    feed.commit(({ metadata: { row, collection } }) => {
      row.set('nowhere', 1)
      collection.set('x', 2)
    })
    expect(early).toBeUndefined()
    expect(changes).not.toHaveBeenCalled()
    expect([feed.params.metadata.row.get('nowhere'), feed.params.metadata.collection.get('x')]).toEqual([
      1, 2,
    ])
  })

  it('waits with its transaction', async () => {
    const { feed, accept } = blocked()
    const { metadata } = feed.params
    feed.commit(({ write, metadata: { collection } }) => {
      write({ type: 'update', value: { id: 1, a: 2 } })
      collection.set('offset', 1)
    })
    expect(metadata.collection.get('offset')).toBeUndefined()
    await accept()
    expect(metadata.collection.get('offset')).toBe(1)
  })

  it('is that of the latest commit, though an earlier one that waited is applied after it', async () => {
    const { feed, accept } = blocked()
    const { metadata } = feed.params
    feed.commit(({ write, metadata: { collection, row } }) => {
      write({ type: 'update', value: { id: 1, a: 2 } })
      collection.set('offset', 1)
      collection.set('other', 1)
      row.set('nowhere', 1)
    })
    feed.commit(({ write, metadata: { collection, row } }) => {
      write({ type: 'insert', value: { id: 9 } })
      collection.set('offset', 2)
      row.set('nowhere', 2)
    })
    await accept()
    expect(metadata.collection.get('offset')).toBe(2)
    expect(metadata.collection.get('other')).toBe(1)
    expect(metadata.row.get('nowhere')).toBe(2)
  })

  it('is gone after a cleanup, and an old session neither reads nor writes', async () => {
    const feed = source()
    const { metadata } = feed.params
    feed.commit(({ metadata: { row, collection } }) => {
      row.set(1, 1)
      collection.set('x', 1)
    })
    await feed.collection.cleanup()
    feed.collection.startSyncImmediate()
    feed.commit(({ metadata: { collection } }) => collection.set('y', 1))
    metadata.row.set(1, 2)
    metadata.collection.set('x', 2)
    metadata.collection.delete('y')
    expect([metadata.row.get(1), metadata.collection.get('y'), metadata.collection.list()]).toEqual([
      undefined,
      undefined,
      [],
    ])
    expect(feed.params.metadata.collection.list()).toEqual([{ key: 'y', value: 1 }])
    expect(stored(feed, 1)).toBeUndefined()
  })

  it('is handed to mutations as their sync metadata', () => {
    const feed = source({ onUpdate: () => Promise.resolve() })
    feed.commit(({ write }) => write({ type: 'insert', value: { id: 1 }, metadata: { version: 3 } }))
    const transaction = feed.collection.update(1, (draft) => {
      ;(draft as { a?: number }).a = 1
    })
    expect(transaction.mutations[0]?.syncMetadata).toEqual({ version: 3 })
  })
})
