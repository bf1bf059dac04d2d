import { describe, expect, it, vi } from 'vitest'
import {
  collectionOptions,
  createOptimisticAction,
  createTransaction,
  DbClient,
  getActiveTransaction,
  MissingMutationFunctionError,
  OnMutateMustBeSynchronousError,
  type Transaction,
  TransactionAlreadyCompletedRollbackError,
  TransactionNotPendingCommitError,
  TransactionNotPendingMutateError,
} from '../../src/index.ts'
import { type Row, reported, settle, source } from '../shell/source.ts'
import { held, items, seen, set, told } from './world.ts'

const pending = () => createTransaction({ autoCommit: false, mutationFn: async () => {} })

async function rejection(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise
  } catch (error) {
    return error
  }
  throw new Error('it did not reject')
}

describe('createTransaction', () => {
  it('needs a function that sends', () => {
    expect(() => createTransaction({} as never)).toThrow(MissingMutationFunctionError)
  })

  it('has defaults', () => {
    const mutationFn = async () => {}
    const transaction = createTransaction({ mutationFn })
    expect(transaction).toMatchObject({ state: 'pending', mutations: [], autoCommit: true, metadata: {} })
    expect(transaction.id).toMatch(/^[0-9a-f-]{36}$/)
    expect(transaction.createdAt).toBeInstanceOf(Date)
    expect(transaction.mutationFn).toBe(mutationFn)
    expect(transaction.isPersisted.isPending()).toBe(true)
    expect(transaction.error).toBeUndefined()
    const named = createTransaction({ mutationFn, id: 'mine', metadata: { a: 1 }, autoCommit: false })
    expect(named).toMatchObject({ id: 'mine', metadata: { a: 1 }, autoCommit: false })
    expect(named.sequenceNumber).toBeGreaterThan(transaction.sequenceNumber)
    expect(transaction.compareCreatedAt(named)).toBeLessThan(0)
    expect(named.compareCreatedAt(transaction)).toBeGreaterThan(0)
  })
})

