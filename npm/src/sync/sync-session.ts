import {
  NoPendingSyncTransactionCommitError,
  NoPendingSyncTransactionWriteError,
  SyncTransactionAlreadyCommittedError,
  SyncTransactionAlreadyCommittedWriteError,
} from '../errors/sync.ts'
import {
  CollectionConfigurationError,
  DuplicateKeySyncError,
  InvalidKeyError,
  UndefinedKeyError,
} from '../errors.ts'
import { deepEquals } from '../rows/deep-equals.ts'
import type { Receipt } from './receipt.ts'
import type { OpenFeed, RootCollection } from './root-collection.ts'
import { metadataApi, type SyncMetadataAccess } from './sync-metadata.ts'
import { Stage, SyncTransaction } from './sync-transaction.ts'

type Key = string | number

/** A change as a sync function writes it. */
export interface SyncMessage {
  readonly type: 'insert' | 'update' | 'delete'
  readonly key?: Key | undefined
  readonly value?: object | undefined
  readonly metadata?: unknown
}

/** The part of a configuration that a session needs. */
export interface SyncFeed {
  readonly syncMode?: 'eager' | 'on-demand'
  getKey(row: never): Key
  readonly sync: {
    sync(params: never): unknown
    readonly rowUpdateMode?: 'partial' | 'full'
  }
}

/** What a sync function may give back. */
interface Members {
  readonly cleanup?: unknown
  readonly loadSubset?: unknown
  readonly unloadSubset?: unknown
}

/** What an adapter offers for loading on demand. */
export interface SubsetLoading {
  readonly loadSubset: (options: never) => unknown
  readonly unloadSubset: ((options: never) => unknown) | undefined
}

/** A source that is running. */
export interface Connection {
  readonly cleanup: (() => void) | undefined
  readonly subsets: SubsetLoading | undefined
}

/**
 * Calls the sync function for a new session.
 *
 * @throws CollectionConfigurationError if the collection loads on demand and the function gives no `loadSubset`.
 */
export function connectSync(feed: RootCollection, config: SyncFeed, collection: object): Connection {
  const getKey = (row: object) => config.getKey(row as never)
  const session = new SyncSession(feed, getKey, config.sync.rowUpdateMode !== 'full')
  feed.feed = session
  const { begin, write, commit, markReady, markError, truncate, metadata } = session
  const params = { collection, begin, write, commit, markReady, markError, truncate, metadata }
  const result = config.sync.sync(params as never)
  const connection = connectionOf(result)
  if (config.syncMode === 'on-demand' && connection.subsets === undefined) {
    throw new CollectionConfigurationError(
      `Collection "${feed.id}" has syncMode "on-demand", but its sync function returned no loadSubset. ` +
        'Return { loadSubset } from it, or use syncMode "eager"',
    )
  }
  return connection
}

function connectionOf(result: unknown): Connection {
  if (typeof result === 'function') return { cleanup: result as () => void, subsets: undefined }
  if (typeof result !== 'object' || result === null) return { cleanup: undefined, subsets: undefined }
  const { cleanup, loadSubset, unloadSubset } = result as Members
  return {
    cleanup: typeof cleanup === 'function' ? () => cleanup.call(result) : undefined,
    subsets:
      typeof loadSubset === 'function'
        ? {
            loadSubset: (options) => loadSubset.call(result, options),
            unloadSubset:
              typeof unloadSubset === 'function'
                ? (options) => unloadSubset.call(result, options)
                : undefined,
          }
        : undefined,
  }
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
export class SyncSession implements OpenFeed {
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

  readonly begin = (options?: { readonly immediate?: boolean }): void => {
    if (!this.#live) return
    const staged = this.#spare.pop() ?? new SyncTransaction()
    staged.immediate = options?.immediate === true
    this.#open.push({ staged, revision: this.#collection.revision })
  }

  readonly write = (message: SyncMessage): void => {
    if (!this.#live) return
    const staged = this.#staged()
    const key = 'key' in message ? (message.key as Key) : this.#getKey(message.value as object)
    checkKey(key, message.value)
    switch (message.type) {
      case 'insert':
        this.#insert(staged, key, message.value as object)
        // An insert says everything there is to say of the row.
        if (message.metadata !== undefined) staged.metadata.setRow(key, message.metadata)
        else if (staged.hasMetadata || this.#collection.metadata.row(key) !== undefined)
          staged.metadata.removeRow(key)
        break
      case 'update':
        staged.stage(this.#partial ? Stage.merge : Stage.put, key, message.value)
        if (message.metadata !== undefined) staged.metadata.setRow(key, message.metadata)
        break
      case 'delete':
        staged.stage(Stage.delete, key, undefined)
        this.#collection.takeSeed(key)
        if (staged.hasMetadata || this.#collection.metadata.row(key) !== undefined)
          staged.metadata.removeRow(key)
        break
      default:
        throw new TypeError(
          `A sync message has type "insert", "update" or "delete", not ${String(message.type)}`,
        )
    }
  }

  readonly truncate = (): void => {
    if (this.#live) this.#staged().truncate()
  }

  readonly commit = (): Receipt => {
    if (!this.#live) return true
    const collection = this.#collection
    const { staged, revision } = this.#top() ?? this.#nothingToCommit()
    collection.assertFree()
    this.#open.pop()
    const replaced = staged.truncates
    try {
      return collection.commit(staged, revision === collection.revision)
    } finally {
      this.#spare.push(staged.reset())
      // Whatever subscribers throw, the rows are complete.
      if (replaced && this.#live) collection.markReady()
    }
  }

  readonly markReady = (): void => {
    if (this.#live) this.#collection.markReady()
  }

  readonly markError = (error?: unknown): void => {
    if (this.#live) this.#collection.markError(error)
  }

  /** What the adapter stores beside the rows. */
  readonly metadata: SyncMetadataAccess = metadataApi({
    live: () => this.#live,
    applied: () => this.#collection.metadata,
    open: () => this.#top()?.staged.metadata,
    staged: () => this.#staged().metadata,
  })

  /** Number of transactions that are not committed. */
  get open(): number {
    return this.#open.length
  }

  *openKeys(): Iterable<Key> {
    for (const { staged } of this.#open) {
      yield* staged.keys
      yield* staged.metadataKeys()
    }
  }

  get #live(): boolean {
    return this.#collection.session === this.#session
  }

  #top(): OpenTransaction | undefined {
    return this.#open[this.#open.length - 1]
  }

  #staged(): SyncTransaction {
    const top = this.#top()
    if (top !== undefined) return top.staged
    if (this.#collection.waiting > 0) throw new SyncTransactionAlreadyCommittedWriteError()
    throw new NoPendingSyncTransactionWriteError()
  }

  #nothingToCommit(): never {
    if (this.#collection.waiting > 0) throw new SyncTransactionAlreadyCommittedError()
    throw new NoPendingSyncTransactionCommitError()
  }

  /** An insert of a row that is there already says nothing new; of another row under its key it is an error. */
  #insert(staged: SyncTransaction, key: Key, row: object): void {
    const present = this.#collection.confirmed(key)
    if (present === undefined || staged.removes(key)) staged.stage(Stage.insert, key, row)
    else if (this.#collection.takeSeed(key) || deepEquals(present, row))
      staged.stage(this.#partial ? Stage.merge : Stage.put, key, row)
    else throw new DuplicateKeySyncError(key, this.#collection.id)
  }
}

function checkKey(key: unknown, row: object | undefined): void {
  if (typeof key === 'string' || typeof key === 'number') return
  throw key === undefined ? new UndefinedKeyError(row) : new InvalidKeyError(key, row)
}
