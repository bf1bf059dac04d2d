import type { RootPulls } from '../engine/engine.ts'
import type { Reader } from '../engine/reader.ts'
import type { Writer } from '../engine/writer.ts'
import type { VirtualOrigin } from '../types/rows.ts'
import { enrich } from './build.ts'
import { CellColumn } from './cells.ts'
import { deepEquals } from './deep-equals.ts'
import { pathOfNames } from './member-path.ts'
import { NONE } from './members.ts'
import { patched, type RowPatch } from './patch.ts'
import type { Path } from './paths.ts'
import { reportError } from './report-error.ts'
import type { RowSource } from './row-source.ts'
import { Standing, Standings } from './standings.ts'
import type { TextDictionary } from './texts.ts'

type Key = string | number

/** A property path that the engine keeps of every row of a root collection. */
interface Column {
  readonly index: number
  readonly path: Path
  /** Whether the bytes of texts go along. */
  readonly texts: boolean
}

/** What a root collection's rows know about their collection. */
export interface RootIdentity {
  readonly collectionId: string
  /** Whether there is no source, so that all rows are local and confirmed. */
  readonly sourceless: boolean
}

/** The standing of a key whose confirmed version is the visible one, in the engine's words. */
const SAME_AS_VISIBLE = 0xfffffffe

interface Link {
  readonly dictionary: TextDictionary
  readonly templateEquals: TemplateEquals
  readonly cells: CellColumn
}

/** Decides the equality of two rows as a live query's select shows them. */
export type TemplateEquals = (template: number, a: number, b: number) => boolean

const COLUMN_WITH_TEXTS = 1
const COLUMN_CARRIED = 2

/**
 * The rows of one root collection: the dictionary of its keys, the table of its row objects by slot, and
 * the columns the engine keeps of them. Answers what the engine asks about them.
 */
export class RootRows implements RootPulls, RowSource {
  readonly identity: RootIdentity
  #link: Link | undefined
  readonly #ids = new Map<Key, number>()
  readonly #keys: (Key | undefined)[] = []
  readonly #freeKeys: number[] = []
  readonly #raws: (object | undefined)[] = []
  readonly #keyIds: number[] = []
  readonly #built: (object | undefined)[] = []
  readonly #freeSlots: number[] = []
  readonly #standings = new Standings()
  /** The confirmed slots of keys that local writes cover. */
  readonly #below = new Map<number, number>()
  /** Key ids that local writes were made to which no version is known to have confirmed. */
  readonly #written = new Set<number>()
  readonly showsStanding = false
  #columns: readonly Column[] = []
  #keysWanted = false

  constructor(identity: RootIdentity) {
    this.identity = identity
  }

  /** Says where texts go and who knows live collections; must come before the engine asks anything. */
  attach(dictionary: TextDictionary, templateEquals: TemplateEquals): void {
    this.#link ??= { dictionary, templateEquals, cells: new CellColumn(dictionary) }
  }

  /** Upper bound of the key ids in use, exclusive. */
  get keyCapacity(): number {
    return this.#keys.length
  }

  /** Whether the engine wants the keys behind new key ids. */
  get keysWanted(): boolean {
    return this.#keysWanted
  }

  /** The id of a key, or undefined when no row, past or present, needs it. */
  idOf(key: Key): number | undefined {
    return this.#ids.get(key)
  }

  /** The id of a key; a new one is added to `fresh`. */
  intern(key: Key, fresh: number[]): number {
    let id = this.#ids.get(key)
    if (id === undefined) {
      id = this.#freeKeys.pop() ?? this.#keys.length
      // -0 and 0 are one key.
      this.#keys[id] = key === 0 ? 0 : key
      this.#ids.set(key, id)
      fresh.push(id)
    }
    return id
  }

  key(id: number): Key {
    return this.#keys[id] as Key
  }

  /** Stores a row that local writes made. */
  putPending(raw: object, keyId: number): number {
    const slot = this.put(raw, keyId)
    if (!this.identity.sourceless) this.#standings.set(slot, Standing.pending)
    return slot
  }

  /** Stores a row object or a patch; its slot is named by no other row. */
  put(raw: object, keyId: number): number {
    const slot = this.#freeSlots.pop() ?? this.#raws.length
    this.#raws[slot] = raw
    this.#keyIds[slot] = keyId
    this.#built[slot] = undefined
    return slot
  }

  /** The stored row object. */
  raw(slot: number): object {
    return this.#raws[slot] as object
  }

  /** The table itself, for rows of live collections that end up here. */
  get root(): RootRows {
    return this
  }

