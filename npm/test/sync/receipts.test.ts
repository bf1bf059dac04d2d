import { describe, expect, it, vi } from 'vitest'
import {
  createLiveQueryCollection,
  createTransaction,
  DuplicateKeySyncError,
  NoPendingSyncTransactionCommitError,
  NoPendingSyncTransactionWriteError,
  SyncTransactionAlreadyCommittedError,
  SyncTransactionAlreadyCommittedWriteError,
} from '../../src/index.ts'
import { list, type Row, reported, type Source, settle, source } from '../shell/source.ts'

interface Sending {
  readonly feed: Source
  /** Ends the oldest write that is being sent. */
  accept(): Promise<void>
  refuse(): Promise<void>
}

/** A source whose local writes are being sent until they are accepted or refused. */
function sending(options: Parameters<typeof source>[0] = {}): Sending {
  const ends: { resolve(): void; reject(error: Error): void }[] = []
  const handler = () =>
    new Promise<void>((resolve, reject) => {
      ends.push({ resolve, reject })
    })
  const feed = source({
    rowUpdateMode: 'partial',
    onInsert: handler,
    onUpdate: handler,
    onDelete: handler,
    ...options,
  })
  return {
    feed,
    accept: async () => {
      ends.shift()?.resolve()
      await settle()
    },
    refuse: async () => {
      ends.shift()?.reject(new Error('refused'))
      await settle()
    },
  }
}

const state = async (receipt: true | Promise<void>) => {
  if (receipt === true) return 'true'
  return await Promise.race([
    receipt.then(
      () => 'applied',
      (error: Error) => error.name,
    ),
    settle().then(() => 'waiting'),
  ])
}

const edit = (feed: Source, id: string | number, a: number) =>
  feed.collection.update(id, (draft) => {
    ;(draft as Row).a = a
  })

function committed({ params }: Source, ...rows: Row[]): true | Promise<void> {
  params.begin()
  for (const value of rows) params.write({ type: 'update', value })
  return params.commit()
}

