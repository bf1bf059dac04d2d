import type { CollectionConfigFactory, CollectionOptions } from '../types/client.ts'
import type { CollectionConfig } from '../types/config.ts'
import type { UtilsRecord } from '../types/rows.ts'
import { CONFIG_FACTORY_BRAND, FACTORY_BRAND, OPTIONS_BRAND } from './config-factory.ts'

type Key = string | number
type AnyConfig = CollectionConfig<never, never, never, never>

/** How a descriptor gives configurations. */
export interface ConfigSource {
  readonly make: (client: never) => AnyConfig
  /** Whether every client gets a configuration of its own. */
  readonly fresh: boolean
}

/**
 * Describes a collection for clients: by a configuration, which can serve one client unless it can be made anew, or by
 * an id and a function that makes the configuration for each.
 *
 * @throws Error without an id, or with an id and no function.
 */
export function collectionOptions<
  T extends object,
  TKey extends Key = Key,
  TUtils extends UtilsRecord = UtilsRecord,
>(config: CollectionConfig<T, TKey, never, TUtils>): CollectionOptions<T, TKey, TUtils>
export function collectionOptions<
  T extends object,
  TKey extends Key = Key,
  TUtils extends UtilsRecord = UtilsRecord,
>(id: string, factory: CollectionConfigFactory<T, TKey, TUtils>): CollectionOptions<T, TKey, TUtils>
export function collectionOptions(configOrId: object | string, factory?: unknown): CollectionOptions {
  const id = typeof configOrId === 'string' ? configOrId : (configOrId as { readonly id?: string }).id
  if (!id) {
    throw new Error(
      'collectionOptions requires a non-empty explicit id: clients tell collections apart by it',
    )
  }
  if (typeof configOrId === 'string' && typeof factory !== 'function') {
    throw new Error(`collectionOptions("${id}", …) requires a function that makes the configuration`)
  }
  const again = typeof configOrId === 'object' ? (configOrId as Branded)[CONFIG_FACTORY_BRAND] : undefined
  const source: ConfigSource =
    typeof configOrId === 'string'
      ? { make: factory as ConfigSource['make'], fresh: true }
      : { make: (again ?? (() => configOrId)) as ConfigSource['make'], fresh: again !== undefined }
  const single =
    typeof configOrId === 'object' && (configOrId as { singleResult?: boolean }).singleResult === true
  const descriptor = single ? { id, singleResult: true as const } : { id }
  Object.defineProperty(descriptor, OPTIONS_BRAND, { value: true })
  Object.defineProperty(descriptor, FACTORY_BRAND, { value: source })
  return Object.freeze(descriptor)
}

interface Branded {
  readonly [OPTIONS_BRAND]?: true
  readonly [FACTORY_BRAND]?: unknown
  readonly [CONFIG_FACTORY_BRAND]?: unknown
}

/** Whether a value is a descriptor made by `collectionOptions`, of whichever copy of the library. */
export function isCollectionOptions(value: unknown): value is CollectionOptions {
  return typeof value === 'object' && value !== null && (value as Branded)[OPTIONS_BRAND] === true
}

/** How a descriptor gives configurations. */
export function configSourceOf(descriptor: object): ConfigSource {
  return (descriptor as Branded)[FACTORY_BRAND] as ConfigSource
}
