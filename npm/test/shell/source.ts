/** A collection fed by hand, and what tests look at. */
import { type Collection, type CollectionConfig, createCollection, type SyncParams } from '../../src/index.ts'

export type Row = { id: string | number } & Record<string, unknown>
type Params = SyncParams<Row, string | number>

export interface Source {
  readonly collection: Collection<Row>
  /** What the latest session's sync function received. */
  readonly params: Params
  /** Number of sessions so far. */
  readonly sessions: number
  /** One transaction. */
  commit(write: (params: Params) => void): void
  insert(...rows: Row[]): void
  update(...rows: Row[]): void
  remove(...keys: (string | number)[]): void
}

export interface SourceOptions extends Partial<Omit<CollectionConfig<Row>, 'sync'>> {
  readonly rows?: readonly Row[]
  readonly ready?: boolean
  readonly rowUpdateMode?: 'partial' | 'full'
  readonly onSync?: (params: Params) => ReturnType<CollectionConfig<Row>['sync']['sync']>
}

export function source(options: SourceOptions = {}): Source {
  const { rows = [], ready = true, rowUpdateMode = 'full', onSync, ...config } = options
  let params: Params | undefined
  let sessions = 0
  const collection = createCollection<Row>({
    getKey: (row) => row.id,
    startSync: true,
    ...config,
    sync: {
      rowUpdateMode,
      sync: (given) => {
        params = given
        sessions++
        if (rows.length > 0) {
          given.begin()
          for (const value of rows) given.write({ type: 'insert', value })
          given.commit()
        }
        if (ready) given.markReady()
        return onSync?.(given)
      },
    },
  })
  const commit = (write: (params: Params) => void) => {
    const open = params as Params
    open.begin()
    write(open)
    open.commit()
  }
  return {
    collection,
    get params() {
      return params as Params
    },
    get sessions() {
      return sessions
    },
    commit,
    insert: (...values) => commit(({ write }) => values.forEach((value) => write({ type: 'insert', value }))),
    update: (...values) => commit(({ write }) => values.forEach((value) => write({ type: 'update', value }))),
    remove: (...keys) => commit(({ write }) => keys.forEach((key) => write({ type: 'delete', key }))),
  }
}

/** A row without its virtual properties, at any depth. */
export function plain<T>(value: T): T {
  if (Array.isArray(value)) return value.map(plain) as T
  if (!isPlain(value)) return value
  const entries = Object.entries(value).filter(([name]) => !name.startsWith('$'))
  return Object.fromEntries(entries.map(([name, inner]) => [name, plain(inner)])) as T
}

/** Whether a value is an object that is nothing but its fields. */
export function isPlain(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

export const list = (collection: { readonly toArray: unknown[] }) => plain(collection.toArray)

/** Lets microtasks and timers of no delay run. */
export async function settle(): Promise<void> {
  for (let i = 0; i < 3; i++) await new Promise((resolve) => setTimeout(resolve, 0))
}

/** Runs `run` and gives the errors that were reported instead of thrown. */
export async function reported(run: () => unknown): Promise<unknown[]> {
  const errors: unknown[] = []
  const others = process.listeners('uncaughtException')
  process.removeAllListeners('uncaughtException')
  process.on('uncaughtException', (error) => errors.push(error))
  try {
    await run()
    await settle()
  } finally {
    process.removeAllListeners('uncaughtException')
    for (const listener of others) process.on('uncaughtException', listener)
  }
  return errors
}
