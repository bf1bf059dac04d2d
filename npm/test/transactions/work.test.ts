import { describe, expect, it } from 'vitest'
import { theSession } from '../../src/collection/the-session.ts'
import { createTransaction, type Transaction } from '../../src/index.ts'
import { type Row, settle } from '../shell/source.ts'
import { items, seen, set } from './world.ts'

const counted: { readonly home: object; readonly names: readonly string[] }[] = [
  { home: Map.prototype, names: ['get', 'set', 'has', 'delete'] },
  { home: Set.prototype, names: ['add', 'has', 'delete'] },
  { home: Array.prototype, names: ['push', 'splice', 'indexOf', 'lastIndexOf', 'map', 'filter'] },
  ...[new Map().keys(), new Set().keys(), [].keys()].map((iterator) => ({
    home: Object.getPrototypeOf(iterator) as object,
    names: ['next'],
  })),
]

interface Work {
  /** Steps over maps, sets and lists. */
  steps: number
  /** Messages to the engine. */
  commands: number
}

/** Counts what `run` does. */
async function work(run: () => unknown): Promise<Work> {
  const total: Work = { steps: 0, commands: 0 }
  const undo: (() => void)[] = []
  const wrap = (home: object, name: string, counter: keyof Work) => {
    const methods = home as Record<string, (...args: unknown[]) => unknown>
    const own = Object.getOwnPropertyDescriptor(home, name)
    const method = methods[name] as (...args: unknown[]) => unknown
    methods[name] = function (this: unknown, ...args: unknown[]) {
      total[counter]++
      return Reflect.apply(method, this, args)
    }
    undo.push(() =>
      own === undefined ? Reflect.deleteProperty(home, name) : Object.defineProperty(home, name, own),
    )
  }
  for (const { home, names } of counted) for (const name of names) wrap(home, name, 'steps')
  wrap(theSession().engine, 'command', 'commands')
  try {
    await run()
  } finally {
    for (const restore of undo) restore()
  }
  return total
}

const quiet = () => createTransaction({ autoCommit: false, mutationFn: async () => {} })

/** A collection of `n` rows, each changed by a transaction of its own that is pending or being sent. */
function busy(n: number, sent: boolean) {
  const rows: Row[] = Array.from({ length: n + 10 }, (_, id) => ({ id, n: 0 }))
  const made = items({ rows })
  made.collection.subscribeChanges(() => {}, { includeInitialState: false })
  const transactions: Transaction[] = []
  for (let id = 0; id < n; id++) {
    if (sent) transactions.push(made.collection.update(id, set(1)))
    else transactions.push(quiet().mutate(() => made.collection.update(id, set(1))))
  }
  return { ...made, transactions }
}

/** What single steps cost among `n` transactions. */
async function among(n: number, sent: boolean): Promise<Record<string, Work>> {
  const { collection, transactions } = busy(n, sent)
  const middle = n >> 1
  return {
    mutate: await work(() => quiet().mutate(() => collection.update(n, set(2)))),
    'mutate again': await work(() => quiet().mutate(() => collection.update(n + 1, set(2)))),
    'direct write': await work(() => collection.update(n + 2, set(2))),
    rollback: await work(() => transactions[middle]?.rollback()),
    ...(sent ? {} : { commit: await work(() => transactions[middle + 1]?.commit()) }),
  }
}

describe('the work of one transaction', () => {
  it.each([
    ['pending', false],
    ['being sent', true],
  ])('does not depend on how many others are %s', async (_, sent) => {
    const few = await among(50, sent)
    const many = await among(10_000, sent)
    for (const [name, { steps, commands }] of Object.entries(few)) {
      expect(many[name]?.commands, name).toBe(commands)
      expect(many[name]?.steps, name).toBeLessThan(steps + 10)
    }
  })

  it('all of them end in linear work', async () => {
    const ending = async (n: number) => {
      const { collection, transactions } = busy(n, false)
      const total = await work(() => {
        for (const transaction of transactions) transaction.rollback()
      })
      expect(collection.get(n - 1)?.n).toBe(0)
      return total
    }
    const [few, many] = [await ending(100), await ending(10_000)]
    expect(many.commands).toBe(few.commands * 100)
    expect(many.steps).toBeLessThan(few.steps * 101)
  })
})

describe('the work of a transaction with many rows', () => {
  const program = async (n: number) => {
    const { collection } = items()
    const transaction = quiet()
    const keys = Array.from({ length: n }, (_, i) => i + 10)
    const total = await work(() =>
      transaction.mutate(() => {
        collection.insert(keys.map((id) => ({ id, n: 0 })))
        collection.update(keys, (drafts) => drafts.forEach(set(1)))
        collection.delete(keys.filter((id) => id % 2 === 0))
      }),
    )
    const failing = await work(() => {
      try {
        transaction.mutate(() => {
          collection.delete(keys.filter((id) => id % 2 === 1))
          throw new Error('mine')
        })
      } catch {}
    })
    expect(transaction.mutations).toHaveLength(n / 2)
    transaction.rollback()
    await settle()
    expect(seen(collection)).toBe('1=1 2=2 3=3')
    return { steps: total.steps + failing.steps, commands: total.commands + failing.commands }
  }

  it('is linear in the rows, for writes, removals and for going back', async () => {
    const [few, many] = [await program(100), await program(10_000)]
    expect(many.commands).toBe(few.commands)
    expect(many.steps).toBeLessThan(few.steps * 101)
  })
})
