import { ManagedCollection } from '../collection/lifecycle.ts'
import { Command, type Session } from '../collection/session.ts'
import { Batch, type Change } from '../collection/subscription.ts'
import type { Reader } from '../engine/reader.ts'
import { SyncCleanupError } from '../errors/collection.ts'
import { copyReadable } from '../rows/build.ts'
import { emptyList } from '../rows/empty-list.ts'
import { NONE } from '../rows/members.ts'
import { RowPatch } from '../rows/patch.ts'
import { reportError } from '../rows/report-error.ts'
import { RootRows } from '../rows/root-rows.ts'
import type { StringCollationConfig } from '../types/rows.ts'
import { Hold, type LocalWrite, type LocalWriter } from './local-write.ts'
import { Metadata, type StagedMetadata } from './metadata.ts'
import { type Receipt, Waiting } from './receipt.ts'
import type { Connection, SubsetLoading } from './sync-session.ts'
import { Stage, SyncTransaction } from './sync-transaction.ts'

type Key = string | number
type Entry = [Key, object]

/** What a collection needs of the sync session that is open. */
export interface OpenFeed {
  /** The keys written in transactions that are not committed. */
  openKeys(): Iterable<Key>
  /** Number of transactions that are not committed. */
  readonly open: number
}

/** How a root collection is fed. */
export interface RootFeed {
  readonly id: string
  readonly gcTime: number | undefined
  /** Whether direct writes are the source, so that all rows are local and confirmed. */
  readonly sourceless: boolean
  /** How strings compare in it. */
  readonly collation: StringCollationConfig
  /** The order of the confirmed rows; key order decides what it leaves open. */
  readonly compare: ((a: object, b: object) => number) | undefined
  /** Starts the source: writes may follow during and after the call. */
  connect(collection: RootCollection): Connection
}

const Effect = {
  freeKeys: 3,
  freeSlots: 4,
  dropColumn: 10,
  below: 15,
  local: 16,
  parked: 17,
  applied: 18,
  alone: 20,
} as const

const TRUNCATE = 1
const VOUCHED = 2
const IMMEDIATE = 4

const SOURCELESS = 1

/** Effects that are one block of numbers. */
const BLOCKS: Readonly<Record<number, true>> = { 3: true, 4: true, 15: true, 16: true }

/** Flag of a Mutate: whether the next ones may be shown before they are sent. */
const MAY_SHOW = 16

const WriteOp = { insert: 0, delete: 2, update: 3, withdraw: 4 } as const
/** Added for a write that is not to be seen before it is confirmed. */
const SILENT = 256

/** A collection whose rows come from a sync source or from direct writes. */
export class RootCollection extends ManagedCollection {
  readonly source: RootRows
  readonly #session: () => Session
  readonly #feed: RootFeed
  #shell: Session | undefined
  #connection: Connection | undefined
  /** Keys whose rows were put in before the source ran: its first insert of one is an update. */
  #seeds: Set<Key> | undefined
  /** Counts committed transactions: what was checked against an earlier state may no longer hold. */
  revision = 0
  /** Local writes here that have not been settled, by their number. They are sent again when the collection restarts. */
  readonly writers = new Map<number, LocalWriter>()
  /** What the adapter stores beside the rows. */
  readonly metadata = new Metadata()
  /** The sync session that is open, if any. */
  feed: OpenFeed | undefined
  #waiting: Map<number, Waiting> | undefined
  #transactions = 0
  #parked = false
  /** How many queries had been started when the engine said that none reads the collection. */
  #aloneAt = -1
  #emptied = false
  // Reused by every commit; a commit never runs inside another's message.
  readonly #triples: number[] = []
  readonly #slots: number[] = []
  readonly #fresh: number[] = []

  /** `session` is asked for when the collection starts. */
  constructor(feed: RootFeed, session: () => Session) {
    super(feed, false)
    this.#feed = feed
    this.#session = session
    this.source = new RootRows({ collectionId: feed.id, sourceless: feed.sourceless })
  }

