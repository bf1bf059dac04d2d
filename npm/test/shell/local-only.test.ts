import { describe, expect, it, vi } from 'vitest'
import {
  CollectionInErrorStateError,
  createCollection,
  createLiveQueryCollection,
  DeleteKeyNotFoundError,
  DuplicateKeyError,
  InvalidKeyError,
  KeyUpdateNotAllowedError,
  localOnlyCollectionOptions,
  MissingUpdateArgumentError,
  NoKeysPassedToDeleteError,
  NoKeysPassedToUpdateError,
  UndefinedKeyError,
  UpdateKeyNotFoundError,
} from '../../src/index.ts'
import { list, type Row } from './source.ts'

type Draft = Record<string, unknown> & { id: string | number }

const local = (...initialData: Row[]) =>
  createCollection(localOnlyCollectionOptions<Row>({ id: 'local', getKey: (row) => row.id, initialData }))

function events(collection: ReturnType<typeof local>): string[] {
  const seen: string[] = []
  collection.subscribeChanges(
    (changes) => seen.push(changes.map(({ type, key }) => `${type} ${key}`).join(', ')),
    {
      includeInitialState: false,
    },
  )
  return seen
}

describe('local-only collections', () => {
  it('are ready at once with their initial rows, which are local', () => {
    const collection = local({ id: 1 }, { id: 2 })
    expect([collection.status, collection.size]).toEqual(['ready', 2])
    expect(collection.get(1)).toEqual({
      id: 1,
      $synced: true,
      $origin: 'local',
      $key: 1,
      $collectionId: 'local',
    })
  })

  it('insert, update and delete in one step, visible and told when the call returns', () => {
    const collection = local({ id: 1, v: 1 })
    const live = createLiveQueryCollection({ query: (q) => q.from({ r: collection }), startSync: true })
    const seen = events(collection)
    collection.insert([{ id: 2 }, { id: 3 }])
    expect(live.size).toBe(3)
    collection.update(1, (draft) => {
      ;(draft as Draft).v = 2
    })
    collection.update([2, 3], (drafts) => {
      for (const draft of drafts) (draft as Draft).v = 9
    })
    collection.delete([1, 2])
    expect(seen).toEqual(['insert 2, insert 3', 'update 1', 'update 2, update 3', 'delete 1, delete 2'])
    expect(list(live)).toEqual([{ id: 3, v: 9 }])
  })

  it('give a transaction that is complete when nothing was to be done', () => {
    const collection = local()
    expect(collection.insert([])).toMatchObject({ state: 'completed', mutations: [] })
  })

  it('give a transaction that completes in a microtask', async () => {
    const transaction = local().insert({ id: 1 })
    expect(transaction.state).toBe('persisting')
    await expect(transaction.isPersisted.promise).resolves.toBe(transaction)
    expect(transaction.state).toBe('completed')
    expect(transaction).toMatchObject({
      mutations: [{ type: 'insert', key: 1, globalKey: 'KEY::local/1', original: {}, modified: { id: 1 } }],
      metadata: {},
      createdAt: expect.any(Date),
    })
  })

  it('have methods that can be passed on alone', () => {
    const { insert, delete: remove } = local({ id: 1 })
    insert({ id: 2 })
    remove(1)
  })

  it('refuse inserts as a whole', () => {
    const collection = local({ id: 1 })
    const seen = events(collection)
    expect(() => collection.insert([{ id: 2 }, { id: 1 }])).toThrow(DuplicateKeyError)
    expect(() => collection.insert([{ id: 2 }, { id: 2 }])).toThrow(DuplicateKeyError)
    expect(() => collection.insert({} as Row)).toThrow(UndefinedKeyError)
    expect(() => collection.insert({ id: {} } as never)).toThrow(InvalidKeyError)
    expect([collection.size, seen]).toEqual([1, []])
  })

  it('refuse updates as a whole', () => {
    const collection = local({ id: 1, v: 0 }, { id: 2, v: 0 })
    const seen = events(collection)
    const set = (drafts: unknown) => {
      for (const draft of drafts as Draft[]) draft.v = 1
    }
    expect(() => collection.update(undefined as never, () => {})).toThrow(MissingUpdateArgumentError)
    expect(() => collection.update([], () => {})).toThrow(NoKeysPassedToUpdateError)
    expect(() => collection.update([1, 7], set)).toThrow(UpdateKeyNotFoundError)
    expect(() =>
      collection.update([1, 2], (drafts) => {
        set(drafts)
        ;(drafts[1] as Draft).id = 3
      }),
    ).toThrow(KeyUpdateNotAllowedError)
    expect(() =>
      collection.update(1, (draft) => {
        ;(draft as Draft).v = 5
        throw new Error('in the callback')
      }),
    ).toThrow('in the callback')
    expect(list(collection)).toEqual([
      { id: 1, v: 0 },
      { id: 2, v: 0 },
    ])
    expect(seen).toEqual([])
  })

  it('refuse deletes as a whole', () => {
    const collection = local({ id: 1 })
    expect(() => collection.delete([])).toThrow(NoKeysPassedToDeleteError)
    expect(() => collection.delete([1, 7])).toThrow(DeleteKeyNotFoundError)
    expect(collection.size).toBe(1)
  })

  it('notice every change of a draft and leave the original alone', () => {
    const original: Row = {
      id: 1,
      when: new Date(0),
      tags: new Set(['a']),
      map: new Map([['k', { n: 1 }]]),
      deep: Object.freeze({ list: Object.freeze([{ v: 1 }]) }),
      gone: 'x',
      same: { z: 1 },
    }
    const before = structuredClone(original)
    const collection = local(original)
    const transaction = collection.update(1, (row) => {
      const draft = row as unknown as {
        when: Date
        tags: Set<string>
        map: Map<string, { n: number }>
        deep: { list: { v: number }[] }
        gone?: string
        same: { z: number }
      }
      draft.when.setTime(5)
      draft.tags.add('b')
      draft.map.get('k')!.n = 2
      draft.deep.list[0]!.v = 2
      delete draft.gone
      draft.same.z = 2
      draft.same.z = 1
    }) as unknown as { mutations: { changes: object }[] }
    expect(original).toEqual(before)
    expect(Object.keys(transaction.mutations[0]!.changes).sort()).toEqual([
      'deep',
      'gone',
      'map',
      'tags',
      'when',
    ])
    expect(list(collection)).toEqual([
      {
        id: 1,
        when: new Date(5),
        tags: new Set(['a', 'b']),
        map: new Map([['k', { n: 2 }]]),
        deep: { list: [{ v: 2 }] },
        same: { z: 1 },
      },
    ])
    expect('gone' in (collection.get(1) as object)).toBe(false)
  })

  it('send nothing for a draft that ends as it began', async () => {
    const collection = local({ id: 1, v: 1, o: { p: 1 } })
    const seen = events(collection)
    const transaction = collection.update(1, (row) => {
      const draft = row as unknown as { v: number; o: { p: number } }
      draft.v = 2
      draft.v = 1
      draft.o = { p: 1 }
    })
    expect(transaction).toMatchObject({ mutations: [] })
    await transaction.isPersisted.promise
    expect(seen).toEqual([])
  })

  it('start again when written to after a cleanup, and refuse writes in the error state', () => {
    const collection = local({ id: 1 })
    void collection.cleanup()
    collection.insert({ id: 2 })
    expect([...collection.keys()]).toEqual([1, 2])
    const failing = createCollection({
      ...localOnlyCollectionOptions<Row>({ getKey: (row) => row.id }),
      startSync: false,
      sync: { sync: ({ markError }) => markError(new Error('no')) },
    })
    failing.startSyncImmediate()
    expect(() => failing.insert({ id: 1 })).toThrow(CollectionInErrorStateError)
  })

  it('let the error of a subscriber reach the writer, with the rows in place', () => {
    const collection = local()
    const other = vi.fn()
    collection.subscribeChanges(() => {
      throw new Error('subscriber')
    })
    collection.subscribeChanges(other)
    expect(() => collection.insert({ id: 1 })).toThrow('subscriber')
    expect(collection.has(1)).toBe(true)
    expect(other).toHaveBeenCalledTimes(1)
  })
})
