/** Collections with live queries over them, and the model, led through the same history. */
import { expect } from 'vitest'
import {
  type Collection,
  createCollection,
  createLiveQueryCollection,
  createTransaction,
  gte,
  type SyncParams,
} from '../../src/index.ts'
import type { Transaction } from '../../src/types.ts'
import { held, nothing } from './engine-counters.ts'
import { type Change, keys, type Said, type Step, type SyncStep } from './histories.ts'
import { Replica, shown } from './replica.ts'
import {
  changed,
  type Fields,
  type Key,
  Model,
  type ModelRoot,
  type ModelTransaction,
  merged,
  type Shown,
  type SyncBatch,
  type SyncOp,
  type Write,
} from './writes-model.ts'

type Row = Record<string, unknown> & { id: Key }
type Params = SyncParams<Row, Key>

/** What subscribers, listeners and callbacks throw here. */
const thrown = new Error('thrown on purpose')

/** A transaction on both sides. */
interface Pair {
  readonly model: ModelTransaction
  real: Pick<Transaction, 'rollback' | 'state'> & Partial<Pick<Transaction, 'mutate' | 'commit'>>
  answer: { resolve(): void; reject(error: Error): void } | undefined
  ended: 'resolved' | 'rejected' | undefined
}

interface Receipt {
  readonly batch: SyncBatch
  readonly root: ModelRoot
  state: 'waiting' | 'applied' | 'abandoned'
}

type Query = (rows: ReadonlyMap<Key, Shown>) => Key[]

interface Side {
  readonly model: ModelRoot
  readonly collection: Collection<Row, Key>
  params: Params
  readonly told: Replica
  readonly met: Replica
  readonly lives: readonly { readonly live: Collection; readonly query: Query; readonly told: Replica }[]
}

const number = (row: Shown | undefined, field: string) =>
  typeof row?.[field] === 'number' ? (row[field] as number) : -1
const place = (key: Key) => ['x', 1, 2, 3].indexOf(key)
const by = (rows: ReadonlyMap<Key, Shown>, field: string, sign: number) => (x: Key, y: Key) =>
  sign * (number(rows.get(x), field) - number(rows.get(y), field)) || place(x) - place(y)
const atLeast = (rows: ReadonlyMap<Key, Shown>, least: number) =>
  [...rows.keys()].filter((key) => number(rows.get(key), 'a') >= least)

const listed: Query = (rows) => atLeast(rows, 1).sort((x, y) => place(x) - place(y))
const first: Query = (rows) => [...rows.keys()].sort(by(rows, 'b', 1)).slice(0, 2)
const last: Query = (rows) =>
  listed(rows)
    .sort(by(rows, 'a', -1))
    .slice(0, 2)

