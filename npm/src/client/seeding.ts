import type { RootCollection } from '../sync/root-collection.ts'
import type { DehydratedCollectionChunk, DehydratedCollectionRow } from '../types/client.ts'

type Key = string | number

/** The confirmed rows of a collection, for another client. */
export function chunkOf(root: RootCollection, syncMeta: unknown): DehydratedCollectionChunk {
  const rows: DehydratedCollectionRow[] = []
  const add = (key: Key) => {
    const value = root.confirmed(key)
    if (value === undefined) return
    const metadata = root.rowMetadata(key)
    rows.push(metadata === undefined ? { key, value } : { key, value, metadata })
  }
  for (const key of root.keyList()) add(key)
  // Rows that a pending removal hides are there all the same.
  for (const [keyId] of root.source.covered) {
    const key = root.source.key(keyId)
    if (!root.has(key)) add(key)
  }
  return { collectionId: root.id, rows, ...(syncMeta === undefined ? {} : { syncMeta }) }
}

/** Puts rows in as confirmed ones until the source delivers its own, but for those it has delivered. */
export function seedFrom(
  root: RootCollection,
  chunk: DehydratedCollectionChunk,
  keyed: (value: object) => { readonly key: Key; readonly row: object },
): void {
  const rows: { key: Key; value: object; metadata?: unknown }[] = []
  for (const { value, metadata } of chunk.rows) {
    const { key, row } = keyed(value)
    if (root.confirmed(key) !== undefined && !root.isSeed(key)) continue
    rows.push(metadata === undefined ? { key, value: row } : { key, value: row, metadata })
  }
  root.seed(rows)
}