describe('receipts', () => {
  it('are true when nothing is in the way', () => {
    const { feed } = sending({ rows: [{ id: 1, a: 1 }] })
    expect(committed(feed, { id: 1, a: 2 })).toBe(true)
    feed.params.begin()
    expect(feed.params.commit()).toBe(true)
  })

  it('are promises while a row they write is being sent, and resolve when rows and events are visible', async () => {
    const { feed, accept } = sending({ rows: [{ id: 1, a: 1, b: 1 }] })
    edit(feed, 1, 5)
    const receipt = committed(feed, { id: 1, b: 2 })
    const order: string[] = []
    feed.collection.subscribeChanges((changes) => order.push(`${changes.length} change`), {
      includeInitialState: false,
    })
    void (receipt as Promise<void>).then(() => order.push(`applied ${feed.collection.get(1)?.b}`))
    expect(await state(receipt)).toBe('waiting')
    expect(feed.collection.get(1)).toMatchObject({ a: 5, b: 1, $synced: false })
    await accept()
    expect(order).toEqual(['1 change', 'applied 2'])
    expect(feed.collection.get(1)).toMatchObject({ a: 1, b: 2, $synced: true, $origin: 'local' })
  })

  it('are true for rows that no write has to do with, unless a row is being inserted', async () => {
    const { feed, accept } = sending({
      rows: [
        { id: 1, a: 1 },
        { id: 2, a: 1 },
      ],
    })
    edit(feed, 1, 5)
    expect(committed(feed, { id: 2, a: 2 })).toBe(true)
    await accept()
    feed.collection.insert({ id: 3 })
    expect(await state(committed(feed, { id: 2, a: 3 }))).toBe('waiting')
    await accept()
    expect(feed.collection.get(2)).toMatchObject({ a: 3 })
  })

  it('do not wait for writes that are not being sent yet', () => {
    const { feed } = sending({ rows: [{ id: 1, a: 1, b: 1 }] })
    const transaction = createTransaction({ autoCommit: false, mutationFn: () => Promise.resolve() })
    transaction.mutate(() => edit(feed, 1, 5))
    expect(committed(feed, { id: 1, b: 7 })).toBe(true)
    expect(feed.collection.get(1)).toMatchObject({ a: 5, b: 7, $synced: false })
    transaction.rollback()
    expect(feed.collection.get(1)).toMatchObject({ a: 1, b: 7, $synced: true })
  })

  it('resolve when the write fails as well', async () => {
    const { feed, refuse } = sending({ rows: [{ id: 1, a: 1 }] })
    edit(feed, 1, 5)
    const receipt = committed(feed, { id: 1, a: 2 })
    await refuse()
    expect(await state(receipt)).toBe('applied')
    expect(feed.collection.get(1)).toMatchObject({ a: 2, $synced: true })
  })

  it('are true for immediate transactions, which apply what waits before them', async () => {
    const { feed } = sending({ rows: [{ id: 1, a: 1, b: 1 }] })
    edit(feed, 1, 5)
    const first = committed(feed, { id: 1, b: 2 })
    feed.params.begin({ immediate: true })
    feed.params.write({ type: 'update', value: { id: 1, c: 3 } })
    expect(feed.params.commit()).toBe(true)
    expect(feed.collection.get(1)).toMatchObject({ a: 5, b: 2, c: 3 })
    expect(await state(first)).toBe('applied')
  })

  it('are true for truncating transactions, which apply what waits before them', async () => {
    const { feed } = sending({
      rows: [
        { id: 1, a: 1 },
        { id: 2, a: 1 },
      ],
    })
    edit(feed, 1, 5)
    const first = committed(feed, { id: 1, a: 2 })
    feed.params.begin()
    feed.params.truncate()
    feed.params.write({ type: 'insert', value: { id: 1, a: 3, b: 3 } })
    expect(feed.params.commit()).toBe(true)
    expect(await state(first)).toBe('applied')
    expect(list(feed.collection)).toEqual([{ id: 1, a: 5, b: 3 }])
  })

  it('reject with AbortError when a cleanup abandons the transaction, and not after it was applied', async () => {
    const { feed, accept } = sending({ rows: [{ id: 1, a: 1 }] })
    edit(feed, 1, 5)
    const applied = committed(feed, { id: 1, a: 2 })
    await accept()
    edit(feed, 1, 6)
    const abandoned = committed(feed, { id: 1, a: 3 })
    await feed.collection.cleanup()
    expect(await state(applied)).toBe('applied')
    expect(await state(abandoned)).toBe('AbortError')
  })

  it('resolve though somebody who is told cleans the collection up', async () => {
    const { feed, accept } = sending({ rows: [{ id: 1, a: 1 }] })
    edit(feed, 1, 5)
    const receipt = committed(feed, { id: 1, a: 2 })
    feed.collection.subscribeChanges(() => void feed.collection.cleanup(), { includeInitialState: false })
    await accept()
    expect(feed.collection.status).toBe('cleaned-up')
    expect(await state(receipt)).toBe('applied')
  })

  it('are no unhandled rejections when nobody looks', async () => {
    const { feed } = sending({ rows: [{ id: 1, a: 1 }] })
    const unhandled = vi.fn()
    process.on('unhandledRejection', unhandled)
    edit(feed, 1, 5)
    void committed(feed, { id: 1, a: 2 })
    await feed.collection.cleanup()
    await settle()
    process.off('unhandledRejection', unhandled)
    expect(unhandled).not.toHaveBeenCalled()
  })

  it('are settled in the order in which the transactions were committed', async () => {
    const { feed, accept } = sending({ rows: [{ id: 1, a: 1 }] })
    edit(feed, 1, 5)
    const order: number[] = []
    for (const n of [1, 2, 3])
      void (committed(feed, { id: 1, b: n }) as Promise<void>).then(() => order.push(n))
    await accept()
    expect(order).toEqual([1, 2, 3])
    expect(feed.collection.get(1)).toMatchObject({ b: 3 })
  })

  it('let what waits show in one batch with the end of the write', async () => {
    const { feed, accept } = sending({ rows: [{ id: 1, a: 1 }] })
    const batches: string[] = []
    feed.collection.subscribeChanges(
      (changes) => batches.push(changes.map(({ type, value }) => `${type} ${value.a}`).join()),
      { includeInitialState: false },
    )
    edit(feed, 1, 5)
    void committed(feed, { id: 1, a: 5 })
    void committed(feed, { id: 1, b: 5 })
    await accept()
    expect(batches).toEqual(['update 5', 'update 5'])
    expect(feed.collection.get(1)).toMatchObject({ $synced: true })
  })
})

describe('a commit without changes', () => {
  it('ends the kept changes of direct writes that were accepted', async () => {
    const { feed, accept } = sending({ rows: [{ id: 1, a: 1 }] })
    edit(feed, 1, 5)
    await accept()
    expect(feed.collection.get(1)).toMatchObject({ a: 5, $synced: false })
    expect(committed(feed)).toBe(true)
    expect(feed.collection.get(1)).toMatchObject({ a: 1, $synced: true })
  })

  it('tells nothing when there are none', () => {
    const { feed } = sending({ rows: [{ id: 1, a: 1 }] })
    const changes = vi.fn()
    feed.collection.subscribeChanges(changes, { includeInitialState: false })
    committed(feed)
    expect(changes).not.toHaveBeenCalled()
  })
})

