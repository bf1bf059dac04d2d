import { withCollectionConfigFactory } from '../client/config-factory.ts'
import { insideOf } from '../collection/access.ts'
import type { RootCollection } from '../sync/root-collection.ts'
import type { CollectionConfig, SyncParams } from '../types/config.ts'
import type { HasMutations, LocalOnlyCollectionConfig, LocalOnlyCollectionUtils } from '../types/local.ts'
import type { InferSchemaOutput, StandardSchema } from '../types/schema.ts'
import type { PendingMutation } from '../types/transactions.ts'
import { randomId } from '../utils/random-id.ts'
import { Arrivals, type Departure } from './arrivals.ts'
import { confirmingAtOnce, keeping } from './handlers.ts'

type Key = string | number
type Params = SyncParams<object, Key>

const LOCAL_ONLY = Symbol.for('millrace.localOnly')

/** Whether a configuration is of a collection that lives in memory only, so that direct writes are its source. */
export function isLocalOnly(config: object): boolean {
  return LOCAL_ONLY in config
}

/** What `localOnlyCollectionOptions` gives. */
type Options<T extends object, TKey extends Key> = CollectionConfig<
  T,
  TKey,
  never,
  LocalOnlyCollectionUtils
> & {
  readonly id: string
  readonly utils: LocalOnlyCollectionUtils
}

/**
 * The configuration of a collection that lives in memory only: `insert`, `update` and `delete` change it directly, after the
 * handler of the configuration if there is one; when that fails, the change is undone. The collection starts at creation, is
 * ready at once and is never cleaned up by itself.
 *
 * In a transaction of your own, call `collection.utils.acceptMutations(transaction)` in its mutation function: what
 * is not accepted vanishes when the transaction ends.
 */
export function localOnlyCollectionOptions<TSchema extends StandardSchema, TKey extends Key = Key>(
  config: LocalOnlyCollectionConfig<InferSchemaOutput<TSchema>, TSchema, TKey> & { schema: TSchema },
): Options<InferSchemaOutput<TSchema>, TKey> & { schema: TSchema }
export function localOnlyCollectionOptions<
  T extends object = Record<string, unknown>,
  TKey extends Key = Key,
>(
  config: LocalOnlyCollectionConfig<T, never, TKey> & { schema?: never },
): Options<T, TKey> & { schema?: never }
export function localOnlyCollectionOptions(given: object): object {
  const config = given as LocalOnlyCollectionConfig<object, never> & { schema?: never }
  const { initialData = [], ...rest } = config
  const id = config.id || randomId()
  const rows = new RowsInMemory()
  const handler = (own: unknown) =>
    own === undefined ? confirmingAtOnce(keeping(rows, own)) : keeping(rows, own)
  const options = {
    ...rest,
    id,
    startSync: true,
    gcTime: 0,
    onInsert: handler(config.onInsert),
    onUpdate: handler(config.onUpdate),
    onDelete: handler(config.onDelete),
    utils: { acceptMutations: (transaction: HasMutations) => rows.acceptAll(transaction) },
    sync: {
      rowUpdateMode: 'full',
      getSyncMetadata: () => ({}),
      sync: (params: Params) => rows.open(params, initialData),
    },
    [LOCAL_ONLY]: true,
  } as unknown as Options<object, Key>
  return withCollectionConfigFactory(options, () => localOnlyCollectionOptions({ ...config, id }))
}

/** A row that is written and not confirmed, because the sync transaction with it waits for local writes. */
interface Ahead {
  readonly row: object | undefined
  readonly receipt: Promise<void>
}

/** The rows of one collection in memory. They are where confirmed rows are; nothing of them is kept here. */
class RowsInMemory {
  readonly arrivals = new Arrivals()
  #params: Params | undefined
  readonly #ahead = new Map<Key, Ahead>()

  open(params: Params, initial: readonly object[]): () => void {
    this.#params = params
    if (initial.length > 0) {
      params.begin()
      for (const value of initial) params.write({ type: 'insert', value })
      params.commit()
    }
    params.markReady()
    return () => {
      if (this.#params === params) this.#params = undefined
      this.#ahead.clear()
    }
  }

  acceptAll({ mutations, sequenceNumber = Number.POSITIVE_INFINITY }: HasMutations): void {
    this.accept(mutations as readonly PendingMutation[], sequenceNumber, undefined)
  }

  accept(mutations: readonly PendingMutation[], number: number, departure: Departure | undefined): undefined {
    const params = this.#params
    if (params === undefined) return
    const root = insideOf(params.collection) as RootCollection | undefined
    const written: { readonly key: Key; readonly row: object | undefined }[] = []
    for (const mutation of mutations) {
      if (mutation.collection.id !== params.collection.id) continue
      const key = mutation.key as Key
      const ahead = this.#ahead.get(key)
      const present = ahead === undefined ? root?.confirmed(key) : ahead.row
      const row = this.arrivals.rowAfter(mutation, present, departure)
      if (written.length === 0) params.begin()
      // A row that stays as it is, is confirmed as well: what the transaction shows of it goes.
      if (row === undefined) params.write({ type: 'delete', key })
      // Behind a delete that waits, an insert would meet the row that is still there.
      else if (present === undefined && ahead === undefined) params.write({ type: 'insert', key, value: row })
      else params.write({ type: 'update', key, value: row })
      written.push({ key, row })
      this.arrivals.arrived(number, mutation, present)
    }
    if (written.length === 0) return
    const receipt = params.commit()
    if (receipt !== true) this.#await(written, receipt)
  }

  /** Until they are confirmed, what comes next builds on the rows that were written. */
  #await(
    written: readonly { readonly key: Key; readonly row: object | undefined }[],
    receipt: Promise<void>,
  ): void {
    for (const { key, row } of written) this.#ahead.set(key, { row, receipt })
    const settled = () => {
      for (const { key } of written) if (this.#ahead.get(key)?.receipt === receipt) this.#ahead.delete(key)
    }
    receipt.then(settled, settled)
  }
}