describe('states', () => {
  it('go from pending over persisting to completed', async () => {
    const { ends, send } = held()
    const { collection } = items()
    const transaction = createTransaction({ mutationFn: send, autoCommit: false })
    transaction.mutate(() => collection.update(1, set(5)))
    expect(transaction.state).toBe('pending')
    const committed = transaction.commit()
    expect([transaction.state, ends.length, seen(collection)]).toEqual(['persisting', 1, '1=5* 2=2 3=3'])
    ends[0]!.resolve()
    await expect(committed).resolves.toBe(transaction)
    await expect(transaction.isPersisted.promise).resolves.toBe(transaction)
    expect([transaction.state, transaction.isPersisted.isPending()]).toEqual(['completed', false])
    expect(seen(collection)).toBe('1=1 2=2 3=3')
  })

  it('are visible in the order: rows, then the promise', async () => {
    const { ends, send } = held()
    const { collection } = items()
    const transaction = createTransaction({ mutationFn: send })
    transaction.mutate(() => collection.update(1, set(5)))
    const then = transaction.isPersisted.promise.then(() => [transaction.state, seen(collection)])
    ends[0]!.resolve()
    expect(await then).toEqual(['completed', '1=1 2=2 3=3'])
  })

  it('commits when the callback returns, unless told not to', () => {
    const mutationFn = vi.fn(async () => {})
    const { collection } = items()
    createTransaction({ mutationFn }).mutate(() => {
      collection.update(1, set(5))
      expect(mutationFn).not.toHaveBeenCalled()
    })
    expect(mutationFn).toHaveBeenCalledTimes(1)
  })

  it('without mutations it completes and is not sent', async () => {
    const mutationFn = vi.fn(async () => {})
    const { collection } = items()
    for (const callback of [
      () => {},
      () => (collection.insert({ id: 9 }), collection.delete(9), undefined),
    ]) {
      const transaction = createTransaction({ mutationFn })
      transaction.mutate(callback)
      expect([transaction.state, transaction.isPersisted.isPending()]).toEqual(['completed', false])
      await expect(transaction.isPersisted.promise).resolves.toBe(transaction)
    }
    expect(mutationFn).not.toHaveBeenCalled()
    expect(seen(collection)).toBe('1=1 2=2 3=3')
  })

  it('refuse what comes too late', async () => {
    const { collection } = items()
    const done = createTransaction({ mutationFn: async () => {} })
    done.mutate(() => collection.update(1, set(5)))
    const persisting = () => expect(done.state).toBe('persisting')
    persisting()
    expect(() => done.mutate(() => {})).toThrow(TransactionNotPendingMutateError)
    expect(await rejection(done.commit())).toBeInstanceOf(TransactionNotPendingCommitError)
    await done.isPersisted.promise
    expect(() => done.mutate(() => {})).toThrow(TransactionNotPendingMutateError)
    expect(() => done.rollback()).toThrow(TransactionAlreadyCompletedRollbackError)
    expect(() => done.applyMutations([])).toThrow(TransactionNotPendingMutateError)
    const failed = pending()
    expect(failed.rollback()).toBe(failed)
    expect(failed.rollback()).toBe(failed)
    expect(() => failed.mutate(() => {})).toThrow(TransactionNotPendingMutateError)
    expect(await rejection(failed.commit())).toBeInstanceOf(TransactionNotPendingCommitError)
  })

  it.each([
    ['rejects with an error', () => Promise.reject(new Error('no')), 'no'],
    ['rejects with a text', () => Promise.reject('no'), 'no'],
    [
      'throws an error',
      () => {
        throw new Error('no')
      },
      'no',
    ],
    [
      'throws nothing',
      () => {
        throw undefined
      },
      'undefined',
    ],
  ])('fail when the function that sends %s', async (_, mutationFn, message) => {
    const { collection } = items()
    const transaction = createTransaction({ autoCommit: false, mutationFn })
    transaction.mutate(() => collection.update(1, set(5)))
    const error = await rejection(transaction.commit())
    expect(error).toBeInstanceOf(Error)
    expect(await rejection(transaction.isPersisted.promise)).toBe(error)
    expect(transaction.error).toEqual({ message, error })
    expect([transaction.state, seen(collection)]).toEqual(['failed', '1=1 2=2 3=3'])
  })

  it('a failure that nobody watches is no unhandled rejection', async () => {
    const unhandled = vi.fn()
    process.on('unhandledRejection', unhandled)
    const { collection } = items({ onInsert: () => Promise.reject(new Error('no')) })
    const mutationFn = () => Promise.reject(new Error('no'))
    createTransaction({ mutationFn }).mutate(() => collection.update(1, set(5)))
    collection.insert({ id: 9 })
    pending().rollback()
    await settle()
    process.off('unhandledRejection', unhandled)
    expect(unhandled).not.toHaveBeenCalled()
    expect(seen(collection)).toBe('1=1 2=2 3=3')
  })

  it('a rollback while it is sent fails it, whatever its function says later', async () => {
    const { ends, send } = held()
    const { collection } = items()
    const transaction = createTransaction({ mutationFn: send, autoCommit: false })
    transaction.mutate(() => collection.update(1, set(5)))
    const committed = rejection(transaction.commit())
    transaction.rollback()
    expect([transaction.state, seen(collection)]).toEqual(['failed', '1=1 2=2 3=3'])
    expect(await rejection(transaction.isPersisted.promise)).toBeUndefined()
    ends[0]!.resolve()
    expect(await committed).toBeUndefined()
    expect([transaction.state, transaction.error]).toEqual(['failed', undefined])
  })
})

