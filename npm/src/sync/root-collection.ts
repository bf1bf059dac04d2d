import { ManagedCollection } from '../collection/lifecycle.ts'
import { Command, type Session } from '../collection/session.ts'
import type { Reader } from '../engine/reader.ts'
import { SyncCleanupError } from '../errors/collection.ts'
import { copyReadable } from '../rows/build.ts'
import { emptyList } from '../rows/empty-list.ts'
import { NONE } from '../rows/members.ts'
import { reportError } from '../rows/report-error.ts'
import { RootRows } from '../rows/root-rows.ts'
import type { VirtualOrigin } from '../types/rows.ts'
import { Stage, type SyncTransaction } from './sync-transaction.ts'

type Key = string | number

/** What a sync function gives back to be called at the end. */
type Cleanup = (() => void) | undefined

/** How a root collection is fed. */
export interface RootFeed {
  readonly id: string
  readonly gcTime: number | undefined
  readonly origin: VirtualOrigin
  /** Starts the source: writes may follow during and after the call. */
  connect(collection: RootCollection): Cleanup
}

const FREE_KEYS = 3
const FREE_SLOTS = 4
const DROP_COLUMN = 10

const TRUNCATE = 1
const VOUCHED = 2

/** A collection whose rows come from a sync source or from direct writes. */
export class RootCollection extends ManagedCollection {
  readonly source: RootRows
  readonly #session: () => Session
  readonly #feed: RootFeed
  #shell: Session | undefined
  #disconnect: Cleanup
  /** Counts committed transactions: what was checked against an earlier state may no longer hold. */
  revision = 0
  // Reused by every commit; a commit never runs inside another's message.
  readonly #triples: number[] = []
  readonly #slots: number[] = []
  readonly #fresh: number[] = []

  /** `session` is asked for when the collection starts. */
  constructor(feed: RootFeed, session: () => Session) {
    super(feed, false)
    this.#feed = feed
    this.#session = session
    this.source = new RootRows({ collectionId: feed.id, origin: feed.origin })
  }

  protected get shell(): Session {
    this.#shell ??= this.#session()
    return this.#shell
  }

  /** The stored row of a key, without virtual properties. */
  stored(key: Key): object | undefined {
    const slot = this.slotOf(key)
    return slot === NONE ? undefined : this.source.raw(slot)
  }

  /**
   * Applies a transaction. `vouched` says that its inserts were checked against the present rows; otherwise they
   * replace what is there. All rows and events are visible afterwards.
   */
  commit(transaction: SyncTransaction, vouched: boolean): void {
    this.shell.assertFree()
    this.revision++
    this.#resolve(transaction, vouched)
    if (this.#triples.length === 0 && !transaction.truncates) return
    const command = this.shell.begin(6, Command.sync)
    command.int(this.col)
    command.int((transaction.truncates ? TRUNCATE : 0) | (vouched ? VOUCHED : 0))
    command.words(this.#triples)
    this.shell.extract(() => this.source.writeContent(command, this.#slots, this.#fresh))
    this.shell.send(command)
  }

  released(op: number, effects: Reader, fields: number): void {
    if (op === FREE_SLOTS) {
      const n = effects.blockU32()
      this.source.freeSlots(effects.u32, effects.at, n)
    } else if (op === FREE_KEYS) {
      const n = effects.blockU32()
      this.source.freeKeys(effects.u32, effects.at, n)
    } else if (op === DROP_COLUMN) this.source.dropColumn(effects.int())
    else for (let i = 0; i < fields; i++) effects.skip()
  }

  protected open(): void {
    const { session } = this
    if (this.col === 0) this.#declare()
    this.shell.tell(Command.start, this.col)
    // Those who were told of the start may have ended it.
    if (this.session !== session) return
    try {
      const disconnect = this.shell.connect(() => this.#feed.connect(this))
      if (this.session === session) this.#disconnect = disconnect
      else this.#end(disconnect)
    } catch (error) {
      if (this.session === session) this.markError(error)
      throw error
    }
  }

  protected close(): void {
    const disconnect = this.#disconnect
    this.#disconnect = undefined
    this.#end(disconnect)
  }

  #end(disconnect: Cleanup): void {
    try {
      disconnect?.()
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
    this.source.clear()
  }

  #declare(): void {
    const { shell } = this
    const { dictionary } = shell
    this.col = shell.engine.nextId()
    shell.addCollection(this.col, this)
    this.source.attach(dictionary, (template, a, b) => shell.sameUnder(template, a, b))
    shell.engine.attachRoot(this.col, this.source)
    const command = this.shell.begin(2, Command.createRoot)
    command.int(this.col)
    command.array(2)
    command.int(dictionary.kindOf(this.id))
    command.int(dictionary.val)
    this.shell.send(command)
  }

  /** Turns staged operations into key ids and slots. */
  #resolve(transaction: SyncTransaction, vouched: boolean): void {
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
      if (op === Stage.merge) rows[i] = merged(this.#base(transaction, i), rows[i] as object)
      const id = this.source.intern(key, this.#fresh)
      const slot = this.source.put(rows[i] as object, id)
      this.#slots.push(slot)
      this.#triples.push(op === Stage.insert && vouched ? Stage.insert : Stage.put, id, slot)
    }
  }

  /** The row that a partial update changes: the latest in the transaction, else the present one. */
  #base(transaction: SyncTransaction, at: number): object | undefined {
    const previous = transaction.previous(at)
    if (previous >= 0) return transaction.rows[previous]
    return transaction.truncates ? undefined : this.stored(transaction.keys[at] as Key)
  }
}

function merged(base: object | undefined, changes: object): object {
  if (base === undefined) return changes
  const row = {}
  copyReadable(row, base)
  copyReadable(row, changes)
  return row
}
