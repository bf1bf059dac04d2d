import type { TextPulls } from '../engine/engine.ts'
import type { Writer } from '../engine/writer.ts'
import { isBytes, isDate, temporalTag } from './brands.ts'

/** Cell kinds as the engine numbers them. Kinds from string to temporal hold a text id. */
export const Kind = {
  undefined: 0,
  null: 1,
  bool: 2,
  number: 3,
  nan: 4,
  date: 5,
  string: 6,
  bigint: 7,
  bytes: 8,
  temporal: 9,
  ref: 10,
} as const

/** The pseudo-collation under which temporals are compared. */
const COLLATION_TEMPORAL = 1
/** Texts both sides know from the start, under the ids 0 to 2. */
const KNOWN = ['', 'remote', 'local']

/** Compares two strings: negative, 0 or positive. */
export type CompareStrings = (a: string, b: string) => number

interface Entry {
  readonly kind: number
  /** The text: of bytes one character per byte, of a temporal the tag, NUL and the printed form. */
  readonly text: string
  /** For a temporal, one of the equal values. */
  readonly exemplar: object | undefined
  /** Whether the engine has the bytes. */
  sent: boolean
}

/**
 * The session's dictionary of strings, bigints, bytes and temporals, and of the identities of everything
 * that is equal only to itself. The engine counts the uses of a text and says when it can be forgotten.
 */
export class TextDictionary implements TextPulls {
  /** The value of the cell that `kindOf` read last. */
  val = 0
  readonly #byText: Map<string, number>[] = []
  readonly #entries: (Entry | undefined)[] = []
  readonly #free: number[] = []
  readonly #objects = new WeakMap<object, number>()
  readonly #symbols = new Map<symbol, number>()
  #references = 0
  readonly #collations = new Map<number, CompareStrings>()

  constructor() {
    for (let kind = 0; kind <= Kind.temporal; kind++) this.#byText.push(new Map())
    for (const text of KNOWN) this.#entry(this.#intern(Kind.string, text, undefined)).sent = true
  }

  /** Number of texts in use. */
  get size(): number {
    return this.#entries.length - this.#free.length
  }

  /** The kind of the cell that stands for a value; its value is in `val` afterwards. Runs no user code for scalars. */
  kindOf(value: unknown): number {
    switch (typeof value) {
      case 'string':
        return this.#text(Kind.string, value, undefined)
      case 'number':
        if (Number.isNaN(value)) return this.#scalar(Kind.nan, 0)
        // Adding zero turns -0 into 0.
        return this.#scalar(Kind.number, value + 0)
      case 'boolean':
        return this.#scalar(Kind.bool, value ? 1 : 0)
      case 'undefined':
        return this.#scalar(Kind.undefined, 0)
      case 'bigint':
        return this.#text(Kind.bigint, value.toString(), undefined)
      case 'symbol':
        return this.#symbol(value)
      case 'function':
        return this.#reference(value)
      default:
        return value === null ? this.#scalar(Kind.null, 0) : this.#object(value as object)
    }
  }

  /** A name that equal values share and no others have. Keeps no text. */
  nameOf(value: unknown): string {
    if (typeof value === 'string') return `string:${value}`
    if (typeof value === 'bigint') return `bigint:${value}`
    if (typeof value === 'object' && value !== null && !isDate(value)) {
      if (isBytes(value)) return `bytes:${textOfBytes(value)}`
      const tag = temporalTag(value)
      if (tag !== undefined) return `${tag}:${String(value.toString())}`
    }
    // What is left has no text that could be kept. A date equals its number.
    const kind = this.kindOf(value)
    return `${kind === Kind.date ? Kind.number : kind}:${this.val}`
  }

  /** Whether the engine lacks the bytes of a text; from then on it counts as told. */
  claim(id: number): boolean {
    const entry = this.#entry(id)
    if (entry.sent) return false
    entry.sent = true
    return true
  }