describe('mutate', () => {
  it('makes the transaction the active one for as long as the callback runs', () => {
    const outer = pending()
    const inner = pending()
    const { collection } = items()
    expect(getActiveTransaction()).toBeUndefined()
    outer.mutate(() => {
      expect(getActiveTransaction()).toBe(outer)
      inner.mutate(() => {
        expect(getActiveTransaction()).toBe(inner)
        expect(collection.update(1, set(5))).toBe(inner)
      })
      expect(getActiveTransaction()).toBe(outer)
      expect(collection.update(2, set(5))).toBe(outer)
    })
    expect(getActiveTransaction()).toBeUndefined()
    expect([outer, inner].map(({ mutations }) => mutations.map(({ key }) => key))).toEqual([[2], [1]])
  })

  it('can be called again, and returns the transaction', () => {
    const { collection } = items()
    const transaction = pending()
    expect(transaction.mutate(() => collection.update(1, set(5)))).toBe(transaction)
    transaction.mutate(() => collection.update(2, set(5)))
    expect(transaction.mutations).toHaveLength(2)
  })

  it('undoes what a callback that throws has written, and nothing else', () => {
    const { collection } = items()
    const transaction = pending()
    transaction.mutate(() => {
      collection.update(1, set(5))
      collection.insert({ id: 8, n: 8 })
      collection.delete(3)
    })
    const before = [...transaction.mutations]
    const failing = () =>
      transaction.mutate(() => {
        collection.update(1, set(6))
        collection.delete(8)
        collection.update(2, set(6))
        collection.insert({ id: 9, n: 9 })
        collection.insert({ id: 3, n: 9 })
        collection.insert({ id: 8, n: 9 })
        throw new Error('mine')
      })
    expect(failing).toThrow('mine')
    expect(transaction.state).toBe('pending')
    expect(transaction.mutations).toEqual(before)
    expect(seen(collection)).toBe('1=5* 2=2 8=8*')
    expect(getActiveTransaction()).toBeUndefined()
    transaction.rollback()
    expect(seen(collection)).toBe('1=1 2=2 3=3')
  })

  it('undoes an inner callback alone, and with the outer one', () => {
    const { collection } = items()
    const transaction = createTransaction({ mutationFn: async () => {} })
    const fail = () => {
      throw new Error('mine')
    }
    expect(() =>
      transaction.mutate(() => {
        collection.update(1, set(5))
        expect(() =>
          transaction.mutate(() => {
            collection.update(1, set(6))
            collection.update(2, set(6))
            fail()
          }),
        ).toThrow('mine')
        expect(seen(collection)).toBe('1=5* 2=2 3=3')
        transaction.mutate(() => collection.update(3, set(6)))
        expect([transaction.state, seen(collection)]).toEqual(['pending', '1=5* 2=2 3=6*'])
        fail()
      }),
    ).toThrow('mine')
    expect([transaction.state, transaction.mutations.length]).toEqual(['pending', 0])
    expect(seen(collection)).toBe('1=1 2=2 3=3')
  })

  it('commits once when calls are nested, with all of them', () => {
    const mutationFn = vi.fn(async (_: { transaction: { mutations: unknown[] } }) => {})
    const { collection } = items()
    const transaction = createTransaction({ mutationFn })
    transaction.mutate(() => {
      transaction.mutate(() => collection.update(1, set(5)))
      collection.update(2, set(5))
    })
    expect(mutationFn).toHaveBeenCalledTimes(1)
    expect(mutationFn.mock.calls[0]![0].transaction.mutations).toHaveLength(2)
  })

  it('takes no writes after the transaction has ended inside the callback', async () => {
    const { collection } = items()
    const rolled = pending()
    expect(() =>
      rolled.mutate(() => {
        collection.update(1, set(5))
        rolled.rollback()
        collection.update(2, set(5))
      }),
    ).toThrow(TransactionNotPendingMutateError)
    expect([rolled.state, seen(collection)]).toEqual(['failed', '1=1 2=2 3=3'])
    const sent = createTransaction({ mutationFn: async () => {} })
    expect(() =>
      sent.mutate(() => {
        collection.update(1, set(5))
        void sent.commit()
        collection.update(2, set(5))
      }),
    ).toThrow(TransactionNotPendingMutateError)
    expect([sent.state, seen(collection)]).toEqual(['persisting', '1=5* 2=2 3=3'])
    await sent.isPersisted.promise
    expect(sent.mutations).toHaveLength(1)
    const both = createTransaction({ mutationFn: async () => {} })
    both.mutate(() => {
      collection.update(1, set(5))
      both.rollback()
    })
    expect(both.state).toBe('failed')
  })
})

