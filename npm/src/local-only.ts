import type { CollectionConfig, LocalOnlyCollectionConfig } from './types/config.ts'
import { randomId } from './utils/random-id.ts'

const LOCAL_ONLY = Symbol.for('millrace.localOnly')

/** Whether a configuration is of a collection that lives in memory only, so that direct writes are its source. */
export function isLocalOnly(config: object): boolean {
  return LOCAL_ONLY in config
}

/**
 * The configuration of a collection that lives in memory only: `insert`, `update` and `delete` change it
 * directly. It starts at creation, is ready at once and is never cleaned up by itself.
 */
export function localOnlyCollectionOptions<T extends object, TKey extends string | number = string | number>(
  config: LocalOnlyCollectionConfig<T, TKey>,
): CollectionConfig<T, TKey> & { readonly id: string } {
  const { initialData = [], ...rest } = config
  const options: CollectionConfig<T, TKey> & { readonly id: string } = {
    ...rest,
    id: config.id || randomId(),
    startSync: true,
    gcTime: 0,
    sync: {
      rowUpdateMode: 'full',
      sync: ({ begin, write, commit, markReady }) => {
        if (initialData.length > 0) {
          begin()
          for (const value of initialData) write({ type: 'insert', value })
          commit()
        }
        markReady()
      },
    },
  }
  return Object.assign(options, { [LOCAL_ONLY]: true })
}