  /** Writes one text as string or bytes. */
  write(id: number, to: Writer): void {
    const entry = this.#entry(id)
    if (entry.kind === Kind.bytes) to.bin(bytesOf(entry.text))
    else to.str(entry.text)
  }

  /** Writes a texts item with the given ids. */
  writeTexts(ids: readonly number[], to: Writer): void {
    if (ids.length === 0) {
      to.nil()
      return
    }
    to.array(ids.length * 2)
    for (const id of ids) {
      to.int(id)
      this.write(id, to)
    }
  }

  /** Nothing refers to the text any more. Ids that are not in use are passed over. */
  free(id: number): void {
    const entry = this.#entries[id]
    if (entry === undefined || id < KNOWN.length) return
    this.#byText[entry.kind]?.delete(entry.text)
    this.#entries[id] = undefined
    this.#free.push(id)
  }

  /** Declares how strings compare under a collation. */
  setCollation(collation: number, compare: CompareStrings): void {
    this.#collations.set(collation, compare)
  }

  compare(collation: number, a: number, b: number): number {
    const left = this.#entry(a)
    const right = this.#entry(b)
    if (collation === COLLATION_TEMPORAL) return compareTemporals(left, right)
    const compare = this.#collations.get(collation)
    if (compare === undefined) throw new RangeError(`unknown collation ${collation}`)
    return compare(left.text, right.text)
  }

  #scalar(kind: number, val: number): number {
    this.val = val
    return kind
  }

  #text(kind: number, text: string, exemplar: object | undefined): number {
    this.val = this.#byText[kind]?.get(text) ?? this.#intern(kind, text, exemplar)
    return kind
  }

  #intern(kind: number, text: string, exemplar: object | undefined): number {
    const id = this.#free.pop() ?? this.#entries.length
    this.#entries[id] = { kind, text, exemplar, sent: false }
    this.#byText[kind]?.set(text, id)
    return id
  }

  #entry(id: number): Entry {
    const entry = this.#entries[id]
    if (entry === undefined) throw new RangeError(`unknown text ${id}`)
    return entry
  }

  #object(value: object): number {
    if (isDate(value)) {
      const time = value.getTime()
      return Number.isNaN(time) ? this.#scalar(Kind.nan, 0) : this.#scalar(Kind.date, time)
    }
    if (isBytes(value)) return this.#text(Kind.bytes, textOfBytes(value), undefined)
    const tag = temporalTag(value)
    if (tag !== undefined) return this.#text(Kind.temporal, `${tag}\0${String(value.toString())}`, value)
    return this.#reference(value)
  }

  #reference(value: object): number {
    let id = this.#objects.get(value)
    if (id === undefined) {
      id = this.#references++
      this.#objects.set(value, id)
    }
    return this.#scalar(Kind.ref, id)
  }

  #symbol(value: symbol): number {
    let id = this.#symbols.get(value)
    if (id === undefined) {
      id = this.#references++
      this.#symbols.set(value, id)
    }
    return this.#scalar(Kind.ref, id)
  }
}

function compareTemporals(a: Entry, b: Entry): number {
  const type = (entry: Entry) => entry.text.slice(0, entry.text.indexOf('\0'))
  const compare = (a.exemplar?.constructor as { compare?: unknown } | undefined)?.compare
  if (type(a) !== type(b) || typeof compare !== 'function') {
    throw new TypeError(
      `Cannot compare ${type(a)} with ${type(b)}: temporals have an order only within one type that has compare()`,
    )
  }
  return (compare as (a: unknown, b: unknown) => number).call(a.exemplar?.constructor, a.exemplar, b.exemplar)
}

const CHUNK = 4096

function textOfBytes(bytes: Uint8Array): string {
  let text = ''
  for (let i = 0; i < bytes.length; i += CHUNK) {
    text += String.fromCharCode.apply(null, bytes.subarray(i, i + CHUNK) as unknown as number[])
  }
  return text
}

function bytesOf(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length)
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i)
  return bytes
}
