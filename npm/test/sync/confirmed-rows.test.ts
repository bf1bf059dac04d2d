import { describe, expect, it, vi } from 'vitest'
import { createCollection, createLiveQueryCollection, createTransaction, eq } from '../../src/index.ts'
import { list, plain, type Row, reported, type Source, settle, source } from '../shell/source.ts'

const hold = () => {
  let resolve = () => {}
  let reject = (_error: Error) => {}
  const promise = new Promise<void>((accept, refuse) => {
    resolve = accept
    reject = refuse
  })
  return { promise, resolve, reject }
}

/** A transaction whose writes show and are not being sent. */
function pending(write: () => void) {
  const transaction = createTransaction({ autoCommit: false, mutationFn: () => Promise.resolve() })
  transaction.mutate(write)
  return transaction
}

const edit = ({ collection }: Source, id: string | number, fields: Record<string, unknown>) =>
  collection.update(id, (draft) => {
    Object.assign(draft, fields)
  })

const standing = ({ collection }: Source, key: string | number) => {
  const row = collection.get(key)
  return row === undefined ? undefined : `${row.$synced ? 'synced' : 'pending'} ${row.$origin}`
}

const feedOf = (...rows: Row[]) => source({ rows, rowUpdateMode: 'partial', id: 'rows' })

