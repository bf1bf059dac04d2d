import type { Reader } from '../engine/reader.ts'
import { deepEquals } from '../rows/deep-equals.ts'
import { NONE } from '../rows/members.ts'
import { Mirror } from '../rows/mirror.ts'
import type { RowSource } from '../rows/row-source.ts'
import { Command, type Session } from './session.ts'
import { Batch, type Change } from './subscription.ts'

/** What the engine wants a subscriber to be told. */
const What = { installed: 0, these: 1, content: 2, nothing: 3 } as const

type Key = string | number
type Entry = [Key, object]

/** Scratch of `installOne`. */
const one = new Uint32Array(3)

/**
 * A collection as the engine feeds it: which rows it shows, and what its subscribers are told. Everything here
 * runs while a message is decoded, except the reads.
 */
export abstract class EngineCollection {
  /** The id of the collection in the engine; 0 while the engine does not know it. */
  col = 0
  /** Counts starts and cleanups: what belongs to an earlier one is obsolete. */
  session = 0
  /** Whether a local write has not been sent yet: who reads must have it sent first. */
  late = false
  protected readonly mirror: Mirror
  protected abstract get shell(): Session
  /** The changes installed by the command that is being decoded: where they lie in its message. */
  #installedAt = 0
  #installed = 0
  #changes: Change[] | undefined
  #touched = false
  /** The rows in the order they are read in, until they change. */
  #order: Entry[] | undefined
  /** The last rows of a query that failed; its slots mean nothing any more. */
  #frozen: Map<Key, object> | undefined

  /** `positional`: layouts follow changes. `keyCapacity`: see Mirror. */
  constructor(positional: boolean, keyCapacity?: () => number) {
    this.mirror = new Mirror(positional, () => this.shell.tell(Command.readOrder, this.col), keyCapacity)
  }

  /** The rows by slot. */
  abstract readonly source: RowSource

  /** Status effect: previous, next, message. */
  abstract statusChanged(effects: Reader): void
  /** A truncate is about to show. */
  abstract truncated(): void
  /** FreeKeys, FreeSlots, DropColumn. */
  abstract released(op: number, effects: Reader, fields: number): void
  /** Keeps the computed fields of rows: a byte each, for entries of `stride` words whose last is the slot. */
  protected abstract keepComputed(effects: Reader, at: number, n: number, stride: number): void
  protected abstract rebindRow(old: number, slot: number): void
  protected abstract clearRows(): void

  install(effects: Reader): void {
    const n = effects.blockU32() / 3
    const at = effects.at
    this.#order = undefined
    this.mirror.install(effects.u32, at, n)
    this.#installedAt = at
    this.#installed = n
    this.#changes = undefined
    this.#touch()
    if (!effects.nil()) this.keepComputed(effects, at, n, 3)
    this.dropLater(effects.u32, at, n)
  }

  /** Takes in a new version of a row that is there already, which no command has led to. */
  protected installOne(keyId: number, old: number, slot: number): void {
    one[0] = keyId
    one[1] = old
    one[2] = slot
    this.mirror.install(one, 0, 1)
  }

  /** Remembers the slots that a change replaced or removed, until the message is decoded. */
  protected dropLater(_triples: Uint32Array, _at: number, _n: number): void {}

  rebind(effects: Reader): void {
    const n = effects.blockU32() / 3
    this.mirror.rebind(effects.u32, effects.at, n)
    for (let i = effects.at; i < effects.at + n * 3; i += 3) {
      this.rebindRow(effects.u32[i + 1] as number, effects.u32[i + 2] as number)
    }
  }