describe('rollback', () => {
  it('takes along the pending transactions that wrote to the same rows, and no further', () => {
    const { collection } = items()
    const [first, second, third, other] = [pending(), pending(), pending(), pending()]
    first.mutate(() => collection.update(1, set(5)))
    second.mutate(() => collection.update([1, 2], (drafts) => drafts.forEach(set(6))))
    third.mutate(() => collection.update(2, set(7)))
    other.mutate(() => collection.update(3, set(8)))
    first.rollback()
    expect([first, second, third, other].map(({ state }) => state)).toEqual([
      'failed',
      'failed',
      'pending',
      'pending',
    ])
    expect(seen(collection)).toBe('1=1 2=7* 3=8*')
  })

  it('leaves those alone that are sent, and as a secondary one all others', () => {
    const { collection } = items()
    const sent = createTransaction({ mutationFn: () => new Promise(() => {}) })
    const [first, second] = [pending(), pending()]
    sent.mutate(() => collection.update(1, (draft) => Object.assign(draft, { a: 1 })))
    first.mutate(() => collection.update(1, set(5)))
    second.mutate(() => collection.update(1, set(6)))
    second.rollback({ isSecondaryRollback: true })
    expect([first.state, second.state]).toEqual(['pending', 'failed'])
    first.rollback()
    expect([sent.state, first.state]).toEqual(['persisting', 'failed'])
    expect(collection.get(1)).toMatchObject({ n: 1, a: 1 })
  })

  it('of a transaction that wrote to a row and withdrew it leaves others alone', () => {
    const { collection } = items()
    const [first, second] = [pending(), pending()]
    first.mutate(() => {
      collection.insert({ id: 9 })
      collection.delete(9)
    })
    second.mutate(() => collection.insert({ id: 9 }))
    first.rollback()
    expect([second.state, collection.has(9)]).toEqual(['pending', true])
  })

  it('of a failing write takes pending ones along, which reject without a reason', async () => {
    const { ends, send } = held()
    const { collection } = items({ onUpdate: send as never })
    const write = collection.update(1, set(5))
    const over = pending()
    over.mutate(() => collection.update(1, set(6)))
    const error = new Error('no')
    ends[0]!.reject(error)
    expect(await rejection(write.isPersisted.promise)).toBe(error)
    expect([over.state, over.error]).toEqual(['failed', undefined])
    expect(await rejection(over.isPersisted.promise)).toBeUndefined()
    expect(seen(collection)).toBe('1=1 2=2 3=3')
  })

  it('is told in one step, over rows and collections', () => {
    const a = items().collection
    const b = items().collection
    const transaction = pending()
    transaction.mutate(() => {
      a.update([1, 2], (drafts) => drafts.forEach(set(5)))
      b.insert({ id: 9, n: 9 })
    })
    const later = pending()
    later.mutate(() => a.update(2, set(6)))
    const calls = told(a)
    const both: string[] = []
    a.subscribeChanges(() => both.push(`${seen(a)} | ${seen(b)}`), { includeInitialState: false })
    b.subscribeChanges(() => both.push(`${seen(a)} | ${seen(b)}`), { includeInitialState: false })
    transaction.rollback()
    expect(calls).toEqual([['update 1=1', 'update 2=2']])
    expect(both).toEqual(Array(2).fill('1=1 2=2 3=3 | 1=1 2=2 3=3'))
  })
})

describe('a transaction over several collections', () => {
  it('is sent once, with the mutations in their order', async () => {
    const a = source({ rows: [{ id: 1, n: 1 }] }).collection
    const b = source({ rows: [{ id: 1, n: 1 }] }).collection
    const sent: unknown[] = []
    const transaction = createTransaction({
      mutationFn: async ({ transaction: { mutations } }) => {
        sent.push(mutations.map(({ collection, key }) => [collection === a ? 'a' : 'b', key]))
      },
    })
    transaction.mutate(() => {
      a.update(1, set(2))
      b.insert({ id: 2, n: 2 })
      a.insert({ id: 3, n: 3 })
    })
    await transaction.isPersisted.promise
    expect(sent).toEqual([
      [
        ['a', 1],
        ['b', 2],
        ['a', 3],
      ],
    ])
  })

  it('keeps rows of each that its sync writes before it ends', async () => {
    const a = items()
    const b = items()
    const transaction = createTransaction({
      mutationFn: async () => {
        a.update({ id: 1, n: 5 })
        b.update({ id: 1, n: 6 })
      },
    })
    transaction.mutate(() => {
      a.collection.update(1, set(5))
      b.collection.update(1, set(6))
    })
    expect([seen(a.collection), seen(b.collection)]).toEqual(['1=5* 2=2 3=3', '1=6* 2=2 3=3'])
    await transaction.isPersisted.promise
    expect([seen(a.collection), seen(b.collection)]).toEqual(['1=5 2=2 3=3', '1=6 2=2 3=3'])
    expect(a.collection.get(1)?.$origin).toBe('local')
  })
})

