/** The rules of docs/writes.md in their simplest terms: what is visible is recomputed from scratch at every look. */

export type Key = string | number
export type Fields = Readonly<Record<string, unknown>> & { readonly id: Key }
/** A row as it is shown, its standing included. */
export type Shown = Fields & { readonly $synced: boolean; readonly $origin: 'local' | 'remote' }

/** An operation of a sync transaction: a whole row, some fields, or a removal. */
export interface SyncOp {
  readonly kind: 'put' | 'merge' | 'delete'
  readonly key: Key
  readonly row?: Fields
}

export interface SyncBatch {
  readonly ops: SyncOp[]
  truncates: boolean
  immediate: boolean
}

/** What a transaction does to a row. */
export interface Write {
  readonly kind: 'insert' | 'update' | 'delete'
  /** Of an insert or an update: the row it is expected to show. */
  readonly row: Fields
  /** Of an update or a delete: the row before the transaction. */
  readonly original: Fields
  /** Of an update: the fields it sets, undefined for those it removes. */
  readonly changes: Readonly<Record<string, unknown>>
  readonly silent: boolean
  /** Of an update: it stands for a delete and an insert, and puts its row in the place of whatever is there. */
  readonly replaces?: boolean | undefined
}

/** A transaction: its writes by collection and key. */
export class ModelTransaction {
  readonly number: number
  readonly direct: boolean
  state: 'pending' | 'persisting' | 'completed' | 'failed' = 'pending'
  readonly writes = new Map<ModelRoot, Map<Key, Write>>()
  /** What the source has said something of since it was written. */
  readonly #answered = new Map<ModelRoot, Set<Key>>()

  constructor(number: number, direct: boolean) {
    this.number = number
    this.direct = direct
  }

  get empty(): boolean {
    return [...this.writes.values()].every((writes) => writes.size === 0)
  }

  of(root: ModelRoot): Map<Key, Write> {
    const writes = this.writes.get(root) ?? new Map<Key, Write>()
    this.writes.set(root, writes)
    return writes
  }

  /** The source says something of a key: it confirms a write that nobody has been told of. */
  answer(root: ModelRoot, key: Key): void {
    if (!this.of(root).has(key)) return
    if (this.direct && this.state === 'pending') this.of(root).delete(key)
    else this.#answered.set(root, (this.#answered.get(root) ?? new Set()).add(key))
  }

  answered(root: ModelRoot, key: Key): boolean {
    return this.#answered.get(root)?.has(key) === true
  }

  /** The collection starts anew. */
  forget(root: ModelRoot): void {
    this.#answered.delete(root)
  }

  /** A copy of the writes, to go back to. */
  saved(): Map<ModelRoot, Map<Key, Write>> {
    return new Map([...this.writes].map(([root, writes]) => [root, new Map(writes)]))
  }

  sharesRows(other: ModelTransaction): boolean {
    return [...this.writes].some(([root, writes]) =>
      [...writes.keys()].some((key) => other.of(root).has(key)),
    )
  }
}

/** One collection. */
export class ModelRoot {
  running = true
  readonly confirmed = new Map<Key, Fields>()
  readonly #local = new Set<Key>()
  readonly #marks = new Set<Key>()
  #kept: { readonly key: Key; readonly write: Write }[] = []
  waiting: SyncBatch[] = []
  open: SyncBatch[] = []
  readonly #model: Model

  constructor(model: Model) {
    this.#model = model
  }

  layers(key: Key): Write[] {
    const kept = this.#kept.filter((one) => one.key === key).map(({ write }) => write)
    return [...kept, ...this.#model.running.flatMap((one) => one.writes.get(this)?.get(key) ?? [])]
  }

  visible(key: Key): Shown | undefined {
    if (!this.running) return undefined
    let row = this.confirmed.get(key)
    let pending = false
    for (const { kind, row: whole, changes, silent, replaces } of this.layers(key)) {
      if (silent) continue
      if (kind === 'delete') row = undefined
      else if (kind === 'insert' || replaces) row = whole
      else if (row !== undefined) row = changed(row, changes)
      pending = row !== undefined && (pending || kind !== 'delete')
    }
    if (row === undefined) return undefined
    return { ...row, $synced: !pending, $origin: pending || this.#local.has(key) ? 'local' : 'remote' }
  }

  rows(): Map<Key, Shown> {
    const rows = new Map<Key, Shown>()
    for (const key of this.#model.keys) {
      const row = this.visible(key)
      if (row !== undefined) rows.set(key, row)
    }
    return rows
  }

  put(transaction: ModelTransaction, key: Key, write: Write | undefined): void {
    if (write !== undefined) {
      transaction.of(this).set(key, write)
      this.#marks.add(key)
    } else {
      transaction.of(this).delete(key)
      this.#unmark(key)
    }
  }

  /** Whether the batch was applied at once. */
  commit(batch: SyncBatch): boolean {
    if (batch.truncates || batch.immediate) {
      const before = this.waiting
      this.waiting = []
      for (const one of [...before, batch]) this.#apply(one)
      return true
    }
    if (this.#blocked(batch)) {
      this.waiting.push(batch)
      return false
    }
    this.#apply(batch)
    return true
  }

  /** Ends transactions that have left the list of those under way. */
  settle(ending: readonly ModelTransaction[], outcome: 'failed' | 'direct' | 'completed'): void {
    const wrote = ending.filter((one) => one.writes.has(this))
    if (wrote.length === 0) return
    if (outcome !== 'completed') {
      for (const one of wrote) this.#leave(one, (key) => outcome === 'direct' && !one.answered(this, key))
    }
    const before = this.waiting
    this.waiting = []
    for (const batch of before) {
      if (this.#blocked(batch)) this.waiting.push(batch)
      else this.#apply(batch)
    }
    if (outcome === 'completed') {
      const said = new Set([...this.waiting, ...this.open].flatMap(({ ops }) => ops.map(({ key }) => key)))
      for (const one of wrote) this.#leave(one, (key) => said.has(key))
    }
  }

  /** Cleaned up: what is left are the transactions under way. */
  stop(): void {
    this.running = false
    this.confirmed.clear()
    this.#local.clear()
    this.#marks.clear()
    this.#kept = []
    this.waiting = []
    this.open = []
  }

  start(): void {
    this.running = true
    for (const one of this.#model.running) {
      one.forget(this)
      for (const key of one.of(this).keys()) this.#marks.add(key)
    }
  }

  #leave(one: ModelTransaction, keeps: (key: Key) => boolean): void {
    for (const [key, write] of one.of(this)) {
      one.of(this).delete(key)
      if (this.running && keeps(key)) this.#kept.push({ key, write })
      else if (one.state === 'failed') this.#unmark(key)
    }
  }

  #unmark(key: Key): void {
    if (this.layers(key).length === 0) this.#marks.delete(key)
  }

  #blocked(batch: SyncBatch): boolean {
    const sending = this.#model.running.filter((one) => one.state === 'persisting')
    const writes = sending.flatMap((one) => [...one.of(this)])
    if (writes.length === 0) return false
    if (writes.some(([, { kind, replaces }]) => kind === 'insert' || replaces)) return true
    const busy = new Set(writes.map(([key]) => key))
    for (const { ops } of this.waiting) for (const { key } of ops) busy.add(key)
    return batch.ops.some(({ key }) => busy.has(key))
  }

