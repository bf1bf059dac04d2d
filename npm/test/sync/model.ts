/** Confirmed rows, local writes over them and sync transactions that wait, in their simplest terms. */

export type Key = string | number
export interface Fields {
  readonly id: Key
  readonly a?: number
  readonly b?: number
}
export interface Shown extends Fields {
  readonly $synced: boolean
  readonly $origin: 'local' | 'remote'
}

/** An operation of a sync transaction: `put` a whole row, `merge` some fields, or delete. */
export type SyncOp = { readonly key: Key } & (
  | { readonly op: 'put' | 'merge'; readonly row: Fields }
  | { readonly op: 'delete' }
)

export class SyncCommit {
  readonly ops: SyncOp[] = []
  /** Values by key and by name; undefined removes. */
  readonly rows = new Map<Key, unknown>()
  readonly names = new Map<string, unknown>()
  truncates = false
  immediate = false
  /** Place in the order of commits. */
  number = 0

  get keys(): Set<Key> {
    return new Set([...this.ops.map(({ key }) => key), ...this.rows.keys()])
  }
}

export type Effect =
  | { readonly kind: 'insert'; readonly row: Fields; readonly at: number }
  | { readonly kind: 'patch'; readonly changes: Partial<Fields> }
  | { readonly kind: 'delete' }

export interface Layer {
  readonly effect: Effect
  readonly silent: boolean
  /** The row before the transaction touched it; of an insert, nothing. */
  readonly original: Fields | undefined
}

export interface Local {
  readonly number: number
  readonly direct: boolean
  sending: boolean
  readonly layers: Map<Key, Layer>
  /** Keys the source has said something about since. */
  readonly answered: Set<Key>
}

interface Confirmed {
  readonly row: Fields
  readonly origin: 'local' | 'remote'
}

export class Model {
  readonly confirmed = new Map<Key, Confirmed>()
  readonly rowMetadata = new Map<Key, unknown>()
  readonly named = new Map<string, unknown>()
  readonly #writtenBy = new Map<string, number>()
  /** In the order in which they were made. */
  locals: Local[] = []
  kept: { readonly key: Key; readonly layer: Layer }[] = []
  waiting: SyncCommit[] = []
  open: SyncCommit[] = []
  readonly #marks = new Set<Key>()
  #commits = 0
  #inserts = 0

  nextPlace(): number {
    return ++this.#inserts
  }

  /** Whether the transaction was applied at once. */
  commit(commit: SyncCommit): boolean {
    commit.number = ++this.#commits
    if (!commit.truncates && !commit.immediate && this.#blocked(commit, this.waiting)) {
      this.waiting.push(commit)
      return false
    }
    if (commit.truncates || commit.immediate) {
      const before = this.waiting
      this.waiting = []
      for (const one of before) this.#apply(one)
    }
    this.#apply(commit)
    return true
  }

