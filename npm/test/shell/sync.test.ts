import { describe, expect, it, vi } from 'vitest'
import {
  createCollection,
  createLiveQueryCollection,
  DuplicateKeySyncError,
  eq,
  gt,
  InvalidKeyError,
  NoPendingSyncTransactionCommitError,
  NoPendingSyncTransactionWriteError,
  SyncCleanupError,
  UndefinedKeyError,
} from '../../src/index.ts'
import { list, plain, type Row, reported, settle, source } from './source.ts'

describe('sync transactions', () => {
  it('shows nothing before the commit and everything when it returns', () => {
    const { collection, params } = source()
    params.begin()
    params.write({ type: 'insert', value: { id: 1 } })
    expect(collection.size).toBe(0)
    expect(params.commit()).toBe(true)
    expect(list(collection)).toEqual([{ id: 1 }])
  })

  it('nests transactions like a stack', () => {
    const { collection, params } = source()
    params.begin()
    params.write({ type: 'insert', value: { id: 1 } })
    params.begin()
    params.write({ type: 'insert', value: { id: 2 } })
    params.commit()
    expect([...collection.keys()]).toEqual([2])
    params.commit()
    expect([...collection.keys()]).toEqual([1, 2])
  })

  it('lets the later of two nested inserts of one key win', () => {
    const { collection, params } = source()
    params.begin()
    params.write({ type: 'insert', value: { id: 1, v: 'outer' } })
    params.begin()
    params.write({ type: 'insert', value: { id: 1, v: 'inner' } })
    params.commit()
    params.commit()
    expect(list(collection)).toEqual([{ id: 1, v: 'outer' }])
  })

  it('refuses writes and commits without an open transaction', () => {
    const { params } = source()
    expect(() => params.write({ type: 'insert', value: { id: 1 } })).toThrow(
      NoPendingSyncTransactionWriteError,
    )
    expect(() => params.truncate()).toThrow(NoPendingSyncTransactionWriteError)
    expect(() => params.commit()).toThrow(NoPendingSyncTransactionCommitError)
  })

  it('takes the key from the message before asking getKey', () => {
    const { collection, commit } = source()
    commit(({ write }) => write({ type: 'insert', key: 'own', value: { id: 1 } }))
    expect(collection.get('own')).toMatchObject({ id: 1, $key: 'own' })
  })

  it('refuses keys that are no strings or numbers', () => {
    const { params } = source()
    params.begin()
    expect(() => params.write({ type: 'insert', value: {} as Row })).toThrow(UndefinedKeyError)
    expect(() => params.write({ type: 'insert', value: { id: null } as never })).toThrow(InvalidKeyError)
  })

  it('tells keys 1 and "1" apart', () => {
    const { collection, insert } = source()
    insert({ id: 1, v: 'number' }, { id: '1', v: 'string' })
    expect([collection.get(1)?.v, collection.get('1')?.v]).toEqual(['number', 'string'])
    expect([...collection.keys()]).toEqual(['1', 1])
  })

  it('takes an insert of an equal row for an update, and refuses one of another row', () => {
    const { collection, params, insert } = source({ rows: [{ id: 1, at: new Date(3), v: [1] }] })
    const changes = vi.fn()
    collection.subscribeChanges(changes, { includeInitialState: false })
    insert({ id: 1, at: new Date(3), v: [1] })
    expect(changes).not.toHaveBeenCalled()
    params.begin()
    expect(() => params.write({ type: 'insert', value: { id: 1, v: 2 } })).toThrow(DuplicateKeySyncError)
    params.write({ type: 'insert', value: { id: 2 } })
    params.commit()
    expect([...collection.keys()]).toEqual([1, 2])
  })

  it('lets a transaction insert what it deletes, and lets the last of two inserts win', () => {
    const { collection, commit } = source({ rows: [{ id: 1, v: 0 }] })
    commit(({ write }) => {
      write({ type: 'delete', key: 1 })
      write({ type: 'insert', value: { id: 1, v: 1 } })
      for (let id = 2; id < 20; id++) write({ type: 'insert', value: { id, v: 0 } })
      write({ type: 'insert', value: { id: 2, v: 2 } })
    })
    expect([collection.get(1)?.v, collection.get(2)?.v, collection.size]).toEqual([1, 2, 19])
  })

  it('merges partial updates onto the latest version, also within a transaction', () => {
    const { collection, commit } = source({ rows: [{ id: 1, a: 1, b: { x: 1 } }], rowUpdateMode: 'partial' })
    commit(({ write }) => {
      write({ type: 'update', value: { id: 1, b: { y: 2 } } })
      write({ type: 'update', value: { id: 1, c: 3 } })
      write({ type: 'update', value: { id: 2, a: 5 } })
    })
    expect(list(collection)).toEqual([
      { id: 1, a: 1, b: { y: 2 }, c: 3 },
      { id: 2, a: 5 },
    ])
  })

  it('replaces rows in full mode', () => {
    const { collection, update } = source({ rows: [{ id: 1, a: 1 }] })
    update({ id: 1, b: 2 })
    expect(list(collection)).toEqual([{ id: 1, b: 2 }])
  })

  it('ignores deletes of absent rows', () => {
    const { collection, remove } = source()
    const changes = vi.fn()
    collection.subscribeChanges(changes)
    remove(1, 'x')
    expect(changes).not.toHaveBeenCalled()
  })

  it('replaces everything in a truncating transaction, in one batch of net changes', () => {
    const { collection, commit } = source({
      rows: [
        { id: 1, v: 1 },
        { id: 2, v: 2 },
        { id: 3, v: 3 },
      ],
    })
    const events: string[] = []
    collection.on('truncate', () => events.push('truncate'))
    collection.subscribeChanges(
      (changes) =>
        events.push(
          changes
            .map(({ type, key }) => `${type} ${key}`)
            .sort()
            .join(', '),
        ),
      { includeInitialState: false },
    )
    commit(({ write, truncate }) => {
      write({ type: 'insert', value: { id: 9 } })
      truncate()
      write({ type: 'insert', value: { id: 1, v: 1 } })
      write({ type: 'insert', value: { id: 2, v: 'new' } })
      write({ type: 'insert', value: { id: 4 } })
    })
    expect(events).toEqual(['truncate', 'delete 3, insert 4, update 2'])
    expect([...collection.keys()]).toEqual([1, 2, 4])
  })

  it('gives a throwing getter as undefined and reports what it threw', async () => {
    const { collection, insert } = source()
    const failure = new Error('getter')
    const row = Object.defineProperty({ id: 1 }, 'v', {
      enumerable: true,
      get() {
        throw failure
      },
    }) as Row
    const errors = await reported(() => {
      insert(row)
      expect(collection.get(1)).toMatchObject({ id: 1, v: undefined })
    })
    expect(errors).toEqual([failure])
  })

  it('loses no write for a value that throws when it is looked at', async () => {
    const { collection, insert, update, remove } = source({
      rows: [{ id: 1, v: 1 }],
      rowUpdateMode: 'partial',
    })
    const positive = createLiveQueryCollection((q) =>
      q.from({ row: collection }).where(({ row }) => gt(row.v, 0)),
    )
    positive.startSyncImmediate()
    const { proxy, revoke } = Proxy.revocable({}, {})
    revoke()
    const getter = Object.defineProperty({ id: 4 }, 'v', {
      enumerable: true,
      get() {
        throw new Error('getter')
      },
    }) as Row
    const errors = await reported(() => {
      insert({ id: 2, v: proxy }, { id: 3, v: 3 })
      remove(2)
      insert({ id: 2, v: 2 }, getter)
      update({ id: 5, v: 5 }, { id: 4, w: 1 })
      update({ id: 5, v: 6 })
    })
    expect(errors.length).toBeGreaterThan(0)
    expect([...positive.keys()]).toEqual([1, 2, 3, 5])
    expect(collection.get(4)).toMatchObject({ v: undefined, w: 1 })
    await positive.cleanup()
  })

  it('takes an object that only says that it is a date for what it is', () => {
    const { collection, insert } = source()
    const dated = createLiveQueryCollection((q) =>
      q.from({ row: collection }).where(({ row }) => eq(row.v, 1)),
    )
    dated.startSyncImmediate()
    insert({ id: 1, v: { [Symbol.toStringTag]: 'Date' } }, { id: 2, v: 1 })
    expect([...dated.keys()]).toEqual([2])
  })

  it('takes hostile names for data', () => {
    const { collection, insert } = source()
    const row = JSON.parse('{"id": 1, "__proto__": {"x": 1}, "constructor": 2}') as Row
    insert(row)
    const shown = collection.get(1) as Row
    expect(Object.getPrototypeOf(shown)).toBe(Object.prototype)
    expect(Object.getOwnPropertyDescriptor(shown, '__proto__')?.value).toEqual({ x: 1 })
    expect(shown.constructor).toBe(2)
  })
})