  #apply({ ops, truncates }: SyncBatch): void {
    const written = (key: Key) => this.#marks.has(key) || this.layers(key).length > 0
    const before = new Set(ops.map(({ key }) => key).filter(written))
    this.#kept = []
    if (!truncates) for (const { key } of ops) for (const one of this.#model.running) one.answer(this, key)
    const said = new Set(ops.map(({ key }) => key))
    if (truncates) {
      for (const key of this.confirmed.keys()) said.add(key)
      this.confirmed.clear()
      this.#local.clear()
      for (const key of before) if (!written(key)) before.delete(key)
    }
    for (const { kind, key, row } of ops) {
      if (kind === 'delete') this.confirmed.delete(key)
      else
        this.confirmed.set(
          key,
          kind === 'put' ? (row as Fields) : { ...this.confirmed.get(key), ...(row as Fields) },
        )
      if (before.has(key) && this.confirmed.has(key)) this.#local.add(key)
      else this.#local.delete(key)
    }
    for (const key of said)
      if (!this.#model.running.some((one) => one.of(this).has(key))) this.#marks.delete(key)
  }
}

/** All collections and the transactions under way, in the order in which they were made. */
export class Model {
  readonly keys: readonly Key[]
  running: ModelTransaction[] = []
  readonly roots: readonly ModelRoot[]
  #made = 0

  constructor(keys: readonly Key[], roots: number) {
    this.keys = keys
    this.roots = Array.from({ length: roots }, () => new ModelRoot(this))
  }

  make(direct: boolean): ModelTransaction {
    const made = new ModelTransaction(++this.#made, direct)
    this.running.push(made)
    return made
  }

  /** Ends a transaction; one that fails takes those along that are not being sent and share a row with it. */
  end(transaction: ModelTransaction, state: 'completed' | 'failed'): void {
    const ending = [transaction]
    if (state === 'failed') {
      for (const other of this.running) {
        if (other !== transaction && other.state === 'pending' && other.sharesRows(transaction))
          ending.push(other)
      }
    }
    for (const one of ending) one.state = state
    // Those that are done with keep their layers until what waited for them is in.
    const outcome = state === 'failed' ? 'failed' : transaction.direct ? 'direct' : 'completed'
    for (const root of this.roots) root.settle(ending, outcome)
    this.running = this.running.filter((one) => !ending.includes(one))
  }
}

/** What a transaction does to a row after it did `before` and then `now`. */
export function merged(before: Write | undefined, now: Write): Write | undefined {
  if (before === undefined) return now
  const silent = before.silent || now.silent
  if (before.kind === 'insert' && now.kind === 'delete') return undefined
  if (before.kind === 'insert' && now.kind === 'update') return { ...before, row: now.row }
  if (before.kind === 'update' && now.kind === 'update') {
    return {
      ...now,
      original: before.original,
      changes: { ...before.changes, ...now.changes },
      replaces: before.replaces,
    }
  }
  if (before.kind === 'delete' && now.kind === 'insert') {
    const { original } = before
    const changes: Record<string, unknown> = {}
    for (const name of Object.keys(original)) if (!(name in now.row)) changes[name] = undefined
    for (const [name, value] of Object.entries(now.row)) if (original[name] !== value) changes[name] = value
    return { kind: 'update', row: now.row, original, changes, silent, replaces: true }
  }
  return now
}

/** A row with changes laid over it; undefined removes a field. */
export function changed(row: Fields, changes: Readonly<Record<string, unknown>>): Fields {
  const next: Record<string, unknown> = { ...row, ...changes }
  for (const [name, value] of Object.entries(changes)) if (value === undefined) delete next[name]
  return next as Fields
}