  keyIdOf(slot: number): number {
    return this.#keyIds[slot] as number
  }

  /** The row as applications see it; the same object as long as the slot lives. */
  row(slot: number): object {
    return this.#built[slot] ?? this.#build(slot)
  }

  /** The value at a path of a row, virtual properties included. Throws what a getter throws. */
  valueAt(slot: number, path: Path): unknown {
    const raw = this.#raws[slot] as object
    if (!path.virtual) return path.read(raw)
    const key = this.#keys[this.#keyIds[slot] as number] as Key
    const { collectionId } = this.identity
    const synced = this.#standings.of(slot) !== Standing.pending
    return path.readVirtual(raw, { key, synced, origin: this.#origin(slot), collectionId })
  }

  /** The value at a path as the engine is told it, which knows the standings of rows itself. */
  #cellAt(slot: number, path: Path): unknown {
    const raw = this.#raws[slot] as object
    if (!path.virtual) return path.read(raw)
    const key = this.#keys[this.#keyIds[slot] as number] as Key
    const { collectionId } = this.identity
    return path.readVirtual(raw, { key, synced: undefined, origin: undefined, collectionId })
  }

  /** A local write is made to a key. */
  noteWrite(keyId: number): void {
    this.#written.add(keyId)
  }

  /**
   * Whether two versions of a row may differ in how far they are confirmed. While a message is being worked off only the engine
   * knows which confirmed versions confirm a local write, so all of such keys may.
   */
  mayStandApart(a: number, b: number): boolean {
    return this.#standings.of(a) !== this.#standings.of(b) || this.#written.has(this.keyIdOf(b))
  }

  #origin(slot: number): VirtualOrigin {
    return this.identity.sourceless || this.#standings.of(slot) !== Standing.remote ? 'local' : 'remote'
  }

  /** The confirmed slot of a key that local writes cover, or undefined: the visible one is. */
  below(keyId: number): number | undefined {
    return this.#below.size === 0 ? undefined : this.#below.get(keyId)
  }

  /** A local write covers a key from now on, whose confirmed version is `slot`. */
  cover(keyId: number, slot: number): void {
    this.#below.set(keyId, slot)
  }

  /** The keys that local writes cover. */
  get covered(): Iterable<[keyId: number, confirmed: number]> {
    return this.#below
  }

  /** Whether local writes cover any key. */
  get covers(): boolean {
    return this.#below.size > 0
  }

