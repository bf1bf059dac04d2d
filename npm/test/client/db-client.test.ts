import { describe, expect, it, vi } from 'vitest'
import {
  type Collection,
  type CollectionConfig,
  collectionOptions,
  createTransaction,
  DbClient,
  type DbClientEvent,
  isCollectionOptions,
  localOnlyCollectionOptions,
  type SyncParams,
} from '../../src/index.ts'

interface Person {
  id: number
  name: string
}

let params: SyncParams<Person, number> | undefined

function config(more: Partial<CollectionConfig<Person, number>> = {}): CollectionConfig<Person, number> {
  return {
    getKey: (row) => row.id,
    ...more,
    sync: {
      sync: (given) => {
        params = given
      },
      ...more.sync,
    },
  }
}

function people(more: Partial<CollectionConfig<Person, number>> = {}) {
  return collectionOptions('people', () => config(more))
}

function names(collection: Collection<Person, number>): string[] {
  return collection.toArray.map(({ name }) => name)
}

describe('a descriptor', () => {
  it('is frozen, shows its id alone and is recognised by its brand', () => {
    const descriptor = people()
    expect(Object.isFrozen(descriptor)).toBe(true)
    expect(Object.keys(descriptor)).toEqual(['id'])
    expect(isCollectionOptions(descriptor)).toBe(true)
    expect(isCollectionOptions({ id: 'people' })).toBe(false)
    expect(isCollectionOptions(null)).toBe(false)
  })

  it('needs an id, and with an id alone a function', () => {
    expect(() => collectionOptions(config())).toThrow('requires a non-empty explicit id')
    expect(() => collectionOptions('people', undefined as never)).toThrow('collectionOptions("people"')
  })

  it('serves several clients when its configuration can be made anew', () => {
    const local = collectionOptions(
      localOnlyCollectionOptions<Person, number>({ id: 'notes', getKey: (row) => row.id }),
    )
    const first = new DbClient().collection(local)
    const second = new DbClient().collection(local)
    first.insert({ id: 1, name: 'mine' })
    expect([first.size, second.size]).toEqual([1, 0])
  })

  it('of one configuration serves one client', () => {
    const descriptor = collectionOptions({ ...config(), id: 'single' })
    new DbClient().collection(descriptor)
    expect(() => new DbClient().collection(descriptor)).toThrow(
      'cannot be safely reused across DbClient instances',
    )
  })
})

describe('a client', () => {
  it('gives its dependencies', () => {
    const client = new DbClient({ token: 'x' })
    expect(client.getDependency('token')).toBe('x')
    expect(client.getDependency('other')).toBeUndefined()
    expect(client.requireDependency('token')).toBe('x')
    expect(() => client.requireDependency('other')).toThrow('no dependency "other"')
  })

  it('makes a collection once, and refuses another with its id', () => {
    const client = new DbClient()
    const descriptor = people()
    expect(client.collection(descriptor)).toBe(client.collection(descriptor))
    expect(() => client.collection(people())).toThrow('collection ids to be unique per DbClient')
    expect(() => client.collection(collectionOptions('a', () => ({ ...config(), id: 'b' })))).toThrow(
      'another id',
    )
  })

  it('passes itself to the function that makes a configuration', () => {
    const seen = vi.fn(() => config())
    const client = new DbClient()
    client.collection(collectionOptions('people', seen))
    expect(seen).toHaveBeenCalledWith(client)
  })

  it('shows initial rows before the source starts, and takes its first insert of one as an update', () => {
    const client = new DbClient()
    const collection = client.collection(people(), { initialData: [{ id: 1, name: 'seed' }] })
    expect([collection.status, names(collection)]).toEqual(['idle', ['seed']])
    collection.startSyncImmediate()
    params?.begin()
    params?.write({ type: 'insert', value: { id: 1, name: 'server' } })
    params?.commit()
    expect(names(collection)).toEqual(['server'])
    params?.begin()
    expect(() => params?.write({ type: 'insert', value: { id: 1, name: 'again' } })).toThrow('already exists')
  })

  it('has transactions of its own', async () => {
    const client = new DbClient()
    const collection = client.collection(people({ onInsert: async () => {} }))
    const transaction = client.createTransaction({ mutationFn: async () => {}, autoCommit: false })
    transaction.mutate(() => {
      expect(client.activeTransaction).toBe(transaction)
      collection.insert({ id: 1, name: 'pending' })
    })
    expect(transaction.mutations).toHaveLength(1)
    transaction.rollback()
    expect(collection.size).toBe(0)
    await expect(transaction.isPersisted.promise).rejects.toBeUndefined()
  })

  it('claims a transaction of no client, which then serves no other client', () => {
    const [first, second] = [new DbClient(), new DbClient()]
    const one = first.collection(people())
    const other = second.collection(people())
    const transaction = createTransaction({ mutationFn: async () => {}, autoCommit: false })
    transaction.mutate(() => {
      one.insert({ id: 1, name: 'a' })
      expect(() => other.insert({ id: 1, name: 'b' })).toThrow('from multiple DbClient instances')
    })
    expect([one.size, other.size]).toEqual([1, 0])
    transaction.rollback()
  })
})

