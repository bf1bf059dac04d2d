/** Transactions of local writes: their mutations, handlers and states. */
import type { OperationType } from './changes.ts'
import type { Collection } from './collection.ts'
import type { Untyped } from './rows.ts'

/** Where a transaction stands. */
export type TransactionState = 'pending' | 'persisting' | 'completed' | 'failed'

/** The collection a mutation writes to. */
export type AnyCollection = Collection<Untyped, Untyped, Untyped>

/** What a mutation says was changed: the row of a delete, otherwise the changed fields. */
export type ResolveTransactionChanges<
  T extends object = Record<string, unknown>,
  TOperation extends OperationType = OperationType,
> = TOperation extends 'delete' ? T : Partial<T>

/** What one transaction does to one row. */
export interface PendingMutation<
  T extends object = Record<string, unknown>,
  TOperation extends OperationType = OperationType,
  TCollection extends AnyCollection = AnyCollection,
> {
  mutationId: string
  /** The row before: empty for an insert. Without virtual properties. */
  original: TOperation extends 'insert' ? Record<string, never> : T
  /** The row after; of a delete, the row that goes. */
  modified: T
  /** The changed top-level fields with their new values; of a delete, the row that goes. */
  changes: ResolveTransactionChanges<T, TOperation>
  /** `KEY::<collection id>/<key>`. */
  globalKey: string
  key: Untyped
  type: TOperation
  metadata: unknown
  syncMetadata: Record<string, unknown>
  /** Whether the change shows before it is confirmed. */
  optimistic: boolean
  createdAt: Date
  updatedAt: Date
  collection: TCollection
}

/** A list with at least one item. */
export type NonEmptyArray<T> = [T, ...T[]]

/** A transaction as its mutation function receives it. */
export type TransactionWithMutations<
  T extends object = Record<string, unknown>,
  TOperation extends OperationType = OperationType,
> = Omit<Transaction<T>, 'mutations'> & {
  mutations: NonEmptyArray<PendingMutation<T, TOperation>>
}

/** What a mutation function receives. */
export interface MutationFnParams<T extends object = Record<string, unknown>> {
  transaction: TransactionWithMutations<T>
}

/** Sends a transaction's mutations to where they are kept. Rejecting rolls the transaction back. */
export type MutationFn<T extends object = Record<string, unknown>> = (
  params: MutationFnParams<T>,
) => Promise<unknown>

/** What `onInsert` receives. */
export interface InsertMutationFnParams<T extends object = Record<string, unknown>> {
  transaction: TransactionWithMutations<T, 'insert'>
  collection: AnyCollection
}

/** What `onUpdate` receives. */
export interface UpdateMutationFnParams<T extends object = Record<string, unknown>> {
  transaction: TransactionWithMutations<T, 'update'>
  collection: AnyCollection
}

/** What `onDelete` receives. */
export interface DeleteMutationFnParams<T extends object = Record<string, unknown>> {
  transaction: TransactionWithMutations<T, 'delete'>
  collection: AnyCollection
}

/** Persists inserted rows. */
export type InsertMutationFn<T extends object = Record<string, unknown>> = (
  params: InsertMutationFnParams<T>,
) => Promise<unknown>

/** Persists changed rows. */
export type UpdateMutationFn<T extends object = Record<string, unknown>> = (
  params: UpdateMutationFnParams<T>,
) => Promise<unknown>

/** Persists removals. */
export type DeleteMutationFn<T extends object = Record<string, unknown>> = (
  params: DeleteMutationFnParams<T>,
) => Promise<unknown>

/** Configuration of a transaction. */
export interface TransactionConfig<T extends object = Record<string, unknown>> {
  id?: string
  /** Whether `mutate` commits when its callback returns; true if left out. */
  autoCommit?: boolean
  mutationFn: MutationFn<T>
  metadata?: Record<string, unknown>
}

/** Configuration of `createOptimisticAction`. */
export interface CreateOptimisticActionsOptions<TVars = unknown, T extends object = Record<string, unknown>>
  extends Omit<TransactionConfig<T>, 'mutationFn'> {
  /** Makes the changes that show at once. Must be synchronous. */
  onMutate: (vars: TVars) => void
  /** Sends them. */
  mutationFn: (vars: TVars, params: MutationFnParams<T>) => Promise<unknown>
}

/** A promise with its two ends. */
export interface Deferred<T> {
  readonly promise: Promise<T>
  resolve(value: T): void
  reject(reason?: unknown): void
  /** Whether neither end was called. */
  isPending(): boolean
}

/** Local writes that show, are sent and end together. */
export interface Transaction<T extends object = Record<string, unknown>> {
  readonly id: string
  state: TransactionState
  readonly mutationFn: MutationFn<T>
  readonly mutations: Array<PendingMutation<T>>
  /** Resolves with the transaction when it is completed; rejects when it fails or is rolled back. */
  readonly isPersisted: Deferred<Transaction<T>>
  readonly autoCommit: boolean
  readonly createdAt: Date
  readonly sequenceNumber: number
  readonly metadata: Record<string, unknown>
  /** Why it failed. */
  error?: { readonly message: string; readonly error: Error }
  /**
   * Makes the writes of the callback part of this transaction. When the callback throws, what it wrote is undone.
   * @throws TransactionNotPendingMutateError once it is committed or rolled back.
   */
  mutate(callback: () => void): Transaction<T>
  applyMutations(mutations: Array<PendingMutation>): void
  /** Sends the mutations. Rejects with what the mutation function rejected with. */
  commit(): Promise<Transaction<T>>
  /**
   * Undoes the writes, and those of pending transactions that wrote to the same rows.
   * @throws TransactionAlreadyCompletedRollbackError once it is completed.
   */
  rollback(config?: { isSecondaryRollback?: boolean }): Transaction<T>
  touchCollection(): void
  setState(state: TransactionState): void
  /** Negative when this transaction was made before the other. */
  compareCreatedAt(other: Transaction): number
}

/** Options of `update` and `delete`. */
export interface OperationConfig {
  /** Given to the handler with the mutation. */
  metadata?: Record<string, unknown>
  /** Whether the change shows before it is confirmed; true if left out. */
  optimistic?: boolean
}

/** Options of `insert`. */
export interface InsertConfig {
  /** Given to the handler with the mutation. */
  metadata?: Record<string, unknown>
  /** Whether the row shows before it is confirmed; true if left out. */
  optimistic?: boolean
}