describe('how far a row is confirmed', () => {
  it('is remote for rows of the source', () => {
    expect(standing(feedOf({ id: 1 }), 1)).toBe('synced remote')
  })

  it('is pending while a local write shows, and local once the source has confirmed it', () => {
    const feed = feedOf({ id: 1, a: 1 })
    const transaction = pending(() => edit(feed, 1, { a: 2 }))
    expect(standing(feed, 1)).toBe('pending local')
    feed.update({ id: 1, a: 2 })
    expect(standing(feed, 1)).toBe('pending local')
    transaction.rollback()
    expect(standing(feed, 1)).toBe('synced local')
    feed.update({ id: 1, a: 3 })
    expect(standing(feed, 1)).toBe('synced remote')
  })

  it('is local after the confirmation of a write that never showed', () => {
    const feed = source({ rows: [{ id: 1, a: 1 }], onUpdate: () => Promise.resolve() })
    feed.collection.update(1, { optimistic: false }, (draft) => {
      ;(draft as Row).a = 2
    })
    expect(standing(feed, 1)).toBe('synced remote')
    feed.commit(({ begin, write, commit }) => {
      begin({ immediate: true })
      write({ type: 'update', value: { id: 1, a: 2 } })
      commit()
    })
    expect(standing(feed, 1)).toBe('synced local')
  })

  it('is remote again after the failure of a write', () => {
    const feed = feedOf({ id: 1, a: 1 })
    pending(() => edit(feed, 1, { a: 2 })).rollback()
    expect(standing(feed, 1)).toBe('synced remote')
    feed.update({ id: 1, a: 3 })
    expect(standing(feed, 1)).toBe('synced remote')
  })

  it('is told as an update when nothing else changes', async () => {
    const sent = hold()
    const feed = source({ rows: [{ id: 1, a: 1 }], rowUpdateMode: 'partial', onUpdate: () => sent.promise })
    const seen: unknown[] = []
    feed.collection.subscribeChanges(
      (changes) => {
        for (const { type, value, previousValue } of changes)
          seen.push([type, previousValue?.$synced, value.$synced, value.a])
      },
      { includeInitialState: false },
    )
    edit(feed, 1, { a: 2 })
    feed.update({ id: 1, a: 2 })
    sent.resolve()
    await settle()
    expect(seen).toEqual([
      ['update', true, false, 2],
      ['update', false, true, 2],
    ])
  })

  it('reaches selects of $synced and $origin, and of whole rows', () => {
    const feed = feedOf({ id: 1, a: 1 }, { id: 2, a: 1 })
    const from = createLiveQueryCollection((q) =>
      q.from({ r: feed.collection }).select(({ r }) => ({ id: r.id, synced: r.$synced, origin: r.$origin })),
    )
    const whole = createLiveQueryCollection((q) =>
      q.from({ r: feed.collection }).select(({ r }) => ({ ...r, more: 1 })),
    )
    const over = createLiveQueryCollection((q) =>
      q.from({ f: from }).select(({ f }) => ({ id: f.id, from: f.origin })),
    )
    const unsynced = createLiveQueryCollection((q) =>
      q.from({ r: feed.collection }).where(({ r }) => eq(r.$synced, false)),
    )
    const local = createLiveQueryCollection((q) =>
      q.from({ r: feed.collection }).where(({ r }) => eq(r.$origin, 'local')),
    )
    for (const live of [from, whole, over, unsynced, local]) live.startSyncImmediate()
    const all = () => [
      from.get(1)?.synced,
      from.get(1)?.origin,
      whole.get(1)?.$synced,
      whole.get(1)?.$origin,
      over.get(1)?.from,
      unsynced.size,
      local.size,
    ]
    expect(all()).toEqual([true, 'remote', true, 'remote', 'remote', 0, 0])
    const transaction = pending(() => edit(feed, 1, { a: 2 }))
    expect(all()).toEqual([false, 'local', false, 'local', 'local', 1, 1])
    feed.update({ id: 1, a: 2 })
    transaction.rollback()
    expect(all()).toEqual([true, 'local', true, 'local', 'local', 0, 1])
    feed.update({ id: 1, a: 2 })
    expect(all()).toEqual([true, 'remote', true, 'remote', 'remote', 0, 0])
  })

  it('does not disturb selects of other fields', () => {
    const feed = feedOf({ id: 1, a: 1, b: 1 })
    const live = createLiveQueryCollection((q) =>
      q.from({ r: feed.collection }).select(({ r }) => ({ b: r.b })),
    )
    const changes = vi.fn()
    live.startSyncImmediate()
    live.subscribeChanges(changes, { includeInitialState: false })
    const before = live.get(1)
    const transaction = pending(() => edit(feed, 1, { a: 2 }))
    feed.update({ id: 1, a: 2 })
    transaction.rollback()
    expect(changes).not.toHaveBeenCalled()
    expect(live.get(1)).toBe(before)
  })

  it('is not told to selects of $origin when it stays the same', async () => {
    const feed = feedOf({ id: 1, a: 1, b: 1 })
    const live = createLiveQueryCollection((q) =>
      q.from({ r: feed.collection }).select(({ r }) => ({ b: r.b, origin: r.$origin })),
    )
    live.startSyncImmediate()
    const transaction = pending(() => edit(feed, 1, { a: 2 }))
    await transaction.commit()
    feed.update({ id: 1, a: 2 })
    expect(live.get(1)?.origin).toBe('local')
    feed.update({ id: 1, a: 3 })
    const changes = vi.fn()
    live.subscribeChanges(changes, { includeInitialState: false })
    feed.update({ id: 1, a: 4 })
    expect(changes).not.toHaveBeenCalled()
    expect(live.get(1)?.origin).toBe('remote')
  })

  it('keeps values of the row under the same names', () => {
    const feed = feedOf({ id: 1, $synced: 'mine', $origin: 'elsewhere' } as Row)
    expect(feed.collection.get(1)).toMatchObject({ $synced: 'mine', $origin: 'elsewhere', $key: 1 })
  })
})

