import type { CommandStatus, Engine } from '../engine/engine.ts'
import { NestedCommandError } from '../engine/nested-command-error.ts'
import type { Reader } from '../engine/reader.ts'
import type { Writer } from '../engine/writer.ts'
import { Collations } from '../live/collations.ts'
import { QueryEncoder } from '../live/encode.ts'
import type { BasicExpression } from '../query/ir.ts'
import { emptyList } from '../rows/empty-list.ts'
import { TextDictionary } from '../rows/texts.ts'
import type { StringCollationConfig } from '../types/rows.ts'
import { decodeEffects } from './effects.ts'
import type { EngineCollection } from './engine-collection.ts'
import { type Publication, PublicationQueue } from './publications.ts'
import { Batch, type Subscription } from './subscription.ts'

/** Commands, as the engine numbers them. */
export const Command = {
  createRoot: 1,
  start: 2,
  markReady: 3,
  markError: 4,
  cleanup: 5,
  sync: 6,
  startQuery: 8,
  subscribe: 9,
  unsubscribe: 10,
  readOrder: 11,
  collation: 12,
  forget: 14,
  setWindow: 15,
  mutate: 16,
  settle: 17,
  persist: 18,
  flush: 19,
  find: 20,
  snapshot: 21,
} as const

/** The status of a command that changed nothing. */
const REFUSED = 1

/** How a transaction ended, as the engine is told it. */
export const Outcome = { failed: 0, direct: 1, completed: 2 } as const

/** One transaction that ends, by its number. */
export type Ending = readonly [transaction: number, outcome: number]

/** A collection that says how strings compare in it. */
export interface HasCollation {
  readonly collation: StringCollationConfig
}

/** A collection whose sync transactions may be open. */
export interface Uncommitted {
  readonly col: number
  /** Key ids written in sync transactions that have not been committed. */
  openKeys(): readonly number[]
}

/**
 * The shell's side of the running engine: which collections and subscriptions exist, what has to be told to
 * whom. One per engine, whichever copy of the library made it.
 */
