import { CollectionConfigurationError } from '../errors/base.ts'
import { CollectionRequiresConfigError, CollectionRequiresSyncConfigError } from '../errors/collection.ts'
import { definitionOf } from '../live/definition.ts'
import { liveCollection } from '../live/start.ts'
import { liveUtils } from '../live/utils.ts'
import { isLocalOnly } from '../local/local-only.ts'
import { RootCollection } from '../sync/root-collection.ts'
import { connectSync } from '../sync/sync-session.ts'
import { CollectionWrites } from '../transactions/mutations.ts'
import type { Collection } from '../types/collection.ts'
import type { AnySchema, CollectionConfig } from '../types/config.ts'
import type { SingleResult } from '../types/results.ts'
import type { UtilsRecord } from '../types/rows.ts'
import type { InferSchemaInput, InferSchemaOutput } from '../types/schema.ts'
import { randomId } from '../utils/random-id.ts'
import { assertOnlyInstance } from '../utils/single-instance.ts'
import { CollectionImpl, compareOptionsOf } from './collection.ts'
import { theSession } from './the-session.ts'

/**
 * Creates a collection. Nothing runs until it is first used, unless `startSync` is set. With a schema, rows are what
 * the schema gives, and `insert` takes what it takes.
 *
 * @throws CollectionRequiresConfigError, CollectionRequiresSyncConfigError for an incomplete configuration.
 * @throws DuplicateDbInstanceError while developing, if another copy of the package is in use in the page.
 * @throws what the sync function throws, if it is started here.
 */
export function createCollection<
  TSchema extends AnySchema,
  TKey extends string | number = string | number,
  TUtils extends UtilsRecord = UtilsRecord,
>(
  options: CollectionConfig<InferSchemaOutput<TSchema>, TKey, TSchema, TUtils> & { schema: TSchema },
): Collection<InferSchemaOutput<TSchema>, TKey, TUtils, TSchema, InferSchemaInput<TSchema>>
export function createCollection<
  T extends object = Record<string, unknown>,
  TKey extends string | number = string | number,
  TUtils extends UtilsRecord = UtilsRecord,
>(
  options: CollectionConfig<T, TKey, never, TUtils> & SingleResult,
): Collection<T, TKey, TUtils> & SingleResult
export function createCollection<
  T extends object = Record<string, unknown>,
  TKey extends string | number = string | number,
  TUtils extends UtilsRecord = UtilsRecord,
>(options: CollectionConfig<T, TKey, never, TUtils>): Collection<T, TKey, TUtils>
export function createCollection<T extends object, TKey extends string | number, TUtils extends UtilsRecord>(
  options: CollectionConfig<T, TKey, never, TUtils>,
): object {
  assertOnlyInstance()
  if (!options) throw new CollectionRequiresConfigError()
  if (!options.sync) throw new CollectionRequiresSyncConfigError()
  if (options.autoIndex === 'eager' && options.defaultIndexType === undefined) {
    throw new CollectionConfigurationError(
      'autoIndex "eager" needs a defaultIndexType: pass defaultIndexType: BTreeIndex, or leave autoIndex out, ' +
        'for the engine indexes what queries ask for by itself',
    )
  }
  return collectionFrom({
    ...options,
    id: options.id || randomId(),
    autoIndex: options.autoIndex ?? 'off',
  })
}

/** Creates the collection of a configuration that nobody else changes. */
export function collectionFrom<T extends object, TKey extends string | number, TUtils extends UtilsRecord>(
  config: Complete<T, TKey, TUtils>,
): Collection<T, TKey, TUtils> {
  const definition = definitionOf(config)
  const collection =
    definition === undefined ? root(config) : live(config, liveCollection(definition, config))
  if (config.startSync === true) collection.startSyncImmediate()
  return collection
}

type Complete<T extends object, TKey extends string | number, TUtils extends UtilsRecord> = CollectionConfig<
  T,
  TKey,
  never,
  TUtils
> & { readonly id: string }

function root<T extends object, TKey extends string | number, TUtils extends UtilsRecord>(
  config: Complete<T, TKey, TUtils>,
): Collection<T, TKey, TUtils> {
  const local = isLocalOnly(config)
  const inside: RootCollection = new RootCollection(
    {
      id: config.id,
      gcTime: config.gcTime,
      sourceless: local,
      collation: compareOptionsOf(config.defaultStringCollation),
      compare: config.compare as ((a: object, b: object) => number) | undefined,
      connect: (feed) => connectSync(feed, config, collection),
    },
    theSession,
  )
  const writes = new CollectionWrites(inside, config, local)
  const collection = new CollectionImpl<T, TKey, TUtils>({ config, inside, writes })
  return collection
}

function live<T extends object, TKey extends string | number, TUtils extends UtilsRecord>(
  config: Complete<T, TKey, TUtils>,
  inside: ReturnType<typeof liveCollection>,
): Collection<T, TKey, TUtils> {
  return new CollectionImpl<T, TKey, TUtils>({
    config: { ...config, utils: liveUtils(inside, config.utils) as TUtils },
    inside,
    writes: new CollectionWrites(inside, config, false),
  })
}