describe('rows under local writes', () => {
  it('take in what the source sends for other fields', () => {
    const feed = feedOf({ id: 1, a: 1, b: 1, c: 1 })
    pending(() => edit(feed, 1, { a: 2 }))
    const second = pending(() => edit(feed, 1, { b: 2 }))
    feed.update({ id: 1, a: 9, b: 9, c: 9 })
    expect(plain(feed.collection.get(1))).toEqual({ id: 1, a: 2, b: 2, c: 9 })
    second.rollback()
    // What shares rows with a transaction that is rolled back is rolled back, too.
    expect(plain(feed.collection.get(1))).toEqual({ id: 1, a: 9, b: 9, c: 9 })
  })

  it('lose the fields that an update removes, and only those', () => {
    const feed = feedOf({ id: 1, a: 1, b: 1 })
    pending(() =>
      feed.collection.update(1, (draft) => {
        delete (draft as { a?: unknown }).a
      }),
    )
    feed.update({ id: 1, a: 5, b: 5 })
    expect(plain(feed.collection.get(1))).toEqual({ id: 1, b: 5 })
  })

  it('are one object as long as they do not change', () => {
    const feed = feedOf({ id: 1, a: 1 }, { id: 2, a: 1 })
    pending(() => edit(feed, 1, { a: 2 }))
    const row = feed.collection.get(1)
    expect(feed.collection.get(1)).toBe(row)
    expect(feed.collection.toArray[0]).toBe(row)
    feed.update({ id: 2, a: 2 })
    expect(feed.collection.get(1)).toBe(row)
  })

  it('take hostile names for data', () => {
    const feed = feedOf({ id: 1, a: 1 })
    pending(() => edit(feed, 1, { a: 2 }))
    feed.update(JSON.parse('{"id": 1, "__proto__": {"x": 1}, "constructor": 2}') as Row)
    const row = feed.collection.get(1) as Row
    expect(Object.getPrototypeOf(row)).toBe(Object.prototype)
    expect(Object.getOwnPropertyDescriptor(row, '__proto__')?.value).toEqual({ x: 1 })
    expect([row.constructor, row.a]).toEqual([2, 2])
  })

  it('give a throwing getter of the confirmed row as undefined', async () => {
    const feed = feedOf({ id: 1, a: 1 })
    const failure = new Error('getter')
    const errors = await reported(() => {
      pending(() => edit(feed, 1, { a: 2 }))
      const row = { id: 1, b: 1 }
      Object.defineProperty(row, 'c', {
        enumerable: true,
        get() {
          throw failure
        },
      })
      feed.update(row as Row)
      expect(plain(feed.collection.get(1))).toEqual({ id: 1, a: 2, b: 1, c: undefined })
    })
    expect(new Set(errors)).toEqual(new Set([failure]))
  })

  it('are told once, as confirmed, if the handler confirms them before it awaits', () => {
    const feed: Source = source({
      onInsert: ({ transaction }) => {
        feed.params.begin()
        for (const { modified } of transaction.mutations)
          feed.params.write({ type: 'insert', value: modified as Row })
        feed.params.commit()
        return Promise.resolve()
      },
    })
    const seen: unknown[] = []
    feed.collection.subscribeChanges((changes) => {
      for (const { type, key, value } of changes) seen.push([type, key, value.$synced, value.$origin])
    })
    feed.collection.insert({ id: 1 })
    expect(seen).toEqual([['insert', 1, true, 'local']])
  })

  it('survive a truncate as far as they do not need what is gone', () => {
    const feed = feedOf({ id: 1, a: 1 }, { id: 2, a: 1 }, { id: 3, a: 1 })
    pending(() => {
      edit(feed, 1, { a: 2 })
      feed.collection.delete(2)
      feed.collection.insert({ id: 4, a: 4 })
    })
    feed.commit(({ truncate, write }) => {
      truncate()
      write({ type: 'insert', value: { id: 2, a: 7 } })
      write({ type: 'insert', value: { id: 3, a: 7 } })
    })
    expect(list(feed.collection)).toEqual([
      { id: 3, a: 7 },
      { id: 4, a: 4 },
    ])
    feed.insert({ id: 1, a: 7, b: 7 })
    expect(plain(feed.collection.get(1))).toEqual({ id: 1, a: 2, b: 7 })
  })

  it('show again after a restart, and hold up what the new session sends', async () => {
    const sent = hold()
    const feed = source({ rows: [{ id: 1, a: 1 }], rowUpdateMode: 'partial', onUpdate: () => sent.promise })
    edit(feed, 1, { a: 2 })
    pending(() => feed.collection.insert({ id: 2 }))
    await feed.collection.cleanup()
    expect(feed.collection.size).toBe(0)
    feed.collection.startSyncImmediate()
    expect(list(feed.collection)).toEqual([{ id: 2 }])
    expect(feed.sessions).toBe(2)
    sent.resolve()
    await settle()
    expect(list(feed.collection)).toEqual([{ id: 1, a: 1 }, { id: 2 }])
  })
})

