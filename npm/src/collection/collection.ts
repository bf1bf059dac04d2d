import { indexableFields } from '../indexes/automatic.ts'
import { CollectionIndexes } from '../indexes/collection-indexes.ts'
import { type CurrentStateAsChangesOptions, currentState } from '../live/current-state.ts'
import type { Ref } from '../query/ref-types.ts'
import type { TransactionScope } from '../transactions/scope.ts'
import type {
  ChangeListener,
  CollectionSubscription,
  RowChange,
  SubscribeChangesOptions,
} from '../types/changes.ts'
import type { Collection } from '../types/collection.ts'
import type { BaseCollectionConfig } from '../types/config.ts'
import type {
  CollectionEventName,
  CollectionEvents,
  CollectionIndexMetadata,
  CollectionStatus,
} from '../types/events.ts'
import type { IndexConstructor, IndexInterface, IndexOptions } from '../types/indexes.ts'
import type {
  CollectionLifecycleView,
  CollectionStateView,
  CollectionSyncView,
  SubsetRequest,
} from '../types/internals.ts'
import type { StringCollationConfig, UtilsRecord, WithVirtualProps, WritableDeep } from '../types/rows.ts'
import type { InsertConfig, OperationConfig, Transaction } from '../types/transactions.ts'
import { INSIDE } from './access.ts'
import { type Condition, conditionOf } from './condition.ts'
import type { DirectWrites } from './direct-writes.ts'
import { EntryIterator, ListIterator } from './iterators.ts'
import type { ManagedCollection } from './lifecycle.ts'
import { type ChangeCallback, InitialState } from './subscription.ts'
import { SubscriptionHandle } from './subscription-handle.ts'
import { stateView } from './views.ts'

type Row<T, TKey extends string | number> = WithVirtualProps<T, TKey>

/** What a collection is put together from. */
export interface CollectionParts<T extends object, TKey extends string | number, TUtils extends UtilsRecord> {
  readonly config: BaseCollectionConfig<T, TKey, never, TUtils>
  readonly inside: ManagedCollection
  readonly writes: DirectWrites
}

/** The class behind every collection; made by `createCollection` and `createLiveQueryCollection`. */
export class CollectionImpl<
  T extends object = Record<string, unknown>,
  TKey extends string | number = string | number,
  TUtils extends UtilsRecord = UtilsRecord,
