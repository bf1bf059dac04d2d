import { insideOf } from '../collection/access.ts'
import { collectionFrom } from '../collection/create.ts'
import { Emitter } from '../collection/emitter.ts'
import { createLiveQueryCollection } from '../live/live-query.ts'
import { BaseQueryBuilder, getQueryIR } from '../query/builder.ts'
import { getStableQueryIRHash, getStableValueHash } from '../query/identity.ts'
import { RootCollection } from '../sync/root-collection.ts'
import { TransactionScope } from '../transactions/scope.ts'
import { LocalTransaction } from '../transactions/transaction.ts'
import type {
  CollectionMaterializeOptions,
  CollectionOptions,
  DbClientEvent,
  DbClientLiveQuery,
  DbClientOptions,
  DehydrateDbClientOptions,
  DehydratedCollectionChunk,
  DehydratedDbState,
  DehydratedLiveQueryResult,
} from '../types/client.ts'
import type { Collection } from '../types/collection.ts'
import type { CollectionConfig } from '../types/config.ts'
import type { Untyped, UtilsRecord } from '../types/rows.ts'
import type { Transaction, TransactionConfig } from '../types/transactions.ts'
import { LiveQueryCache } from './live-queries.ts'
import { configSourceOf, isCollectionOptions } from './options.ts'
import { chunkOf, seedFrom } from './seeding.ts'

type AnyCollection = Collection<Untyped, Untyped, Untyped>
interface Validating {
  validateData(data: object, type: 'insert'): object
}
type Config = CollectionConfig<Untyped, Untyped, Untyped, Untyped> & { readonly id: string }

/** Descriptors of one configuration that a client has taken: no other client may. */
const taken = new WeakSet<object>()

/**
 * The collections of one page or one request: made from descriptors when they are first asked for, with transactions of
 * their own, filled from what a server has dehydrated.
 */
export class DbClient {
  readonly #dependencies: DbClientOptions
  readonly #scope = new TransactionScope()
  readonly #byDescriptor = new Map<object, AnyCollection>()
  readonly #byId = new Map<string, { readonly collection: AnyCollection; readonly config: Config }>()
  readonly #waiting = new Map<string, DehydratedCollectionChunk[]>()
  readonly #live = new Set<AnyCollection>()
  readonly #events = new Emitter()
  readonly #queries = new LiveQueryCache((event) => this.#events.emit('event', event))

  constructor(dependencies: DbClientOptions = {}) {
    this.#dependencies = dependencies
  }

  /** What was given to the client under a name, or undefined. */
  getDependency(key: string): unknown {
    return this.#dependencies[key]
  }