describe('the order of rows', () => {
  it('is that of the keys, with rows that are not confirmed last, as they were inserted', () => {
    const feed = feedOf({ id: 2 }, { id: 'b' })
    pending(() => {
      feed.collection.insert({ id: 'a' })
      feed.collection.insert({ id: 1 })
    })
    expect([...feed.collection.keys()]).toEqual(['b', 2, 'a', 1])
    feed.insert({ id: 1 })
    expect([...feed.collection.keys()]).toEqual(['b', 1, 2, 'a'])
    feed.insert({ id: 'a' })
    expect([...feed.collection.keys()]).toEqual(['a', 'b', 1, 2])
    expect(feed.collection.toArray.map(({ id }) => id)).toEqual(['a', 'b', 1, 2])
    feed.remove('a')
    expect([...feed.collection.keys()]).toEqual(['b', 1, 2, 'a'])
  })

  it('is that of compare over the confirmed rows, then of the keys', () => {
    const calls = vi.fn()
    const feed = source({
      rows: [
        { id: 1, at: 2 },
        { id: 2, at: 1 },
        { id: 3, at: 1 },
      ],
      compare: (a, b) => {
        calls()
        return (a.at as number) - (b.at as number)
      },
    })
    const { collection } = feed
    const order = () => [...collection.keys()]
    expect(order()).toEqual([2, 3, 1])
    const before = calls.mock.calls.length
    expect(collection.toArray.map(({ id }) => id)).toEqual([2, 3, 1])
    expect([...collection.state.keys()]).toEqual([2, 3, 1])
    expect(calls.mock.calls.length).toBe(before)
    const transaction = pending(() => {
      edit(feed, 2, { at: 9 })
      collection.insert({ id: 0, at: 0 })
    })
    expect(order()).toEqual([2, 3, 1, 0])
    expect(collection.get(2)?.at).toBe(9)
    feed.update({ id: 2, at: 5 })
    expect(order()).toEqual([3, 1, 2, 0])
    feed.insert({ id: 0, at: 0 })
    expect(order()).toEqual([0, 3, 1, 2])
    transaction.rollback()
    feed.remove(3)
    expect(order()).toEqual([0, 1, 2])
  })
})

describe('the state below', () => {
  it('has the confirmed rows, what shows over them and what is hidden', async () => {
    const sent = hold()
    const feed = source({
      rows: [{ id: 1, a: 1 }, { id: 2 }],
      rowUpdateMode: 'partial',
      onDelete: () => sent.promise,
    })
    const { syncedData, optimisticDeletes, optimisticUpserts } = feed.collection._state
    expect([syncedData.size, optimisticUpserts.size, optimisticDeletes.size]).toEqual([2, 0, 0])
    pending(() => {
      edit(feed, 1, { a: 2 })
      feed.collection.insert({ id: 3 })
    })
    feed.collection.delete(2)
    expect(new Map(syncedData)).toEqual(
      new Map([
        [1, { id: 1, a: 1 }],
        [2, { id: 2 }],
      ]),
    )
    expect([syncedData.size, syncedData.has(2), syncedData.has(3), syncedData.get(1)]).toEqual([
      2,
      true,
      false,
      { id: 1, a: 1 },
    ])
    expect([...optimisticUpserts.keys()].sort()).toEqual([1, 3])
    expect([...optimisticDeletes.keys()]).toEqual([2])
    feed.params.begin()
    feed.params.write({ type: 'delete', key: 2 })
    expect(feed.collection._state.pendingSyncedTransactions).toEqual([{ committed: false }])
    void feed.params.commit()
    expect(feed.collection._state.pendingSyncedTransactions).toEqual([{ committed: true }])
    sent.resolve()
    await settle()
    expect([syncedData.size, feed.collection._state.pendingSyncedTransactions.length]).toEqual([1, 0])
  })
})

