import type { DirectWrites } from '../collection/direct-writes.ts'
import type { ManagedCollection } from '../collection/lifecycle.ts'
import { trackChange, trackChanges } from '../drafts/changes.ts'
import type { TrackedChanges } from '../drafts/difference.ts'
import { CollectionOperationError } from '../errors/base.ts'
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
import { confirmsAtOnce } from '../local/handlers.ts'
import { Hold } from '../sync/local-write.ts'
import { RootCollection } from '../sync/root-collection.ts'
import type {
  AnyCollection,
  InsertConfig,
  OperationConfig,
  PendingMutation,
  Transaction,
} from '../types/transactions.ts'
import { countedId } from '../utils/random-id.ts'
import { validateChanges, validateInsert } from '../validation/validate.ts'
import { commitLocally } from './local-commit.ts'
import { defaultScope, type TransactionScope } from './scope.ts'
import { LocalTransaction } from './transaction.ts'

type Key = string | number
type Handler = (params: { transaction: unknown; collection: unknown }) => unknown

/** What writes need of a collection's configuration. */
export interface WriteConfig {
  readonly id: string
  getKey(row: never): unknown
  readonly schema?: unknown
  readonly onInsert?: unknown
  readonly onUpdate?: unknown
  readonly onDelete?: unknown
  readonly sync: { readonly getSyncMetadata?: (() => Record<string, unknown>) | undefined }
}

/** Writes to a collection: each call is a transaction of its own unless one is active. */
export class CollectionWrites implements DirectWrites {
  readonly #inside: ManagedCollection
  readonly #config: WriteConfig
  /** Whether direct writes without a handler are the collection's source. */
  readonly #sourceless: boolean
  /** What the global keys of rows begin with. */
  readonly #prefix: string
  /** The scope of a client the collection belongs to. */
  scope: TransactionScope | undefined

  constructor(inside: ManagedCollection, config: WriteConfig, sourceless: boolean) {
    this.#inside = inside
    this.#config = config
    this.#sourceless = sourceless
    this.#prefix = `KEY::${config.id}/`
  }

  insert(target: object, data: object | readonly object[], config: InsertConfig = {}): Transaction {
    this.#assertUsable('insert')
    const ambient = this.#ambient()
    if (ambient === undefined && !this.#may('onInsert')) throw new MissingInsertHandlerError()
    const root = this.#root('insert into')
    const rows = Array.isArray(data) ? (data as readonly object[]) : [data as object]
    const taken = rows.length > 1 ? new Set<unknown>() : undefined
    const mutations = rows.map((input) => {
      const row = this.#config.schema === undefined ? input : validateInsert(this.#config.schema, input)
      const key = this.#config.getKey(row as never)
      if (taken?.has(key) || root.has(key as Key)) throw new DuplicateKeyError(key as Key)
      if (key === undefined) throw new UndefinedKeyError(row)
      if (typeof key !== 'string' && typeof key !== 'number') throw new InvalidKeyError(key, row)
      taken?.add(key)
      const changes: Record<string, unknown> = {}
      for (const name of Object.keys(input)) {
        const value = (row as Record<string, unknown>)[name]
        Object.defineProperty(changes, name, { value, enumerable: true, configurable: true, writable: true })
      }
      const syncMetadata = this.#config.sync.getSyncMetadata?.() ?? {}
      return this.#mutation(
        target,
        'insert',
        key,
        { original: {}, modified: row, changes },
        syncMetadata,
        config,
      )
    })
    if (mutations.length === 0) return ambient ?? this.#nothing()
    return this.#run(root, ambient, mutations, 'onInsert', target)
  }

