import { ManagedCollection } from '../collection/lifecycle.ts'
import { Command, type Session } from '../collection/session.ts'
import type { Reader } from '../engine/reader.ts'
import { abortError } from '../errors/abort.ts'
import { TanStackDBError } from '../errors/base.ts'
import { emptyList } from '../rows/empty-list.ts'
import { LiveRows } from '../rows/live-rows.ts'
import { NONE } from '../rows/members.ts'
import type { RowSource } from '../rows/row-source.ts'
import type { QueryWindow } from '../types/live-query.ts'
import type { StringCollationConfig } from '../types/rows.ts'
import type { EncodedQuery } from './encode.ts'
import { WindowMoves, type WindowTarget } from './window.ts'

/** The engine's words for a window without an end, and for the farthest place one can begin. */
const UNLIMITED = 0xffffffff
const LAST_OFFSET = 0xfffffffe

/** What a live collection is made from. */
export interface LiveDefinition {
  readonly id: string
  readonly gcTime: number | undefined
  readonly query: EncodedQuery
  readonly input: ManagedCollection
  /** Whether the input is a part of this query that nobody else sees, and ends with it. */
  readonly ownsInput: boolean
  /** The collation of order terms that name none. */
  readonly collation: StringCollationConfig
  /** Whether somebody else tells of its failures. */
  readonly quiet?: boolean | undefined
}

/** The result of a query, kept up to date while it is started. It needs its input and counts as its subscriber. */
export class LiveCollection extends ManagedCollection implements WindowTarget {
  /** How often a change has reached the result. */
  runs = 0
  /** The window of a query with an order. */
  readonly window: WindowMoves | undefined
  readonly #definition: LiveDefinition
  readonly #session: () => Session
  #shell: Session | undefined
  /** The rows by slot since the latest start, and what is kept of them if there is a select. */
  #source: RowSource | undefined
  #rows: LiveRows | undefined
  #connected = false
  /** Slots that are shown no longer once the message is decoded. */
  readonly #dropped: number[] = []

  /** `session` is asked for when the collection starts: a query that nobody uses needs no engine. */
  constructor(definition: LiveDefinition, session: () => Session) {
    super(definition, (definition.query.query.orderBy?.length ?? 0) > 0, () => this.source.root.keyCapacity)
    this.#definition = definition
    this.#session = session
    const { orderBy, offset, limit } = definition.query.query
    if (orderBy !== undefined && orderBy.length > 0) this.window = new WindowMoves(offset, limit)
  }

  get collation(): StringCollationConfig {
    return this.#definition.collation
  }

  get source(): RowSource {
    this.#source ??= this.#rowsOf(this.#definition)
    return this.#source
  }

  protected get shell(): Session {
    this.#shell ??= this.#session()
    return this.#shell
  }

  get occupied(): boolean {
    return this.#shell !== undefined && (this.#shell.busy || this.#shell.tells(this))
  }

  show({ offset, limit }: QueryWindow, shown: () => void): void {
    if (this.status === 'idle' || this.status === 'cleaned-up' || this.col === 0) {
      shown()
      return
    }
    const command = this.shell.begin(3, Command.setWindow)
    command.int(this.col)
    command.int(Math.min(offset, LAST_OFFSET))
    command.int(limit === Number.POSITIVE_INFINITY ? UNLIMITED : Math.min(limit, LAST_OFFSET))
    this.shell.send(command, shown)
  }

  loaded(): Promise<void> | undefined {
    if (!this.loading) return undefined
    return new Promise((resolve) => {
      const stop = this.events.on('loadingSubset:change', () => {
        if (this.loading) return
        stop()
        resolve()
      })
    })
  }

