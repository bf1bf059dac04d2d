import type { Metadata, StagedMetadata } from './metadata.ts'

type Key = string | number

/**
 * What an adapter stores beside the rows: resume positions, versions of rows. Reads see what the open transaction
 * stages; writes need an open transaction and are applied with it.
 */
export interface SyncMetadataAccess {
  readonly row: {
    get(key: Key): unknown
    set(key: Key, value: unknown): void
    delete(key: Key): void
  }
  readonly collection: {
    get(name: string): unknown
    set(name: string, value: unknown): void
    delete(name: string): void
    /** Names that begin with `prefix`, all without it, and their values. */
    list(prefix?: string): { key: string; value: unknown }[]
  }
}

/** Where metadata is read from and staged. */
export interface MetadataPlaces {
  /** Whether the session is running; afterwards nothing is found and nothing is stored. */
  live(): boolean
  applied(): Metadata
  open(): StagedMetadata | undefined
  /** Throws without an open transaction. */
  staged(): StagedMetadata
}

/** The access of one sync session. */
export function metadataApi({ live, applied, open, staged }: MetadataPlaces): SyncMetadataAccess {
  return {
    row: {
      get: (key) => {
        if (!live()) return undefined
        const now = open()
        return now === undefined ? applied().row(key) : now.row(key, applied())
      },
      set: (key, value) => {
        if (live()) staged().setRow(key, value)
      },
      delete: (key) => {
        if (live()) staged().removeRow(key)
      },
    },
    collection: {
      get: (name) => {
        if (!live()) return undefined
        const now = open()
        return now === undefined ? applied().named(name) : now.named(name, applied())
      },
      set: (name, value) => {
        if (live()) staged().setNamed(name, value)
      },
      delete: (name) => {
        if (live()) staged().removeNamed(name)
      },
      list: (prefix = '') => {
        if (!live()) return []
        const now = open()
        if (now !== undefined) return now.list(prefix, applied())
        const found: { key: string; value: unknown }[] = []
        for (const [key, value] of applied().names()) if (key.startsWith(prefix)) found.push({ key, value })
        return found
      },
    },
  }
}
