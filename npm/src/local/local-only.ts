import { withCollectionConfigFactory } from '../client/config-factory.ts'
import { insideOf } from '../collection/access.ts'
import type { RootCollection } from '../sync/root-collection.ts'
import { confirmMutations } from '../transactions/local-commit.ts'
import type { CollectionConfig } from '../types/config.ts'
import type { LocalOnlyCollectionConfig, LocalOnlyCollectionUtils } from '../types/local.ts'
import type { PendingMutation } from '../types/transactions.ts'
import { randomId } from '../utils/random-id.ts'

const LOCAL_ONLY = Symbol.for('millrace.localOnly')

type Handler = (params: never) => Promise<unknown>

/** Whether a configuration is of a collection that lives in memory only, so that direct writes are its source. */
export function isLocalOnly(config: object): boolean {
  return LOCAL_ONLY in config
}

/**
 * The configuration of a collection that lives in memory only: `insert`, `update` and `delete` change it
 * directly, after the handler of the configuration if there is one. It starts at creation, is ready at once and is never cleaned
 * up by itself. In a transaction of its own, call `collection.utils.acceptMutations(transaction)` in the mutation function: what it
 * does not accept vanishes when the transaction ends.
 */
export function localOnlyCollectionOptions<
  T extends object = Record<string, unknown>,
  TKey extends string | number = string | number,
>(
  config: LocalOnlyCollectionConfig<T, TKey>,
): CollectionConfig<T, TKey, LocalOnlyCollectionUtils> & {
  readonly id: string
  utils: LocalOnlyCollectionUtils
} {
  const { initialData = [], ...rest } = config
  const id = config.id || randomId()
  let root: RootCollection | undefined
  const accept = (mutations: readonly PendingMutation[]) => {
    const own = mutations.filter(({ collection }) => collection.id === id)
    if (root !== undefined && own.length > 0) confirmMutations(root, own)
  }
  /** The handler of the configuration first, then the rows are confirmed. */
  const persisting =
    (handler: Handler) =>
    async (params: { readonly transaction: { readonly mutations: readonly PendingMutation[] } }) => {
      const result = (await handler(params as never)) ?? {}
      accept(params.transaction.mutations)
      return result
    }
  const options: CollectionConfig<T, TKey, LocalOnlyCollectionUtils> & {
    readonly id: string
    utils: LocalOnlyCollectionUtils
  } = {
    ...rest,
    id,
    startSync: true,
    gcTime: 0,
    utils: { acceptMutations: ({ mutations }) => accept(mutations) },
    sync: {
      rowUpdateMode: 'full',
      getSyncMetadata: () => ({}),
      sync: ({ collection, begin, write, commit, markReady }) => {
        root = insideOf(collection) as RootCollection
        if (initialData.length > 0) {
          begin()
          for (const value of initialData) write({ type: 'insert', value })
          commit()
        }
        markReady()
        return () => {
          root = undefined
        }
      },
    },
  }
  for (const name of ['onInsert', 'onUpdate', 'onDelete'] as const) {
    const handler = config[name]
    if (handler !== undefined) Object.assign(options, { [name]: persisting(handler as Handler) })
  }
  Object.defineProperty(options, LOCAL_ONLY, { value: true, enumerable: true })
  return withCollectionConfigFactory(options, () => localOnlyCollectionOptions({ ...config, id }))
}