describe('errors of sync transactions', () => {
  it('tell a transaction that waits from one that was never begun', async () => {
    const { feed, accept } = sending({ rows: [{ id: 1, a: 1 }] })
    const { write, commit, truncate, metadata } = feed.params
    edit(feed, 1, 5)
    void committed(feed, { id: 1, a: 2 })
    expect(() => write({ type: 'delete', key: 1 })).toThrow(SyncTransactionAlreadyCommittedWriteError)
    expect(() => truncate()).toThrow(SyncTransactionAlreadyCommittedWriteError)
    expect(() => metadata.row.set(1, 1)).toThrow(SyncTransactionAlreadyCommittedWriteError)
    expect(() => commit()).toThrow(SyncTransactionAlreadyCommittedError)
    await accept()
    expect(() => write({ type: 'delete', key: 1 })).toThrow(NoPendingSyncTransactionWriteError)
    expect(() => metadata.collection.delete('x')).toThrow(NoPendingSyncTransactionWriteError)
    expect(() => commit()).toThrow(NoPendingSyncTransactionCommitError)
  })

  it('check inserts against confirmed rows, not against local writes, open or waiting transactions', async () => {
    const { feed, accept } = sending()
    const { begin, write, commit } = feed.params
    feed.collection.insert({ id: 1, a: 1 })
    begin()
    write({ type: 'insert', value: { id: 1, a: 2 } })
    const waits = commit()
    begin()
    write({ type: 'insert', value: { id: 1, a: 3 } })
    write({ type: 'insert', value: { id: 1, a: 4 } })
    void commit()
    await accept()
    expect(await state(waits)).toBe('applied')
    expect(list(feed.collection)).toEqual([{ id: 1, a: 4 }])
    const transaction = feed.collection.delete(1)
    begin()
    expect(() => write({ type: 'insert', value: { id: 1, a: 5 } })).toThrow(DuplicateKeySyncError)
    void commit()
    transaction.rollback()
    expect(list(feed.collection)).toEqual([{ id: 1, a: 4 }])
  })

  it('leave the transaction open', () => {
    const { feed } = sending({ rows: [{ id: 1, a: 1 }] })
    const { begin, write, commit } = feed.params
    begin()
    expect(() => write({ type: 'insert', value: { id: 1, a: 2 } })).toThrow(DuplicateKeySyncError)
    expect(() => write({ type: 'upsert' as never, key: 1 } as never)).toThrow(TypeError)
    write({ type: 'update', value: { id: 1, a: 3 } })
    expect(commit()).toBe(true)
    expect(feed.collection.get(1)?.a).toBe(3)
  })
})

describe('what subscribers throw', () => {
  const failing = (collection: Source['collection'], error: Error) =>
    collection.subscribeChanges(
      () => {
        throw error
      },
      { includeInitialState: false },
    )

  it('reaches the caller of commit once everybody has been told; rows, metadata and the end of a load stand', async () => {
    const feed = source({ ready: false })
    const [first, second] = [new Error('first'), new Error('second')]
    failing(feed.collection, first)
    failing(feed.collection, second)
    const others = vi.fn()
    feed.collection.subscribeChanges(others)
    const live = createLiveQueryCollection((q) => q.from({ r: feed.collection }))
    live.startSyncImmediate()
    const { begin, truncate, write, commit, metadata } = feed.params
    begin()
    truncate()
    write({ type: 'insert', value: { id: 1 } })
    metadata.collection.set('at', 7)
    const errors = await reported(() => expect(() => commit()).toThrow(first))
    // The batch that says that the collection is ready comes after, and throws as well.
    expect(errors).toContain(second)
    expect(others).toHaveBeenCalled()
    expect([feed.collection.size, live.size, metadata.collection.get('at')]).toEqual([1, 1, 7])
    expect([feed.collection.status, live.status]).toEqual(['ready', 'ready'])
  })

  it('is reported once if a write that ended in its own time caused it, and the receipt resolves', async () => {
    const { feed, accept } = sending({ rows: [{ id: 1, a: 1 }] })
    edit(feed, 1, 5)
    const receipt = committed(feed, { id: 1, a: 2 })
    const error = new Error('subscriber')
    failing(feed.collection, error)
    const others = vi.fn()
    feed.collection.subscribeChanges(others, { includeInitialState: false })
    expect(await reported(() => accept())).toEqual([error])
    expect(others).toHaveBeenCalledTimes(1)
    expect(await state(receipt)).toBe('applied')
  })
})
