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
  Deferred,
  MutationFn,
  PendingMutation,
  Transaction,
  TransactionConfig,
  TransactionState,
  TransactionWithMutations,
} from '../types/transactions.ts'
import { randomId } from '../utils/random-id.ts'
import { Persistence } from './deferred.ts'
import { mergeMutations } from './merge.ts'
import { defaultScope, nextNumber, type TransactionScope } from './scope.ts'
import { byCollection, rootOf, rowOf, withdrawal, writeOf } from './writes.ts'

/** How a transaction came to be. */
export interface TransactionOrigin {
  readonly scope: TransactionScope
  /** Whether it is of one `insert`, `update` or `delete`: its changes stay until the next sync transaction. */
  readonly direct: boolean
}

/** What a transaction was when `mutate` began, as far as its callback has changed it. */
interface Journal {
  /** What it did to the rows that the callback has written to. */
  readonly was: Map<string, PendingMutation | undefined>
  /** Its mutations in order, from before the first of them that was there at the beginning went. */
  order: PendingMutation[] | undefined
}

/** An outer callback answers for what an inner one has changed. */
function handOver(inner: Journal, outer: Journal): void {
  for (const [key, was] of inner.was) if (!outer.was.has(key)) outer.was.set(key, was)
  outer.order ??= inner.order
}

/** Local writes that show, are sent and end together. */
export class LocalTransaction implements Transaction, LocalWriter {
  /** What the engine knows it by; larger than that of every earlier transaction. */
  readonly sequenceNumber = nextNumber()
  state: TransactionState = 'pending'
  readonly mutationFn: MutationFn
  readonly mutations: PendingMutation[] = []
  readonly autoCommit: boolean
  readonly metadata: Record<string, unknown>
  error?: { readonly message: string; readonly error: Error }
  #id: string | undefined
  readonly #madeAt = Date.now()
  #createdAt: Date | undefined
  readonly #persistence = new Persistence<Transaction>()
  /** Where `mutate` makes the transaction the active one. */
  readonly #home: TransactionScope
  /** Whose pending transactions it is one of. */
  #scope: TransactionScope
  readonly #direct: boolean
  /** Where each row's mutation stands in `mutations`. A direct write has no use for it. */
  #places: Map<string, number> | undefined
  readonly #roots: RootCollection[] = []
  /** Places in `mutations` whose mutation has come to nothing, until they are closed. */
  #holes: number[] | undefined
  #journal: Journal | undefined

  constructor(config: TransactionConfig, { scope, direct }: TransactionOrigin) {
    if (config.mutationFn === undefined) throw new MissingMutationFunctionError()
    this.#id = config.id
    this.mutationFn = config.mutationFn
    this.autoCommit = config.autoCommit ?? true
    this.metadata = config.metadata ?? {}
    this.#home = scope
    this.#scope = scope
    this.#direct = direct
  }

  get id(): string {
    this.#id ??= randomId()
    return this.#id
  }

  get createdAt(): Date {
    this.#createdAt ??= new Date(this.#madeAt)
    return this.#createdAt
  }

  get isPersisted(): Deferred<Transaction> {
    return this.#persistence.deferred
  }

  get scope(): TransactionScope {
    return this.#scope
  }