  update(
    target: object,
    keys: Key | readonly Key[] | undefined,
    config: OperationConfig = {},
    callback: (draft: unknown) => void,
  ): Transaction {
    if (keys === undefined) throw new MissingUpdateArgumentError()
    this.#assertUsable('update')
    const ambient = this.#ambient()
    if (ambient === undefined && !this.#may('onUpdate')) throw new MissingUpdateHandlerError()
    const root = this.#root('update rows of')
    if (!Array.isArray(keys)) {
      const key = keys as Key
      const original = root.stored(key) ?? fail(new UpdateKeyNotFoundError(key))
      const tracked = trackChange(original, callback)
      const mutation = this.#changed(root, target, key, original, tracked, config)
      return mutation === undefined
        ? this.#nothing()
        : this.#run(root, ambient, [mutation], 'onUpdate', target)
    }
    const list = keys as readonly Key[]
    if (list.length === 0) throw new NoKeysPassedToUpdateError()
    const distinct = withoutRepetitions(list)
    const originals = distinct.map((key) => root.stored(key) ?? fail(new UpdateKeyNotFoundError(key)))
    const results = trackChanges(originals, (drafts) => callback(inOrderOf(list, distinct, drafts)))
    const mutations: PendingMutation[] = []
    for (let i = 0; i < distinct.length; i++) {
      const key = distinct[i] as Key
      const tracked = results[i] as TrackedChanges
      const mutation = this.#changed(root, target, key, originals[i] as object, tracked, config)
      if (mutation !== undefined) mutations.push(mutation)
    }
    if (mutations.length === 0) return this.#nothing()
    return this.#run(root, ambient, mutations, 'onUpdate', target)
  }

  /** The mutation of an updated row; undefined if nothing of it changed. */
  #changed(
    root: RootCollection,
    target: object,
    key: Key,
    original: object,
    tracked: TrackedChanges,
    config: OperationConfig,
  ): PendingMutation | undefined {
    let { changes, modified }: { changes: Record<string, unknown>; modified: object } = tracked
    if (isEmpty(changes)) return undefined
    if (this.#config.schema !== undefined) {
      changes = validateChanges(this.#config.schema, modified, Object.keys(changes))
      modified = changedRow(modified, changes)
    }
    const now = this.#config.getKey(modified as never)
    if (now !== key) throw new KeyUpdateNotAllowedError(key, now as Key)
    const syncMetadata = (root.rowMetadata(key) ?? {}) as Record<string, unknown>
    return this.#mutation(target, 'update', key, { original, modified, changes }, syncMetadata, config)
  }

  delete(target: object, keys: Key | readonly Key[], config: OperationConfig = {}): Transaction {
    this.#assertUsable('delete')
    const ambient = this.#ambient()
    if (ambient === undefined && !this.#may('onDelete')) throw new MissingDeleteHandlerError()
    const root = this.#root('delete from')
    const list = Array.isArray(keys) ? (keys as readonly Key[]) : [keys as Key]
    if (list.length === 0) throw new NoKeysPassedToDeleteError()
    const mutations = withoutRepetitions(list).map((key) => {
      const row = root.stored(key) ?? fail(new DeleteKeyNotFoundError(key))
      const rows = { original: row, modified: row, changes: row }
      const syncMetadata = (root.rowMetadata(key) ?? {}) as Record<string, unknown>
      return this.#mutation(target, 'delete', key, rows, syncMetadata, config)
    })
    return this.#run(root, ambient, mutations, 'onDelete', target)
  }

  validate(data: object, type: 'insert' | 'update', key?: Key): object {
    const { schema } = this.#config
    if (schema === undefined) return data
    if (type === 'insert') return validateInsert(schema, data)
    const current =
      key === undefined || !(this.#inside instanceof RootCollection) ? undefined : this.#inside.stored(key)
    return validateChanges(schema, { ...current, ...data }, Object.keys(data))
  }

  /** The transaction that writes belong to now. One of the default scope is handed to the collection's client. */
  #ambient(): LocalTransaction | undefined {
    const common = defaultScope()
    const own = this.scope
    if (own === undefined) return common.active
    if (own.activeSince > common.activeSince) return own.active
    const ambient = common.active
    if (ambient !== undefined) claim(ambient, own)
    return ambient
  }

  #may(handler: 'onInsert' | 'onUpdate' | 'onDelete'): boolean {
    return this.#sourceless || this.#config[handler] !== undefined
  }

  /** Layers of local writes need a collection that rows are put into. */
  #root(operation: string): RootCollection {
    if (this.#inside instanceof RootCollection) return this.#inside
    throw new CollectionOperationError(
      `Cannot ${operation} collection "${this.#config.id}": its rows are the result of a query. ` +
        'Write to the collections the query reads, and the result follows',
    )
  }

  #mutation(
    target: object,
    type: PendingMutation['type'],
    key: Key,
    rows: { readonly original: object; readonly modified: object; readonly changes: object },
    syncMetadata: Record<string, unknown>,
    config: InsertConfig,
  ): PendingMutation {
    const now = new Date()
    return {
      mutationId: countedId(),
      type,
      key,
      globalKey: this.#prefix + key,
      original: rows.original as PendingMutation['original'],
      modified: rows.modified as PendingMutation['modified'],
      changes: rows.changes as PendingMutation['changes'],
      metadata: config.metadata,
      syncMetadata,
      optimistic: config.optimistic ?? true,
      createdAt: now,
      updatedAt: now,
      collection: target as AnyCollection,
    }
  }