> implements Collection<T, TKey, TUtils>
{
  readonly id: string
  readonly config: BaseCollectionConfig<T, TKey, never, TUtils>
  readonly utils: TUtils
  readonly #inside: ManagedCollection
  readonly #writes: DirectWrites
  #indexes: CollectionIndexes | undefined
  #state: CollectionStateView<T, TKey> | undefined
  #lifecycle: CollectionLifecycleView | undefined
  #sync: CollectionSyncView | undefined
  #deferDataRefresh: Promise<void> | null = null

  constructor({ config, inside, writes }: CollectionParts<T, TKey, TUtils>) {
    this.id = inside.id
    this.config = config
    this.utils = config.utils ?? ({} as TUtils)
    this.#inside = inside
    this.#writes = writes
    inside.facade = this
  }

  get [INSIDE](): ManagedCollection {
    return this.#inside
  }

  get status(): CollectionStatus {
    return this.#inside.status
  }

  get subscriberCount(): number {
    return this.#inside.subscriberCount
  }

  get isLoadingSubset(): boolean {
    return this.#inside.loading
  }

  get compareOptions(): StringCollationConfig {
    return compareOptionsOf(this.config.defaultStringCollation)
  }

  get size(): number {
    return this.#inside.size
  }

  get state(): Map<TKey, Row<T, TKey>> {
    const state = new Map<TKey, Row<T, TKey>>()
    this.#inside.visit((key, row) => {
      state.set(key as TKey, row as Row<T, TKey>)
    })
    return state
  }

  get toArray(): Array<Row<T, TKey>> {
    return this.#inside.rowList() as Array<Row<T, TKey>>
  }

  get(key: TKey): Row<T, TKey> | undefined {
    return this.#inside.get(key) as Row<T, TKey> | undefined
  }

  has(key: TKey): boolean {
    return this.#inside.has(key)
  }

  keys(): IterableIterator<TKey> {
    return new ListIterator(() => this.#inside.iteratedKeys as readonly TKey[])
  }

  values(): IterableIterator<Row<T, TKey>> {
    return new ListIterator(() => this.#inside.iteratedRows as ReadonlyArray<Row<T, TKey>>)
  }

  entries(): IterableIterator<[TKey, Row<T, TKey>]> {
    return new EntryIterator(() => ({
      keys: this.#inside.iteratedKeys as readonly TKey[],
      rows: this.#inside.iteratedRows as ReadonlyArray<Row<T, TKey>>,
    }))
  }

  [Symbol.iterator](): IterableIterator<[TKey, Row<T, TKey>]> {
    return this.entries()
  }

  forEach(callback: (value: Row<T, TKey>, key: TKey, index: number) => void): void {
    let index = 0
    for (const [key, row] of this.entries()) callback(row, key, index++)
  }

  map<U>(callback: (value: Row<T, TKey>, key: TKey, index: number) => U): U[] {
    const results: U[] = []
    let index = 0
    for (const [key, row] of this.entries()) results.push(callback(row, key, index++))
    return results
  }

  async stateWhenReady(): Promise<Map<TKey, Row<T, TKey>>> {
    await this.#whenReadable()
    return this.state
  }

  async toArrayWhenReady(): Promise<Array<Row<T, TKey>>> {
    await this.#whenReadable()
    return this.toArray
  }

  getKeyFromItem(item: T): TKey {
    return this.config.getKey(item)
  }

  isReady(): boolean {
    return this.#inside.status === 'ready'
  }

  onFirstReady(callback: () => void): () => void {
    return this.#inside.onFirstReady(callback)
  }

  preload(): Promise<void> {
    const inside = this.#inside
    if (this.config.syncMode === 'on-demand' && !inside.preloading) {
      console.warn(
        `[millrace] preload() of collection "${this.id}" loads no rows, because its syncMode is "on-demand": ` +
          'rows come with the queries that need them. Preload a live query instead',
      )
    }
    return inside.preload()
  }

  startSyncImmediate(): void {
    this.#inside.start()
  }

  cleanup(): Promise<void> {
    this.#inside.cleanup()
    return Promise.resolve()
  }

  subscribeChanges(
    callback: ChangeListener<T, TKey>,
    options: SubscribeChangesOptions<T, TKey> = {},
  ): CollectionSubscription {
    const { includeInitialState, onStatusChange } = options
    const where = conditionOf(options as Condition)
    if (where !== undefined && this.config.autoIndex === 'eager') {
      this.#allIndexes.createAutomatic(indexableFields(where))
    }
    const initial =
      includeInitialState === undefined
        ? InitialState.untold
        : includeInitialState
          ? InitialState.told
          : InitialState.known
    return new SubscriptionHandle(
      this.#inside,
      { callback: callback as unknown as ChangeCallback, initial, where },
      onStatusChange,
    )
  }

  on<E extends CollectionEventName>(event: E, callback: (payload: CollectionEvents[E]) => void): () => void {
    return this.#inside.events.on(event, callback)
  }

  once<E extends CollectionEventName>(
    event: E,
    callback: (payload: CollectionEvents[E]) => void,
  ): () => void {
    return this.#inside.events.once(event, callback)
  }

  off<E extends CollectionEventName>(event: E, callback: (payload: CollectionEvents[E]) => void): void {
    this.#inside.events.off(event, callback)
  }

  waitFor<E extends CollectionEventName>(event: E, timeoutMs?: number): Promise<CollectionEvents[E]> {
    return this.#inside.events.waitFor(event, timeoutMs) as Promise<CollectionEvents[E]>
  }

  /**
   * The row or changes as the schema makes them, with its defaults and transformations; as they are without one.
   *
   * @throws SchemaValidationError if the schema refuses them.
   */
  validateData(data: unknown, type: 'insert' | 'update', key?: TKey): T {
    return this.#writes.validate(data as object, type, key) as T
  }

  currentStateAsChanges(options: CurrentStateAsChangesOptions = {}): Array<RowChange<T, TKey>> {
    return currentState(this.#inside, options) as Array<RowChange<T, TKey>>
  }

  get indexes(): ReadonlyMap<number, IndexInterface<TKey>> {
    return this.#allIndexes.byId as unknown as ReadonlyMap<number, IndexInterface<TKey>>
  }

  createIndex(
    build: (row: Ref<WithVirtualProps<T, TKey>>) => unknown,
    options?: IndexOptions,
  ): IndexInterface<TKey> {
    return this.#allIndexes.create(build as (row: never) => unknown, options) as IndexInterface<TKey>
  }

  removeIndex(index: IndexInterface<TKey> | number): boolean {
    return this.#allIndexes.remove(index as IndexInterface | number)
  }

  getIndexMetadata(): CollectionIndexMetadata[] {
    return this.#allIndexes.metadata()
  }

  get #allIndexes(): CollectionIndexes {
    if (this.#indexes === undefined) {
      const type = this.config.defaultIndexType as IndexConstructor | undefined
      const indexes = new CollectionIndexes(this.#inside, type)
      this.#inside.ending = () => indexes.clear()
      this.#indexes = indexes
    }
    return this.#indexes
  }

  /** Adds rows, all or nothing. An own property, so that it can be passed on alone. */
  insert = (data: T | T[], config?: InsertConfig): Transaction => this.#writes.insert(this, data, config)

  update(key: TKey, callback: (draft: WritableDeep<T>) => void): Transaction
  update(key: TKey, config: OperationConfig, callback: (draft: WritableDeep<T>) => void): Transaction
  update(keys: TKey[], callback: (drafts: Array<WritableDeep<T>>) => void): Transaction
  update(
    keys: TKey[],
    config: OperationConfig,
    callback: (drafts: Array<WritableDeep<T>>) => void,
  ): Transaction
  update(
    keys: TKey | TKey[],
    configOrCallback: OperationConfig | ((draft: never) => void),
    callback?: (draft: never) => void,
  ): Transaction {
    if (typeof configOrCallback === 'function') {
      return this.#writes.update(this, keys, undefined, configOrCallback as (draft: unknown) => void)
    }
    return this.#writes.update(this, keys, configOrCallback, callback as (draft: unknown) => void)
  }

  /** Removes rows, all or nothing. An own property, so that it can be passed on alone. */
  delete = (keys: TKey | TKey[], config?: OperationConfig): Transaction =>
    this.#writes.delete(this, keys, config)

  get _state(): CollectionStateView<T, TKey> {
    this.#state ??= stateView(this.#inside) as unknown as CollectionStateView<T, TKey>
    return this.#state
  }

  get _lifecycle(): CollectionLifecycleView {
    const inside = this.#inside
    this.#lifecycle ??= {
      get status() {
        return inside.status
      },
      setStatus: (status) => inside.setStatus(status),
    }
    return this.#lifecycle
  }

  get _sync(): CollectionSyncView {
    const onDemand = this.config.syncMode === 'on-demand'
    this.#sync ??= {
      loadSubset: (options: SubsetRequest) => (onDemand ? this.#inside.loadSubset(options) : true),
    }
    return this.#sync
  }

  get _stateRevision(): number {
    return this.#inside.stateRevision
  }

  get _layoutRevision(): number {
    return this.#inside.layouts.revision
  }

  _subscribeLayoutChanges(listener: () => void): () => void {
    return this.#inside.layouts.subscribe(listener)
  }

  _markLayoutChange(): void {
    this.#inside.markLayoutChange()
  }

  _deferPublication(): () => void {
    return this.#inside.deferPublication()
  }

  _setTransactionScope(scope: object | undefined): void {
    this.#writes.scope = scope as TransactionScope | undefined
  }

  _hasHydratedKey(key: TKey): boolean {
    return this.#inside.isSeed(key)
  }

  _deferSyncStart(): void {
    this.#inside.deferStarts()
  }

  _resumeSyncStart(): void {
    this.#inside.resumeStarts()
  }

  get deferDataRefresh(): Promise<void> | null {
    return this.#deferDataRefresh
  }

  set deferDataRefresh(refresh: Promise<void> | null) {
    this.#deferDataRefresh = refresh
  }

  async #whenReadable(): Promise<void> {
    if (this.#inside.size === 0 && !this.isReady()) await this.#inside.preload()
  }
}

/** How strings compare in a collection, from its configuration. */
export function compareOptionsOf(config: StringCollationConfig | undefined): StringCollationConfig {
  if (config === undefined) return { stringSort: 'locale' }
  if (config.stringSort !== 'locale') return { stringSort: config.stringSort ?? 'locale' }
  const { locale, localeOptions } = config
  return {
    stringSort: 'locale',
    ...(locale === undefined ? {} : { locale }),
    ...(localeOptions === undefined ? {} : { localeOptions }),
  }
}
