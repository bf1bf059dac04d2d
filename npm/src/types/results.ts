/** Types that say how many rows a collection holds at most, and what of it a query needs. */
import type { OrderBy } from '../query/ir.ts'
import type { ChangeMessage, DeleteKeyMessage, SubscribeChangesOptions } from './changes.ts'
import type { Collection } from './collection.ts'
import type { AnySchema, CollectionConfig } from './config.ts'
import type { Untyped, UtilsRecord } from './rows.ts'

/** Marks what holds one row or none, such as the result of a query with `findOne`. */
export interface SingleResult {
  singleResult: true
}

/** Marks what holds any number of rows. */
export interface NonSingleResult {
  singleResult?: never
}

/** Marks what may be either. */
export interface MaybeSingleResult {
  singleResult?: true
}

/** A collection's configuration together with the mark of how many rows it holds. */
export type CollectionConfigSingleRowOption<
  T extends object = Record<string, unknown>,
  TKey extends string | number = string | number,
  TSchema extends AnySchema = never,
  TUtils extends UtilsRecord = UtilsRecord,
> = CollectionConfig<T, TKey, TSchema, TUtils> & MaybeSingleResult

/** What planning a query needs of a collection. */
export type CollectionLike<
  T extends object = Record<string, unknown>,
  TKey extends string | number = string | number,
> = Pick<Collection<T, TKey>, 'get' | 'has' | 'entries' | 'indexes' | 'id' | 'compareOptions'>

/** A change that a transaction under way makes, or no longer makes. */
export type OptimisticChangeMessage<
  T extends object = Record<string, unknown>,
  TKey extends string | number = string | number,
> = (ChangeMessage<T, TKey> | DeleteKeyMessage<TKey>) & { isActive?: boolean }

/** Options of asking for the rows there are, with what is told of later. */
export type SubscribeChangesSnapshotOptions<
  T extends object = Untyped,
  TKey extends string | number = string | number,
> = Omit<SubscribeChangesOptions<T, TKey>, 'includeInitialState'> & {
  orderBy?: OrderBy
  limit?: number
}
