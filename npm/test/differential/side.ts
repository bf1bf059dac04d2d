/** One library under a script: two collections, transactions, and what was told. */
import type * as millrace from '../../src/index.ts'
import type { Change, Key, Said } from './scripts.ts'

export type Library = Pick<typeof millrace, 'createCollection' | 'createTransaction' | 'gte'>

export type Row = { readonly id: Key } & Record<string, unknown>
type Params = millrace.SyncParams<Row, Key>

interface Mutation {
  readonly type: string
  readonly key: unknown
  readonly optimistic: boolean
  readonly original: object
  readonly modified: object
  readonly changes: object
  readonly collection: { readonly id: string }
}

/** What both libraries' transactions have. */
export interface Sent {
  readonly state: 'pending' | 'persisting' | 'completed' | 'failed'
  readonly mutations: readonly Mutation[]
  readonly isPersisted: { readonly promise: Promise<unknown> }
  mutate(callback: () => void): unknown
  commit(): Promise<unknown>
  rollback(): unknown
}

export interface Event {
  readonly type: string
  readonly key: unknown
  readonly value: object
  readonly previousValue?: object | undefined
}

export interface Pending {
  readonly transaction: Sent
  readonly direct: boolean
  resolve?: () => void
  reject?: (error: Error) => void
}

/** A collection, as far as it is looked at. */
interface Watched {
  readonly size: number
  entries(): IterableIterator<[unknown, object]>
  get(key: never): object | undefined
  subscribeChanges(callback: (changes: never) => void, options?: object): { unsubscribe(): void }
  cleanup(): Promise<void>
  startSyncImmediate(): void
}

export class Side {
  readonly #library: Library
  readonly collections: Watched[] = []
  readonly #params: Params[] = []
  readonly #subscriptions: { unsubscribe(): void }[][] = []
  /** The keys the source has, by collection. */
  readonly #source = [new Set<Key>(), new Set<Key>()] as const
  readonly transactions: Pending[] = []
  /** Batches since they were last taken, by who was told. */
  #told: { readonly who: string; readonly changes: readonly Event[] }[] = []
  #handler: 'later' | 'confirms' | 'throws' = 'later'

  constructor(library: Library) {
    this.#library = library
    for (const at of [0, 1]) this.#open(at)
  }

  #open(at: number): void {
    const { createCollection } = this.#library
    const handler = ({ transaction }: { transaction: unknown }) => this.#handle(transaction as Sent, true, at)
    const collection = createCollection<Row, Key>({
      id: `collection ${at}`,
      getKey: (row) => row.id,
      startSync: true,
      onInsert: handler,
      onUpdate: handler,
      onDelete: handler,
      sync: {
        rowUpdateMode: at === 0 ? 'partial' : 'full',
        sync: (params) => {
          this.#params[at] = params
          params.markReady()
        },
      },
    })
    this.collections.push(collection as unknown as Watched)
    this.#watch(at)
  }

  /** Subscribes to a collection. */
  #watch(at: number): void {
    const { gte } = this.#library
    const collection = this.collections[at] as Watched
    const watch = (who: string, options?: object) =>
      collection.subscribeChanges((changes) => {
        const batch = changes as readonly Event[]
        if (batch.length > 0) this.#told.push({ who, changes: batch })
      }, options)
    this.#subscriptions[at] = [
      watch(`collection ${at}`),
      watch(`met ${at}`, { where: (row: { a: never }) => gte(row.a, 2) }),
    ]
  }

  #handle(transaction: Sent, direct: boolean, at: number): Promise<void> {
    const known = this.transactions.find((one) => one.transaction === transaction)
    const pending: Pending = known ?? { transaction, direct }
    if (known === undefined) this.transactions.push(pending)
    transaction.isPersisted.promise.catch(() => {})
    const does = this.#handler
    this.#handler = 'later'
    if (direct && does === 'throws') throw new Error('refused')
    if (direct && does === 'confirms') {
      this.deliver(at, transaction)
      return Promise.resolve()
    }
    return new Promise<void>((resolve, reject) => {
      pending.resolve = resolve
      pending.reject = reject
    })
  }

  /** The source delivers what a transaction wrote to a collection. */
  deliver(at: number, { mutations }: Sent): void {
    const { begin, write, commit } = this.#params[at] as Params
    const own = mutations.filter(({ collection }) => collection.id === `collection ${at}`)
    if (own.length === 0) return
    const source = this.#source[at as 0]
    begin()
    for (const { type, key, modified } of own) {
      if (type === 'delete') write({ type: 'delete', key: key as Key })
      // What the source has by now it has changed, whatever it was asked for.
      else write({ type: source.has(key as Key) ? 'update' : 'insert', value: { ...modified } as Row })
      if (type === 'delete') source.delete(key as Key)
      else source.add(key as Key)
    }
    commit()
  }

  sync(
    at: number,
    said: readonly Said[],
    { truncate, immediate }: { truncate: boolean; immediate: boolean },
  ): void {
    const params = this.#params[at] as Params
    params.begin({ immediate })
    if (truncate) params.truncate()
    const source = this.#source[at as 0]
    if (truncate) source.clear()
    for (const { key, what, n } of said) {
      const value = at === 0 && what !== 'insert' ? { id: key, [what]: n } : { id: key, a: n, b: 3 - n }
      if (what === 'delete') params.write({ type: 'delete', key })
      else params.write({ type: source.has(key) || what !== 'insert' ? 'update' : 'insert', value })
      if (what === 'delete') source.delete(key)
      else source.add(key)
    }
    params.commit()
  }

  make(): void {
    const transaction = this.#library.createTransaction({
      autoCommit: false,
      mutationFn: (params) => this.#handle(params.transaction as unknown as Sent, false, 0),
    })
    transaction.isPersisted.promise.catch(() => {})
    this.transactions.push({ transaction: transaction as unknown as Sent, direct: false })
  }

  direct(change: Change, handler: 'later' | 'confirms' | 'throws'): void {
    this.#handler = handler
    this.write(change)
  }

  write({ at, key, what, n, optimistic }: Change): void {
    const collection = this.collections[at] as unknown as millrace.Collection<Row, Key>
    if (what === 'insert') collection.insert({ id: key, a: n, b: n } as never, { optimistic })
    else if (what === 'delete') collection.delete(key, { optimistic })
    else {
      collection.update(key, { optimistic }, (draft) => {
        ;(draft as Record<string, unknown>)[what] = n
      })
    }
  }

  restart(): void {
    for (const [at, collection] of this.collections.entries()) {
      for (const subscription of this.#subscriptions[at] ?? []) subscription.unsubscribe()
      void collection.cleanup()
      this.#source[at as 0].clear()
      collection.startSyncImmediate()
      this.#watch(at)
    }
    this.takeTold()
  }

  takeTold(): { readonly who: string; readonly changes: readonly Event[] }[] {
    const told = this.#told
    this.#told = []
    return told
  }

  end(): void {
    for (const { transaction } of this.transactions) {
      if (transaction.state === 'pending' || transaction.state === 'persisting') transaction.rollback()
    }
    for (const collection of this.collections) void collection.cleanup()
  }
}
