import type { Transaction, TransactionState } from '../types/transactions.ts'
import { randomId } from './uuid.ts'

type Key = string | number

/** One row changed by a direct write. */
export interface Mutation {
  readonly mutationId: string
  readonly type: 'insert' | 'update' | 'delete'
  readonly key: Key
  readonly globalKey: string
  /** The row before: empty for an insert. */
  readonly original: object
  readonly modified: object
  /** The changed top-level fields with their new values. */
  readonly changes: object
  readonly createdAt: Date
  readonly updatedAt: Date
  readonly collection: object
}

/** A mutation of a row of `collection`. */
export function mutation(
  collection: { readonly id: string },
  type: Mutation['type'],
  key: Key,
  rows: Pick<Mutation, 'original' | 'modified' | 'changes'>,
): Mutation {
  const now = new Date()
  const globalKey = `KEY::${collection.id}/${key}`
  return { mutationId: randomId(), type, key, globalKey, ...rows, createdAt: now, updatedAt: now, collection }
}

/**
 * The handle of a direct write. Its change is applied when it is handed out; it completes in a microtask, or at once
 * if it changed nothing.
 */
export class DirectTransaction implements Transaction {
  readonly id = randomId()
  readonly mutations: readonly Mutation[]
  readonly metadata: Record<string, unknown> = {}
  readonly createdAt = new Date()
  readonly isPersisted: { readonly promise: Promise<Transaction> }
  #state: TransactionState

  constructor(mutations: readonly Mutation[]) {
    this.mutations = mutations
    this.#state = mutations.length === 0 ? 'completed' : 'persisting'
    this.isPersisted = {
      promise: Promise.resolve().then(() => {
        this.#state = 'completed'
        return this
      }),
    }
  }

  get state(): TransactionState {
    return this.#state
  }
}
