import { DuplicateKeySyncError, InvalidKeyError, UndefinedKeyError } from '../errors/collection.ts'
import { NoPendingSyncTransactionCommitError, NoPendingSyncTransactionWriteError } from '../errors/sync.ts'
import { deepEquals } from '../rows/deep-equals.ts'
import type { RootCollection } from './root-collection.ts'
import { Stage, SyncTransaction } from './sync-transaction.ts'

type Key = string | number

/** A change as a sync function writes it. */
export interface SyncMessage {
  readonly type: 'insert' | 'update' | 'delete'
  readonly key?: Key | undefined
  readonly value?: object | undefined
}

/** The part of a configuration that a session needs. */
export interface SyncFeed {
  getKey(row: never): Key
  readonly sync: {
    sync(params: never): unknown
    readonly rowUpdateMode?: 'partial' | 'full'
  }
}

/** Calls the sync function for a new session; gives its cleanup, if it returned one. */
export function connectSync(
  feed: RootCollection,
  config: SyncFeed,
  collection: object,
): (() => void) | undefined {
  const getKey = (row: object) => config.getKey(row as never)
  const { begin, write, commit, markReady, markError, truncate } = new SyncSession(
    feed,
    getKey,
    config.sync.rowUpdateMode !== 'full',
  )
  const params = { collection, begin, write, commit, markReady, markError, truncate }
  const result = config.sync.sync(params as never)
  if (typeof result === 'function') return result as () => void
  const cleanup =
    typeof result === 'object' && result !== null ? (result as { cleanup?: unknown }).cleanup : undefined
  return typeof cleanup === 'function' ? () => cleanup.call(result) : undefined
}

interface OpenTransaction {
  readonly staged: SyncTransaction
  /** The collection's revision that inserts were checked against. */
  readonly revision: number
}

/**
 * What one sync session offers its sync function. Transactions nest like a stack. After the session ended
 * every call does nothing.
 */
export class SyncSession {
  readonly #collection: RootCollection
  readonly #session: number
  readonly #getKey: (row: object) => Key
  readonly #partial: boolean
  readonly #open: OpenTransaction[] = []
  readonly #spare: SyncTransaction[] = []

  constructor(collection: RootCollection, getKey: (row: object) => Key, partial: boolean) {
    this.#collection = collection
    this.#session = collection.session
    this.#getKey = getKey
    this.#partial = partial
  }

  readonly begin = (): void => {
    if (!this.#live) return
    const staged = this.#spare.pop() ?? new SyncTransaction()
    this.#open.push({ staged, revision: this.#collection.revision })
  }

  readonly write = (message: SyncMessage): void => {
    if (!this.#live) return
    const { staged } = this.#top() ?? fail(new NoPendingSyncTransactionWriteError())
    const key = 'key' in message ? (message.key as Key) : this.#getKey(message.value as object)
    checkKey(key, message.value)
    switch (message.type) {
      case 'insert':
        this.#insert(staged, key, message.value as object)
        break
      case 'update':
        staged.stage(this.#partial ? Stage.merge : Stage.put, key, message.value)
        break
      case 'delete':
        staged.stage(Stage.delete, key, undefined)
        break
      default:
        throw new TypeError(
          `A sync message has type "insert", "update" or "delete", not ${String(message.type)}`,
        )
    }
  }

  readonly truncate = (): void => {
    if (!this.#live) return
    const { staged } = this.#top() ?? fail(new NoPendingSyncTransactionWriteError())
    staged.truncate()
  }

  readonly commit = (): true => {
    if (!this.#live) return true
    const { staged, revision } = this.#top() ?? fail(new NoPendingSyncTransactionCommitError())
    this.#open.pop()
    const replaced = staged.truncates
    try {
      this.#collection.commit(staged, revision === this.#collection.revision)
    } finally {
      this.#spare.push(staged.reset())
    }
    if (replaced && this.#live && this.#collection.status === 'loading') this.#collection.markReady()
    return true
  }

  readonly markReady = (): void => {
    if (this.#live) this.#collection.markReady()
  }

  readonly markError = (error?: unknown): void => {
    if (this.#live) this.#collection.markError(error)
  }

  get #live(): boolean {
    return this.#collection.session === this.#session
  }

  #top(): OpenTransaction | undefined {
    return this.#open[this.#open.length - 1]
  }

  /** An insert of a row that is there already says nothing new; of another row under its key it is an error. */
  #insert(staged: SyncTransaction, key: Key, row: object): void {
    const present = this.#collection.stored(key)
    if (present === undefined || staged.removes(key)) staged.stage(Stage.insert, key, row)
    else if (deepEquals(present, row)) staged.stage(this.#partial ? Stage.merge : Stage.put, key, row)
    else throw new DuplicateKeySyncError(key, this.#collection.id)
  }
}

function checkKey(key: unknown, row: object | undefined): void {
  if (typeof key === 'string' || typeof key === 'number') return
  throw key === undefined ? new UndefinedKeyError(row) : new InvalidKeyError(key, row)
}

function fail(error: Error): never {
  throw error
}
