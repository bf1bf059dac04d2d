/** Both libraries under one script, compared after every step. */
import * as peer from '@tanstack/db'
import { expect } from 'vitest'
import * as millrace from '../../src/index.ts'
import type { DifferenceName } from './differences.ts'
import type { Change, Key, Step } from './scripts.ts'
import { type Event, type Library, type Pending, type Row, type Sent, Side } from './side.ts'

/** How many transactions may be under way. */
const LIMIT = 5
/** Later than every transaction. */
const LAST = 1e6

export class Both {
  readonly #ours = new Side(millrace as unknown as Library)
  readonly #theirs = new Side(peer as unknown as Library)
  /** By collection: keys of completed transactions whose writes may still show. */
  readonly #kept = [new Set<Key>(), new Set<Key>()] as const
  /** Transactions whose end has been taken note of. */
  readonly #ended = new Set<Sent>()
  /** By collection: transactions that have ever written to it. */
  readonly #touched = [new Set<Sent>(), new Set<Sent>()] as const
  /** By collection: whether a sync transaction waits. */
  readonly #waits = [false, false]
  /** What was left out, by the difference it would have shown. */
  readonly avoided = new Set<DifferenceName>()
  #steps = 0

  get steps(): number {
    return this.#steps
  }

  async run(step: Step): Promise<void> {
    const net = step.do === 'sync' && step.truncate
    const act = this.#plan(step)
    if (act === undefined) return
    this.#steps++
    const [ours, theirs] = [act(this.#ours), act(this.#theirs)]
    expect(outcome(ours), 'what the call gives').toEqual(outcome(theirs))
    this.#compare(net)
    await new Promise((resolve) => setImmediate(resolve))
    this.#compare(net)
    this.#note()
  }

  end(): void {
    this.#ours.end()
    this.#theirs.end()
  }

  #avoid(difference: DifferenceName): undefined {
    this.avoided.add(difference)
    return undefined
  }

  /** What a step does to a side where both stand now, or undefined. */
  #plan(step: Step): ((side: Side) => unknown) | undefined {
    switch (step.do) {
      case 'sync':
        return this.#sync(step)
      case 'direct':
        if (this.#running().length === LIMIT) return undefined
        return this.#direct(step)
      case 'make':
        return this.#running().length === LIMIT ? undefined : (side) => side.make()
      case 'restart':
        // Which local writes outlive a cleanup is a matter of its own.
        if (this.#running().length > 0) return undefined
        return (side) => side.restart()
      case 'mutate':
        return this.#mutate(step.which, step.changes)
      default:
        return this.#conclude(step.do, step.which)
    }
  }

  #running(state?: 'pending' | 'persisting'): number[] {
    return this.#ours.transactions.flatMap(({ transaction }, i) => {
      const is = transaction.state
      return is === state || (state === undefined && (is === 'pending' || is === 'persisting')) ? [i] : []
    })
  }

  #mutationsAt(at: number, state?: 'pending' | 'persisting') {
    return this.#running(state).flatMap((i) => {
      const { transaction } = this.#ours.transactions[i] as Pending
      return transaction.mutations
        .filter(({ collection }) => collection.id === `collection ${at}`)
        .map(({ key, type }) => ({ key: key as Key, type, transaction }))
    })
  }

  #sync(step: Extract<Step, { do: 'sync' }>): ((side: Side) => unknown) | undefined {
    const { at, said, truncate, immediate } = step
    const sending = this.#mutationsAt(at, 'persisting')
    const keys = new Set(said.map(({ key }) => key))
    if (keys.size < said.length && this.#mutationsAt(at).length + this.#kept[at as 0].size > 0) {
      return this.#avoid('A sync transaction confirms a row as a whole')
    }
    const alone = new Set(sending.map(({ transaction }) => transaction)).size <= 1
    if (sending.length > 0 && !truncate && !immediate) {
      const waits = sending.some(({ type, key }) => type === 'insert' || keys.has(key))
      if (!waits || !alone)
        return this.#avoid('Sync transactions that touch no pending row are applied at once')
    }
    const withdrawn = [...this.#touched[at as 0]].some((one) => {
      return one.state === 'persisting' && !sending.some(({ transaction }) => transaction === one)
    })
    if (withdrawn) return this.#avoid('Sync transactions that touch no pending row are applied at once')
    const applies = sending.length === 0 || truncate || immediate
    const updated = this.#mutationsAt(at).filter(({ type }) => type === 'update')
    if (
      updated.some(({ key }) => truncate || (keys.has(key) && applies)) ||
      (applies && this.#waits[at] && updated.length > 0)
    ) {
      return this.#avoid('Updates compose field by field')
    }
    if (truncate && this.#kept[at as 0].size > 0)
      return this.#avoid('A truncate ends writes that have been sent')
    if (applies) {
      this.#kept[at as 0].clear()
      this.#waits[at] = false
    } else this.#waits[at] = true
    return (side) => side.sync(at, said, { truncate, immediate })
  }

  /** Whether a change fits, as far as both libraries take it for the same. */
  #fits({ at, key, what }: Change, own: Sent | undefined): boolean {
    const row = this.#ours.collections[at]?.get(key as never) as (Row & { $synced: boolean }) | undefined
    if ((what === 'insert') === (row !== undefined)) return false
    const writers = this.#mutationsAt(at).filter((one) => one.key === key)
    if (
      what !== 'delete' &&
      writers.some(({ transaction, type }) => transaction === own && type === 'delete')
    ) {
      this.#avoid('Deleting and inserting a row in one transaction is an update')
      return false
    }
    const age = (one: Sent | undefined) =>
      this.#ours.transactions.findIndex(({ transaction }) => transaction === one) +
      (one === undefined ? LAST : 0)
    const below = writers.some(({ transaction, type }) => transaction !== own && type === 'insert')
    const above = writers.some(({ transaction }) => age(transaction) > age(own))
    if (what === 'delete' ? below : what === 'insert' && above) {
      this.#avoid('A row that comes to light is told')
      return false
    }
    if (what === 'a' || what === 'b') {
      const others = writers.some(({ transaction }) => transaction !== own)
      if (others || this.#kept[at as 0].has(key)) {
        this.#avoid('Updates compose field by field')
        return false
      }
    }
    return true
  }

  #direct({ change, handler }: Extract<Step, { do: 'direct' }>): ((side: Side) => unknown) | undefined {
    if (!this.#fits(change, undefined)) return undefined
    if (this.#waits[change.at]) {
      return this.#avoid('Sync transactions that touch no pending row are applied at once')
    }
    if (handler === 'confirms') return this.#avoid('A write that its handler confirms at once is confirmed')
    return (side) => side.direct(change, handler)
  }

  #mutate(which: number, changes: readonly Change[]): ((side: Side) => unknown) | undefined {
    const open = this.#running('pending')
    const index = open[which % Math.max(1, open.length)]
    if (index === undefined) return undefined
    // What fits is decided while ours runs, and theirs does the same.
    const fitting: Change[] = []
    return (side) => {
      const { transaction } = side.transactions[index] as { transaction: Sent }
      transaction.mutate(() => {
        for (const change of side === this.#ours ? changes : fitting) {
          if (side === this.#ours) {
            if (!this.#fits(change, transaction)) continue
            fitting.push(change)
          }
          side.write(change)
          if (side === this.#ours) this.#touched[change.at as 0].add(transaction)
        }
      })
    }
  }

  #conclude(
    what: 'send' | 'accept' | 'refuse' | 'roll back' | 'confirm',
    which: number,
  ): ((side: Side) => unknown) | undefined {
    const among = this.#running(what === 'send' ? 'pending' : what === 'roll back' ? undefined : 'persisting')
    const index = among[which % Math.max(1, among.length)]
    if (index === undefined) return undefined
    const of = (side: Side) => side.transactions[index] as Pending
    const { mutations } = of(this.#ours).transaction
    const touched = [0, 1].filter((at) =>
      mutations.some(({ collection }) => collection.id === `collection ${at}`),
    )
    if (what === 'send') {
      if (touched.some((at) => this.#waits[at])) {
        return this.#avoid('Sync transactions that touch no pending row are applied at once')
      }
      return (side) =>
        void of(side)
          .transaction.commit()
          .catch(() => {})
    }
    if (what === 'roll back') return (side) => void of(side).transaction.rollback()
    if (what === 'refuse') return (side) => of(side).reject?.(new Error('refused'))
    if (what === 'confirm') {
      if (touched.some((at) => this.#waits[at] || this.#shared(at))) return undefined
    }
    return (side) => {
      if (what === 'confirm') for (const at of touched) side.deliver(at, of(side).transaction)
      of(side).resolve?.()
    }
  }

  /** Whether several transactions that are being sent have written to a collection. */
  #shared(at: number): boolean {
    return new Set(this.#mutationsAt(at, 'persisting').map(({ transaction }) => transaction)).size > 1
  }

  #note(): void {
    for (const { transaction } of this.#ours.transactions) {
      if (transaction.state !== 'completed' || this.#ended.has(transaction)) continue
      this.#ended.add(transaction)
      for (const { collection, key } of transaction.mutations) {
        this.#kept[collection.id === 'collection 0' ? 0 : 1].add(key as Key)
      }
    }
    for (const at of [0, 1]) if (this.#mutationsAt(at, 'persisting').length === 0) this.#waits[at] = false
  }

  #compare(net: boolean): void {
    expect(this.#state(this.#ours)).toEqual(this.#state(this.#theirs))
    const [ours, theirs] = [told(this.#ours, net), told(this.#theirs, net)]
    expect(ours).toEqual(theirs)
  }

  #state({ collections, transactions }: Side) {
    return {
      collections: collections.map((one) => new Map(one.entries())),
      sizes: collections.map(({ size }) => size),
      transactions: transactions.map(({ transaction: { state, mutations } }) => ({
        state,
        mutations: mutations.map(({ type, key, original, modified, changes, optimistic, collection }) => {
          return { type, key, original, modified, changes, optimistic, in: collection.id }
        }),
      })),
    }
  }
}

/** What the call of a step gave: nothing but the name of an error counts. */
const outcome = (result: unknown) => (result instanceof Error ? result.name : undefined)

type Told = { readonly type: string; readonly value: object; readonly previousValue: object | undefined }

/** The batches each subscriber was told since the last look, by key; with `net`, what they come to. */
function told(side: Side, net: boolean): Map<string, Map<unknown, Told>[]> {
  const found = new Map<string, Map<unknown, Told>[]>()
  for (const { who, changes } of side.takeTold()) {
    const batches = found.get(who) ?? []
    found.set(who, batches)
    const batch = (net ? batches[0] : undefined) ?? new Map<unknown, Told>()
    for (const event of changes) take(batch, event, net)
    if (!batches.includes(batch)) batches.push(batch)
  }
  if (net) for (const [who, batches] of found) if (batches.every(({ size }) => size === 0)) found.delete(who)
  return found
}

function take(batch: Map<unknown, Told>, event: Event, net: boolean): void {
  const { type, key } = event
  // What a truncate tells there of the standing of rows is not always how they stand.
  const value = net ? bare(event.value) : event.value
  const previous = event.previousValue === undefined ? undefined : bare(event.previousValue)
  const earlier = batch.get(key)
  if (earlier !== undefined && !net) throw new Error(`${String(key)} is mentioned twice in a batch`)
  const first = type === 'insert' ? undefined : (previous ?? bare(value))
  const old = earlier === undefined ? first : rowBefore(earlier)
  const now = type === 'delete' ? undefined : value
  if (old === undefined && now === undefined) batch.delete(key)
  else if (old === undefined)
    batch.set(key, { type: 'insert', value: now as object, previousValue: undefined })
  else if (now === undefined) batch.set(key, { type: 'delete', value: old, previousValue: undefined })
  else if (net && JSON.stringify(old) === JSON.stringify(now)) batch.delete(key)
  else batch.set(key, { type: 'update', value: now, previousValue: old })
}

function rowBefore({ type, value, previousValue }: Told): object | undefined {
  return type === 'insert' ? undefined : (previousValue ?? value)
}

/** A row without its standing, its fields in one order. */
function bare(row: object): object {
  const fields = Object.entries(row).filter(([name]) => !name.startsWith('$'))
  return Object.fromEntries(fields.sort(([a], [b]) => (a < b ? -1 : 1)))
}
