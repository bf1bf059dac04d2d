/** Messages about changed rows: what sync adapters write and what subscribers receive. */
import type { BasicExpression } from '../query/ir.ts'
import type { Ref } from '../query/ref-types.ts'
import type { Untyped, WithVirtualProps } from './rows.ts'

/** What happened to a row. */
export type OperationType = 'insert' | 'update' | 'delete'

/**
 * One change of one row. The value of a delete is the row before it; `previousValue` is set for updates
 * only. Message objects are shared by all subscribers and must not be changed.
 */
export interface ChangeMessage<
  T extends object = Record<string, unknown>,
  TKey extends string | number = string | number,
> {
  key: TKey
  value: T
  previousValue?: T | undefined
  type: OperationType
  metadata?: Record<string, unknown> | undefined
}

/** A delete that names only the key. */
export interface DeleteKeyMessage<TKey extends string | number = string | number> {
  type: 'delete'
  key: TKey
  metadata?: Record<string, unknown> | undefined
}

/**
 * What a sync function may write. Without `key` the collection's `getKey` gives it. An update may hold
 * only the changed fields if the collection's `rowUpdateMode` is `partial`.
 */
export type ChangeMessageOrDeleteKeyMessage<
  T extends object = Record<string, unknown>,
  TKey extends string | number = string | number,
> =
  | (Omit<ChangeMessage<T, TKey>, 'key' | 'type'> & { type: 'insert' | 'delete'; key?: TKey })
  | (Omit<ChangeMessage<T, TKey>, 'key' | 'type' | 'value'> & {
      type: 'update'
      value: T | Partial<T>
      key?: TKey
    })
  | DeleteKeyMessage<TKey>

/** Rows as subscribers receive them, virtual properties included. */
export type RowChange<
  T extends object = Record<string, unknown>,
  TKey extends string | number = string | number,
> = ChangeMessage<WithVirtualProps<T, TKey>, TKey>

/** A batch of changes; empty when the collection became ready or only the order changed. */
export type ChangesPayload<
  T extends object = Untyped,
  TKey extends string | number = string | number,
> = ReadonlyArray<RowChange<T, TKey>>

/** Receives every published batch. An exception reaches whoever caused the publication. */
export type ChangeListener<T extends object = Untyped, TKey extends string | number = string | number> = (
  changes: Array<RowChange<T, TKey>>,
) => void

/** Options of `collection.subscribeChanges`. */
export interface SubscribeChangesOptions<
  T extends object = Untyped,
  TKey extends string | number = string | number,
> {
  /**
   * `true` delivers the current rows as inserts during the call; `false` says that they are known already,
   * so that later updates and deletes pass as they are. Left out, rows count as unknown until they change.
   */
  includeInitialState?: boolean
  /**
   * Tells only of rows that satisfy a condition: one that comes to satisfy it is told as an insert, one that no
   * longer does as a delete. Called once with references to the row's fields.
   */
  where?: (row: Ref<WithVirtualProps<T, TKey>>) => unknown
  /** The same as an expression. */
  whereExpression?: BasicExpression
}

/** A running subscription. */
export interface CollectionSubscription {
  /** Ends it; a second call does nothing. */
  unsubscribe(): void
}
