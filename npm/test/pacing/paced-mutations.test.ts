import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import {
  type BaseStrategy,
  createCollection,
  createPacedMutations,
  debounceStrategy,
  localOnlyCollectionOptions,
  OnMutateMustBeSynchronousError,
  queueStrategy,
  type Transaction,
  throttleStrategy,
} from '../../src/index.ts'
import { reported } from '../shell/source.ts'

interface Row {
  id: number
  v: number
}

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

/** Paced updates of row 1, kept when they are sent; `refuse` says which values are not. */
function paced(strategy: BaseStrategy, refuse: (v: number) => boolean = () => false) {
  const rows = createCollection(
    localOnlyCollectionOptions({ getKey: (row: Row) => row.id, initialData: [{ id: 1, v: 0 }] }),
  )
  const sent: number[][] = []
  const save = createPacedMutations<number, Row>({
    onMutate: (v) => {
      rows.update(1, (draft) => {
        draft.v = v
      })
    },
    mutationFn: async ({ transaction }) => {
      const values = transaction.mutations.map((mutation) => mutation.modified.v)
      sent.push(values)
      await new Promise((resolve) => setTimeout(resolve, 5))
      if (values.some(refuse)) throw new Error('refused')
      rows.utils.acceptMutations(transaction)
    },
    strategy,
  })
  return { rows, sent, save, shown: () => rows.get(1)?.v }
}

const states = (transactions: readonly Transaction<Row>[]) => transactions.map(({ state }) => state)

