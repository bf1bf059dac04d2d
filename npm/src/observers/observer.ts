import { insideOf } from '../collection/access.ts'
import { theSession } from '../collection/the-session.ts'
import { CollectionIsInErrorStateError } from '../errors/collection.ts'
import { LiveQueryObserverDisposedError } from '../errors/observers.ts'
import type { CollectionSubscription, RowChange } from '../types/changes.ts'
import type { DehydratedLiveQueryResult } from '../types/client.ts'
import type { Collection } from '../types/collection.ts'
import type {
  CreateLiveQueryObserverOptions,
  FirstRow,
  LiveQueryObserver,
  LiveQueryObserverListener,
  ManyRows,
} from '../types/observers.ts'
import type { SingleResult } from '../types/results.ts'
import type { UtilsRecord } from '../types/rows.ts'
import { Announcer, type Listening } from './announcer.ts'
import { entriesOf, Hydrated, Replica } from './hydrated.ts'
import { type AnySnapshot, type Content, disabledSnapshot, SnapshotCache } from './snapshot.ts'

type Key = string | number
type Changes = ReadonlyArray<RowChange<object, Key>>
type AnyCollection = Collection<object, Key>

/**
 * Watches a collection for a user interface: snapshots that stay the same object until something changes, and listeners. Without a
 * collection it is disabled, and tells nobody anything.
 */
export function createLiveQueryObserver<
  T extends object,
  TKey extends string | number,
  TUtils extends UtilsRecord,
>(
  collection: Collection<T, TKey, TUtils> & SingleResult,
  options?: CreateLiveQueryObserverOptions,
): LiveQueryObserver<T, TKey, FirstRow<T, TKey>>
export function createLiveQueryObserver<
  T extends object,
  TKey extends string | number,
  TUtils extends UtilsRecord,
>(
  collection: Collection<T, TKey, TUtils> | null,
  options?: CreateLiveQueryObserverOptions,
): LiveQueryObserver<T, TKey, ManyRows<T, TKey>>
export function createLiveQueryObserver(
  collection: object | null,
  options: CreateLiveQueryObserverOptions = {},
): unknown {
  return collection === null ? new DisabledObserver() : new Observer(collection as AnyCollection, options)
}

/** An observer of rows of any type. */
type AnyObserver = Omit<LiveQueryObserver<object, Key, unknown>, 'subscribe'> & {
  subscribe(listener: (changes: Changes | undefined) => void): () => void
}

class DisabledObserver implements AnyObserver {
  readonly #snapshot = disabledSnapshot()
  #disposed = false

  getSnapshot(): AnySnapshot {
    return this.#snapshot
  }

  subscribe(_listener: LiveQueryObserverListener): () => void {
    if (this.#disposed) throw new LiveQueryObserverDisposedError()
    return () => {}
  }

  preload(): Promise<void> {
    return Promise.resolve()
  }

  getError(): undefined {
    return undefined
  }

  dehydrate(): DehydratedLiveQueryResult {
    return { rows: [] }
  }

  dispose(): void {
    this.#disposed = true
  }
}

class Observer implements AnyObserver {
  readonly #collection: AnyCollection
  readonly #granular: boolean
  readonly #onPreload: ((ready: Promise<void>) => void) | undefined
  readonly #cache: SnapshotCache
  readonly #hydrated: Hydrated | undefined
  readonly #listeners = new Announcer<Changes | undefined>()
  /** What the latest snapshot was taken of. */
  #taken: { readonly snapshot: AnySnapshot; readonly of: readonly unknown[] } | undefined
  #subscription: CollectionSubscription | undefined
  #stops: (() => void)[] = []
  #attaching = false
  /** Whether the order has changed since the latest batch. */
  #moved = false
  /** While rows from a server are shown: what listeners have been told, and the rows of the collection. */
  #bridge: { readonly told: Replica; readonly live: Replica } | undefined
  #preloaded = false
  #disposed = false

  constructor(collection: AnyCollection, options: CreateLiveQueryObserverOptions) {
    const { mode = 'granular', client, queryHash, onPreload } = options
    this.#collection = collection
    this.#granular = mode === 'granular'
    this.#onPreload = onPreload
    this.#cache = new SnapshotCache(collection)
    if (client !== undefined && queryHash !== undefined) {
      this.#hydrated = new Hydrated({ client, queryHash }, collection)
    }
  }

  getSnapshot(): AnySnapshot {
    const collection = this.#collection
    const shown = this.#hydrated?.content
    // Reading the size sends a write that waits for somebody to look.
    const of = [
      collection.size,
      collection._stateRevision,
      collection._layoutRevision,
      collection.status,
      shown,
    ]
    const taken = this.#taken
    if (taken?.of.every((part, at) => part === of[at]) === true) return taken.snapshot
    const content = shown ?? contentOf(collection)
    const snapshot = this.#cache.take(content, shown === undefined ? collection.status : 'ready')
    this.#taken = { snapshot, of }
    return snapshot
  }

