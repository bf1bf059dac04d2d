import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  createCollection,
  createLiveQueryCollection,
  createTransaction,
  gt,
  type SyncParams,
} from '../../src/index.ts'
import type { Transaction } from '../../src/types.ts'
import { type Fields, type Key, type Layer, type Local, Model, type Shown, SyncCommit } from './model.ts'

type Row = Record<string, unknown> & { id: Key }
type Write = { key: Key; what: 'set' | 'merge a' | 'merge b' | 'delete'; n: number; note: number | undefined }
type Change = { key: Key; what: 'insert' | 'a' | 'b' | 'delete'; n: number; optimistic: boolean }
type Step =
  | { do: 'sync'; writes: Write[]; name: number | undefined; truncate: boolean; immediate: boolean }
  | { do: 'begin'; writes: Write[]; name: number | undefined }
  | { do: 'commit sync' | 'restart' | 'make' }
  | { do: 'direct'; change: Change }
  | { do: 'mutate'; which: number; changes: Change[] }
  | { do: 'send' | 'accept' | 'refuse' | 'roll back'; which: number }

const keys: readonly Key[] = [1, 2, 'x']
const n = fc.nat(4)
const write: fc.Arbitrary<Write> = fc.record({
  key: fc.constantFrom(...keys),
  what: fc.constantFrom('set', 'merge a', 'merge b', 'delete'),
  n,
  note: fc.option(n, { nil: undefined, freq: 2 }),
})
const change: fc.Arbitrary<Change> = fc.record({
  key: fc.constantFrom(...keys),
  what: fc.constantFrom('insert', 'a', 'a', 'b', 'b', 'delete'),
  n,
  optimistic: fc.boolean().chain((yes) => (yes ? fc.constant(true) : fc.boolean())),
})
const writes = fc.array(write, { maxLength: 4 })
const name = fc.option(n, { nil: undefined })
const rarely = fc.nat(9).map((k) => k === 0)
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('sync' as const),
      writes,
      name,
      truncate: rarely,
      immediate: fc.boolean().chain((yes) => (yes ? fc.boolean() : fc.constant(false))),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('begin' as const), writes, name }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('commit sync' as const, 'make' as const) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('direct' as const), change }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('mutate' as const),
      which: fc.nat(3),
      changes: fc.array(change, { maxLength: 3 }),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constantFrom('send' as const, 'accept' as const, 'refuse' as const, 'roll back' as const),
      which: fc.nat(3),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('restart' as const) }) },
)

interface Running {
  readonly local: Local
  readonly transaction: Transaction
  readonly settle: { resolve(): void; reject(error: Error): void }
}

interface Awaited {
  readonly commit: SyncCommit
  state: 'waiting' | 'applied' | 'aborted'
  abandoned: boolean
}

