import type { Writer } from '../engine/writer.ts'
import { Kind, type TextDictionary } from './texts.ts'

/** Kinds below this hold their whole meaning: undefined, null and, as 4, NaN have the value 0. */
function hasValue(kind: number): boolean {
  return kind !== Kind.undefined && kind !== Kind.null && kind !== Kind.nan
}

function isText(kind: number): boolean {
  return kind >= Kind.string && kind <= Kind.temporal
}

/** Collects the cells of one column and writes them as one item. Reused from column to column. */
export class CellColumn {
  readonly #dictionary: TextDictionary
  #kinds = new Uint8Array(64)
  #vals = new Float64Array(64)
  #n = 0
  #uniform = true
  #valued = false

  constructor(dictionary: TextDictionary) {
    this.#dictionary = dictionary
  }

  /** Starts a column. */
  reset(): void {
    this.#n = 0
    this.#uniform = true
    this.#valued = false
  }

  /**
   * Appends one value. Texts the engine has not seen are added to `texts` unless that is undefined. Appends nothing if
   * the value throws when its kind is looked for, as a revoked proxy does.
   */
  add(value: unknown, texts: number[] | undefined): void {
    const dictionary = this.#dictionary
    const kind = dictionary.kindOf(value)
    const n = this.#n++
    if (n === this.#kinds.length) this.#grow()
    this.#kinds[n] = kind
    this.#vals[n] = dictionary.val
    if (n > 0 && kind !== this.#kinds[0]) this.#uniform = false
    if (hasValue(kind)) this.#valued = true
    if (texts !== undefined && isText(kind) && dictionary.claim(dictionary.val)) texts.push(dictionary.val)
  }

  /** Writes the collected cells as one cells item. */
  write(to: Writer): void {
    const n = this.#n
    to.array(2)
    if (this.#uniform) to.int(n === 0 ? Kind.undefined : (this.#kinds[0] as number))
    else to.octets(this.#kinds, n)
    if (this.#valued) to.doubles(this.#vals, n)
    else to.nil()
  }

  #grow(): void {
    const kinds = new Uint8Array(this.#kinds.length * 2)
    kinds.set(this.#kinds)
    this.#kinds = kinds
    const vals = new Float64Array(this.#vals.length * 2)
    vals.set(this.#vals)
    this.#vals = vals
  }
}
