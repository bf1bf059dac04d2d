import { emptyList } from '../rows/empty-list.ts'
import { StagedMetadata } from './metadata.ts'

type Key = string | number

/** What a staged operation does. The first three are the engine's; `merge` is an update that holds only the changed fields. */
export const Stage = { insert: 0, put: 1, delete: 2, merge: 3 } as const

/** From this many operations on a map finds the earlier ones of a key. */
const INDEX_FROM = 8

/** The operations of one sync transaction, staged until it commits. Reused from transaction to transaction. */
export class SyncTransaction {
  readonly ops: number[] = []
  readonly keys: Key[] = []
  readonly rows: (object | undefined)[] = []
  /** Whether all rows from before the transaction go. */
  truncates = false
  /** Whether it is applied even while local writes are being sent. */
  immediate = false
  #metadata: StagedMetadata | undefined
  #deletes = 0
  /** Where each operation's key was staged before, or -1; and where each key was staged last. */
  #before: number[] | undefined
  #last: Map<Key, number> | undefined

  /** Starts over. */
  reset(): this {
    this.#discard()
    this.truncates = false
    this.immediate = false
    this.#metadata = undefined
    return this
  }

  /** What is stored beside the rows. */
  get metadata(): StagedMetadata {
    this.#metadata ??= new StagedMetadata()
    return this.#metadata
  }

  get hasMetadata(): boolean {
    return this.#metadata !== undefined
  }

  /** Gives away what was staged beside the rows. */
  takeMetadata(): StagedMetadata | undefined {
    const metadata = this.#metadata
    this.#metadata = undefined
    return metadata
  }

  /** Nothing that is stored with a row outlives it, nor passes to one inserted under its key, unless staged since. */
  forgetRows(): void {
    for (let i = 0; i < this.ops.length; i++) {
      if (this.ops[i] === Stage.delete || this.ops[i] === Stage.insert)
        this.metadata.forgetRow(this.keys[i] as Key)
    }
  }

  /** Keys of rows that something is stored with. */
  metadataKeys(): Iterable<Key> {
    return this.#metadata?.rowKeys() ?? []
  }

  /** Forgets what was staged and makes the transaction replace all rows. */
  truncate(): void {
    this.#discard()
    this.truncates = true
    this.metadata.truncate()
  }

  stage(op: number, key: Key, row: object | undefined): void {
    if (this.#last !== undefined) {
      this.#before?.push(this.#last.get(key) ?? -1)
      this.#last.set(key, this.ops.length)
    }
    this.ops.push(op)
    this.keys.push(key)
    this.rows.push(row)
    if (op === Stage.delete) this.#deletes++
  }

  /** Whether the transaction removes the row that `key` had before it. */
  removes(key: Key): boolean {
    if (this.truncates) return true
    if (this.#deletes === 0) return false
    this.#index()
    const latest = this.#last === undefined ? this.#scan(key, this.keys.length) : (this.#last.get(key) ?? -1)
    for (let i = latest; i >= 0; i = this.previous(i)) if (this.ops[i] === Stage.delete) return true
    return false
  }

  /** The operation on the same key before operation `at`, or -1. */
  previous(at: number): number {
    this.#index()
    if (this.#before !== undefined) return this.#before[at] as number
    return this.#scan(this.keys[at] as Key, at)
  }

  #scan(key: Key, before: number): number {
    for (let i = before - 1; i >= 0; i--) if (this.keys[i] === key) return i
    // NaN is the one key that is not equal to itself.
    if (!Number.isNaN(key)) return -1
    for (let i = before - 1; i >= 0; i--) if (Number.isNaN(this.keys[i])) return i
    return -1
  }

  /** Most transactions never look back, so the index is made when one does. */
  #index(): void {
    if (this.#last !== undefined || this.keys.length < INDEX_FROM) return
    this.#before = []
    this.#last = new Map()
    for (let i = 0; i < this.keys.length; i++) {
      this.#before.push(this.#last.get(this.keys[i] as Key) ?? -1)
      this.#last.set(this.keys[i] as Key, i)
    }
  }

  #discard(): void {
    emptyList(this.ops)
    emptyList(this.keys)
    emptyList(this.rows)
    this.#deletes = 0
    this.#before = this.#last = undefined
  }
}