export class Session {
  readonly engine: Engine
  readonly dictionary: TextDictionary
  readonly #collections = new Map<number, EngineCollection>()
  readonly #subscriptions = new Map<number, Subscription>()
  readonly #publications = new PublicationQueue()
  /** Batches whose content is read once the engine has returned. */
  readonly #contents: Batch[] = []
  readonly #touched: EngineCollection[] = []
  readonly #take = (effects: Reader, status: CommandStatus) => {
    decodeEffects(this, effects)
    this.#done = status !== REFUSED
  }
  #private: Publication[] | undefined
  #refusal: Error | undefined
  #found: Uint32Array | undefined
  /** Whether the latest command did what it says, even if a pull failed on the way. */
  #done = false
  /** A write that is not sent before it is needed. */
  #late: { readonly collection: EngineCollection; readonly send: () => void } | undefined
  /** A write that shows and has been told of, which the engine is told before anything else. */
  #owed: (() => void) | undefined
  /** Whether the engine holds back changes that others are to be told of first. */
  #holding = false
  /** Counts the queries started: what the engine said of who reads a collection holds until the next. */
  queries = 0
  #extracting = false
  #connecting = 0

  constructor(engine: Engine) {
    this.engine = engine
    this.dictionary = new TextDictionary()
    engine.attachTexts(this.dictionary)
  }

  collection(col: number): EngineCollection | undefined {
    return this.#collections.get(col)
  }

  addCollection(col: number, collection: EngineCollection): void {
    this.#collections.set(col, collection)
  }

  removeCollection(col: number): void {
    this.#collections.delete(col)
  }

  subscription(id: number): Subscription | undefined {
    return this.#subscriptions.get(id)
  }

  addSubscription(subscription: Subscription): void {
    this.#subscriptions.set(subscription.id, subscription)
  }

  removeSubscription(id: number): void {
    this.#subscriptions.delete(id)
  }

  /** Starts a command on a collection. */
  begin(fields: number, op: number): Writer {
    if (this.#late !== undefined) this.sendLate()
    if (this.#owed !== undefined) this.sendOwed()
    if (op === Command.startQuery) this.queries++
    const command = this.engine.begin()
    command.array(fields + 1)
    command.int(op)
    return command
  }

  /** Sends a command that has nothing but a collection. */
  tell(op: number, col: number): void {
    const command = this.begin(1, op)
    command.int(col)
    this.send(command)
  }

  /**
   * Runs a command. When it returns, its effects are visible and, unless called from a publication,
   * everybody has been told. Throws the error of a refused command, what a pull threw, or the first
   * error of those who were told. `installed` is called once the effects are visible, before anybody is told.
   */
  send(command: Writer, installed?: () => void): void {
    const failure = this.#run(command)
    if (this.#done) installed?.()
    this.#publications.drain(this.#connecting > 0)
    if (failure !== undefined) throw failure.error
  }

  /** As `send`, but what the command has to say is told in this call even from inside a publication. */
  sendPrivately(command: Writer): void {
    this.assertFree()
    const own: Publication[] = []
    this.#private = own
    const failure = this.#run(command)
    if (failure !== undefined) throw failure.error
    for (const publication of own) publication.publish()
    this.#publications.drain()
  }

  /** The writes of a transaction are being sent: sync transactions wait for them. What is held is told. */
  persist(transaction: number): void {
    this.#holding = false
    const command = this.begin(1, Command.persist)
    command.int(transaction)
    this.send(command)
  }

  /** Runs the graph for held writes and tells of them. */
  flush(): void {
    this.#holding = false
    this.send(this.begin(0, Command.flush))
  }

  /** Ends transactions in one step over all collections they wrote to; `touched` are those. */
  settle(endings: readonly Ending[], touched: Iterable<Uncommitted>): void {
    const open: Uncommitted[] = []
    for (const collection of touched) if (collection.openKeys().length > 0) open.push(collection)
    const command = this.begin(2, Command.settle)
    command.words(endings.flat())
    if (open.length === 0) command.nil()
    else {
      command.array(open.length)
      for (const collection of open) {
        command.array(2)
        command.int(collection.col)
        command.words(collection.openKeys())
      }
    }
    this.send(command)
  }

  /** Writes the last two fields of a Subscribe: conditions, texts. */
  writeConditions(collection: HasCollation, where: BasicExpression | undefined, to: Writer): void {
    if (where === undefined) {
      to.nil()
      to.nil()
      return
    }
    const encoder = this.encoder(collection.collation, false, to)
    to.array(1)
    encoder.condition(where)
    this.writeTexts(encoder.texts, to)
  }

  /** Writes queries and conditions over a collection. */
  encoder(collation: StringCollationConfig, aliased: boolean, to: Writer): QueryEncoder {
    const collations = this.engine.shared('collations', () => new Collations(this))
    const collationId = (config: StringCollationConfig) => collations.idOf(config)
    return new QueryEncoder({ dictionary: this.dictionary, aliased, collation, collationId }, to)
  }

  /** Writes the texts that the engine has not been told. */
  writeTexts(texts: readonly number[], to: Writer): void {
    const { dictionary } = this
    dictionary.writeTexts(
      texts.filter((id) => dictionary.claim(id)),
      to,
    )
  }

  /** Sends a Find and gives key ids and slots in order, two numbers a row. */
  find(command: Writer): Uint32Array {
    this.#found = undefined
    this.send(command)
    return this.#found ?? new Uint32Array(0)
  }

  /** Effect side: the answer to a Find. */
  takeFound(effects: Reader): void {
    const n = effects.blockU32()
    this.#found = effects.u32.slice(effects.at, effects.at + n)
  }

  /** Queues something to be told, and tells it now unless something else is being told. */
  publish(publication: Publication): void {
    this.#publications.push(publication)
    this.#publications.drain(this.#connecting > 0)
  }

  /** Runs something when all that is to be told has been told: at once if nothing is. */
  whenTold(run: () => void): void {
    this.#publications.whenTold(run)
  }

  /** Whether a subscriber of a collection is being told of a change. */
  tells(collection: EngineCollection): boolean {
    const { current } = this.#publications
    return current instanceof Batch && current.collection === collection
  }

  /** Whether a command is being worked off or prepared, so that no other can be sent. */
  get busy(): boolean {
    return this.#extracting || this.engine.busy
  }

  /**
   * Runs a sync function. What subscribers throw meanwhile is reported: it must not look as if the source had
   * failed to start.
   */
  connect<R>(run: () => R): R {
    this.#connecting++
    try {
      return run()
    } finally {
      this.#connecting--
    }
  }

  /** Runs code that reads user objects for a message; commands are refused meanwhile. */
  extract(run: () => void): void {
    this.#extracting = true
    try {
      run()
    } finally {
      this.#extracting = false
    }
  }

  /** Effect side: the command was refused. */
  refuse(error: Error): void {
    this.#refusal = error
  }

  /** Effect side: tell this after the command. */
  enqueue(publication: Publication): void {
    if (this.#private !== undefined) this.#private.push(publication)
    else this.#publications.push(publication)
  }

  /** Effect side: fill this batch with the content of its collection after the command. */
  enqueueContent(batch: Batch): void {
    this.#contents.push(batch)
    this.enqueue(batch)
  }

  /** Effect side: the collection keeps something that is only valid during the command. */
  touch(collection: EngineCollection): void {
    this.#touched.push(collection)
  }

  /** Refuses what must not happen while rows are being read for the engine. */
  assertFree(): void {
    if (this.busy) throw new NestedCommandError()
  }

  /** Whether two versions of a row look the same as a live collection shows them. */
  sameUnder(col: number, a: number, b: number): boolean {
    const collection = this.#collections.get(col)
    if (collection === undefined) throw new RangeError(`unknown collection ${col}`)
    return collection.sameRows(a, b)
  }

  /**
   * Lets a write wait until somebody looks at its collection, another command is sent, or `sendLate` is called: what
   * `send` says is then made visible, without being told.
   */
  makeLate(collection: EngineCollection, send: () => void): void {
    this.sendLate()
    this.#late = { collection, send }
    collection.late = true
  }

  /** Sends what was made late. Whether there was something. */
  sendLate(): boolean {
    const late = this.#late
    if (late === undefined) return false
    this.#late = undefined
    late.collection.late = false
    late.send()
    return true
  }

  /** Lets the engine be told of a write with the next command: what `send` says shows already and has been told. */
  owe(send: () => void): void {
    this.#owed = send
  }

  /** Tells the engine what it is owed. */
  sendOwed(): void {
    const owed = this.#owed
    this.#owed = undefined
    owed?.()
  }

  /** The engine holds back what it was told, until the graph runs. */
  hold(): void {
    this.#holding = true
  }

  /** Whether what changes now may be told now: the engine has nothing to tell before. */
  get free(): boolean {
    return !this.#holding && !this.#extracting && !this.engine.busy && !this.engine.crashed
  }

  /** Tells what was enqueued outside of a command. */
  tellQueued(): void {
    this.#publications.drain(this.#connecting > 0)
  }

  /** What was made late will be sent by the caller. Whether there was something. */
  takeLate(): boolean {
    const late = this.#late
    if (late === undefined) return false
    this.#late = undefined
    late.collection.late = false
    return true
  }

  #run(command: Writer): { readonly error: unknown } | undefined {
    this.assertFree()
    let failure: { readonly error: unknown } | undefined
    this.#done = false
    try {
      this.engine.command(command, this.#take)
    } catch (error) {
      failure = { error }
    }
    this.#private = undefined
    if (this.#refusal !== undefined) {
      failure ??= { error: this.#refusal }
      this.#refusal = undefined
    }
    while (this.#contents.length > 0) (this.#contents.pop() as Batch).fillWithContent()
    return failure
  }

  /** Effect side: all effects are decoded, the message is about to vanish. */
  endOfEffects(): void {
    for (const collection of this.#touched) collection.endOfEffects()
    emptyList(this.#touched)
  }
}