  get collation(): StringCollationConfig {
    return this.#feed.collation
  }

  protected get shell(): Session {
    this.#shell ??= this.#session()
    return this.#shell
  }

  /** The visible row of a key, without virtual properties. */
  stored(key: Key): object | undefined {
    const slot = this.slotOf(key)
    return slot === NONE ? undefined : this.source.raw(slot)
  }

  /** The row the source has confirmed, whatever local writes cover it. */
  confirmed(key: Key): object | undefined {
    const id = this.source.idOf(key)
    if (id === undefined) return undefined
    const below = this.source.below(id)
    if (below === undefined) return this.stored(key)
    return below === NONE ? undefined : this.source.raw(below)
  }

  /** What the running source offers for loading on demand. */
  override get subsets(): SubsetLoading | undefined {
    return this.#connection?.subsets
  }

  /** Puts rows in as confirmed ones before the source delivers them. */
  seed(rows: readonly { readonly key: Key; readonly value: object; readonly metadata?: unknown }[]): void {
    if (rows.length === 0) return
    if (this.col === 0) this.#declare()
    const staged = new SyncTransaction()
    staged.immediate = true
    this.#seeds ??= new Set()
    for (const { key, value, metadata } of rows) {
      staged.stage(Stage.put, key, value)
      if (metadata !== undefined) staged.metadata.setRow(key, metadata)
      this.#seeds.add(key)
    }
    this.commit(staged, true)
  }

  /** Whether the row of a key is a seed that the source has not confirmed. */
  override isSeed(key: Key): boolean {
    return this.#seeds?.has(key) ?? false
  }

  /** As `isSeed`; from now on it is none. */
  takeSeed(key: Key): boolean {
    return this.#seeds?.delete(key) ?? false
  }

  rowMetadata(key: Key): unknown {
    return this.metadata.row(key)
  }

  /** Number of sync transactions that are committed and wait for local writes. */
  get waiting(): number {
    return this.#waiting?.size ?? 0
  }

  /** Number of sync transactions that are not committed. */
  get uncommitted(): number {
    return this.feed?.open ?? 0
  }

  openKeys(): readonly number[] {
    if (this.feed === undefined) return []
    const ids: number[] = []
    for (const key of this.feed.openKeys()) {
      const id = this.source.idOf(key)
      if (id !== undefined) ids.push(id)
    }
    return ids
  }

  /** Throws while rows are being read for the engine: nothing can be committed then. */
  assertFree(): void {
    this.shell.assertFree()
  }

