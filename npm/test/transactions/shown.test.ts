import fc from 'fast-check'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { insideOf } from '../../src/collection/access.ts'
import { theSession } from '../../src/collection/the-session.ts'
import { createLiveQueryCollection, createTransaction, gt } from '../../src/index.ts'
import type { RootCollection } from '../../src/sync/root-collection.ts'
import { plain, settle } from '../shell/source.ts'
import { held, items, seen, set, told } from './world.ts'

/*
 * An update that leaves nothing to decide shows before the engine is told of it. Whether it went that way can be told
 * from the commands only.
 */

afterEach(() => {
  vi.restoreAllMocks()
})

const commands = () => vi.spyOn(theSession().engine, 'command')

/** A collection that the engine has said no query reads. */
function alone(options: Parameters<typeof items>[0] = {}) {
  const feed = items(options)
  feed.collection.update(3, set(30))
  return feed
}

describe('an update that leaves nothing to decide', () => {
  it('shows and is told without a command, and the engine hears of it with the next', () => {
    const feed = alone()
    const calls = told(feed.collection)
    const sent = commands()
    feed.collection.update(1, set(10))
    expect(sent).not.toHaveBeenCalled()
    expect(calls).toEqual([['update 1=10*']])
    expect(feed.collection.get(1)).toMatchObject({ n: 10, $synced: false, $origin: 'local' })
    expect(seen(feed.collection)).toBe('1=10* 2=2 3=30*')
    const rows = createLiveQueryCollection((q) =>
      q.from({ i: feed.collection }).where(({ i }) => gt(i.n as never, 5)),
    )
    rows.startSyncImmediate()
    expect(plain(rows.toArray)).toEqual([
      { id: 1, n: 10 },
      { id: 3, n: 30 },
    ])
    expect(calls).toEqual([['update 1=10*']])
  })

  it('takes the long way when the row is covered, a query reads the collection, or somebody is told by a condition', () => {
    const feed = alone()
    const sent = commands()
    feed.collection.update(3, set(31))
    expect(sent).toHaveBeenCalledTimes(1)
    const stop = feed.collection.subscribeChanges(() => {}, { where: (row) => gt(row.n as never, 1) })
    sent.mockClear()
    feed.collection.update(1, set(10))
    expect(sent).toHaveBeenCalledTimes(1)
    stop.unsubscribe()
    const live = createLiveQueryCollection((q) => q.from({ i: feed.collection }))
    live.startSyncImmediate()
    sent.mockClear()
    feed.collection.update(2, set(20))
    expect(sent).toHaveBeenCalledTimes(1)
    expect(live.get(2)).toMatchObject({ n: 20 })
  })

  it('is undone by a handler that fails, and confirmed by the source', async () => {
    const { send, ends } = held()
    const feed = alone({ onUpdate: send as never })
    const calls = told(feed.collection)
    const failing = feed.collection.update(1, set(10))
    ends[1]?.reject(new Error('no'))
    await expect(failing.isPersisted.promise).rejects.toThrow('no')
    feed.collection.update(2, set(20))
    feed.update({ id: 2, n: 21 })
    expect(seen(feed.collection)).toBe('1=1 2=20* 3=30*')
    ends[2]?.resolve()
    await settle()
    expect(seen(feed.collection)).toBe('1=1 2=21 3=30*')
    expect(calls).toEqual([['update 1=10*'], ['update 1=1'], ['update 2=20*'], ['update 2=21']])
  })

  it('goes ahead of what a subscriber does when it is told', () => {
    const feed = alone()
    const log: string[] = []
    feed.collection.subscribeChanges(
      () => {
        log.push(seen(feed.collection))
        if (log.length === 1) feed.collection.update(1, set(11))
        if (log.length === 2) feed.collection.insert({ id: 4, n: 4 })
      },
      { includeInitialState: false },
    )
    feed.collection.update(1, set(10))
    expect(log).toEqual(['1=10* 2=2 3=30*', '1=11* 2=2 3=30*', '1=11* 2=2 3=30* 4=4*'])
  })
})

describe('a collection whose updates may show first', () => {
  type Step = { readonly kind: string; readonly key: number; readonly n: number }
  const step = fc.record({
    kind: fc.constantFrom(
      'update',
      'update',
      'update',
      'many',
      'insert',
      'delete',
      'transaction',
      'source',
      'gone',
      'truncate',
      'resolve',
      'reject',
      'rollback',
      'wait',
    ),
    key: fc.integer({ min: 1, max: 4 }),
    n: fc.integer({ min: 0, max: 3 }),
  })

  async function run(steps: readonly Step[], longWay: boolean) {
    const { send, ends } = held()
    const feed = items({ onInsert: send as never, onUpdate: send as never, onDelete: send as never })
    const { collection } = feed
    const log: unknown[] = []
    const replica = new Map<unknown, unknown>()
    collection.subscribeChanges(
      (changes) => {
        for (const { type, key, value, previousValue } of changes) {
          log.push([type, key, { ...value }, previousValue && { ...previousValue }])
          if (type === 'delete') replica.delete(key)
          else replica.set(key, value)
        }
      },
      { includeInitialState: true },
    )
    if (longWay) collection.subscribeChanges(() => {}, { where: (row) => gt(row.n as never, 100) })
    const transactions: { rollback(): unknown; state: string }[] = []
    const note = (write: () => { rollback(): unknown; state: string }) => {
      try {
        transactions.push(write())
      } catch (error) {
        log.push((error as Error).name)
      }
    }
    for (const { kind, key, n } of steps) {
      if (kind === 'update') note(() => collection.update(key, set(n)))
      else if (kind === 'many') note(() => collection.update([1, 2], (drafts) => drafts.forEach(set(n))))
      else if (kind === 'insert') note(() => collection.insert({ id: key, n }))
      else if (kind === 'delete') note(() => collection.delete(key))
      else if (kind === 'transaction')
        note(() => {
          const transaction = createTransaction({ autoCommit: n > 1, mutationFn: send })
          transaction.mutate(() => collection.update(key, set(n)))
          return transaction
        })
      else if (kind === 'source') feed.update({ id: key, n })
      else if (kind === 'gone') feed.remove(key)
      else if (kind === 'truncate') feed.commit(({ truncate }) => truncate())
      else if (kind === 'resolve') ends[n]?.resolve()
      else if (kind === 'reject') ends[n]?.reject(new Error('no'))
      else if (kind === 'rollback')
        note(() => (transactions[n]?.rollback(), { state: '', rollback: () => {} }))
      else await settle()
      log.push(seen(collection))
    }
    await settle()
    for (const { resolve } of ends) resolve()
    await settle()
    log.push(seen(collection))
    const rows = Array.from(collection.entries(), ([key, value]) => [key, value] as const)
    expect(new Map(rows)).toEqual(replica)
    const inside = insideOf(collection) as RootCollection
    log.push(Array.from(inside.source.covered).length)
    await collection.cleanup()
    return log
  }

  it('tells and shows what one does whose updates do not', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
        const short = await run(steps, false)
        const long = await run(steps, true)
        expect(withoutIds(short)).toEqual(withoutIds(long))
      }),
      { numRuns: 80 },
    )
  })

  function withoutIds(log: unknown[]): unknown {
    return JSON.parse(JSON.stringify(log, (name, value) => (name === '$collectionId' ? undefined : value)))
  }
})
