import type { RootCollection } from './root-collection.ts'

/** What a local transaction does to one row from now on; it replaces what the transaction did to it before. */
export interface LocalWrite {
  /** `withdraw`: nothing any more. */
  readonly op: 'insert' | 'update' | 'delete' | 'withdraw'
  readonly key: string | number
  /** The inserted row; of an update, the whole row it is expected to show. */
  readonly row?: object
  /** All top-level fields of the row that the transaction sets. */
  readonly changes?: object
  /** Names of fields it removes. */
  readonly removed?: readonly string[]
  /** Whether the write shows before it is confirmed. */
  readonly optimistic: boolean
}

/** What a write holds back until something else is told or the session is flushed. */
export const Hold = {
  none: 0,
  /** Live queries do not follow yet. */
  graph: 1,
  /** Nor do subscribers hear of it. */
  all: 3,
  /** Nothing is held; the write is being sent to the source. */
  sending: 4,
  /** As `sending`, and the write shows already and has been told. */
  shown: 12,
} as const

/** A transaction whose writes show until it is settled. */
export interface LocalWriter {
  /** Sends the writes to a collection again, which has forgotten them. */
  rewrite(collection: RootCollection): void
}