describe('sync sessions', () => {
  it('makes callbacks of an earlier session do nothing', async () => {
    const { collection, params } = source({ rows: [{ id: 1 }] })
    params.begin()
    await collection.cleanup()
    params.write({ type: 'insert', value: { id: 2 } })
    params.commit()
    params.markError(new Error('late'))
    params.markReady()
    expect([collection.status, collection.size]).toEqual(['cleaned-up', 0])
    collection.startSyncImmediate()
    params.begin()
    params.write({ type: 'insert', value: { id: 3 } })
    params.commit()
    expect(list(collection)).toEqual([{ id: 1 }])
  })

  it('calls the cleanup of each form and reports what it throws', async () => {
    const cleanup = vi.fn()
    const asFunction = source({ onSync: () => cleanup })
    const asObject = source({ onSync: () => ({ cleanup }) })
    await asFunction.collection.cleanup()
    await asObject.collection.cleanup()
    expect(cleanup).toHaveBeenCalledTimes(2)
    const failing = source({
      onSync: () => () => {
        throw new Error('broken cleanup')
      },
    })
    const errors = await reported(() => failing.collection.cleanup())
    expect(errors).toHaveLength(1)
    expect(errors[0]).toBeInstanceOf(SyncCleanupError)
    expect(failing.collection.status).toBe('cleaned-up')
  })

  it('stores and rethrows what the sync function throws', async () => {
    const failure = new Error('no source')
    const collection = createCollection<Row>({
      getKey: (row) => row.id,
      sync: {
        sync: () => {
          throw failure
        },
      },
    })
    expect(() => collection.startSyncImmediate()).toThrow(failure)
    expect(collection.status).toBe('error')
    await expect(collection.preload()).rejects.toBe(failure)
  })

  it('does not take the error of a subscriber for one of the source', async () => {
    const { collection } = source({ rows: [{ id: 1 }] })
    const failure = new Error('subscriber')
    collection.subscribeChanges((changes) => {
      if (changes.length > 0) throw failure
    })
    void collection.cleanup()
    expect(await reported(() => collection.startSyncImmediate())).toEqual([failure])
    expect([collection.status, collection.size]).toEqual(['ready', 1])
  })

  it('shows rows before the source is ready', async () => {
    const { collection, params, insert } = source({ ready: false })
    insert({ id: 1 })
    expect([collection.status, collection.size]).toEqual(['loading', 1])
    expect(plain(await collection.toArrayWhenReady())).toEqual([{ id: 1 }])
    params.markReady()
    await settle()
    expect(collection.status).toBe('ready')
  })
})
