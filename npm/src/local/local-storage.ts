import { withCollectionConfigFactory } from '../client/config-factory.ts'
import { SerializationError, StorageKeyRequiredError } from '../errors/storage.ts'
import type { CollectionConfig, SyncParams } from '../types/config.ts'
import type {
  HasMutations,
  LocalStorageCollectionConfig,
  LocalStorageCollectionUtils,
  Parser,
  StorageApi,
  StorageEventApi,
} from '../types/local.ts'
import type { PendingMutation } from '../types/transactions.ts'
import { randomId } from '../utils/random-id.ts'
import { encodeKey, loadRows, type StoredRow, saveRows } from './storage-rows.ts'

type Key = string | number
type Options<T extends object, TKey extends Key> = CollectionConfig<T, TKey, LocalStorageCollectionUtils> & {
  readonly id: string
  utils: LocalStorageCollectionUtils
}

/**
 * The configuration of a collection kept in web storage and shared by the tabs of an origin: all rows under one name,
 * rewritten as a whole at every write. A write reads what is stored first, so that rows another tab has just written are kept;
 * of one row the last write wins.
 *
 * @throws StorageKeyRequiredError without a `storageKey`.
 */
export function localStorageCollectionOptions<
  T extends object = Record<string, unknown>,
  TKey extends Key = Key,
>(config: LocalStorageCollectionConfig<T, TKey>): Options<T, TKey> {
  if (!config.storageKey) throw new StorageKeyRequiredError()
  const { storageKey, storage: given, storageEventApi, parser = JSON, ...rest } = config
  const id = config.id || `local-collection:${storageKey}`
  const storage = given ?? browserStorage() ?? memoryStorage()
  const store = new StoredCollection(id, storageKey, storage, parser as Parser)
  const persisting =
    (operation: 'insert' | 'update' | 'delete', handler: unknown) =>
    async (params: { readonly transaction: HasMutations }) => {
      const mutations = params.transaction.mutations as readonly PendingMutation[]
      if (operation !== 'delete') store.assertSerializable(operation, mutations)
      const result = (await (handler as ((p: unknown) => unknown) | undefined)?.(params)) ?? {}
      store.accept(mutations)
      return result
    }
  const options = {
    ...rest,
    id,
    onInsert: persisting('insert', config.onInsert),
    onUpdate: persisting('update', config.onUpdate),
    onDelete: persisting('delete', config.onDelete),
    utils: {
      clearStorage: () => storage.removeItem(storageKey),
      getStorageSize: () => byteSize(storage.getItem(storageKey) ?? ''),
      acceptMutations: ({ mutations }: HasMutations) => {
        const own = (mutations as readonly PendingMutation[]).filter(({ collection }) => collection.id === id)
        store.assertSerializable(
          'insert',
          own.filter(({ type }) => type !== 'delete'),
        )
        store.accept(own)
      },
    },
    sync: {
      rowUpdateMode: 'full' as const,
      getSyncMetadata: () => ({ storageKey, storageType: given === undefined ? 'localStorage' : 'custom' }),
      sync: (params: SyncParams<T, TKey>) => store.open(params as never, storageEventApi ?? browserEvents()),
    },
  } as unknown as Options<T, TKey>
  return withCollectionConfigFactory(options, () => localStorageCollectionOptions({ ...config, id }))
}

/** The rows of one collection in storage, and what is known of them here. */
class StoredCollection {
  readonly #id: string
  readonly #storageKey: string
  readonly #storage: StorageApi
  readonly #parser: Parser
  #known = new Map<Key, StoredRow>()
  #sync: SyncParams<object, Key> | undefined

  constructor(id: string, storageKey: string, storage: StorageApi, parser: Parser) {
    this.#id = id
    this.#storageKey = storageKey
    this.#storage = storage
    this.#parser = parser
  }