  #blocked(commit: SyncCommit, ahead: readonly SyncCommit[]): boolean {
    const sending = this.locals.filter((local) => local.sending && local.layers.size > 0)
    if (sending.length === 0) return false
    const layers = sending.flatMap((local) => [...local.layers.values()])
    if (layers.some(({ effect }) => effect.kind === 'insert')) return true
    const busy = (key: Key) =>
      sending.some((local) => local.layers.has(key)) || ahead.some((other) => other.keys.has(key))
    return [...commit.keys].some(busy)
  }

  #apply(commit: SyncCommit): void {
    const local = new Set(
      [...commit.keys].filter((key) => this.#marks.has(key) || this.layersOf(key).length > 0),
    )
    this.kept = []
    if (!commit.truncates) {
      for (const { key } of commit.ops)
        for (const { layers, answered } of this.locals) if (layers.has(key)) answered.add(key)
    }
    if (commit.truncates) {
      for (const key of this.confirmed.keys()) this.#unmark(key)
      this.confirmed.clear()
      this.rowMetadata.clear()
    }
    for (const op of commit.ops) {
      const { key } = op
      const origin = local.has(key) ? 'local' : 'remote'
      if (op.op === 'delete') this.confirmed.delete(key)
      else {
        const below = op.op === 'merge' ? this.confirmed.get(key)?.row : undefined
        this.confirmed.set(key, { row: { ...below, ...op.row }, origin })
      }
      if (op.op !== 'merge' && !commit.rows.has(key)) this.rowMetadata.delete(key)
      this.#unmark(key)
    }
    for (const [key, value] of commit.rows) {
      if (value === undefined) this.rowMetadata.delete(key)
      else this.rowMetadata.set(key, value)
    }
    for (const [name, value] of commit.names) {
      if ((this.#writtenBy.get(name) ?? 0) > commit.number) continue
      this.#writtenBy.set(name, commit.number)
      if (value === undefined) this.named.delete(name)
      else this.named.set(name, value)
    }
  }

  /** The source has said something about a key: that confirms what was done to it, unless more is under way. */
  #unmark(key: Key): void {
    if (!this.locals.some(({ layers }) => layers.has(key))) this.#marks.delete(key)
  }

  put(local: Local, key: Key, layer: Layer | undefined): void {
    if (layer === undefined) {
      local.layers.delete(key)
      if (this.layersOf(key).length === 0) this.#marks.delete(key)
    } else {
      local.layers.set(key, layer)
      this.#marks.add(key)
    }
  }

  settle(locals: readonly Local[], outcome: 'failed' | 'direct' | 'completed'): void {
    for (const local of locals) {
      this.locals = this.locals.filter((other) => other !== local)
      for (const [key, layer] of local.layers) {
        const said = [...this.waiting, ...this.open].some((commit) => commit.keys.has(key))
        const unanswered = outcome === 'direct' && !local.answered.has(key)
        if (unanswered || (outcome === 'completed' && said)) this.kept.push({ key, layer })
        else if (outcome === 'failed' && this.layersOf(key).length === 0) this.#marks.delete(key)
      }
    }
    const before = this.waiting
    this.waiting = []
    for (const commit of before) {
      if (this.#blocked(commit, this.waiting)) this.waiting.push(commit)
      else this.#apply(commit)
    }
  }

  /** The collection was cleaned up and started again. */
  restart(): void {
    this.confirmed.clear()
    this.rowMetadata.clear()
    this.named.clear()
    this.#writtenBy.clear()
    this.kept = []
    this.waiting = []
    this.open = []
    this.#marks.clear()
    for (const local of this.locals) {
      local.answered.clear()
      for (const [key, layer] of local.layers) {
        const { effect } = layer
        this.put(
          local,
          key,
          effect.kind === 'insert' ? { ...layer, effect: { ...effect, at: this.nextPlace() } } : layer,
        )
      }
    }
  }

  layersOf(key: Key, before?: Local): Layer[] {
    const under = before === undefined ? this.locals.length : this.locals.indexOf(before)
    return [
      ...this.kept.filter((one) => one.key === key).map(({ layer }) => layer),
      ...this.locals.slice(0, under).flatMap(({ layers }) => layers.get(key) ?? []),
    ]
  }

  /** The row that a transaction changes. */
  under(local: Local, key: Key): Shown | undefined {
    return this.#fold(key, local)?.row
  }

  shown(key: Key): Shown | undefined {
    return this.#fold(key)?.row
  }

  #fold(key: Key, before?: Local): { row: Shown; at: number } | undefined {
    const below = this.confirmed.get(key)
    let row = below?.row
    let pending = false
    let at = 0
    for (const { effect, silent } of this.layersOf(key, before)) {
      if (silent) continue
      if (effect.kind === 'insert') {
        row = effect.row
        at = effect.at
        pending = true
      } else if (effect.kind === 'delete') row = undefined
      else if (row !== undefined) {
        row = { ...row, ...effect.changes }
        pending = true
      }
    }
    if (row === undefined) return undefined
    const $origin = pending ? 'local' : (below as Confirmed).origin
    return { row: { ...row, $synced: !pending, $origin }, at: below === undefined ? at : 0 }
  }

  /** Confirmed keys in key order, then the others in order of insertion. */
  rows(): Map<Key, Shown> {
    const keys = new Set([
      ...this.confirmed.keys(),
      ...this.kept.map(({ key }) => key),
      ...this.locals.flatMap(({ layers }) => [...layers.keys()]),
    ])
    const found = [...keys].flatMap((key) => {
      const one = this.#fold(key)
      return one === undefined ? [] : [{ key, ...one }]
    })
    found.sort((a, b) => a.at - b.at || byKey(a.key, b.key))
    return new Map(found.map(({ key, row }) => [key, row]))
  }
}

export function byKey(a: Key, b: Key): number {
  if (typeof a !== typeof b) return typeof a === 'string' ? -1 : 1
  return a < b ? -1 : a > b ? 1 : 0
}
