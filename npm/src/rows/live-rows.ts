import { addVirtual } from './build.ts'
import { NONE } from './members.ts'
import type { Path } from './paths.ts'
import type { RootRows } from './root-rows.ts'
import type { RowSource } from './row-source.ts'
import { SlotCache } from './slot-cache.ts'
import { assemble, type Template, takesStanding } from './template.ts'

/**
 * The rows of a live collection with a select: each is assembled when somebody looks, once, and kept while the
 * collection shows it. Without a select the rows are the very rows of the source.
 */
export class LiveRows implements RowSource {
  readonly #source: RowSource
  readonly #template: Template
  readonly #collectionId: string
  readonly showsStanding: boolean
  readonly #rows = new SlotCache<object>()
  readonly #computed = new SlotCache<Uint8Array>()

  constructor(source: RowSource, template: Template, collectionId: string) {
    this.#source = source
    this.#template = template
    this.#collectionId = collectionId
    this.showsStanding = source === source.root ? takesStanding(template.members) : source.showsStanding
  }

  get root(): RootRows {
    return this.#source.root
  }

  row(slot: number): object {
    const known = this.#rows.get(slot)
    if (known !== undefined) return known
    const row = assemble(this.#template, this.#source, slot, this.#computed.get(slot))
    addVirtual(row, this.root.key(this.root.keyIdOf(slot)), 'remote', this.#collectionId)
    this.#rows.set(slot, row)
    return row
  }

  valueAt(slot: number, path: Path): unknown {
    return path.read(this.row(slot))
  }

  essence(slot: number): object {
    return assemble(this.#template, essenceOf(this.#source), slot, undefined)
  }

  /** Keeps the computed fields of the rows that have a new slot: one byte per row and field, from `at`. */
  keepComputed(
    triples: Uint32Array,
    triplesAt: number,
    n: number,
    stride: number,
    bytes: Uint8Array,
    at: number,
  ): void {
    const fields = this.#template.computed
    if (fields === 0) return
    let from = at
    for (let i = 0; i < n; i++) {
      const slot = triples[triplesAt + i * stride + stride - 1] as number
      if (slot === NONE) continue
      if (this.#rows.get(slot) === undefined) this.#computed.set(slot, bytes.slice(from, from + fields))
      from += fields
    }
  }

  /** The row of a slot is from now on the row of another slot, looking the same. */
  rebind(old: number, slot: number): void {
    const row = this.#rows.take(old)
    const computed = this.#computed.take(old)
    if (row !== undefined) this.#rows.set(slot, row)
    if (computed !== undefined) this.#computed.set(slot, computed)
  }

  /** The collection no longer shows the row of a slot. */
  drop(slot: number): void {
    this.#rows.take(slot)
    this.#computed.take(slot)
  }

  clear(): void {
    this.#rows.clear()
    this.#computed.clear()
  }
}

/** A source whose rows are their essences, so that a row is compared without being built or kept. */
function essenceOf(source: RowSource): RowSource {
  return {
    root: source.root,
    showsStanding: source.showsStanding,
    row: (slot) => source.essence(slot),
    // How far a row is confirmed is not in the row.
    valueAt: (slot, path) =>
      path.virtual && source === source.root ? source.valueAt(slot, path) : path.read(source.essence(slot)),
    essence: (slot) => source.essence(slot),
  }
}
