import { Outcome } from '../collection/session.ts'
import { theSession } from '../collection/the-session.ts'
import {
  MissingMutationFunctionError,
  TransactionAlreadyCompletedRollbackError,
  TransactionNotPendingCommitError,
  TransactionNotPendingMutateError,
} from '../errors.ts'
import { reportError } from '../rows/report-error.ts'
import { Hold, type LocalWrite, type LocalWriter } from '../sync/local-write.ts'
import type { RootCollection } from '../sync/root-collection.ts'
import type {
  MutationFn,
  PendingMutation,
  Transaction,
  TransactionConfig,
  TransactionState,
  TransactionWithMutations,
} from '../types/transactions.ts'
import { randomId } from '../utils/random-id.ts'
import { deferred } from './deferred.ts'
import { mergeMutations } from './merge.ts'
import { defaultScope, nextNumber, type TransactionScope } from './scope.ts'
import { byCollection, rootOf, rowOf, withdrawal, writeOf } from './writes.ts'

/** How a transaction came to be. */
export interface TransactionOrigin {
  readonly scope: TransactionScope
  /** Whether it is of one `insert`, `update` or `delete`: its changes stay until the next sync transaction. */
  readonly direct: boolean
}

/** Local writes that show, are sent and end together. */
export class LocalTransaction implements Transaction, LocalWriter {
  readonly id: string
  /** What the engine knows it by; larger than that of every earlier transaction. */
  readonly sequenceNumber = nextNumber()
  state: TransactionState = 'pending'
  readonly mutationFn: MutationFn
  readonly mutations: PendingMutation[] = []
  readonly isPersisted = deferred<Transaction>()
  readonly autoCommit: boolean
  readonly createdAt = new Date()
  readonly metadata: Record<string, unknown>
  error?: { readonly message: string; readonly error: Error }
  #scope: TransactionScope
  readonly #direct: boolean
  /** Where each row's mutation stands in `mutations`. */
  readonly #places = new Map<string, number>()
  readonly #roots = new Set<RootCollection>()
  /** What `mutate` began with, for rows its callback has written to. */
  #journal: Map<string, PendingMutation | undefined> | undefined

  constructor(config: TransactionConfig, { scope, direct }: TransactionOrigin) {
    if (config.mutationFn === undefined) throw new MissingMutationFunctionError()
    this.id = config.id ?? randomId()
    this.mutationFn = config.mutationFn
    this.autoCommit = config.autoCommit ?? true
    this.metadata = config.metadata ?? {}
    this.#scope = scope
    this.#direct = direct
    // A transaction that nobody watches fails without being an unhandled rejection.
    this.isPersisted.promise.catch(() => {})
  }

  get scope(): TransactionScope {
    return this.#scope
  }