  /** As `getDependency`. @throws Error if nothing was given under the name. */
  requireDependency(key: string): unknown {
    if (!Object.hasOwn(this.#dependencies, key)) {
      throw new Error(`The client has no dependency "${key}": pass it to new DbClient({ ${key}: … })`)
    }
    return this.#dependencies[key]
  }

  /** The transaction that writes to collections of this client belong to now. */
  get activeTransaction(): Transaction | undefined {
    return this.#scope.active
  }

  /** As the function of this name; the transaction belongs to the client. */
  createTransaction<T extends object = Record<string, unknown>>(
    config: TransactionConfig<T>,
  ): Transaction<T> {
    const origin = { scope: this.#scope, direct: false }
    return new LocalTransaction(config as unknown as TransactionConfig, origin) as unknown as Transaction<T>
  }

  /**
   * The client's collection of a descriptor, made at the first call and then the same.
   *
   * @throws Error for a second descriptor with the same id, or a configuration that another client uses.
   */
  collection<T extends object, TKey extends string | number, TUtils extends UtilsRecord>(
    descriptor: CollectionOptions<T, TKey, TUtils>,
    options: CollectionMaterializeOptions<T> = {},
  ): Collection<T, TKey, TUtils> {
    const known = this.#byDescriptor.get(descriptor)
    if (known !== undefined) return known
    if (!isCollectionOptions(descriptor)) {
      throw new Error('client.collection() takes what collectionOptions() returns')
    }
    const { id } = descriptor
    if (this.#byId.has(id)) {
      throw new Error(
        `There is another collection with the id "${id}": a DbClient needs collection ids to be unique per DbClient`,
      )
    }
    const config = this.#configOf(descriptor)
    const { startSync, ...rest } = config
    const collection = collectionFrom<Untyped, Untyped, Untyped>({ ...rest, startSync: false })
    collection._setTransactionScope(this.#scope)
    this.#byDescriptor.set(descriptor, collection)
    this.#byId.set(id, { collection, config })
    this.#seed(collection, config, options.initialData ?? [])
    if (startSync === true) collection.startSyncImmediate()
    return collection
  }

  /** The synced rows of collections, and the results of live queries, for another client. */
  dehydrate(options: DehydrateDbClientOptions = {}): DehydratedDbState {
    const { shouldDehydrateCollection = () => true, shouldDehydrateLiveQuery } = options
    const collections: DehydratedCollectionChunk[] = []
    for (const { collection, config } of this.#byId.values()) {
      const inside = insideOf(collection)
      if (!(inside instanceof RootCollection) || !shouldDehydrateCollection(collection)) continue
      collections.push(chunkOf(inside, config.sync.exportSyncMeta?.()))
    }
    const wanted = shouldDehydrateLiveQuery ?? (({ state }: DbClientLiveQuery) => state.status === 'success')
    const liveQueries = Array.from(this.#queries.all(), (query) => query)
      .filter(wanted)
      .map(({ queryHash, state: { dehydratedAt, status, snapshot, promise, error } }) => ({
        queryHash,
        dehydratedAt,
        status,
        ...(snapshot === undefined ? {} : { snapshot }),
        ...(status === 'pending' ? { promise } : {}),
        ...(status === 'error' ? { error } : {}),
      }))
    return liveQueries.length === 0 ? { collections } : { collections, liveQueries }
  }

  /** Takes over what another client has dehydrated; collections that are not there yet get it when they are made. */
  hydrate(state: DehydratedDbState): void {
    for (const chunk of state.collections) this.applyCollectionChunk(chunk)
    for (const query of state.liveQueries ?? []) this.#queries.hydrated(query)
  }

  /** Takes over synced rows of one collection. Rows its source has delivered here are not written over. */
  applyCollectionChunk(chunk: DehydratedCollectionChunk): void {
    const known = this.#byId.get(chunk.collectionId)
    if (known === undefined) {
      const waiting = this.#waiting.get(chunk.collectionId)
      if (waiting === undefined) this.#waiting.set(chunk.collectionId, [chunk])
      else waiting.push(chunk)
      return
    }
    this.#apply(known.collection, known.config, chunk)
  }

  /** Runs a live query and keeps its result for dehydration. Resolves when the result is complete. */
  async preloadLiveQuery(options: {
    readonly query: unknown
    readonly queryKey?: readonly unknown[]
  }): Promise<void> {
    const { query, queryKey } = options
    const builder =
      typeof query === 'function'
        ? (query as (q: unknown) => object)(new BaseQueryBuilder())
        : (query as object)
    const hash =
      queryKey === undefined || queryKey.length === 0
        ? getStableQueryIRHash(getQueryIR(builder as never))
        : getStableValueHash(queryKey)
    const live = createLiveQueryCollection({ query: builder as never, startSync: true }) as AnyCollection
    this.#live.add(live)
    const result = live.preload().then(
      (): DehydratedLiveQueryResult => ({
        rows: Array.from(live.entries(), ([key, value]) => ({ key, value: value as object })),
      }),
    )
    this.#queries.started(hash, result)
    await result
  }

  /** Listens to what becomes of live queries. Returns a function that stops. */
  subscribe(listener: (event: DbClientEvent) => void): () => void {
    return this.#events.on('event', listener)
  }

  /** Ends live queries, then collections; the first failure is thrown at the end. */
  async cleanup(): Promise<void> {
    const failures: unknown[] = []
    const collections = Array.from(this.#byId.values(), ({ collection }) => collection)
    for (const collection of [...this.#live, ...collections]) {
      try {
        await collection.cleanup()
      } catch (error) {
        failures.push(error)
      }
    }
    this.#live.clear()
    this.#byDescriptor.clear()
    this.#byId.clear()
    this.#waiting.clear()
    this.#queries.clear()
    this.#events.clear()
    if (failures.length > 0) throw failures[0]
  }

  /** For framework adapters: whether results are streamed while a page is rendered. */
  _isSsrStreamingEnabled(): boolean {
    return this.#events.hears('event')
  }

  /** For framework adapters: the live query with a hash. */
  _getLiveQuery(queryHash: string): DbClientLiveQuery | undefined {
    return this.#queries.get(queryHash)
  }

  #configOf(descriptor: CollectionOptions): Config {
    const source = configSourceOf(descriptor)
    if (!source.fresh) {
      if (taken.has(descriptor)) {
        throw new Error(
          `The configuration of "${descriptor.id}" holds state and cannot be safely reused across DbClient instances: ` +
            'describe the collection by collectionOptions(id, () => config)',
        )
      }
      taken.add(descriptor)
    }
    const config = source.make(this as never) as unknown as Config
    if (config.id !== undefined && config.id !== descriptor.id) {
      throw new Error(`The configuration for "${descriptor.id}" has another id: "${config.id}"`)
    }
    return { ...config, id: descriptor.id }
  }

  #seed(collection: AnyCollection, config: Config, initialData: readonly object[]): void {
    if (initialData.length > 0) {
      const rows = initialData.map((value) => ({ key: config.getKey(value), value }))
      this.#apply(collection, config, { collectionId: config.id, rows })
    }
    const waiting = this.#waiting.get(config.id)
    this.#waiting.delete(config.id)
    for (const chunk of waiting ?? []) this.#apply(collection, config, chunk)
  }

  #apply(collection: AnyCollection, config: Config, chunk: DehydratedCollectionChunk): void {
    const inside = insideOf(collection)
    if (!(inside instanceof RootCollection)) return
    seedFrom(inside, chunk, (value) => {
      const row = (collection as unknown as Validating).validateData(value, 'insert')
      return { key: config.getKey(row) as string | number, row }
    })
    if (chunk.syncMeta === undefined) return
    const current: unknown = config.sync.exportSyncMeta?.()
    const merged: unknown =
      current === undefined || config.sync.mergeSyncMeta === undefined
        ? chunk.syncMeta
        : config.sync.mergeSyncMeta(current, chunk.syncMeta)
    config.sync.importSyncMeta?.(merged)
  }
}
