import { InvalidStorageDataFormatError, InvalidStorageObjectFormatError } from '../errors/storage.ts'
import type { Parser, StorageApi } from '../types/local.ts'

type Key = string | number

/** A row as it is stored. */
export interface StoredRow {
  /** Another one after every write of the row, so that tabs notice each other's writes without comparing rows. */
  readonly versionKey: string
  readonly data: object
}

/** What became of a row: it has come if there was none before, it is gone if there is none after. */
export interface RowDifference {
  readonly key: Key
  readonly before: StoredRow | undefined
  readonly after: StoredRow | undefined
}

/** The place of a collection in a storage. */
export interface StoragePlace {
  readonly storageKey: string
  readonly storage: StorageApi
  readonly parser: Parser
}

/** A key as a name in storage, which tells 1 from "1". */
export function encodeKey(key: Key): string {
  return typeof key === 'number' ? `n:${key}` : `s:${key}`
}

/** The key of a name in storage. A name that is not one of ours is of an older format, which knew strings only. */
export function decodeKey(name: string): Key {
  if (name.startsWith('s:')) return name.slice(2)
  if (!name.startsWith('n:')) return name
  const digits = name.slice(2)
  const number = Number(digits)
  return String(number) === digits ? number : name
}

/**
 * The rows of one collection as they are in storage, and as they were when they were last looked at. All rows are one text,
 * which every write replaces. So that nothing another tab has written is lost, a write reads the text first; if it is not the one seen
 * last, rows whose version key differs are taken from it.
 */
export class RowStore {
  readonly #place: StoragePlace
  #rows: ReadonlyMap<Key, StoredRow> = new Map()
  /** What was stored when it was last looked at; undefined if it never was. */
  #text: string | null | undefined

  constructor(place: StoragePlace) {
    this.#place = place
  }

  /** Looks at what is stored. Gives the rows that differ from those seen before. What cannot be read counts as empty. */
  reload(): RowDifference[] {
    const text = this.#stored()
    if (text === this.#text) return []
    const before = this.#rows
    this.#rows = this.#merged(this.#parse(text) ?? new Map())
    this.#text = text
    return differences(before, this.#rows)
  }

  /** A row as it was seen last. */
  get(key: Key): StoredRow | undefined {
    return this.#rows.get(key)
  }

  /** Forgets what was seen. */
  forget(): void {
    this.#rows = new Map()
    this.#text = undefined
  }

  /**
   * Changes what is stored: `edit` changes a copy of the rows and gives the keys it is about. Gives these rows, changed or
   * not, and those that differ from what was seen before, because another tab has written them. If what is stored cannot be read, the rows seen before replace it.
   *
   * Throws what the storage throws, for example when it is full; nothing has changed then. Costs the writing of all rows, and
   * their reading if another tab has written.
   */
  write(edit: (rows: Map<Key, StoredRow>) => readonly Key[]): RowDifference[] {
    const { storage, storageKey, parser } = this.#place
    const text = storage.getItem(storageKey)
    const others = text === this.#text ? undefined : this.#parse(text)
    const before = this.#rows
    const rows = others === undefined ? new Map(before) : this.#merged(others)
    const touched = edit(rows)
    const stored: Record<string, StoredRow> = {}
    for (const [key, row] of rows) stored[encodeKey(key)] = row
    const written = parser.stringify(stored)
    storage.setItem(storageKey, written)
    this.#rows = rows
    this.#text = written
    const found: RowDifference[] = others === undefined ? [] : differences(before, rows)
    const told = new Set(found.map(({ key }) => key))
    for (const key of touched) {
      if (!told.has(key)) found.push({ key, before: before.get(key), after: rows.get(key) })
    }
    return found
  }

  /** Removes what is stored. The rows seen before stay, and the next write stores them again. */
  clear(): void {
    this.#place.storage.removeItem(this.#place.storageKey)
    this.#text = null
  }

  /** Number of bytes that are stored. */
  get size(): number {
    const text = this.#place.storage.getItem(this.#place.storageKey)
    return text === null || text === '' ? 0 : new Blob([text]).size
  }

  #stored(): string | null {
    try {
      return this.#place.storage.getItem(this.#place.storageKey)
    } catch (error) {
      this.#warn(error)
      return null
    }
  }

  #parse(text: string | null): Map<Key, StoredRow> | undefined {
    const { storageKey, parser } = this.#place
    const rows = new Map<Key, StoredRow>()
    if (text === null || text === '') return rows
    try {
      const parsed: unknown = parser.parse(text)
      if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) {
        throw new InvalidStorageObjectFormatError(storageKey)
      }
      for (const [name, entry] of Object.entries(parsed)) {
        if (!isStoredRow(entry)) throw new InvalidStorageDataFormatError(storageKey, name)
        rows.set(decodeKey(name), entry)
      }
      return rows
    } catch (error) {
      this.#warn(error)
      return undefined
    }
  }

  /** Rows that were read, with those that are not another version as they are known here. */
  #merged(read: Map<Key, StoredRow>): Map<Key, StoredRow> {
    for (const [key, row] of read) {
      const known = this.#rows.get(key)
      if (known?.versionKey === row.versionKey) read.set(key, known)
    }
    return read
  }

  #warn(error: unknown): void {
    console.warn(
      `What is stored under "${this.#place.storageKey}" cannot be read and counts as empty; the next write replaces it:`,
      error,
    )
  }
}

function differences(
  before: ReadonlyMap<Key, StoredRow>,
  after: ReadonlyMap<Key, StoredRow>,
): RowDifference[] {
  const found: RowDifference[] = []
  for (const [key, was] of before) {
    const is = after.get(key)
    if (was.versionKey !== is?.versionKey) found.push({ key, before: was, after: is })
  }
  for (const [key, is] of after) if (!before.has(key)) found.push({ key, before: undefined, after: is })
  return found
}

function isStoredRow(entry: unknown): entry is StoredRow {
  if (typeof entry !== 'object' || entry === null || !('versionKey' in entry && 'data' in entry)) return false
  return typeof entry.versionKey === 'string' && typeof entry.data === 'object' && entry.data !== null
}