/** A collection and the model, led through the same steps. */
class World {
  readonly #model = new Model()
  readonly #running: Running[] = []
  readonly #receipts: Awaited[] = []
  #params!: SyncParams<Row, Key>
  #settle: Running['settle'] | undefined
  #made = 0
  readonly #collection = createCollection<Row, Key>({
    id: 'rows',
    getKey: (row) => row.id,
    startSync: true,
    onInsert: () => this.#send(),
    onUpdate: () => this.#send(),
    onDelete: () => this.#send(),
    sync: {
      sync: (params) => {
        this.#params = params
        params.markReady()
      },
    },
  })
  readonly #told = new Map<Key, Shown>()
  readonly #live = [
    createLiveQueryCollection((q) => q.from({ r: this.#collection }).where(({ r }) => gt(r.a, 1))),
    createLiveQueryCollection((q) =>
      q.from({ r: this.#collection }).select(({ r }) => ({ id: r.id, a: r.a, s: r.$synced, o: r.$origin })),
    ),
    createLiveQueryCollection((q) =>
      q.from({ r: this.#collection }).select(({ r }) => ({ ...r, more: r.a })),
    ),
  ] as const

  constructor() {
    for (const live of this.#live) live.startSyncImmediate()
    this.#collection.subscribeChanges((changes) => {
      for (const { type, key, value, previousValue } of changes) {
        expect(this.#told.has(key), `${type} of ${key}`).toBe(type !== 'insert')
        if (type === 'update') expect(shown(previousValue as Row)).toEqual(this.#told.get(key))
        if (type === 'delete') expect(shown(value)).toEqual(this.#told.get(key))
        if (type === 'delete') this.#told.delete(key)
        else this.#told.set(key, shown(value))
      }
    })
  }

  async run(step: Step): Promise<void> {
    switch (step.do) {
      case 'sync':
        this.#begin(step.writes, step.name, step)
        this.#commit()
        break
      case 'begin':
        if (this.#model.open.length < 2) this.#begin(step.writes, step.name)
        break
      case 'commit sync':
        if (this.#model.open.length > 0) this.#commit()
        break
      case 'restart':
        this.#restart()
        break
      case 'make':
        if (this.#running.length < 4) this.#make()
        break
      case 'direct':
        this.#direct(step.change)
        break
      case 'mutate':
        this.#mutate(step.which, step.changes)
        break
      default:
        this.#conclude(step.do, step.which)
    }
    for (let i = 0; i < 8; i++) await Promise.resolve()
    this.#check()
  }

  end(): void {
    for (const live of this.#live) void live.cleanup()
    void this.#collection.cleanup()
  }

  #begin(
    list: readonly Write[],
    name: number | undefined,
    flags?: { truncate: boolean; immediate: boolean },
  ) {
    const { begin, write, truncate, metadata } = this.#params
    const commit = new SyncCommit()
    begin({ immediate: flags?.immediate === true })
    this.#model.open.push(commit)
    commit.immediate = flags?.immediate === true
    if (flags?.truncate) {
      truncate()
      commit.truncates = true
    }
    for (const { key, what, n, note } of list) {
      const said = note === undefined ? {} : { metadata: { note } }
      if (what === 'delete') {
        write({ type: 'delete', key })
        commit.ops.push({ key, op: 'delete' })
        commit.rows.set(key, undefined)
      } else if (what === 'set') {
        const row = { id: key, a: n, b: n }
        if (this.#model.confirmed.has(key)) {
          write({ type: 'delete', key })
          commit.ops.push({ key, op: 'delete' })
        }
        write({ type: 'insert', value: row, ...said })
        commit.ops.push({ key, op: 'put', row })
        commit.rows.set(key, said.metadata)
      } else {
        const row: Fields = what === 'merge a' ? { id: key, a: n } : { id: key, b: n }
        write({ type: 'update', value: row as Row, ...said })
        commit.ops.push({ key, op: 'merge', row })
        if (note !== undefined) commit.rows.set(key, said.metadata)
      }
    }
    if (name === undefined) return
    if (name === 0) metadata.collection.delete('name')
    else metadata.collection.set('name', name)
    commit.names.set('name', name === 0 ? undefined : name)
  }

  #commit(): void {
    const commit = this.#model.open.pop() as SyncCommit
    const receipt = this.#params.commit()
    if (this.#model.commit(commit)) expect(receipt).toBe(true)
    else {
      expect(receipt).toBeInstanceOf(Promise)
      const awaited: Awaited = { commit, state: 'waiting', abandoned: false }
      this.#receipts.push(awaited)
      ;(receipt as Promise<void>).then(
        () => {
          awaited.state = 'applied'
        },
        (error: Error) => {
          awaited.state = error.name === 'AbortError' ? 'aborted' : 'waiting'
        },
      )
    }
  }

  #restart(): void {
    for (const awaited of this.#receipts) {
      if (this.#model.waiting.includes(awaited.commit)) awaited.abandoned = true
    }
    for (const live of this.#live) void live.cleanup()
    void this.#collection.cleanup()
    expect(this.#collection.size).toBe(0)
    this.#told.clear()
    this.#model.restart()
    this.#collection.startSyncImmediate()
    for (const live of this.#live) live.startSyncImmediate()
  }

  #send(): Promise<void> {
    return new Promise<void>((resolve, reject) => {
      this.#settle = { resolve, reject }
    })
  }

  #make(): void {
    const transaction = createTransaction({ autoCommit: false, mutationFn: () => this.#send() })
    this.#running.push({
      local: { number: ++this.#made, direct: false, sending: false, layers: new Map(), answered: new Set() },
      transaction: transaction as unknown as Transaction,
      settle: { resolve() {}, reject() {} },
    })
  }

  /** What a change does if the row allows it. */
  #layer(local: Local, { key, what, n, optimistic }: Change): { layer: Layer | undefined } | undefined {
    const visible = this.#model.shown(key)
    if ((what === 'insert') === (visible !== undefined)) return undefined
    const before = visible === undefined ? undefined : bare(visible)
    const existing = local.layers.get(key)
    const silent = !optimistic
    if (what === 'insert') {
      const row = { id: key, a: n, b: n }
      if (existing?.effect.kind !== 'delete') {
        const at = existing?.effect.kind === 'insert' ? existing.effect.at : this.#model.nextPlace()
        return { layer: { effect: { kind: 'insert', row, at }, silent, original: undefined } }
      }
      const original = existing.original as Fields
      // The insert is an update of the row that was deleted; one of a row that is another by now is not looked at here.
      const under = this.#model.under(local, key)
      if (under === undefined || JSON.stringify(bare(under)) !== JSON.stringify(bare(original)))
        return undefined
      const changes = Object.fromEntries(
        Object.entries(row).filter(([field, value]) => original[field as 'a'] !== value),
      )
      return { layer: { effect: { kind: 'patch', changes }, silent, original } }
    }
    if (what === 'delete') {
      if (existing?.effect.kind === 'insert') return { layer: undefined }
      return { layer: { effect: { kind: 'delete' }, silent, original: before } }
    }
    if ((before as Fields)[what] === n) return undefined
    const changes = { [what]: n }
    if (existing?.effect.kind === 'insert') {
      const row = { ...(before as Fields), ...changes }
      return { layer: { effect: { ...existing.effect, row }, silent, original: undefined } }
    }
    if (existing?.effect.kind === 'patch') {
      const all = { ...existing.effect.changes, ...changes }
      return { layer: { effect: { kind: 'patch', changes: all }, silent, original: existing.original } }
    }
    return { layer: { effect: { kind: 'patch', changes }, silent, original: before } }
  }

  #call({ key, what, n, optimistic }: Change): Transaction {
    const collection = this.#collection
    if (what === 'insert') return collection.insert({ id: key, a: n, b: n }, { optimistic })
    if (what === 'delete') return collection.delete(key, { optimistic })
    return collection.update(key, { optimistic }, (draft) => {
      ;(draft as Row)[what] = n
    })
  }

  #direct(change: Change): void {
    if (this.#running.length === 6) return
    const local: Local = {
      number: ++this.#made,
      direct: true,
      sending: true,
      layers: new Map(),
      answered: new Set(),
    }
    const result = this.#layer(local, change)
    if (result === undefined) return
    const transaction = this.#call(change)
    this.#model.locals.push(local)
    this.#model.put(local, change.key, result.layer)
    this.#running.push({ local, transaction, settle: this.#settle as Running['settle'] })
  }

  #mutate(which: number, changes: readonly Change[]): void {
    const open = this.#running.filter(({ local }) => !local.direct && !local.sending)
    const one = open[which % Math.max(1, open.length)]
    if (one === undefined) return
    const { local, transaction } = one
    if (!this.#model.locals.includes(local)) {
      this.#model.locals.push(local)
      this.#model.locals.sort((a, b) => a.number - b.number)
    }
    transaction.mutate(() => {
      for (const given of changes) {
        // All that a transaction does to a row shows, or nothing.
        const existing = local.layers.get(given.key)
        const change = existing === undefined ? given : { ...given, optimistic: !existing.silent }
        const result = this.#layer(local, change)
        if (result === undefined) continue
        this.#call(change)
        this.#model.put(local, change.key, result.layer)
      }
    })
  }

  #conclude(what: 'send' | 'accept' | 'refuse' | 'roll back', which: number): void {
    const candidates = this.#running.filter(
      ({ local }) => what === 'roll back' || local.sending === (what !== 'send'),
    )
    const one = candidates[which % Math.max(1, candidates.length)]
    if (one === undefined) return
    const { local, transaction, settle } = one
    if (what === 'send') {
      transaction.commit().catch(() => {})
      if (local.layers.size === 0) {
        this.#forget([one])
        this.#model.settle([local], 'completed')
        return
      }
      local.sending = true
      this.#running[this.#running.indexOf(one)] = { ...one, settle: this.#settle as Running['settle'] }
      return
    }
    if (what === 'accept') {
      settle.resolve()
      this.#forget([one])
      this.#model.settle([local], local.direct ? 'direct' : 'completed')
      return
    }
    const failing = this.#running.filter(
      (other) =>
        other === one ||
        (!other.local.sending && [...other.local.layers.keys()].some((key) => local.layers.has(key))),
    )
    if (what === 'refuse') settle.reject(new Error('refused'))
    else transaction.rollback()
    this.#forget(failing)
    this.#model.settle(
      failing.map((other) => other.local),
      'failed',
    )
  }

  #forget(list: readonly Running[]): void {
    for (const one of list) this.#running.splice(this.#running.indexOf(one), 1)
  }

  #check(): void {
    const model = this.#model
    const collection = this.#collection
    const rows = model.rows()
    expect([...collection].map(([key, row]) => [key, shown(row)])).toEqual([...rows])
    expect(collection.size).toBe(rows.size)
    for (const key of keys) {
      const row = collection.get(key)
      expect(row === undefined ? undefined : shown(row)).toEqual(rows.get(key))
      expect(collection.get(key)).toBe(row)
    }
    expect(this.#told).toEqual(rows)
    const [filtered, selected, spread] = this.#live
    const over = [...rows].filter(([, { a }]) => a !== undefined && a > 1)
    expect(new Map([...filtered].map(([key, row]) => [key, shown(row)]))).toEqual(new Map(over))
    expect(new Map([...selected].map(([key, { s, o }]) => [key, [s, o]]))).toEqual(
      new Map([...rows].map(([key, { $synced, $origin }]) => [key, [$synced, $origin]])),
    )
    expect(new Map([...spread].map(([key, row]) => [key, shown(row)]))).toEqual(
      new Map([...rows].map(([key, row]) => [key, { ...row, more: row.a }])),
    )
    const { syncedData, syncedMetadata, optimisticDeletes, optimisticUpserts, pendingSyncedTransactions } =
      collection._state
    const confirmed = [...model.confirmed].map(([key, { row }]) => [key, row] as const)
    expect(new Map(syncedData.entries())).toEqual(new Map(confirmed))
    expect(syncedData.size).toBe(confirmed.length)
    for (const key of keys) expect(syncedMetadata.get(key)).toEqual(model.rowMetadata.get(key))
    expect(new Set(optimisticDeletes.keys())).toEqual(
      new Set(confirmed.map(([key]) => key).filter((key) => !rows.has(key))),
    )
    for (const key of optimisticUpserts.keys()) expect(rows.has(key)).toBe(true)
    for (const [key, { $synced }] of rows) if (!$synced) expect(optimisticUpserts.has(key)).toBe(true)
    expect(pendingSyncedTransactions.length).toBe(model.waiting.length + model.open.length)
    if (model.open.length === 0)
      expect(this.#params.metadata.collection.get('name')).toBe(model.named.get('name'))
    for (const { commit, state, abandoned } of this.#receipts) {
      expect(state).toBe(abandoned ? 'aborted' : model.waiting.includes(commit) ? 'waiting' : 'applied')
    }
  }
}

const bare = ({ id, a, b }: Fields): Fields => ({
  id,
  ...(a === undefined ? {} : { a }),
  ...(b === undefined ? {} : { b }),
})

function shown(row: object): Shown {
  const { $key: _key, $collectionId: _id, ...rest } = row as Record<string, unknown>
  return rest as unknown as Shown
}

describe('sync transactions and local writes', () => {
  it('come to what the model says, whatever their order', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 25 }), async (steps) => {
        const world = new World()
        try {
          for (const step of steps) await world.run(step)
        } finally {
          world.end()
        }
      }),
      { numRuns: 200 },
    )
  })
})