  /**
   * Applies a transaction, or leaves it to wait for local writes that are being sent. `vouched` says that its
   * inserts were checked against the confirmed rows; otherwise they replace what is there. Gives `true` when all rows and
   * events are visible, else a promise of that.
   */
  commit(transaction: SyncTransaction, vouched: boolean): Receipt {
    this.shell.assertFree()
    // A write that is late is sent first: it numbers keys and fills the lists that are filled here.
    this.shell.sendLate()
    this.shell.sendOwed()
    this.revision++
    if (transaction.truncates) this.#seeds = undefined
    // Only behind local writes a transaction may wait, and then what it changes may be another row by the time.
    const gated = this.writers.size > 0
    this.#resolve(transaction, vouched, gated)
    const touched = gated ? this.#touchedIds(transaction) : []
    if (this.metadata.hasRows || this.waiting > 0) transaction.forgetRows()
    const number = ++this.#transactions
    // What says nothing of rows still ends the local writes that are kept for the next transaction.
    const says = this.#triples.length > 0 || touched.length > 0 || transaction.truncates
    if (!says && !this.source.covers) {
      this.#store(number, transaction.takeMetadata())
      return true
    }
    const command = this.shell.begin(8, Command.sync)
    command.int(this.col)
    command.int(number)
    command.int(
      (transaction.truncates ? TRUNCATE : 0) |
        (vouched ? VOUCHED : 0) |
        (transaction.immediate ? IMMEDIATE : 0),
    )
    command.words(this.#triples)
    if (touched.length === 0) command.nil()
    else command.words(touched)
    this.shell.extract(() => this.source.writeContent(command, this.#slots, this.#fresh))
    this.#parked = false
    let receipt: Receipt = true
    let taken = false
    try {
      this.shell.send(command, () => {
        taken = true
        const metadata = transaction.takeMetadata()
        if (this.#parked) receipt = this.#wait(number, metadata)
        else this.#store(number, metadata)
      })
    } finally {
      if (!taken) this.#giveBack(this.#triples, 3)
    }
    return receipt
  }

  /** Sends what a local transaction does to rows. `hold` says what is to be told of it later. */
  mutate(transaction: number, writes: readonly LocalWrite[], hold: number): void {
    const { shell } = this
    shell.assertFree()
    shell.sendLate()
    shell.sendOwed()
    if (this.col === 0) this.#declare()
    const ops: number[] = []
    emptyList(this.#slots)
    emptyList(this.#fresh)
    for (const write of writes) this.#place(write, ops)
    if ((hold & Hold.all) !== 0) shell.hold()
    const asks = hold === Hold.sending && this.#aloneAt !== shell.queries
    this.#send(transaction, ops, asks ? hold | MAY_SHOW : hold)
  }

  /**
   * Makes a write that is being sent visible and tells of it without asking the engine, which is told with the next
   * command. That can be done with an update of a row that no other local write covers, if no query reads the
   * collection and whoever is told is told of everything: then nothing is left to decide. Whether it was done. Throws
   * what those who are told throw; the write stands.
   */
  show(transaction: number, { op, key, row, changes, removed, optimistic }: LocalWrite): boolean {
    const { shell, source } = this
    if (op !== 'update' || !optimistic || this.#aloneAt !== shell.queries || !shell.free) return false
    if (this.col === 0 || this.#feed.sourceless) return false
    const subscriptions = this.everyTold()
    const id = source.idOf(key)
    if (subscriptions === undefined || id === undefined || source.below(id) !== undefined) return false
    const old = this.mirror.slotOf(id)
    if (old === NONE) return false
    shell.sendOwed()
    const patch = source.put(new RowPatch(changes as object, removed), id)
    const shown = source.putPending(row as object, id)
    source.noteWrite(id)
    source.cover(id, old)
    shell.owe(() => {
      emptyList(this.#slots)
      emptyList(this.#fresh)
      this.#slots.push(shown)
      this.#send(transaction, [WriteOp.update, id, patch, shown], Hold.shown)
    })
    this.installOne(id, old, shown)
    this.changed()
    let batch: Change[] | undefined
    for (const subscription of subscriptions) {
      batch ??= [
        { type: 'update', key: source.key(id), value: source.row(shown), previousValue: source.row(old) },
      ]
      shell.enqueue(new Batch(subscription, batch))
    }
    if (batch !== undefined) shell.tellQueued()
    return true
  }

  #send(transaction: number, ops: readonly number[], flags: number): void {
    const command = this.shell.begin(7, Command.mutate)
    command.int(this.col)
    command.int(transaction)
    command.int(flags)
    command.words(ops)
    this.shell.extract(() => this.source.writeContent(command, this.#slots, this.#fresh))
    let taken = false
    try {
      this.shell.send(command, () => {
        taken = true
      })
    } finally {
      if (!taken) this.#giveBack(ops, 4)
    }
  }

  /** Frees the slots and the new keys of a message that the engine did not take. The lowest are used again first: there are no gaps. */
  #giveBack(ops: readonly number[], stride: number): void {
    const slots: number[] = []
    for (let i = 0; i < ops.length; i += stride) {
      for (let j = i + 2; j < i + stride; j++) if (ops[j] !== NONE) slots.push(ops[j] as number)
    }
    const descending = (a: number, b: number) => b - a
    this.source.freeSlots(Uint32Array.from(slots.sort(descending)), 0, slots.length)
    this.source.freeKeys(Uint32Array.from(this.#fresh.sort(descending)), 0, this.#fresh.length)
  }

  #place({ op, key, row, changes, removed, optimistic }: LocalWrite, ops: number[]): void {
    const id = this.source.intern(key, this.#fresh)
    this.source.noteWrite(id)
    let slot = NONE
    let shown = NONE
    if (optimistic && op === 'insert') {
      slot = this.source.putPending(row as object, id)
      this.#slots.push(slot)
    } else if (optimistic && op === 'update') {
      slot = this.source.put(new RowPatch(changes as object, removed), id)
      shown = this.source.putPending(row as object, id)
      this.#slots.push(shown)
    }
    ops.push(WriteOp[op] + (optimistic || op === 'withdraw' ? 0 : SILENT), id, slot, shown)
  }

  released(op: number, effects: Reader, fields: number): void {
    switch (op) {
      case Effect.alone:
        this.#aloneAt = this.shell.queries
        return
      case Effect.parked:
        effects.int()
        this.#parked = true
        return
      case Effect.dropColumn:
        this.source.dropColumn(effects.int())
        return
    }
    if (op !== Effect.applied && !(op in BLOCKS)) {
      for (let i = 0; i < fields; i++) effects.skip()
      return
    }
    const n = effects.blockU32()
    const { u32, at } = effects
    if (op === Effect.freeSlots) this.source.freeSlots(u32, at, n)
    else if (op === Effect.freeKeys) this.source.freeKeys(u32, at, n)
    else if (op === Effect.below) this.#covered(this.source.setBelow(u32, at, n))
    else if (op === Effect.local) this.source.setLocal(u32, at, n)
    else for (let i = at; i < at + n; i++) this.#applied(u32[i] as number)
  }

  /** Other confirmed rows lie below local writes than before: rows are read in an order that depends on them. */
  #covered(moved: boolean): void {
    if (moved) this.mirror.forgetOrder()
    if (moved || this.sorts) this.changed()
  }

  /** Takes in what a transaction stores beside the rows; earlier ones that still wait have nothing to say of it any more. */
  #store(number: number, metadata: StagedMetadata | undefined): void {
    if (metadata === undefined) return
    if (this.#waiting !== undefined) {
      for (const [other, waiting] of this.#waiting) if (other < number) waiting.metadata?.yieldTo(metadata)
    }
    metadata.applyTo(this.metadata)
  }

  #wait(number: number, metadata: StagedMetadata | undefined): Receipt {
    this.#waiting ??= new Map()
    const waiting = new Waiting(metadata)
    this.#waiting.set(number, waiting)
    return waiting.receipt
  }

  #applied(number: number): void {
    const waiting = this.#waiting?.get(number)
    if (waiting === undefined) return
    this.#waiting?.delete(number)
    this.#store(number, waiting.metadata)
    this.shell.enqueue({ publish: () => waiting.settle() })
  }

  protected open(): void {
    const { session } = this
    if (this.col === 0) this.#declare()
    this.shell.tell(Command.start, this.col)
    if (this.#emptied) {
      this.#emptied = false
      for (const writer of Array.from(this.writers.values())) writer.rewrite(this)
    }
    // Those who were told of the start may have ended it.
    if (this.session !== session) return
    try {
      const connection = this.shell.connect(() => this.#feed.connect(this))
      if (this.session === session) this.#connection = connection
      else this.#end(connection)
    } catch (error) {
      if (this.session === session) this.markError(error)
      throw error
    }
  }

  protected close(): void {
    const connection = this.#connection
    this.#connection = undefined
    this.#seeds = undefined
    this.feed = undefined
    this.#end(connection)
    const waiting = this.#waiting
    this.#waiting = undefined
    if (waiting !== undefined) for (const one of waiting.values()) one.abandon(this.id)
    this.metadata.clear()
  }

  #end(connection: Connection | undefined): void {
    try {
      connection?.cleanup?.()
    } catch (error) {
      const failure = new SyncCleanupError(this.id, error)
      if (error instanceof Error && error.stack !== undefined) failure.stack = error.stack
      reportError(failure)
    }
  }

  protected forget(): void {
    this.shell.tell(Command.forget, this.col)
    this.shell.engine.detachRoot(this.col)
  }

  protected failureOf(): undefined {
    return undefined
  }

  protected keepComputed(effects: Reader): void {
    effects.skip()
  }

  protected rebindRow(): void {}

  protected clearRows(): void {
    this.#emptied = true
    this.source.clear()
  }

  protected override orderOf(entries: Entry[]): Entry[] {
    const { compare } = this.#feed
    if (compare === undefined) return entries
    const confirmed: { readonly entry: Entry; readonly row: object }[] = []
    const others: Entry[] = []
    for (const entry of entries) {
      const row = this.confirmed(entry[0])
      if (row === undefined) others.push(entry)
      else confirmed.push({ entry, row })
    }
    confirmed.sort((a, b) => compare(a.row, b.row))
    return [...confirmed.map(({ entry }) => entry), ...others]
  }

  protected override get sorts(): boolean {
    return this.#feed.compare !== undefined
  }

  #declare(): void {
    const { shell } = this
    const { dictionary } = shell
    this.col = shell.engine.nextId()
    shell.addCollection(this.col, this)
    this.source.attach(dictionary, (template, a, b) => shell.sameUnder(template, a, b))
    shell.engine.attachRoot(this.col, this.source)
    const command = this.shell.begin(3, Command.createRoot)
    command.int(this.col)
    command.array(2)
    command.int(dictionary.kindOf(this.id))
    command.int(dictionary.val)
    command.int(this.#feed.sourceless ? SOURCELESS : 0)
    this.shell.send(command)
  }

  /** Turns staged operations into key ids and slots. */
  #resolve(transaction: SyncTransaction, vouched: boolean, gated: boolean): void {
    const { ops, keys, rows } = transaction
    emptyList(this.#triples)
    emptyList(this.#slots)
    emptyList(this.#fresh)
    for (let i = 0; i < ops.length; i++) {
      const key = keys[i] as Key
      const op = ops[i] as number
      if (op === Stage.delete) {
        const id = this.source.idOf(key)
        if (id !== undefined) this.#triples.push(Stage.delete, id, NONE)
        continue
      }
      const id = this.source.intern(key, this.#fresh)
      if (op === Stage.merge) {
        if (gated) {
          this.#triples.push(Stage.merge, id, this.source.put(new RowPatch(rows[i] as object), id))
          continue
        }
        rows[i] = merged(this.#base(transaction, i), rows[i] as object)
      }
      const slot = this.source.put(rows[i] as object, id)
      this.#slots.push(slot)
      this.#triples.push(op === Stage.insert && vouched ? Stage.insert : Stage.put, id, slot)
    }
  }

  /** The key ids of which a transaction says something beside its operations. */
  #touchedIds(transaction: SyncTransaction): number[] {
    const ids: number[] = []
    for (const key of transaction.metadataKeys()) {
      const id = this.source.idOf(key)
      if (id !== undefined) ids.push(id)
    }
    return ids
  }

  /** The row that a partial update changes: the latest in the transaction, else the present one. */
  #base(transaction: SyncTransaction, at: number): object | undefined {
    const previous = transaction.previous(at)
    if (previous >= 0) return transaction.rows[previous]
    return transaction.truncates ? undefined : this.confirmed(transaction.keys[at] as Key)
  }
}

function merged(base: object | undefined, changes: object): object {
  if (base === undefined) return changes
  const row = {}
  copyReadable(row, base)
  copyReadable(row, changes)
  return row
}