  /** Hands the transaction to another scope. */
  claim(scope: TransactionScope): void {
    this.#forget()
    this.#scope = scope
    if (this.state === 'pending' && this.#places !== undefined)
      for (const key of this.#places.keys()) scope.note(key, this)
  }

  mutate(callback: () => void): this {
    if (this.state !== 'pending') throw new TransactionNotPendingMutateError()
    const outer = this.#journal
    const journal: Journal = { was: new Map(), order: undefined }
    this.#journal = journal
    this.#home.enter(this)
    try {
      callback()
    } catch (error) {
      this.#journal = undefined
      // What was committed or rolled back inside the callback has had its end.
      if (this.state === 'pending') this.#undo(journal)
      throw error
    } finally {
      this.#home.leave(this)
      this.#journal = outer
      if (outer !== undefined) handOver(journal, outer)
    }
    // The outermost call of `mutate` is the one that ends what began with it.
    if (outer !== undefined) return this
    if (this.autoCommit && this.state === 'pending') this.commit().catch(() => {})
    else this.#flush()
    return this
  }

  applyMutations(mutations: PendingMutation[]): void {
    this.apply(mutations, this.#journal === undefined ? Hold.none : Hold.graph)
  }

  /**
   * Takes mutations in and sends what they come to.
   *
   * @throws TransactionNotPendingMutateError once it is committed or rolled back: they would not be sent with it.
   */
  apply(mutations: readonly PendingMutation[], hold: number): void {
    if (this.state !== 'pending') throw new TransactionNotPendingMutateError()
    theSession().assertFree()
    for (const [root, group] of byCollection(mutations)) {
      const writes = new Map<string, LocalWrite>()
      for (const mutation of group) this.#take(mutation, writes)
      this.#closeHoles()
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
      this.#persistence.resolve(this)
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
    for (const mutation of mutations) this.mutations.push(mutation)
    this.state = 'persisting'
    this.#roots.push(root)
    root.writers.set(this.sequenceNumber, this)
    const writes = mutations.map(writeOf)
    // Hardly any handler looks at the collection before it awaits; then the write is one message.
    session.makeLate(root, () => root.mutate(this.sequenceNumber, writes, Hold.all))
    this.#follow(this.#callMutationFn())
    if (session.takeLate()) {
      if (writes.length === 1 && root.show(this.sequenceNumber, writes[0] as LocalWrite)) return
      root.mutate(this.sequenceNumber, writes, Hold.sending)
    } else session.persist(this.sequenceNumber)
  }

  /** Takes mutations in that are confirmed already; the transaction completes in a microtask. */
  adopt(mutations: readonly PendingMutation[]): void {
    for (const mutation of mutations) this.mutations.push(mutation)
    this.state = 'persisting'
    this.#follow(Promise.resolve())
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
    for (const transaction of failed) transaction.#persistence.reject(transaction.error?.error)
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
    const at = this.#places?.get(globalKey)
    const existing = at === undefined ? undefined : (this.mutations[at] as PendingMutation)
    const journal = this.#journal
    if (journal !== undefined && !journal.was.has(globalKey)) journal.was.set(globalKey, existing)
    const merged = existing === undefined ? incoming : mergeMutations(existing, incoming)
    if (merged === undefined && journal?.was.get(globalKey) !== undefined)
      journal.order ??= this.mutations.slice()
    this.#put(globalKey, at, merged)
    writes.set(globalKey, merged === undefined ? withdrawal(incoming) : writeOf(merged))
  }

  #put(globalKey: string, at: number | undefined, mutation: PendingMutation | undefined): void {
    if (mutation === undefined) {
      if (at === undefined) return
      this.#holes ??= []
      this.#holes.push(at)
      this.#places?.delete(globalKey)
      this.#scope.forget(globalKey, this)
    } else if (at === undefined) {
      this.#places ??= new Map()
      this.#places.set(globalKey, this.mutations.length)
      this.mutations.push(mutation)
      // A direct write is on its way before another could be rolled back with it.
      if (!this.#direct) this.#scope.note(globalKey, this)
    } else this.mutations[at] = mutation
  }

  /** Moves the mutations behind those that have come to nothing forward, once for all of them. */
  #closeHoles(): void {
    const holes = this.#holes
    if (holes === undefined || holes.length === 0) return
    const gone = new Set(holes)
    let to = holes.reduce((first, at) => Math.min(first, at))
    for (let at = to; at < this.mutations.length; at++) {
      if (gone.has(at)) continue
      const mutation = this.mutations[at] as PendingMutation
      this.mutations[to] = mutation
      this.#places?.set(rowOf(mutation), to++)
    }
    this.mutations.length = to
    holes.length = 0
  }

  /** Brings back what the transaction did to rows before a callback that failed. */
  #undo({ was, order }: Journal): void {
    const writes = new Map<RootCollection, LocalWrite[]>()
    for (const [globalKey, before] of was) {
      const at = this.#places?.get(globalKey)
      const now = at === undefined ? undefined : this.mutations[at]
      const known = before ?? now
      if (known === undefined) continue
      const root = rootOf(known)
      const list = writes.get(root) ?? []
      list.push(before === undefined ? withdrawal(known) : writeOf(before))
      writes.set(root, list)
    }
    const restored = (order ?? this.mutations.slice()).map((mutation) => {
      const globalKey = rowOf(mutation)
      return was.has(globalKey) ? was.get(globalKey) : mutation
    })
    this.#forget()
    this.#places?.clear()
    this.mutations.length = 0
    for (const mutation of restored)
      if (mutation !== undefined) this.#put(rowOf(mutation), undefined, mutation)
    for (const [root, list] of writes) this.#send(root, list, Hold.graph)
    this.#flush()
  }

  /** Tells of what is held. */
  #flush(): void {
    if (this.#roots.length > 0) this.#contained(() => theSession().flush())
  }

  #send(root: RootCollection, writes: readonly LocalWrite[], hold: number): void {
    if (!this.#roots.includes(root)) this.#roots.push(root)
    root.writers.set(this.sequenceNumber, this)
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

  /** As `#finish`, for a transaction whose end only `isPersisted` tells. */
  #follow(work: Promise<unknown>): void {
    work.then(
      () => {
        if (this.state === 'persisting') this.#complete()
      },
      (thrown: unknown) => {
        if (this.state === 'persisting') this.#refuse(thrown)
      },
    )
  }

  async #finish(work: Promise<unknown>): Promise<Transaction> {
    try {
      await work
    } catch (thrown) {
      // One that was rolled back meanwhile has failed for that reason.
      if (this.state !== 'persisting') return this.isPersisted.promise
      throw this.#refuse(thrown)
    }
    if (this.state !== 'persisting') return this.isPersisted.promise
    this.#complete()
    return this
  }

  #complete(): void {
    this.state = 'completed'
    this.#settle([this], this.#direct ? Outcome.direct : Outcome.completed)
    this.#persistence.resolve(this)
  }

  #refuse(thrown: unknown): Error {
    const error = thrown instanceof Error ? thrown : new Error(String(thrown))
    this.error = { message: error.message, error }
    this.rollback()
    return error
  }

  #persist(): void {
    if (this.#roots.length > 0) theSession().persist(this.sequenceNumber)
  }

  /** Ends transactions in one step over all collections they wrote to. */
  #settle(transactions: readonly LocalTransaction[], outcome: number): void {
    const roots = new Set<RootCollection>()
    for (const transaction of transactions) {
      for (const root of transaction.#roots) {
        root.writers.delete(transaction.sequenceNumber)
        roots.add(root)
      }
    }
    if (roots.size === 0) return
    const endings = transactions.map(({ sequenceNumber }) => [sequenceNumber, outcome] as const)
    this.#contained(() => theSession().settle(endings, roots))
  }

  #leavePending(state: TransactionState): void {
    this.#forget()
    this.state = state
  }

  /** The transaction is not one of its scope's pending ones any more. */
  #forget(): void {
    if (this.#places !== undefined) for (const key of this.#places.keys()) this.#scope.forget(key, this)
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