  /** Reads what is stored and listens to other tabs until the returned function is called. */
  open(params: SyncParams<object, Key>, events: StorageEventApi | undefined): () => void {
    this.#sync = params
    this.#known = new Map()
    this.#catchUp(this.#load())
    params.markReady()
    const listener = (event: StorageEvent) => {
      if (event.key === this.#storageKey && event.storageArea === (this.#storage as unknown))
        this.#catchUp(this.#load())
    }
    events?.addEventListener('storage', listener)
    return () => {
      events?.removeEventListener('storage', listener)
      this.#sync = undefined
    }
  }

  /** @throws SerializationError for a row that the parser cannot write. */
  assertSerializable(operation: string, mutations: readonly PendingMutation[]): void {
    for (const { modified } of mutations) {
      try {
        this.#parser.stringify(modified)
      } catch (error) {
        throw new SerializationError(operation, error instanceof Error ? error.message : String(error))
      }
    }
  }

  /** Stores mutations and confirms them. When the storage refuses, nothing has changed. */
  accept(mutations: readonly PendingMutation[]): void {
    const own = mutations.filter(({ collection }) => collection.id === this.#id)
    if (own.length === 0) return
    const stored = this.#load()
    this.#catchUp(stored, own)
    const next = new Map(stored)
    for (const { type, key, modified } of own) {
      if (type === 'delete') next.delete(key)
      else next.set(key, { versionKey: randomId(), data: modified })
    }
    try {
      saveRows(this.#storageKey, this.#storage, this.#parser, next)
    } catch (error) {
      console.error(`[millrace] Rows could not be stored under "${this.#storageKey}":`, error)
      throw error
    }
    this.#known = next
    this.#confirm(own)
  }

  #load(): Map<Key, StoredRow> {
    return loadRows(this.#storageKey, this.#storage, this.#parser)
  }

  #confirm(mutations: readonly PendingMutation[]): void {
    const sync = this.#sync
    if (sync === undefined) return
    sync.begin({ immediate: true })
    for (const { type, key, modified } of mutations) {
      if (type === 'delete') sync.write({ type, key })
      else sync.write({ type: 'update', key, value: modified })
    }
    sync.commit()
  }

  /** Takes over what others have stored; `writing` are rows that are about to be written over. */
  #catchUp(stored: Map<Key, StoredRow>, writing: readonly PendingMutation[] = []): void {
    const sync = this.#sync
    const known = this.#known
    const skip = new Set(writing.map(({ key }) => encodeKey(key as Key)))
    const gone = Array.from(known.keys()).filter((key) => !stored.has(key) && !skip.has(encodeKey(key)))
    const changed = Array.from(stored).filter(
      ([key, { versionKey }]) => known.get(key)?.versionKey !== versionKey && !skip.has(encodeKey(key)),
    )
    this.#known = stored
    if (sync === undefined || (gone.length === 0 && changed.length === 0)) return
    sync.begin({ immediate: true })
    for (const key of gone) sync.write({ type: 'delete', key })
    for (const [key, { data }] of changed)
      if (known.has(key)) sync.write({ type: 'update', key, value: data })
    for (const [key, { data }] of changed)
      if (!known.has(key)) sync.write({ type: 'update', key, value: data })
    sync.commit()
  }
}

function byteSize(text: string): number {
  return text === '' ? 0 : new Blob([text]).size
}

function browserStorage(): StorageApi | undefined {
  try {
    return (globalThis as { window?: { localStorage?: StorageApi } }).window?.localStorage
  } catch {
    // A page without permission to store anything throws at the mere look.
    return undefined
  }
}

function browserEvents(): StorageEventApi | undefined {
  const { window } = globalThis as { window?: Partial<StorageEventApi> }
  return typeof window?.addEventListener === 'function' ? (window as StorageEventApi) : undefined
}

function memoryStorage(): StorageApi {
  const items = new Map<string, string>()
  return {
    getItem: (key) => items.get(key) ?? null,
    setItem: (key, value) => {
      items.set(key, value)
    },
    removeItem: (key) => {
      items.delete(key)
    },
  }
}