describe('direct writes', () => {
  it('are transactions of their own, sent at once', () => {
    const onInsert = vi.fn(() => new Promise(() => {}))
    const { collection } = items({ onInsert })
    const write = collection.insert({ id: 9, n: 9 })
    expect(write).toMatchObject({ state: 'persisting', metadata: { __tanstack_db_direct: true } })
    expect(onInsert).toHaveBeenCalledWith({ transaction: write, collection })
  })

  it('are seen by their own handlers, and told after their first part', () => {
    const order: unknown[] = []
    const made = items({
      onUpdate: async ({ collection }) => {
        order.push(['handler', seen(collection as never)])
        await null
      },
    })
    made.collection.subscribeChanges(() => order.push('told'), { includeInitialState: false })
    made.collection.update(1, set(5))
    expect(order).toEqual([['handler', '1=5* 2=2 3=3'], 'told'])
  })

  it('that are confirmed in the first part of the handler are told once, as confirmed', async () => {
    const made = items({
      onInsert: async ({ transaction }) => made.insert(transaction.mutations[0].modified),
    })
    const calls = told(made.collection)
    await made.collection.insert({ id: 9, n: 9 }).isPersisted.promise
    await settle()
    expect(calls).toEqual([['insert 9=9']])
    expect(made.collection.get(9)).toMatchObject({ $synced: true, $origin: 'local' })
  })

  it('are undone when the handler throws before it awaits', async () => {
    const { collection } = items({
      onDelete: () => {
        throw new Error('no')
      },
    })
    const write = collection.delete(1)
    expect(write.state).toBe('persisting')
    expect(await rejection(write.isPersisted.promise)).toEqual(new Error('no'))
    expect(seen(collection)).toBe('1=1 2=2 3=3')
  })

  it('that are not to show are sent all the same', async () => {
    const { ends, send } = held()
    const made = items({ onInsert: send as never })
    const calls = told(made.collection)
    made.collection.insert({ id: 9, n: 9 }, { optimistic: false })
    expect([made.collection.has(9), ends.length, calls]).toEqual([false, 1, []])
    made.insert({ id: 9, n: 9 })
    ends[0]!.resolve()
    await settle()
    expect(calls).toEqual([['insert 9=9']])
    expect(made.collection.get(9)?.$origin).toBe('local')
  })
})

describe('inside callbacks', () => {
  it('a subscriber can write, and later subscribers hear in order', () => {
    const { collection } = items()
    const heard: string[] = []
    collection.subscribeChanges(
      (changes) => {
        heard.push(`first ${changes.map(({ key }) => String(key)).join()}`)
        if (changes[0]!.key === 1) collection.update(2, set(6))
      },
      { includeInitialState: false },
    )
    collection.subscribeChanges(
      (changes) => heard.push(`second ${changes.map(({ key }) => String(key)).join()}`),
      {
        includeInitialState: false,
      },
    )
    collection.update(1, set(5))
    expect(heard).toEqual(['first 1', 'second 1', 'first 2', 'second 2'])
    expect(seen(collection)).toBe('1=5* 2=6* 3=3')
  })

  it('a subscriber that rolls back what it hears of undoes it', () => {
    const { collection } = items()
    const transaction = pending()
    collection.subscribeChanges(() => transaction.rollback(), { includeInitialState: false })
    transaction.mutate(() => collection.update(1, set(5)))
    expect([transaction.state, seen(collection)]).toEqual(['failed', '1=1 2=2 3=3'])
  })

  it('a handler can write to its own collection and to others', () => {
    const other = items().collection
    const { collection } = items({
      onInsert: async () => {
        other.update(1, set(6))
        collection.update(2, set(6))
      },
    })
    collection.insert({ id: 9, n: 9 })
    expect([seen(collection), seen(other)]).toEqual(['1=1 2=6* 3=3 9=9*', '1=6* 2=2 3=3'])
  })

  it('a draft callback can write elsewhere', () => {
    const other = items().collection
    const { collection } = items()
    collection.update(1, (draft) => {
      other.update(1, set(6))
      draft.n = 5
    })
    expect([seen(collection), seen(other)]).toEqual(['1=5* 2=2 3=3', '1=6* 2=2 3=3'])
  })

  it('what a subscriber throws does not keep a transaction from ending', async () => {
    const { collection } = items()
    collection.subscribeChanges(
      () => {
        throw new Error('mine')
      },
      { includeInitialState: false },
    )
    let transaction: Transaction | undefined
    const errors = await reported(async () => {
      transaction = createTransaction({ mutationFn: async () => {} })
      transaction.mutate(() => collection.update(1, set(5)))
      await transaction.isPersisted.promise
    })
    expect([transaction?.state, seen(collection)]).toEqual(['completed', '1=1 2=2 3=3'])
    expect(errors.length).toBeGreaterThan(0)
  })
})