  layout(effects: Reader): void {
    effects.blockU32()
    this.mirror.layout(effects.u32, effects.at, this.#installedAt, this.#installed)
  }

  rows(effects: Reader): void {
    const n = effects.blockU32() / 2
    const at = effects.at
    this.#frozen = undefined
    this.mirror.rows(effects.u32, at, n)
    if (!effects.nil()) this.keepComputed(effects, at, n, 2)
  }

  emit(effects: Reader): void {
    const subscription = this.shell.subscription(effects.int())
    const what = effects.int()
    let own: Change[] = []
    if (effects.nil()) {
      if (what === What.installed)
        own = this.#changes ??= this.#changesOf(effects, this.#installedAt, this.#installed)
    } else {
      const n = effects.blockU32() / 3
      own = this.#changesOf(effects, effects.at, n)
    }
    if (subscription === undefined) return
    if (what === What.content) this.shell.enqueueContent(new Batch(subscription, own))
    else this.shell.enqueue(new Batch(subscription, own))
  }

  /** Keeps the rows as they are, as far as they are known: the engine will follow them no longer. */
  protected freeze(): void {
    const frozen = new Map<Key, object>()
    const { source } = this
    if (this.mirror.readable)
      this.mirror.visit((keyId, slot) => frozen.set(source.root.key(keyId), source.row(slot)))
    this.#frozen = frozen
  }

  emptied(): void {
    this.#order = undefined
    this.#frozen = undefined
    this.mirror.empty()
    this.clearRows()
  }

  /** The message is decoded: what lies in it is forgotten. */
  endOfEffects(): void {
    this.#touched = false
    this.#installed = 0
    this.#changes = undefined
  }

  /** Whether two versions of a row look the same, leaving out what the engine computes. */
  sameRows(a: number, b: number): boolean {
    const { source } = this
    if (source.showsStanding && source.root.mayStandApart(a, b)) return false
    return deepEquals(source.essence(a), source.essence(b))
  }

  /** The present rows in order, as inserts. */
  contentChanges(): Change[] {
    const changes: Change[] = []
    this.visit((key, value) => changes.push({ type: 'insert', key, value }))
    return changes
  }

  get size(): number {
    if (this.late) this.shell.sendLate()
    return this.#frozen?.size ?? this.mirror.size
  }

  /** The row of a key, or undefined. */
  get(key: Key): object | undefined {
    if (this.late) this.shell.sendLate()
    if (this.#frozen !== undefined) return this.#frozen.get(key)
    const slot = this.slotOf(key)
    return slot === NONE ? undefined : this.source.row(slot)
  }

  has(key: Key): boolean {
    if (this.late) this.shell.sendLate()
    return this.#frozen?.has(key) ?? this.slotOf(key) !== NONE
  }

  /** The slot of a key, or NONE. */
  protected slotOf(key: Key): number {
    if (this.mirror.size === 0) return NONE
    const id = this.source.root.idOf(key)
    return id === undefined ? NONE : this.mirror.slotOf(id)
  }

  /** Whether rows are read in another order than the engine's. */
  protected get sorts(): boolean {
    return false
  }

  /** The order in which rows are read; asked only if `sorts`. */
  protected orderOf(entries: Entry[]): Entry[] {
    return entries
  }

  /** Rows or their order have changed. */
  protected changed(): void {
    this.#order = undefined
  }

  /** Visits keys and rows in order. The visitor must not change anything. */
  visit(visitor: (key: Key, row: object) => void): void {
    if (this.late) this.shell.sendLate()
    if (this.sorts) for (const [key, row] of this.#sorted()) visitor(key, row)
    else this.#visit(visitor)
  }

  #sorted(): Entry[] {
    if (this.#order === undefined) {
      const entries: Entry[] = []
      this.#visit((key, row) => entries.push([key, row]))
      this.#order = this.orderOf(entries)
    }
    return this.#order
  }

  #visit(visitor: (key: Key, row: object) => void): void {
    if (this.#frozen !== undefined) for (const [key, row] of this.#frozen) visitor(key, row)
    else if (this.mirror.size > 0) {
      const { source } = this
      const { root } = source
      this.mirror.visit((keyId, slot) => visitor(root.key(keyId), source.row(slot)))
    }
  }

  /** The keys in order. */
  keyList(): Key[] {
    if (this.late) this.shell.sendLate()
    if (this.sorts) return this.#sorted().map(([key]) => key)
    if (this.#frozen !== undefined) return Array.from(this.#frozen.keys())
    const keys: Key[] = []
    const { root } = this.source
    if (this.mirror.size > 0) this.mirror.visit((keyId) => keys.push(root.key(keyId)))
    return keys
  }

  /** The rows in order. */
  rowList(): object[] {
    if (this.late) this.shell.sendLate()
    if (this.sorts) return this.#sorted().map(([, row]) => row)
    if (this.#frozen !== undefined) return Array.from(this.#frozen.values())
    return this.mirror.size === 0 ? [] : this.mirror.rowsFrom(this.source)
  }

  #touch(): void {
    if (this.#touched) return
    this.#touched = true
    this.shell.touch(this)
  }

  #changesOf(effects: Reader, at: number, n: number): Change[] {
    const { u32 } = effects
    const { source } = this
    const { root } = source
    const changes: Change[] = []
    for (let i = at; i < at + n * 3; i += 3) {
      const key = root.key(u32[i] as number)
      const old = u32[i + 1] as number
      const slot = u32[i + 2] as number
      if (slot === NONE) changes.push({ type: 'delete', key, value: source.row(old) })
      else if (old === NONE) changes.push({ type: 'insert', key, value: source.row(slot) })
      else changes.push({ type: 'update', key, value: source.row(slot), previousValue: source.row(old) })
    }
    return changes
  }
}
