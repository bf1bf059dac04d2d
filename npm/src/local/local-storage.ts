import { withCollectionConfigFactory } from '../client/config-factory.ts'
import { StorageKeyRequiredError } from '../errors/storage.ts'
import type { CollectionConfig, SyncParams } from '../types/config.ts'
import type {
  HasMutations,
  LocalStorageCollectionConfig,
  LocalStorageCollectionUtils,
} from '../types/local.ts'
import type { InferSchemaOutput, StandardSchema } from '../types/schema.ts'
import { browserEvents, browserStorage, memoryStorage } from './browser.ts'
import { keeping } from './handlers.ts'
import { StoredRows } from './stored-rows.ts'

type Key = string | number

/** What `localStorageCollectionOptions` gives. */
type Options<T extends object, TKey extends Key> = CollectionConfig<
  T,
  TKey,
  never,
  LocalStorageCollectionUtils
> & {
  readonly id: string
  readonly utils: LocalStorageCollectionUtils
}

/**
 * The configuration of a collection kept in web storage, shared by the tabs of an origin. All rows are one text under
 * `storageKey`, which each write replaces; the handlers of the configuration run before that. What is stored and cannot be read is told on
 * the console and counts as empty.
 *
 * Tabs see each other's writes by the storage's events. A write also looks at what is stored, so that it keeps what another tab has
 * written a moment ago: rows of which only the other tab knows a newer version are taken over, and of a row both have changed, the
 * later write counts, field by field.
 *
 * In a transaction of your own, call `collection.utils.acceptMutations(transaction)` in its mutation function: what
 * is not accepted vanishes when the transaction ends.
 *
 * @throws StorageKeyRequiredError without a `storageKey`.
 */
export function localStorageCollectionOptions<TSchema extends StandardSchema, TKey extends Key = Key>(
  config: LocalStorageCollectionConfig<InferSchemaOutput<TSchema>, TSchema, TKey> & { schema: TSchema },
): Options<InferSchemaOutput<TSchema>, TKey> & { schema: TSchema }
export function localStorageCollectionOptions<
  T extends object = Record<string, unknown>,
  TKey extends Key = Key,
>(
  config: LocalStorageCollectionConfig<T, never, TKey> & { schema?: never },
): Options<T, TKey> & { schema?: never }
export function localStorageCollectionOptions(given: object): object {
  const config = given as LocalStorageCollectionConfig<object, never> & { schema?: never }
  if (!config.storageKey) throw new StorageKeyRequiredError()
  const { storageKey, storage: chosen, storageEventApi, parser = JSON, ...rest } = config
  const id = config.id || `local-collection:${storageKey}`
  const browser = browserStorage()
  const storage = chosen ?? browser ?? memoryStorage()
  const rows = new StoredRows(id, { storageKey, storage, parser }, storageEventApi ?? browserEvents())
  const options = {
    ...rest,
    id,
    onInsert: keeping(rows, config.onInsert),
    onUpdate: keeping(rows, config.onUpdate),
    onDelete: keeping(rows, config.onDelete),
    utils: {
      clearStorage: () => rows.store.clear(),
      getStorageSize: () => rows.store.size,
      acceptMutations: (transaction: HasMutations) => rows.acceptAll(transaction),
    },
    sync: {
      rowUpdateMode: 'full',
      getSyncMetadata: () => ({ storageKey, storageType: storage === browser ? 'localStorage' : 'custom' }),
      sync: (params: SyncParams<object, Key>) => rows.open(params),
    },
  } as unknown as Options<object, Key>
  return withCollectionConfigFactory(options, () => localStorageCollectionOptions({ ...config, id }))
}