  subscribe(listener: (changes: Changes | undefined) => void): () => void {
    if (this.#disposed) throw new LiveQueryObserverDisposedError()
    const listening = { listener, told: false }
    this.#listeners.add(listening)
    try {
      if (this.#subscription === undefined && !this.#attaching) this.#attach(listening)
      else this.#join(listening)
    } catch (error) {
      this.#leave(listening)
      throw error
    }
    return () => this.#leave(listening)
  }

  preload(): Promise<void> {
    const ready = this.#collection.preload()
    if (!this.#preloaded) {
      this.#preloaded = true
      this.#onPreload?.(ready)
    }
    return ready
  }

  getError(): unknown {
    if (this.#collection.status !== 'error') return undefined
    const failure = insideOf(this.#collection).failure
    return failure === undefined ? new CollectionIsInErrorStateError() : failure.error
  }

  dehydrate(): DehydratedLiveQueryResult {
    this.getSnapshot()
    return { rows: Array.from(entriesOf(this.#cache.content), ([key, value]) => ({ key, value })) }
  }

  dispose(): void {
    this.#disposed = true
    this.#listeners.clear()
    this.#detach()
  }

  /** Begins to listen to the collection, for the first listener. */
  #attach(listening: Listening<Changes | undefined>): void {
    const collection = this.#collection
    listening.told = true
    this.#attaching = true
    this.#moved = false
    try {
      if (this.#hydrated !== undefined) this.#beginBridge(this.#hydrated)
      this.#stops.push(
        collection.on('status:change', () => this.#statusChanged()),
        collection._subscribeLayoutChanges(() => {
          this.#moved = true
        }),
      )
      this.#subscription = collection.subscribeChanges((changes) => this.#changed(changes as Changes), {
        includeInitialState: this.#granular,
      })
    } finally {
      this.#attaching = false
    }
    // Wholesale subscriptions are not told of the rows there are.
    if (!this.#granular) this.#bridge?.live.apply(collection.currentStateAsChanges())
    if (this.#bridge !== undefined && this.#hydrated?.content === undefined) this.#endBridge()
    // Everybody may have left while being told.
    if (this.#listeners.size === 0) this.#detach()
  }

  /** Lets another listener in: it is told of the rows the others have been told of. */
  #join(listening: Listening<Changes | undefined>): void {
    theSession().whenTold(() => this.#listeners.inTurn(() => this.#seed(listening)))
  }

  #seed(listening: Listening<Changes | undefined>): void {
    if (!this.#listeners.has(listening)) return
    listening.told = true
    if (!this.#granular) return
    const rows =
      this.#bridge === undefined ? this.#collection.currentStateAsChanges() : this.#bridge.told.inserts()
    if (rows.length > 0) listening.listener(rows)
  }

  #leave(listening: Listening<Changes | undefined>): void {
    this.#listeners.remove(listening)
    if (this.#listeners.size === 0 && !this.#attaching) this.#detach()
  }

  #detach(): void {
    for (const stop of this.#stops) stop()
    this.#stops = []
    this.#bridge = undefined
    const subscription = this.#subscription
    this.#subscription = undefined
    subscription?.unsubscribe()
  }

  #statusChanged(): void {
    if (this.#bridge === undefined) this.#tell(undefined)
    else if (this.#collection.status === 'error') this.#endBridge()
  }

  #changed(changes: Changes): void {
    const moved = this.#moved
    this.#moved = false
    if (this.#bridge === undefined) {
      if (changes.length > 0 || moved) this.#tell(changes)
      return
    }
    this.#bridge.live.apply(changes)
    // The batch that says that the collection is ready comes after all that came before.
    if (this.#hydrated?.content === undefined && !this.#attaching) this.#endBridge()
  }

  #tell(changes: Changes | undefined): void {
    if (this.#attaching && !this.#granular) return
    this.#listeners.announce(changes)
  }

  #beginBridge(hydrated: Hydrated): void {
    this.#stops.push(hydrated.follow(() => this.#hydratedAnew()))
    if (hydrated.content === undefined) return
    this.#bridge = { told: new Replica(), live: new Replica() }
    this.#hydratedAnew()
  }

  /** Listeners know the rows of the collection, whatever they are told of next. */
  #openBridge(): { readonly told: Replica; readonly live: Replica } {
    const bridge = { told: new Replica(), live: new Replica() }
    const rows = this.#collection.currentStateAsChanges()
    bridge.told.apply(rows)
    bridge.live.apply(rows)
    return bridge
  }

  /** The client has other rows from the server. */
  #hydratedAnew(): void {
    const content = this.#hydrated?.content
    if (content === undefined) return
    const loading = this.#bridge === undefined
    this.#bridge ??= this.#openBridge()
    const changes = this.#bridge.told.become(entriesOf(content))
    // With them the query counts as ready.
    if (changes.length > 0) this.#tell(changes)
    else if (loading) this.#tell(undefined)
  }

  /** From now on the collection itself is shown. What differs is told in one batch. */
  #endBridge(): void {
    const bridge = this.#bridge
    if (bridge === undefined) return
    this.#bridge = undefined
    const changes = bridge.told.become(bridge.live.entries())
    if (changes.length > 0) this.#tell(changes)
    if (this.#collection.status !== 'ready') this.#tell(undefined)
  }
}

function contentOf(collection: AnyCollection): Content {
  const { iteratedKeys, iteratedRows } = insideOf(collection)
  return { keys: iteratedKeys, rows: iteratedRows }
}