describe('keys that are unlike others', () => {
  it('are NaN, of which there is one, and -0, which is 0', () => {
    const feed = feedOf()
    feed.insert({ id: Number.NaN, a: 1, b: 1 }, { id: -0, a: 1, b: 1 })
    feed.update({ id: Number.NaN, a: 2 }, { id: 0, a: 2 }, { id: Number.NaN, b: 2 }, { id: -0, b: 2 })
    expect([...feed.collection.keys()]).toEqual([0, Number.NaN])
    for (const key of [0, -0, Number.NaN]) expect(feed.collection.get(key)).toMatchObject({ a: 2, b: 2 })
    feed.remove(Number.NaN, -0)
    expect(feed.collection.size).toBe(0)
  })
})

describe('a source that failed', () => {
  it('recovers by a transaction that replaces all rows', () => {
    const feed = feedOf({ id: 1 })
    feed.params.markError(new Error('lost'))
    feed.insert({ id: 2 })
    expect([feed.collection.status, feed.collection.size]).toEqual(['error', 2])
    feed.commit(({ truncate, write }) => {
      truncate()
      write({ type: 'insert', value: { id: 3 } })
    })
    expect([feed.collection.status, [...feed.collection.keys()]]).toEqual(['ready', [3]])
  })
})

describe('what a sync function gives back', () => {
  const started = (sync: unknown, syncMode: 'eager' | 'on-demand' = 'eager') =>
    createCollection<Row>({ id: 'c', getKey: (row) => row.id, syncMode, sync: { sync: sync as () => void } })

  it('may be anything', async () => {
    for (const result of [null, 1, 'x', {}, Promise.resolve(), { cleanup: 1, loadSubset: 'no' }]) {
      const collection = started(() => result)
      collection.startSyncImmediate()
      expect(collection.status).toBe('loading')
      await collection.cleanup()
      expect(collection.status).toBe('cleaned-up')
    }
  })

  it('must have loadSubset for loading on demand', async () => {
    const collection = started(() => ({ cleanup() {} }), 'on-demand')
    expect(() => collection.startSyncImmediate()).toThrow('loadSubset')
    expect(collection.status).toBe('error')
    vi.spyOn(console, 'warn').mockImplementationOnce(() => {})
    await expect(collection.preload()).rejects.toThrow('loadSubset')
  })

  it('is called with its own object as this', () => {
    const calls: unknown[] = []
    const result = {
      cleanup() {
        calls.push(this)
      },
      loadSubset() {
        calls.push(this)
        return true
      },
    }
    const collection = started(() => result, 'on-demand')
    collection.startSyncImmediate()
    expect(collection._sync.loadSubset({})).toBe(true)
    void collection.cleanup()
    expect(calls).toEqual([result, result])
  })
})

describe('commits from inside', () => {
  it('of a subscriber are applied at once', () => {
    const feed = feedOf({ id: 1 })
    const seen: unknown[] = []
    feed.collection.subscribeChanges(
      (changes) => {
        for (const { key } of changes) {
          if (key === 2) feed.insert({ id: 3 })
          seen.push([key, feed.collection.size])
        }
      },
      { includeInitialState: false },
    )
    feed.insert({ id: 2 })
    expect(seen).toEqual([
      [2, 3],
      [3, 3],
    ])
  })

  it('of a getter that is read for the engine are refused, and the transaction stays open', async () => {
    const feed = feedOf()
    const live = createLiveQueryCollection((q) => q.from({ r: feed.collection }).where(({ r }) => eq(r.v, 1)))
    live.startSyncImmediate()
    const { begin, write, commit } = feed.params
    let refused = 0
    const row = { id: 1 }
    begin()
    write({ type: 'insert', value: { id: 2, v: 1 } })
    Object.defineProperty(row, 'v', {
      enumerable: true,
      get() {
        try {
          commit()
        } catch {
          refused++
        }
        return 1
      },
    })
    feed.commit((inner) => inner.write({ type: 'insert', value: row as Row }))
    expect(refused).toBeGreaterThan(0)
    expect([...live.keys()]).toEqual([1])
    commit()
    expect([...live.keys()]).toEqual([1, 2])
  })
})