describe('createPacedMutations', () => {
  it('shows every call at once and sends debounced ones together', async () => {
    const { rows, sent, save, shown } = paced(debounceStrategy({ wait: 20 }))
    const transactions = [1, 2, 3].map((v) => {
      const transaction = save(v)
      expect(shown()).toBe(v)
      return transaction
    })
    expect(new Set(transactions).size).toBe(1)
    expect(transactions[0]).toMatchObject({ state: 'pending', autoCommit: false })
    await vi.advanceTimersByTimeAsync(30)
    expect(sent).toEqual([[3]])
    expect(transactions[0]?.mutations).toMatchObject([{ original: { v: 0 }, changes: { v: 3 } }])
    expect(states(transactions)).toEqual(['completed', 'completed', 'completed'])
    const next = save(4)
    expect(next).not.toBe(transactions[0])
    await vi.advanceTimersByTimeAsync(30)
    expect([sent, rows.get(1)?.v, rows.get(1)?.$synced]).toEqual([[[3], [4]], 4, true])
  })

  it('commits the leading call during the call', () => {
    const { save } = paced(throttleStrategy({ wait: 20 }))
    const first = save(1)
    const second = save(2)
    expect([first.state, second.state, save(3) === second]).toEqual(['persisting', 'pending', true])
  })

  it('sends what a leading-only burst left over with the next burst', async () => {
    const { sent, save, shown } = paced(debounceStrategy({ wait: 20, leading: true }))
    save(1)
    const left = save(2)
    await vi.advanceTimersByTimeAsync(100)
    expect([left.state, shown(), sent]).toEqual(['pending', 2, [[1]]])
    expect(save(3)).toBe(left)
    await vi.advanceTimersByTimeAsync(100)
    expect([left.state, shown(), sent]).toEqual(['completed', 3, [[1], [3]]])
  })

  it('gives queued calls a transaction each, sends them in order and goes on after a refusal', async () => {
    const { sent, save, shown } = paced(queueStrategy(), (v) => v === 3)
    const transactions = [1, 2, 3].map((v) => save(v))
    expect(states(transactions)).toEqual(['pending', 'pending', 'pending'])
    await vi.advanceTimersByTimeAsync(1)
    expect(states(transactions)).toEqual(['persisting', 'pending', 'pending'])
    await vi.advanceTimersByTimeAsync(100)
    expect([sent, states(transactions)]).toEqual([
      [[1], [2], [3]],
      ['completed', 'completed', 'failed'],
    ])
    await expect(transactions[2]?.isPersisted.promise).rejects.toThrow('refused')
    const next = save(4)
    await vi.advanceTimersByTimeAsync(100)
    expect([sent[3], next.state, shown()]).toEqual([[4], 'completed', 4])
  })

  it('sends nothing that was rolled back with a refused write to the same row', async () => {
    const { sent, save, shown } = paced(queueStrategy(), (v) => v === 2)
    const transactions = [1, 2, 3].map((v) => save(v))
    await vi.advanceTimersByTimeAsync(100)
    expect([sent, states(transactions)]).toEqual([
      [[1], [2]],
      ['completed', 'failed', 'failed'],
    ])
    expect(shown()).toBe(1)
  })

  it('rolls back what a full queue turns away, and nothing else', async () => {
    const { sent, save, shown } = paced(queueStrategy({ maxSize: 1 }))
    const transactions = [1, 2, 3].map((v) => save(v))
    expect(states(transactions)).toEqual(['pending', 'pending', 'failed'])
    expect(shown()).toBe(2)
    await expect(transactions[2]?.isPersisted.promise).rejects.toThrow('queue of paced mutations is full')
    expect(transactions[2]?.error?.message).toContain('full')
    await vi.advanceTimersByTimeAsync(100)
    expect([sent, shown()]).toEqual([[[1], [2]], 2])
  })

  it('rolls back what waits when the strategy is cleaned up', async () => {
    const strategy = debounceStrategy({ wait: 20 })
    const { sent, save, shown } = paced(strategy)
    const waiting = save(1)
    strategy.cleanup()
    expect([waiting.state, shown()]).toEqual(['failed', 0])
    await expect(waiting.isPersisted.promise).rejects.toThrow('cleaned up')
    await vi.advanceTimersByTimeAsync(100)
    const next = save(2)
    await vi.advanceTimersByTimeAsync(100)
    expect([next.state, sent, shown()]).toEqual(['completed', [[2]], 2])
  })

  it('lets what a queue has taken go on when it is cleaned up, and rolls back the rest', async () => {
    const strategy = queueStrategy()
    const { sent, save, shown } = paced(strategy)
    const transactions = [1, 2, 3].map((v) => save(v))
    strategy.cleanup()
    expect([states(transactions), shown()]).toEqual([['pending', 'failed', 'failed'], 1])
    await vi.advanceTimersByTimeAsync(100)
    expect([sent, transactions[0]?.state, shown()]).toEqual([[[1]], 'completed', 1])
  })

  it('forgets a transaction that was rolled back or committed while it waited', async () => {
    const { sent, save, shown } = paced(debounceStrategy({ wait: 20 }))
    const undone = save(1)
    undone.rollback()
    expect(shown()).toBe(0)
    vi.useRealTimers()
    const errors = await reported(() => new Promise((resolve) => setTimeout(resolve, 30)))
    vi.useFakeTimers()
    expect(errors).toEqual([])
    const early = save(2)
    await Promise.all([early.commit(), vi.advanceTimersByTimeAsync(10)])
    const next = save(3)
    expect(next).not.toBe(early)
    await vi.advanceTimersByTimeAsync(100)
    expect([sent, shown()]).toEqual([[[2], [3]], 3])
  })

  it('skips queued transactions that were rolled back', async () => {
    const { sent, save } = paced(queueStrategy())
    const transactions = [1, 2].map((v) => save(v))
    transactions[1]?.rollback({ isSecondaryRollback: true })
    const last = save(3)
    await vi.advanceTimersByTimeAsync(100)
    expect([sent, last.state]).toEqual([[[1], [3]], 'completed'])
  })

  it('tells a strategy that calls back when there is nothing to commit', () => {
    let commit: (() => Transaction<Row>) | undefined
    const { save } = paced({
      _type: 'custom',
      execute: (fn) => {
        commit = fn as never
      },
      cleanup() {},
    })
    const first = save(1)
    expect(commit?.()).toBe(first)
    expect(() => commit?.()).toThrow('no active transaction')
    save(2).rollback()
    expect(() => commit?.()).toThrow('because it is failed')
  })

  it('undoes a call whose onMutate throws and keeps the calls before it', async () => {
    const rows = createCollection(
      localOnlyCollectionOptions({ getKey: (row: Row) => row.id, initialData: [{ id: 1, v: 0 }] }),
    )
    const sent: number[] = []
    const save = createPacedMutations<number, Row>({
      onMutate: (v) => {
        rows.update(1, (draft) => {
          draft.v = v
        })
        if (v < 0) throw new Error('in onMutate')
      },
      mutationFn: async ({ transaction }) => {
        sent.push(transaction.mutations[0].modified.v)
        rows.utils.acceptMutations(transaction)
      },
      metadata: { from: 'test' },
      strategy: debounceStrategy({ wait: 20 }),
    })
    expect(() => save(-1)).toThrow('in onMutate')
    expect(rows.get(1)?.v).toBe(0)
    const transaction = save(1)
    expect(transaction.metadata).toEqual({ from: 'test' })
    expect(() => save(-2)).toThrow('in onMutate')
    expect(rows.get(1)?.v).toBe(1)
    await vi.advanceTimersByTimeAsync(100)
    expect([transaction.state, sent, rows.get(1)?.v]).toEqual(['completed', [1], 1])
  })

  it('refuses an onMutate that returns a promise', () => {
    const save = createPacedMutations({
      onMutate: async () => {},
      mutationFn: async () => {},
      strategy: queueStrategy(),
    })
    expect(() => save(undefined)).toThrow(OnMutateMustBeSynchronousError)
  })
})
