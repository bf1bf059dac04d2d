import {
  CollectionInErrorStateError,
  DeleteKeyNotFoundError,
  DuplicateKeyError,
  InvalidKeyError,
  KeyUpdateNotAllowedError,
  MissingDeleteHandlerError,
  MissingInsertHandlerError,
  MissingUpdateArgumentError,
  MissingUpdateHandlerError,
  NoKeysPassedToDeleteError,
  NoKeysPassedToUpdateError,
  UndefinedKeyError,
  UpdateKeyNotFoundError,
} from '../errors/collection.ts'
import { cloneRow } from '../rows/deep-clone.ts'
import { deepEquals } from '../rows/deep-equals.ts'
import type { RootCollection } from '../sync/root-collection.ts'
import { Stage, SyncTransaction } from '../sync/sync-transaction.ts'
import type { InsertConfig, OperationConfig, Transaction } from '../types/transactions.ts'
import { DirectTransaction, type Mutation, mutation } from './direct-transaction.ts'
import type { ManagedCollection } from './lifecycle.ts'

type Key = string | number

/** What direct writes need of a collection's public face. */
interface Target {
  readonly id: string
  getKeyFromItem(item: never): Key
}

/** `insert`, `update` and `delete` of a collection. */
export interface DirectWrites {
  insert(target: Target, data: object | readonly object[], config?: InsertConfig): Transaction
  update(
    target: Target,
    keys: Key | readonly Key[],
    config: OperationConfig | undefined,
    callback: (draft: unknown) => void,
  ): Transaction
  delete(target: Target, keys: Key | readonly Key[], config?: OperationConfig): Transaction
}

/** Writes to a collection that has nowhere to send them: refused. */
export class RefusedWrites implements DirectWrites {
  readonly #inside: ManagedCollection

  constructor(inside: ManagedCollection) {
    this.#inside = inside
  }

  insert(): never {
    assertUsable(this.#inside, 'insert')
    throw new MissingInsertHandlerError()
  }

  update(_target: Target, keys: Key | readonly Key[] | undefined): never {
    if (keys === undefined) throw new MissingUpdateArgumentError()
    assertUsable(this.#inside, 'update')
    throw new MissingUpdateHandlerError()
  }

  delete(): never {
    assertUsable(this.#inside, 'delete')
    throw new MissingDeleteHandlerError()
  }
}

/** Writes to a collection that lives in memory: each call is one transaction, applied when it returns. */
export class LocalWrites implements DirectWrites {
  readonly #inside: RootCollection

  constructor(inside: RootCollection) {
    this.#inside = inside
  }

  insert(target: Target, data: object | readonly object[]): Transaction {
    assertUsable(this.#inside, 'insert')
    const rows = Array.isArray(data) ? (data as readonly object[]) : [data as object]
    const keys = new Set<Key>()
    const mutations = rows.map((row) => {
      const key: unknown = target.getKeyFromItem(row as never)
      if (keys.has(key as Key) || this.#inside.has(key as Key)) throw new DuplicateKeyError(key as Key)
      if (key === undefined) throw new UndefinedKeyError(row)
      if (typeof key !== 'string' && typeof key !== 'number') throw new InvalidKeyError(key, row)
      keys.add(key)
      return mutation(target, 'insert', key, { original: {}, modified: row, changes: row })
    })
    return this.#apply(mutations)
  }

  update(
    target: Target,
    keys: Key | readonly Key[],
    _config: OperationConfig | undefined,
    callback: (draft: unknown) => void,
  ): Transaction {
    if (keys === undefined) throw new MissingUpdateArgumentError()
    assertUsable(this.#inside, 'update')
    const list = Array.isArray(keys) ? (keys as readonly Key[]) : [keys as Key]
    if (list.length === 0) throw new NoKeysPassedToUpdateError()
    const originals = list.map((key) => this.#inside.stored(key) ?? fail(new UpdateKeyNotFoundError(key)))
    const drafts = originals.map(cloneRow)
    callback(Array.isArray(keys) ? drafts : drafts[0])
    const mutations: Mutation[] = []
    for (const [i, key] of list.entries()) {
      const original = originals[i] as object
      const modified = drafts[i] as object
      const changes = changesBetween(original, modified)
      if (Object.keys(changes).length === 0) continue
      const now = target.getKeyFromItem(modified as never)
      if (now !== key) throw new KeyUpdateNotAllowedError(key, now)
      mutations.push(mutation(target, 'update', key, { original, modified, changes }))
    }
    return this.#apply(mutations)
  }

  delete(target: Target, keys: Key | readonly Key[]): Transaction {
    assertUsable(this.#inside, 'delete')
    const list = Array.isArray(keys) ? (keys as readonly Key[]) : [keys as Key]
    if (list.length === 0) throw new NoKeysPassedToDeleteError()
    const mutations = list.map((key) => {
      const row = this.#inside.stored(key) ?? fail(new DeleteKeyNotFoundError(key))
      return mutation(target, 'delete', key, { original: row, modified: row, changes: row })
    })
    return this.#apply(mutations)
  }

  #apply(mutations: readonly Mutation[]): Transaction {
    const transaction = new DirectTransaction(mutations)
    if (mutations.length === 0) return transaction
    const staged = new SyncTransaction()
    for (const { type, key, modified } of mutations) {
      if (type === 'delete') staged.stage(Stage.delete, key, undefined)
      else staged.stage(type === 'insert' ? Stage.insert : Stage.put, key, modified)
    }
    this.#inside.commit(staged, true)
    return transaction
  }
}

/** Refuses writes in the error state; a collection that was cleaned up starts again. */
function assertUsable(inside: ManagedCollection, operation: string): void {
  if (inside.status === 'error') throw new CollectionInErrorStateError(operation, inside.id)
  if (inside.status === 'cleaned-up') inside.start()
}

/** The top-level fields that differ, with their new values; a field that is gone is undefined. */
function changesBetween(original: object, modified: object): Record<string, unknown> {
  const before = original as Record<string, unknown>
  const after = modified as Record<string, unknown>
  const changes: Record<string, unknown> = {}
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const same =
      Object.hasOwn(before, name) === Object.hasOwn(after, name) && deepEquals(before[name], after[name])
    if (same) continue
    const value = Object.hasOwn(after, name) ? after[name] : undefined
    Object.defineProperty(changes, name, { value, enumerable: true, configurable: true, writable: true })
  }
  return changes
}

function fail(error: Error): never {
  throw error
}