  /** Hands the transaction to another scope. */
  claim(scope: TransactionScope): void {
    for (const key of this.#places.keys()) this.#scope.forget(key, this)
    this.#scope = scope
    for (const key of this.#places.keys()) scope.note(key, this)
  }

  mutate(callback: () => void): this {
    if (this.state !== 'pending') throw new TransactionNotPendingMutateError()
    const scope = this.#scope
    const outer = this.#journal
    const journal = new Map<string, PendingMutation | undefined>()
    this.#journal = journal
    scope.enter(this)
    try {
      callback()
    } catch (error) {
      this.#journal = undefined
      this.#undo(journal)
      throw error
    } finally {
      scope.leave(this)
      this.#journal = outer
      if (outer !== undefined) for (const [key, was] of journal) if (!outer.has(key)) outer.set(key, was)
    }
    if (this.autoCommit && this.state === 'pending') this.commit().catch(() => {})
    else this.#flush()
    return this
  }

  applyMutations(mutations: PendingMutation[]): void {
    this.apply(mutations, this.#journal === undefined ? Hold.none : Hold.graph)
  }

  /** Takes mutations in and sends what they come to. */
  apply(mutations: readonly PendingMutation[], hold: number): void {
    for (const [root, group] of byCollection(mutations)) {
      const writes = new Map<string, LocalWrite>()
      for (const mutation of group) this.#take(mutation, writes)
      this.#send(root, Array.from(writes.values()), hold)
    }
  }

  commit(): Promise<Transaction> {
    if (this.state !== 'pending') return Promise.reject(new TransactionNotPendingCommitError())
    this.#leavePending('persisting')
    if (this.mutations.length === 0) {
      this.state = 'completed'
      this.#flush()
      this.#settle([this], Outcome.completed)
      this.isPersisted.resolve(this)
      return Promise.resolve(this)
    }
    if (!this.#direct) this.#contained(() => this.#persist())
    return this.#finish(this.#callMutationFn())
  }

  /**
   * Sends a direct write: its handler runs before anybody is told, so that what it confirms at once is told as
   * confirmed. Throws what those who are told throw; the write stands.
   */
  sendDirect(root: RootCollection, mutations: readonly PendingMutation[]): void {
    const session = theSession()
    session.assertFree()
    this.mutations.push(...mutations)
    this.state = 'persisting'
    this.#roots.add(root)
    root.writers.add(this)
    const writes = mutations.map(writeOf)
    // Hardly any handler looks at the collection before it awaits; then the write is one message.
    session.makeLate(root, () => root.mutate(this.sequenceNumber, writes, Hold.all))
    const work = this.#callMutationFn()
    this.#finish(work).catch(() => {})
    if (session.takeLate()) root.mutate(this.sequenceNumber, writes, Hold.sending)
    else session.persist(this.sequenceNumber)
  }

  /** Takes mutations in that are confirmed already; the transaction completes in a microtask. */
  adopt(mutations: readonly PendingMutation[]): void {
    this.mutations.push(...mutations)
    this.state = 'persisting'
    this.#finish(Promise.resolve()).catch(() => {})
  }

  rollback(config?: { isSecondaryRollback?: boolean }): this {
    if (this.state === 'completed') throw new TransactionAlreadyCompletedRollbackError()
    if (this.state === 'failed') return this
    const failed: LocalTransaction[] = [this]
    if (config?.isSecondaryRollback !== true) {
      for (const other of this.#scope.writersOf(this.mutations.map(rowOf)))
        if (other !== this) failed.push(other)
    }
    for (const transaction of failed) transaction.#leavePending('failed')
    this.#settle(failed, Outcome.failed)
    for (const transaction of failed) transaction.isPersisted.reject(transaction.error?.error)
    return this
  }

  touchCollection(): void {
    this.#flush()
  }

  setState(state: TransactionState): void {
    this.state = state
  }

  compareCreatedAt(other: Transaction): number {
    const order = this.createdAt.getTime() - other.createdAt.getTime()
    return order !== 0 ? order : this.sequenceNumber - other.sequenceNumber
  }

  rewrite(root: RootCollection): void {
    const writes: LocalWrite[] = []
    for (const mutation of this.mutations) if (rootOf(mutation) === root) writes.push(writeOf(mutation))
    if (writes.length > 0) root.mutate(this.sequenceNumber, writes, Hold.none)
  }

  /** Merges a mutation with what the transaction does to the row already. */
  #take(incoming: PendingMutation, writes: Map<string, LocalWrite>): void {
    const globalKey = rowOf(incoming)
    const at = this.#places.get(globalKey)
    const existing = at === undefined ? undefined : (this.mutations[at] as PendingMutation)
    if (this.#journal !== undefined && !this.#journal.has(globalKey)) this.#journal.set(globalKey, existing)
    const merged = existing === undefined ? incoming : mergeMutations(existing, incoming)
    this.#put(globalKey, at, merged)
    writes.set(globalKey, merged === undefined ? withdrawal(incoming) : writeOf(merged))
  }

  #put(globalKey: string, at: number | undefined, mutation: PendingMutation | undefined): void {
    if (mutation === undefined) {
      if (at === undefined) return
      this.mutations.splice(at, 1)
      this.#places.delete(globalKey)
      for (const [key, place] of this.#places) if (place > at) this.#places.set(key, place - 1)
      this.#scope.forget(globalKey, this)
    } else if (at === undefined) {
      this.#places.set(globalKey, this.mutations.length)
      this.mutations.push(mutation)
      // A direct write is on its way before another could be rolled back with it.
      if (!this.#direct) this.#scope.note(globalKey, this)
    } else this.mutations[at] = mutation
  }

  /** Brings back what the transaction did to rows before a callback that failed. */
  #undo(journal: ReadonlyMap<string, PendingMutation | undefined>): void {
    const writes = new Map<RootCollection, LocalWrite[]>()
    for (const [globalKey, was] of journal) {
      const at = this.#places.get(globalKey)
      const now = at === undefined ? undefined : this.mutations[at]
      const known = was ?? now
      if (known === undefined) continue
      this.#put(globalKey, at, was)
      const root = rootOf(known)
      const list = writes.get(root) ?? []
      list.push(was === undefined ? withdrawal(known) : writeOf(was))
      writes.set(root, list)
    }
    for (const [root, list] of writes) this.#send(root, list, Hold.graph)
    this.#flush()
  }

  /** Tells of what is held. */
  #flush(): void {
    if (this.#roots.size > 0) this.#contained(() => theSession().flush())
  }

  #send(root: RootCollection, writes: readonly LocalWrite[], hold: number): void {
    this.#roots.add(root)
    root.writers.add(this)
    // What is told of a part of a transaction must not look as if the transaction failed.
    if (hold === Hold.graph) theSession().connect(() => root.mutate(this.sequenceNumber, writes, hold))
    else root.mutate(this.sequenceNumber, writes, hold)
  }

  #callMutationFn(): Promise<unknown> {
    const transaction = this as unknown as TransactionWithMutations
    try {
      return Promise.resolve(this.mutationFn({ transaction }))
    } catch (error) {
      return Promise.reject(error)
    }
  }

  async #finish(work: Promise<unknown>): Promise<Transaction> {
    try {
      await work
    } catch (thrown) {
      // One that was rolled back meanwhile has failed for that reason.
      if (this.state !== 'persisting') return this.isPersisted.promise
      const error = thrown instanceof Error ? thrown : new Error(String(thrown))
      this.error = { message: error.message, error }
      this.rollback()
      throw error
    }
    if (this.state !== 'persisting') return this.isPersisted.promise
    this.state = 'completed'
    this.#settle([this], this.#direct ? Outcome.direct : Outcome.completed)
    this.isPersisted.resolve(this)
    return this
  }

  #persist(): void {
    if (this.#roots.size > 0) theSession().persist(this.sequenceNumber)
  }

  /** Ends transactions in one step over all collections they wrote to. */
  #settle(transactions: readonly LocalTransaction[], outcome: number): void {
    const roots = new Set<RootCollection>()
    for (const transaction of transactions) {
      for (const root of transaction.#roots) {
        root.writers.delete(transaction)
        roots.add(root)
      }
    }
    if (roots.size === 0) return
    const endings = transactions.map(({ sequenceNumber }) => [sequenceNumber, outcome] as const)
    this.#contained(() => theSession().settle(endings, roots))
  }

  #leavePending(state: TransactionState): void {
    for (const key of this.#places.keys()) this.#scope.forget(key, this)
    this.state = state
  }

  /** Runs a step whose caller is not the one to hear of what subscribers throw. */
  #contained(step: () => void): void {
    try {
      step()
    } catch (error) {
      reportError(error)
    }
  }
}

/**
 * Makes a transaction: the writes inside its `mutate` show at once and are sent together by `mutationFn`.
 *
 * @throws MissingMutationFunctionError without a `mutationFn`.
 */
export function createTransaction<T extends object = Record<string, unknown>>(
  config: TransactionConfig<T>,
): Transaction<T> {
  const origin = { scope: defaultScope(), direct: false }
  return new LocalTransaction(config as unknown as TransactionConfig, origin) as unknown as Transaction<T>
}

/** The transaction that writes belong to now: of the innermost `mutate` that runs. */
export function getActiveTransaction(): Transaction | undefined {
  return defaultScope().active
}