describe('dehydration', () => {
  function server(): DbClient {
    const client = new DbClient()
    const collection = client.collection(
      people({
        onInsert: () => new Promise(() => {}),
        sync: {
          sync: (p) => {
            params = p
          },
          exportSyncMeta: () => 7,
        },
      }),
    )
    collection.startSyncImmediate()
    params?.begin()
    params?.write({ type: 'insert', value: { id: 1, name: 'ann' }, metadata: { v: 1 } })
    params?.write({ type: 'insert', value: { id: 2, name: 'bob' } })
    params?.commit()
    params?.markReady()
    collection.insert({ id: 3, name: 'not synced' })
    return client
  }

  it('takes synced rows along, with metadata and the position of the source, and nothing pending', () => {
    expect(server().dehydrate()).toEqual({
      collections: [
        {
          collectionId: 'people',
          rows: [
            { key: 1, value: { id: 1, name: 'ann' }, metadata: { v: 1 } },
            { key: 2, value: { id: 2, name: 'bob' } },
          ],
          syncMeta: 7,
        },
      ],
    })
    expect(server().dehydrate({ shouldDehydrateCollection: () => false })).toEqual({ collections: [] })
  })

  it('fills collections made before or after the hydration, but not rows that the source has delivered', () => {
    const state = JSON.parse(JSON.stringify(server().dehydrate()))
    const imported = vi.fn()
    const more = {
      sync: {
        sync: (p: SyncParams<Person, number>) => {
          params = p
        },
        importSyncMeta: imported,
      },
    }
    const later = new DbClient()
    later.hydrate(state)
    expect(names(later.collection(people(more)))).toEqual(['ann', 'bob'])
    expect(imported).toHaveBeenCalledWith(7)

    const before = new DbClient()
    const collection = before.collection(people(more))
    collection.startSyncImmediate()
    params?.begin()
    params?.write({ type: 'insert', value: { id: 1, name: 'newer' } })
    params?.commit()
    before.hydrate(state)
    expect(names(collection)).toEqual(['newer', 'bob'])
  })

  it('carries results of live queries, of which the newer wins', async () => {
    const client = server()
    const events: DbClientEvent['type'][] = []
    client.subscribe(({ type }) => events.push(type))
    const collection = client.collection(collectionOptions('others', () => config({ startSync: true })))
    params?.begin()
    params?.write({ type: 'insert', value: { id: 9, name: 'zoe' } })
    params?.commit()
    params?.markReady()
    await client.preloadLiveQuery({
      query: (q: { from: (source: object) => object }) => q.from({ other: collection }),
      queryKey: ['others'],
    })
    expect(events).toEqual(['liveQueryAdded', 'liveQueryUpdated'])
    const { liveQueries = [] } = client.dehydrate()
    expect(liveQueries[0]).toMatchObject({ status: 'success', snapshot: { rows: [{ key: 9 }] } })
    const hash = liveQueries[0]?.queryHash as string
    const browser = new DbClient()
    browser.hydrate({ collections: [], liveQueries })
    browser.hydrate({
      collections: [],
      liveQueries: [{ queryHash: hash, dehydratedAt: 1, status: 'error', error: 'old' }],
    })
    expect(browser._getLiveQuery(hash)?.state.status).toBe('success')
  })

  it('of a pending result settles when it arrives, or when a newer one does', async () => {
    const client = new DbClient()
    let arrive: (result: { rows: [] }) => void = () => {}
    const promise = new Promise<{ rows: [] }>((resolve) => {
      arrive = resolve
    })
    client.hydrate({
      collections: [],
      liveQueries: [{ queryHash: 'q', dehydratedAt: 1, status: 'pending', promise }],
    })
    const waiting = client._getLiveQuery('q')?.state.promise
    client.hydrate({
      collections: [],
      liveQueries: [{ queryHash: 'q', dehydratedAt: 2, status: 'success', snapshot: { rows: [] } }],
    })
    await expect(waiting).resolves.toEqual({ rows: [] })
    arrive({ rows: [] })
  })

  it('leaves nothing after a cleanup', async () => {
    const client = server()
    const collection = client.collection(collectionOptions('more', () => config({ startSync: true })))
    await client.cleanup()
    expect(collection.status).toBe('cleaned-up')
    expect(client.dehydrate()).toEqual({ collections: [] })
  })
})
