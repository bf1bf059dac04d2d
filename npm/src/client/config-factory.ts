/** Brands of descriptors and of configurations that can be made anew, as every package of the family knows them. */
export const OPTIONS_BRAND: unique symbol = Symbol.for('@tanstack/db.collectionOptions') as never
export const FACTORY_BRAND: unique symbol = Symbol.for('@tanstack/db.collectionOptions.factory') as never
/** Of configurations, where the one before is of descriptors. */
export const CONFIG_FACTORY_BRAND: unique symbol = Symbol.for(
  '@tanstack/db.collectionConfig.factory',
) as never

/**
 * Attaches a function that makes a fresh configuration of the same kind, so that several clients can use it. It does
 * not show among the properties.
 */
export function withCollectionConfigFactory<T extends object>(config: T, factory: () => T): T {
  Object.defineProperty(config, CONFIG_FACTORY_BRAND, { value: factory, configurable: true })
  return config
}