  override cleanup(): void {
    // Before anybody is told: whoever moves the window when he is, moves that of the next session.
    if (this.col !== 0) this.#shell?.assertFree()
    this.window?.reset(() => abortError(`Live query "${this.id}" was cleaned up while its window moved`))
    super.cleanup()
    if (this.#definition.ownsInput && !this.#connected) this.#definition.input.cleanup()
  }

  released(_op: number, effects: Reader, fields: number): void {
    for (let i = 0; i < fields; i++) effects.skip()
  }

  override endOfEffects(): void {
    super.endOfEffects()
    this.runs++
    for (const slot of this.#dropped) this.#rows?.drop(slot)
    emptyList(this.#dropped)
  }

  protected override dropLater(triples: Uint32Array, at: number, n: number): void {
    if (this.#definition.query.select === undefined) return
    for (let i = at; i < at + n * 3; i += 3) {
      const old = triples[i + 1] as number
      if (old !== NONE) this.#dropped.push(old)
    }
  }

  protected open(): void {
    const { session } = this
    const { input } = this.#definition
    let failure: { readonly error: unknown } | undefined
    try {
      input.addSubscriber()
    } catch (error) {
      failure = { error }
    }
    if (this.session !== session) {
      // Somebody who was told of the source's start has started or ended this collection, too.
      if (failure === undefined) input.removeSubscriber()
      return
    }
    this.#connected = failure === undefined
    if (input.col === 0) {
      const { error } = failure ?? { error: this.#fault('its source was cleaned up while it started') }
      this.#giveUp(error)
      throw error
    }
    this.#source = this.#rowsOf(this.#definition)
    try {
      this.#startQuery(input.col)
    } catch (error) {
      failure ??= { error }
      const unknown = this.status === 'idle' || this.status === 'cleaned-up'
      if (unknown && this.session === session) this.#giveUp(failure.error)
    }
    if (failure !== undefined) throw failure.error
  }

  protected close(): void {
    if (!this.#connected) return
    this.#connected = false
    this.#definition.input.removeSubscriber()
  }

  /** The engine forgets the result of a query at its cleanup. */
  protected forget(): void {}

  protected failureOf(message: string | undefined): { readonly error: unknown } | undefined {
    if (message !== undefined) this.freeze()
    const failure = message === undefined ? this.#definition.input.failure : { error: this.#fault(message) }
    if (this.#definition.quiet !== true) {
      console.error(
        `[Live Query Error] ${this.id}`,
        failure?.error ?? `its source "${this.#definition.input.id}" failed`,
      )
    }
    return failure
  }

  protected keepComputed(effects: Reader, at: number, n: number, stride: number): void {
    effects.blockU8()
    this.#rows?.keepComputed(effects.u32, at, n, stride, effects.u8, effects.at)
  }

  protected rebindRow(old: number, slot: number): void {
    this.#rows?.rebind(old, slot)
  }

  protected clearRows(): void {
    this.#rows?.clear()
  }

  #startQuery(input: number): void {
    const { engine, dictionary } = this.shell
    if (this.col === 0) {
      this.col = engine.nextId()
      this.shell.addCollection(this.col, this)
    }
    const command = this.shell.begin(5, Command.startQuery)
    command.int(this.col)
    command.int(input)
    command.array(2)
    command.int(dictionary.kindOf(this.id))
    command.int(dictionary.val)
    const encoder = this.shell.encoder(this.collation, true, command)
    encoder.write(this.#windowed(this.#definition.query))
    this.shell.writeTexts(encoder.texts, command)
    this.shell.send(command, () => {
      this.runs++
    })
  }

  /** The query with the window that was asked for before the start. */
  #windowed(encoded: EncodedQuery): EncodedQuery {
    const { window } = this
    if (window === undefined || !window.moved) return encoded
    return { ...encoded, query: { ...encoded.query, ...window.wanted } }
  }

  #fault(reason: string): Error {
    return new TanStackDBError(`Live query "${this.id}" failed: ${reason}. Clean it up to start it again`)
  }

  /** The engine took the query for none of its own. */
  #giveUp(error: unknown): void {
    this.close()
    this.failed(error)
  }

  #rowsOf({ input, query, id }: LiveDefinition): RowSource {
    this.#rows =
      query.select === undefined ? undefined : new LiveRows(input.source, query.select.template, id)
    return this.#rows ?? input.source
  }
}
