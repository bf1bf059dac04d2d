import { InvalidStorageDataFormatError, InvalidStorageObjectFormatError } from '../errors/storage.ts'
import type { Parser, StorageApi } from '../types/local.ts'

type Key = string | number

/** A row as it is stored: with a mark that is another after every write. */
export interface StoredRow {
  readonly versionKey: string
  readonly data: object
}

/** A key as a name in storage, which tells 1 from "1". */
export function encodeKey(key: Key): string {
  return typeof key === 'number' ? `n:${key}` : `s:${key}`
}

/** The key of a name in storage. One without a mark is of an older format, which knew strings only. */
export function decodeKey(name: string): Key {
  if (name.startsWith('n:')) return Number(name.slice(2))
  return name.startsWith('s:') ? name.slice(2) : name
}

/** Reads rows from storage. What cannot be read is told on the console and counts as empty. */
export function loadRows(storageKey: string, storage: StorageApi, parser: Parser): Map<Key, StoredRow> {
  const rows = new Map<Key, StoredRow>()
  try {
    const text = storage.getItem(storageKey)
    if (text === null || text === '') return rows
    const parsed = parser.parse(text)
    if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) {
      throw new InvalidStorageObjectFormatError(storageKey)
    }
    for (const [name, entry] of Object.entries(parsed)) {
      if (!isStoredRow(entry)) throw new InvalidStorageDataFormatError(storageKey, name)
      rows.set(decodeKey(name), entry)
    }
    return rows
  } catch (error) {
    console.warn(`[millrace] What is stored under "${storageKey}" cannot be read and counts as empty:`, error)
    return new Map()
  }
}

/** Writes all rows to storage. Throws what the storage throws, for example when it is full. */
export function saveRows(
  storageKey: string,
  storage: StorageApi,
  parser: Parser,
  rows: ReadonlyMap<Key, StoredRow>,
): void {
  const stored: Record<string, StoredRow> = Object.create(null) as Record<string, StoredRow>
  for (const [key, row] of rows) stored[encodeKey(key)] = row
  storage.setItem(storageKey, parser.stringify({ ...stored }))
}

function isStoredRow(entry: unknown): entry is StoredRow {
  if (typeof entry !== 'object' || entry === null) return false
  const { versionKey, data } = entry as Partial<StoredRow>
  return typeof versionKey === 'string' && typeof data === 'object' && data !== null
}