  /**
   * Takes in the confirmed versions of covered keys: pairs of key id and slot. Whether one has come or gone: rows without
   * stand behind the others.
   */
  setBelow(pairs: Uint32Array, at: number, n: number): boolean {
    let moved = false
    for (let i = at; i < at + n; i += 2) {
      const keyId = pairs[i] as number
      const slot = pairs[i + 1] as number
      if (slot === NONE || this.#below.get(keyId) === NONE) moved = true
      if (slot === SAME_AS_VISIBLE) this.#below.delete(keyId)
      else this.#below.set(keyId, slot)
    }
    return moved
  }

  /** Takes in which rows were confirmed after a local write. */
  setLocal(slots: Uint32Array, at: number, n: number): void {
    for (let i = at; i < at + n; i++) {
      const slot = slots[i] as number
      this.#standings.set(slot, Standing.local)
      // The write is confirmed, and there is no other: the next version confirms none.
      const keyId = this.keyIdOf(slot)
      if (this.below(keyId) === undefined) this.#written.delete(keyId)
    }
  }

  essence(slot: number): object {
    return this.#raws[slot] as object
  }

  freeSlots(slots: Uint32Array, at: number, n: number): void {
    for (let i = at; i < at + n; i++) {
      const slot = slots[i] as number
      if (this.#raws[slot] === undefined) continue
      this.#raws[slot] = undefined
      this.#built[slot] = undefined
      this.#standings.set(slot, Standing.remote)
      this.#freeSlots.push(slot)
    }
  }

  freeKeys(ids: Uint32Array, at: number, n: number): void {
    for (let i = at; i < at + n; i++) {
      const id = ids[i] as number
      const key = this.#keys[id]
      if (key === undefined) continue
      this.#ids.delete(key)
      this.#written.delete(id)
      this.#keys[id] = undefined
      this.#freeKeys.push(id)
    }
  }

  /** Forgets everything: the engine has, too. */
  clear(): void {
    this.#ids.clear()
    for (const list of [this.#keys, this.#freeKeys, this.#raws, this.#keyIds, this.#built, this.#freeSlots])
      list.length = 0
    this.#standings.clear()
    this.#below.clear()
    this.#written.clear()
    this.#columns = []
    this.#keysWanted = false
  }

  dropColumn(index: number): void {
    this.#columns = this.#columns.filter((column) => column.index !== index)
  }

  /**
   * Writes the last three fields of a Sync command: new keys, columns, texts. A value that throws when it is read or
   * looked at is undefined, and what it threw is reported: a transaction must not be lost for one value in it.
   */
  writeContent(to: Writer, slots: readonly number[], fresh: readonly number[]): void {
    const texts: number[] = []
    if (this.#keysWanted && fresh.length > 0) {
      to.array(2)
      to.words(fresh)
      this.#writeKeys(to, fresh, texts)
    } else to.nil()
    this.#writeColumns(to, slots, texts)
  }

  #writeColumns(to: Writer, slots: readonly number[], texts: number[]): void {
    const { cells, dictionary } = this.#linked
    to.array(this.#columns.length)
    for (const column of this.#columns) {
      cells.reset()
      for (const slot of slots) {
        try {
          cells.add(this.#cellAt(slot, column.path), column.texts ? texts : undefined)
        } catch (error) {
          reportError(error)
          cells.add(undefined, undefined)
        }
      }
      cells.write(to)
    }
    dictionary.writeTexts(texts, to)
  }

  compose(request: Reader, answer: Writer): void {
    const n = request.blockU32()
    const words = Uint32Array.from(request.u32.subarray(request.at, request.at + n))
    const slots: number[] = []
    for (let i = 0; i < n; ) {
      const keyId = words[i++] as number
      const base = words[i++] as number
      const pending = ((words[i++] as number) & 1) !== 0
      const patches: RowPatch[] = []
      for (let m = words[i++] as number; m > 0; m--)
        patches.push(this.#raws[words[i++] as number] as RowPatch)
      const row = patched(base === NONE ? undefined : this.raw(base), patches)
      slots.push(pending ? this.putPending(row, keyId) : this.put(row, keyId))
    }
    answer.array(3)
    answer.words(slots)
    this.#writeColumns(answer, slots, [])
  }

  readColumn(request: Reader, answer: Writer): void {
    const index = request.int()
    const names: string[] = []
    for (let n = request.array(); n > 0; n--) names.push(request.str())
    const { cells, dictionary } = this.#linked
    const path = pathOfNames(names, dictionary)
    const flags = request.int()
    const n = request.blockU32()
    const texts = (flags & COLUMN_WITH_TEXTS) !== 0 ? [] : undefined
    cells.reset()
    for (let i = request.at; i < request.at + n; i++) {
      cells.add(this.#cellAt(request.u32[i] as number, path), texts)
    }
    answer.array(2)
    cells.write(answer)
    dictionary.writeTexts(texts ?? [], answer)
    if ((flags & COLUMN_CARRIED) !== 0) this.#carry({ index, path, texts: texts !== undefined })
  }

  readKeys(request: Reader, answer: Writer): void {
    const n = request.blockU32()
    const ids = Array.from(request.u32.subarray(request.at, request.at + n))
    const texts: number[] = []
    answer.array(2)
    this.#writeKeys(answer, ids, texts)
    this.#linked.dictionary.writeTexts(texts, answer)
    this.#keysWanted = true
  }

  equal(template: number, a: number, b: number): boolean {
    try {
      return template === 0
        ? deepEquals(this.raw(a), this.raw(b))
        : this.#linked.templateEquals(template, a, b)
    } catch (error) {
      // A row that cannot be compared has changed as far as anybody can tell.
      reportError(error)
      return false
    }
  }

  get #linked(): Link {
    if (this.#link === undefined) throw new Error('the rows of a collection were used before it was started')
    return this.#link
  }

  #carry(column: Column): void {
    this.#columns = [...this.#columns.filter(({ index }) => index !== column.index), column]
  }

  #writeKeys(to: Writer, ids: readonly number[], texts: number[]): void {
    const { cells } = this.#linked
    cells.reset()
    // Counted, for V8 compiles a loop with an iterator anew again and again when long and short lists take turns.
    for (let i = 0; i < ids.length; i++) cells.add(this.#keys[ids[i] as number], texts)
    cells.write(to)
  }

  #build(slot: number): object {
    const raw = this.#raws[slot] as object
    const key = this.#keys[this.#keyIds[slot] as number] as Key
    const synced = this.#standings.of(slot) !== Standing.pending
    const row = enrich(raw, key, this.#origin(slot), this.identity.collectionId, synced)
    this.#built[slot] = row
    return row
  }
}