  #run(
    root: RootCollection,
    ambient: LocalTransaction | undefined,
    mutations: PendingMutation[],
    name: 'onInsert' | 'onUpdate' | 'onDelete',
    target: object,
  ): Transaction {
    if (ambient !== undefined) {
      ambient.apply(mutations, Hold.graph)
      return ambient
    }
    const handler = this.#config[name] as Handler | undefined
    if (handler === undefined || (root.writers.size === 0 && confirmsAtOnce(handler)))
      return commitLocally(root, mutations)
    const transaction = new LocalTransaction(
      {
        metadata: { __tanstack_db_direct: true },
        mutationFn: async (params) => handler({ transaction: params.transaction, collection: target }),
      },
      { scope: this.scope ?? defaultScope(), direct: true },
    )
    transaction.sendDirect(root, mutations)
    return transaction
  }

  /** A transaction in which nothing changed: it is completed, whatever transaction is active. */
  #nothing(): Transaction {
    const transaction = new LocalTransaction(
      { mutationFn: () => Promise.resolve() },
      { scope: this.scope ?? defaultScope(), direct: true },
    )
    transaction.commit().catch(() => {})
    return transaction
  }

  /** Refuses writes in the error state; a collection that was cleaned up starts again. */
  #assertUsable(operation: string): void {
    const inside = this.#inside
    if (inside.status === 'error') throw new CollectionInErrorStateError(operation, inside.id)
    if (inside.status === 'cleaned-up') inside.start()
  }
}

/** Whether an object has no enumerable field of its own. */
function isEmpty(fields: object): boolean {
  for (const name in fields) if (Object.hasOwn(fields, name)) return false
  return true
}

/** The row after an update whose changes a schema has transformed. */
function changedRow(modified: object, valid: Record<string, unknown>): object {
  const row = Object.assign(
    Object.create(Object.getPrototypeOf(modified) as object | null),
    modified,
  ) as Record<string, unknown>
  for (const name of Object.keys(valid)) {
    // A field that was removed stays so unless the schema has a default for it.
    if (valid[name] !== undefined || Object.hasOwn(row, name)) row[name] = valid[name]
  }
  return row
}

/** The draft of each key; a key that is named twice has one. */
function inOrderOf(
  keys: readonly Key[],
  distinct: readonly Key[],
  drafts: readonly object[],
): readonly object[] {
  if (keys === distinct) return drafts
  const byKey = new Map(distinct.map((key, i) => [key, drafts[i] as object]))
  return keys.map((key) => byKey.get(key) as object)
}

/** Each key once, in order of first mention; the list itself if no key is in it twice. */
function withoutRepetitions(keys: readonly Key[]): readonly Key[] {
  if (keys.length === 1) return keys
  const distinct = new Set(keys)
  return distinct.size === keys.length ? keys : Array.from(distinct)
}

function claim(transaction: LocalTransaction, scope: TransactionScope): void {
  if (transaction.scope === scope) return
  if (transaction.scope !== defaultScope()) {
    throw new Error(
      'A transaction cannot mutate collections from multiple DbClient instances: use one transaction per client',
    )
  }
  transaction.claim(scope)
}

function fail(error: Error): never {
  throw error
}