export class World {
  readonly #model = new Model(keys, 2)
  readonly #sides: readonly Side[]
  #pairs: Pair[] = []
  readonly #receipts: Receipt[] = []
  /** The transaction whose handler is called next, and what the handler does. */
  #sending: { readonly pair: Pair; readonly handle: () => Promise<void> } | undefined
  /** Live queries are behind while a callback of `mutate` or a handler runs; nothing is compared in a start or a stop. */
  #behind = false
  #quiet = false
  #failing: 'subscriber' | 'listener' | undefined
  #answer: SyncStep | Change | undefined
  readonly #subscriptions: { unsubscribe(): void }[] = []
  readonly #errors: unknown[] = []
  readonly #caught = (error: unknown) => {
    if (error !== thrown) this.#errors.push(error)
  }
  readonly #listeners = process.listeners('uncaughtException')

  constructor() {
    process.removeAllListeners('uncaughtException')
    process.on('uncaughtException', this.#caught)
    this.#sides = this.#model.roots.map((model, i) => this.#side(model, i))
  }

  async run(step: Step): Promise<void> {
    switch (step.do) {
      case 'sync':
        this.#sync(step)
        break
      case 'open':
        this.#open(step)
        break
      case 'commit':
        if (this.#at(step.root).model.open.length > 0) this.#commit(this.#at(step.root))
        break
      case 'stop':
        this.#stop(this.#at(step.root))
        break
      case 'start':
        this.#start(this.#at(step.root))
        break
      case 'direct':
        if (this.#pairs.length < 6) this.#direct(step.change, step.handler)
        break
      case 'make':
        if (this.#pairs.length < 6) this.#make()
        break
      case 'fail a subscriber':
        this.#failing = 'subscriber'
        break
      case 'fail a listener':
        this.#failing = 'listener'
        break
      case 'answer':
        this.#answer = step.with
        break
      case 'mutate':
        this.#mutate(step.which, step.changes, step.throws)
        break
      case 'send':
        this.#send(step.which)
        break
      default:
        this.#conclude(step)
    }
    await this.#settled()
  }

  async end(): Promise<void> {
    try {
      this.#failing = this.#answer = undefined
      for (const { model } of [...this.#pairs]) {
        const pair = this.#pairs.find((one) => one.model === model)
        if (pair !== undefined) {
          this.#end(pair, 'failed', () => pair.real.rollback())
          await this.#settled()
        }
      }
      for (const subscription of this.#subscriptions) subscription.unsubscribe()
      for (const side of this.#sides) this.#stop(side)
      expect(held()).toEqual(nothing)
    } finally {
      this.#quiet = true
      for (const subscription of this.#subscriptions) subscription.unsubscribe()
      for (const { real } of this.#pairs) real?.rollback()
      for (const { lives, collection } of this.#sides) {
        for (const { live } of [...lives].reverse()) void live.cleanup()
        void collection.cleanup()
      }
      process.removeListener('uncaughtException', this.#caught)
      for (const listener of this.#listeners) process.on('uncaughtException', listener)
    }
  }

  /** The visible rows, without what is known of their standing. */
  rows(): unknown {
    return this.#sides.map(
      ({ collection }) => new Map([...collection].map(([key, row]) => [key, bare(row as Shown)])),
    )
  }

  #side(model: ModelRoot, i: number): Side {
    const handler = ({ transaction }: { transaction: object }) => this.#handle(transaction as Transaction)
    let params: Params | undefined
    const collection = createCollection<Row, Key>({
      id: `collection ${i}`,
      getKey: (row) => row.id,
      startSync: true,
      onInsert: handler,
      onUpdate: handler,
      onDelete: handler,
      sync: {
        rowUpdateMode: i === 0 ? 'partial' : 'full',
        sync: (given) => {
          params = given
          given.markReady()
        },
      },
    })
    const list = createLiveQueryCollection((q) => q.from({ r: collection }).where(({ r }) => gte(r.a, 1)))
    const top = createLiveQueryCollection((q) =>
      q
        .from({ r: collection })
        .orderBy(({ r }) => r.b)
        .limit(2),
    )
    const outer = createLiveQueryCollection((q) =>
      q
        .from({ l: list })
        .orderBy(({ l }) => l.a, 'desc')
        .limit(2),
    )
    const lives = (
      [
        [list, listed],
        [top, first],
        [outer, last],
      ] as const
    ).map(([live, query]) => {
      return { live: live as unknown as Collection, query, told: new Replica() }
    })
    const side: Side = {
      model,
      collection: collection as unknown as Collection<Row, Key>,
      get params() {
        return params as Params
      },
      told: new Replica(),
      met: new Replica(),
      lives,
    }
    for (const { live } of lives) live.startSyncImmediate()
    const listening = () => this.#listener()
    collection.on('truncate', listening)
    collection.on('status:change', listening)
    this.#subscriptions.push(
      collection.subscribeChanges((changes) => this.#hear(side.told, changes)),
      collection.subscribeChanges((changes) => {
        if (changes.length === 0 || this.#failing !== 'subscriber') return
        this.#failing = undefined
        throw thrown
      }),
      collection.subscribeChanges((changes) => this.#hear(side.met, changes), {
        where: (row) => gte(row.a, 2),
      }),
      ...lives.map(({ live, told }) => {
        return live.subscribeChanges((changes) => this.#hear(told, changes as never), {
          includeInitialState: true,
        })
      }),
    )
    return side
  }

  /** Whoever is told something finds everything complete; what it does itself happens at once and is told later. */
  #hear(replica: Replica, changes: readonly object[]): void {
    replica.take(changes as never)
    if (this.#quiet || changes.length === 0) return
    this.#checkReads()
    const answer = this.#answer
    this.#answer = undefined
    if (answer === undefined) return
    if ('said' in answer) this.#sync(answer)
    else if (!this.#behind && this.#at(answer.root).model.running) this.#direct(answer, 'later')
    this.#checkReads()
  }

  #listener(): void {
    if (this.#failing !== 'listener') return
    this.#failing = undefined
    throw thrown
  }

  #at(root: number): Side {
    return this.#sides[root] as Side
  }

  /** Runs a call that may throw what subscribers throw. */
  #tolerant(call: () => void): void {
    try {
      call()
    } catch (error) {
      if (error !== thrown) throw error
    }
  }

  #sync(step: SyncStep): void {
    const side = this.#at(step.root)
    if (!side.model.running) return
    this.#open(step)
    this.#commit(side)
  }

  #open({ root, said, truncate, immediate }: SyncStep): void {
    const side = this.#at(root)
    const { params, model } = side
    if (!model.running || model.open.length > 2) return
    params.begin({ immediate })
    const batch: SyncBatch = { ops: [], truncates: truncate, immediate }
    model.open.push(batch)
    if (truncate) params.truncate()
    for (const one of said) this.#say(side, batch, one)
  }

  #say({ params, model, collection }: Side, batch: SyncBatch, { key, what, n }: Said): void {
    const whole: Row = { id: key, a: n, b: 3 - n, c: n % 2 }
    const op = ((): SyncOp => {
      if (what === 'delete') return { kind: 'delete', key }
      if (what === 'insert' || what === 'all') return { kind: 'put', key, row: whole }
      const row: Row = { id: key, [what]: n }
      return { kind: collection === this.#sides[0]?.collection ? 'merge' : 'put', key, row }
    })()
    const replaces = what === 'insert' && model.confirmed.has(key) && !batch.truncates
    if (what === 'delete') params.write({ type: 'delete', key })
    else if (what !== 'insert') {
      // In the collection that takes changed fields, an update with all fields says the same as a row.
      params.write({ type: 'update', value: (op.row ?? whole) as Row })
    } else {
      if (replaces) params.write({ type: 'delete', key })
      params.write({ type: 'insert', value: whole })
    }
    if (replaces) batch.ops.push({ kind: 'delete', key })
    batch.ops.push(
      what === 'all' && collection === this.#sides[0]?.collection ? { ...op, kind: 'merge' } : op,
    )
  }

  #commit({ params, model }: Side): void {
    const batch = model.open.pop() as SyncBatch
    const applied = model.commit(batch)
    this.#tolerant(() => {
      const result = params.commit()
      if (applied) expect(result).toBe(true)
      else this.#await(batch, model, result)
    })
  }

  #await(batch: SyncBatch, root: ModelRoot, result: unknown): void {
    expect(result).toBeInstanceOf(Promise)
    const receipt: Receipt = { batch, root, state: 'waiting' }
    this.#receipts.push(receipt)
    ;(result as Promise<void>).then(
      () => {
        receipt.state = 'applied'
        // Its rows can be read, and everybody has been told of them.
        this.#guarded(() => {
          expect(root.waiting).not.toContain(batch)
          this.#check()
        })
      },
      (error: Error) => {
        receipt.state = error.name === 'AbortError' ? 'abandoned' : receipt.state
      },
    )
  }

  #guarded(check: () => void): void {
    try {
      check()
    } catch (error) {
      this.#errors.push(error)
    }
  }

  #stop({ model, collection, lives, told, met }: Side): void {
    this.#quiet = true
    for (const { live } of [...lives].reverse()) void live.cleanup()
    void collection.cleanup()
    model.stop()
    for (const replica of [told, met, ...lives.map((one) => one.told)]) replica.rows.clear()
    this.#quiet = false
  }

  #start(side: Side): void {
    if (side.model.running) return
    this.#quiet = true
    side.model.start()
    this.#tolerant(() => side.collection.startSyncImmediate())
    this.#startLives(side)
    this.#quiet = false
  }

  #startLives({ lives }: Side): void {
    for (const { live } of lives) this.#tolerant(() => live.startSyncImmediate())
  }

  /** Called by every handler and mutation function. */
  #handle(transaction: Transaction): Promise<void> {
    const { pair, handle } = this.#sending as { pair: Pair; handle: () => Promise<void> }
    this.#sending = undefined
    if (pair.real !== transaction) pair.real = transaction
    this.#watch(pair, transaction)
    try {
      return handle()
    } catch (error) {
      // What a handler throws refuses its transaction; a claim that does not hold must not pass for that.
      this.#caught(error)
      throw error
    }
  }

  #watch(pair: Pair, { isPersisted }: Pick<Transaction, 'isPersisted'>): void {
    const ended = (how: 'resolved' | 'rejected') => () => {
      pair.ended = how
      this.#guarded(() => {
        expect(pair.model.state).toBe(how === 'resolved' ? 'completed' : 'failed')
        this.#check()
      })
    }
    isPersisted.promise.then(ended('resolved'), ended('rejected'))
  }

  #later(pair: Pair): Promise<void> {
    return new Promise<void>((resolve, reject) => {
      pair.answer = { resolve, reject }
    })
  }

  #pair(model: ModelTransaction): Pair {
    const pair: Pair = { model, real: undefined as never, answer: undefined, ended: undefined }
    this.#pairs.push(pair)
    return pair
  }

  #make(): void {
    const pair = this.#pair(this.#model.make(false))
    const transaction = createTransaction({
      autoCommit: false,
      mutationFn: ({ transaction }) => this.#handle(transaction as unknown as Transaction),
    })
    pair.real = transaction as unknown as Transaction
    transaction.isPersisted.promise.catch(() => {})
  }

  /** What a change does to the row that is there, or undefined if it does nothing. */
  #plan({ model }: Side, { key, what, n, silent }: Change): Write | undefined {
    const visible = model.visible(key)
    if ((what === 'insert') === (visible !== undefined)) return undefined
    const none = { id: key }
    if (what === 'insert') {
      const row = { id: key, a: n, b: n, ...(n === 1 ? { c: 1 } : {}) }
      return { kind: 'insert', row, original: none, changes: {}, silent }
    }
    const original = bare(visible as Shown)
    if (what === 'delete') return { kind: 'delete', row: original, original, changes: {}, silent }
    const field = what === 'remove c' ? 'c' : what
    const value = what === 'remove c' ? undefined : n
    if (original[field] === value) return undefined
    const changes = { [field]: value }
    return { kind: 'update', row: changed(original, changes), original, changes, silent }
  }

  #call({ collection }: Side, { key, what, n, silent }: Change, row: Fields): void {
    const optimistic = !silent
    if (what === 'insert') collection.insert({ ...row } as never, { optimistic })
    else if (what === 'delete') collection.delete(key, { optimistic })
    else {
      collection.update(key, { optimistic }, (draft: Row) => {
        if (what === 'remove c') delete draft.c
        else draft[what] = n
      })
    }
  }

  #direct(change: Change, handler: 'later' | 'at once' | 'throws'): void {
    const side = this.#at(change.root)
    const asleep = !side.model.running
    if (asleep) side.model.start()
    const write = this.#plan(side, change)
    if (write === undefined) {
      if (asleep) side.model.stop()
      return
    }
    const model = this.#model.make(true)
    side.model.put(model, change.key, write)
    const pair = this.#pair(model)
    const handle = () => {
      if (handler === 'at once' && side.model.running) this.#confirm(pair, 'the same key')
      else if (handler === 'later') this.#checkVisible()
      model.state = 'persisting'
      this.#behind = false
      if (handler === 'throws') throw thrown
      return handler === 'later' ? this.#later(pair) : Promise.resolve()
    }
    this.#sending = { pair, handle }
    this.#behind = true
    this.#quiet = asleep
    this.#tolerant(() => this.#call(side, change, write.row))
    this.#behind = false
    if (asleep) this.#startLives(side)
    this.#quiet = false
    if (handler === 'later') return
    this.#end(pair, handler === 'throws' ? 'failed' : 'completed', () => {})
  }

  #mutate(which: number, changes: readonly Change[], throws: boolean): void {
    const open = this.#pairs.filter(({ model }) => model.state === 'pending')
    const pair = open[which % Math.max(1, open.length)]
    if (pair === undefined) return
    const { model } = pair
    const before = model.saved()
    this.#behind = true
    const run = () =>
      pair.real.mutate?.(() => {
        for (const change of changes) {
          const side = this.#at(change.root)
          if (!side.model.running) continue
          const write = this.#plan(side, change)
          if (write === undefined) continue
          side.model.put(model, change.key, merged(model.of(side.model).get(change.key), write))
          this.#call(side, change, write.row)
          this.#checkVisible()
        }
        if (!throws) return
        for (const [root, writes] of model.writes) {
          for (const key of keys) {
            const was = before.get(root)?.get(key)
            if (was !== writes.get(key)) root.put(model, key, was)
          }
        }
        // What is undone becomes visible collection by collection, before live queries hear of it.
        this.#quiet = true
        throw thrown
      })
    if (throws) expect(run).toThrow(thrown)
    else run()
    this.#behind = this.#quiet = false
  }

  #send(which: number): void {
    const open = this.#pairs.filter(({ model }) => model.state === 'pending')
    const pair = open[which % Math.max(1, open.length)]
    if (pair === undefined) return
    if (pair.model.empty) {
      this.#end(pair, 'completed', () => void pair.real.commit?.())
      return
    }
    pair.model.state = 'persisting'
    this.#sending = { pair, handle: () => this.#later(pair) }
    pair.real.commit?.().catch(() => {})
  }

  #conclude(step: { readonly which: number } & Step): void {
    const candidates = this.#pairs.filter(
      ({ model }) => step.do === 'roll back' || model.state === 'persisting',
    )
    const pair = candidates[step.which % Math.max(1, candidates.length)]
    if (pair === undefined) return
    if (step.do === 'roll back') this.#end(pair, 'failed', () => pair.real.rollback())
    else if (step.do === 'refuse') this.#end(pair, 'failed', () => pair.answer?.reject(thrown))
    else {
      if (step.do === 'confirm') this.#confirm(pair, step.under)
      this.#end(pair, 'completed', () => pair.answer?.resolve())
    }
  }

  /** The source delivers what a transaction wrote. */
  #confirm({ model }: Pair, under: 'the same key' | 'another key'): void {
    for (const side of this.#sides) {
      const writes = [...model.of(side.model)]
      if (writes.length === 0 || !side.model.running) continue
      const { params } = side
      params.begin()
      const batch: SyncBatch = { ops: [], truncates: false, immediate: false }
      for (const [written, { kind, row }] of writes) {
        const other = under === 'another key' && kind === 'insert'
        const key = other ? (keys[(keys.indexOf(written) + 1) % keys.length] as Key) : written
        if (kind === 'delete' || side.model.confirmed.has(key)) {
          params.write({ type: 'delete', key })
          batch.ops.push({ kind: 'delete', key })
        }
        if (kind === 'delete') continue
        params.write({ type: 'insert', value: { ...row, id: key } })
        batch.ops.push({ kind: 'put', key, row: { ...row, id: key } })
      }
      side.model.open.push(batch)
      this.#commit(side)
    }
  }

  #end(pair: Pair, state: 'completed' | 'failed', end: () => void): void {
    this.#model.end(pair.model, state)
    this.#pairs = this.#pairs.filter(({ model }) => model.state === 'pending' || model.state === 'persisting')
    end()
    if (pair.real !== undefined) this.#ended.push(pair)
  }

  readonly #ended: Pair[] = []

  async #settled(): Promise<void> {
    for (let i = 0; i < 12; i++) await Promise.resolve()
    this.#check()
    for (const { model, real } of [...this.#ended, ...this.#pairs]) expect(real.state).toBe(model.state)
    this.#ended.length = 0
    for (const { root, batch, state } of this.#receipts) {
      if (state !== 'abandoned') expect(state).toBe(root.waiting.includes(batch) ? 'waiting' : 'applied')
    }
  }

  #check(): void {
    if (this.#errors.length > 0) throw this.#errors[0]
    this.#checkReads()
    for (const { model, told, met, lives } of this.#sides) {
      const rows = model.rows()
      expect(told.rows).toEqual(rows)
      expect(met.rows).toEqual(new Map(atLeast(rows, 2).map((key) => [key, rows.get(key)])))
      for (const one of lives) {
        expect(one.told.rows).toEqual(new Map(one.query(rows).map((key) => [key, rows.get(key)])))
      }
    }
  }

  #checkReads(): void {
    if (this.#quiet) return
    this.#checkVisible()
    if (this.#behind) return
    for (const { model, lives } of this.#sides) {
      const rows = model.rows()
      for (const { live, query } of lives) {
        const expected = query(rows).map((key) => [key, rows.get(key)])
        expect([...live.entries()].map(([key, row]) => [key, shown(row as object)])).toEqual(expected)
      }
    }
  }

  #checkVisible(): void {
    if (this.#quiet) return
    for (const { model, collection } of this.#sides) {
      const rows = model.rows()
      expect(new Map([...collection].map(([key, row]) => [key, shown(row)]))).toEqual(rows)
      expect(collection.size).toBe(rows.size)
      for (const key of keys) {
        const row = collection.get(key)
        expect(row === undefined ? undefined : shown(row)).toEqual(rows.get(key))
        expect(collection.get(key)).toBe(row)
      }
    }
  }
}

function bare({
  $synced: _synced,
  $origin: _origin,
  $key: _key,
  $collectionId: _collection,
  ...row
}: Shown): Fields {
  return row as Fields
}