describe('createOptimisticAction', () => {
  it('shows, then sends with its variables', async () => {
    const { collection } = items()
    const mutationFn = vi.fn(async (_: { n: number }, __: unknown) => {})
    const save = createOptimisticAction<{ n: number }>({
      onMutate: ({ n }) => {
        collection.update(1, set(n))
      },
      mutationFn,
      metadata: { a: 1 },
      id: 'mine',
    })
    const transaction = save({ n: 5 })
    expect(seen(collection)).toBe('1=5* 2=2 3=3')
    expect(transaction).toMatchObject({ id: 'mine', metadata: { a: 1 }, state: 'persisting' })
    expect(mutationFn).toHaveBeenCalledWith({ n: 5 }, { transaction })
    await transaction.isPersisted.promise
  })

  it('can be left to be committed by hand', () => {
    const { collection } = items()
    const save = createOptimisticAction<void>({
      onMutate: () => {
        collection.update(1, set(5))
      },
      mutationFn: async () => {},
      autoCommit: false,
    })
    expect(save().state).toBe('pending')
  })

  it('refuses an onMutate that goes on later, and undoes what it has written', () => {
    const { collection } = items()
    const mutationFn = vi.fn(async () => {})
    const save = createOptimisticAction<void>({
      onMutate: (async () => {
        collection.update(1, set(5))
      }) as never,
      mutationFn,
    })
    expect(() => save()).toThrow(OnMutateMustBeSynchronousError)
    expect(seen(collection)).toBe('1=1 2=2 3=3')
    expect(mutationFn).not.toHaveBeenCalled()
  })
})

describe('scopes', () => {
  const inClient = (client: DbClient, id: string) =>
    client.collection(
      collectionOptions<Row>(id, () => ({
        id,
        getKey: (row) => row.id,
        sync: { sync: ({ markReady }) => markReady() },
        onInsert: () => new Promise(() => {}),
      })),
    )

  it('a transaction belongs to the first client whose collection it writes to', () => {
    const [one, two] = [new DbClient(), new DbClient()]
    const [a, b] = [inClient(one, 'a'), inClient(two, 'b')]
    const plain = items().collection
    const transaction = pending()
    expect(() =>
      transaction.mutate(() => {
        plain.update(1, set(5))
        a.insert({ id: 1 })
        b.insert({ id: 1 })
      }),
    ).toThrow(/cannot mutate collections from multiple DbClient instances/)
    transaction.mutate(() => {
      plain.update(1, set(6))
      a.insert({ id: 2 })
    })
    transaction.mutate(() => expect(plain.update(2, set(6))).toBe(transaction))
    expect(transaction.mutations.map(({ key }) => key)).toEqual([1, 2, 2])
  })

  it('a rollback stays within one', () => {
    const client = new DbClient()
    const a = inClient(client, 'a')
    const [own, other] = [
      client.createTransaction({ autoCommit: false, mutationFn: async () => {} }),
      pending(),
    ]
    own.mutate(() => a.insert({ id: 1, n: 1 }))
    expect(a.has(1)).toBe(true)
    other.mutate(() => a.update(1, set(2)))
    other.rollback()
    expect(own.state).toBe('failed')
  })

  it('the innermost transaction is the active one, whichever scope it is of', () => {
    const client = new DbClient()
    const a = inClient(client, 'a')
    const own = client.createTransaction({ autoCommit: false, mutationFn: async () => {} })
    const other = pending()
    own.mutate(() => {
      other.mutate(() => expect(a.insert({ id: 1 })).toBe(other))
      expect(a.insert({ id: 2 })).toBe(own)
      expect(client.activeTransaction).toBe(own)
      expect(getActiveTransaction()).toBeUndefined()
    })
    const third = pending()
    const fourth = client.createTransaction({ autoCommit: false, mutationFn: async () => {} })
    third.mutate(() => fourth.mutate(() => expect(a.insert({ id: 3 })).toBe(fourth)))
  })
})
