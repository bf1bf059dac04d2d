type Key = string | number

/** A value to be stored under a name, or its removal. */
interface Entry {
  readonly value: unknown
  readonly removed: boolean
}

/** What an adapter stores beside the rows: a value per row, and values by name. */
export class Metadata {
  readonly #rows = new Map<Key, unknown>()
  readonly #collection = new Map<string, unknown>()

  /** The value stored with a row, or undefined. */
  row(key: Key): unknown {
    return this.#rows.get(key)
  }

  /** The value stored under a name, or undefined. */
  named(name: string): unknown {
    return this.#collection.get(name)
  }

  /** Whether anything is stored with a row. */
  get hasRows(): boolean {
    return this.#rows.size > 0
  }

  /** Names with their values. */
  names(): IterableIterator<[string, unknown]> {
    return this.#collection.entries()
  }

  setRow(key: Key, value: unknown, removed: boolean): void {
    if (removed) this.#rows.delete(key)
    else this.#rows.set(key, value)
  }

  setNamed(name: string, value: unknown, removed: boolean): void {
    if (removed) this.#collection.delete(name)
    else this.#collection.set(name, value)
  }

  /** All rows have gone. */
  clearRows(): void {
    this.#rows.clear()
  }

  clear(): void {
    this.#rows.clear()
    this.#collection.clear()
  }
}

/** What a sync transaction stores beside its rows; applied together with it. */
export class StagedMetadata {
  #truncates = false
  readonly #rows = new Map<Key, Entry>()
  readonly #collection = new Map<string, Entry>()

  /** Forgets what was staged for rows, and removes what is stored when applied. */
  truncate(): void {
    this.#truncates = true
    this.#rows.clear()
  }

  setRow(key: Key, value: unknown): void {
    this.#rows.set(key, { value, removed: false })
  }

  removeRow(key: Key): void {
    this.#rows.set(key, { value: undefined, removed: true })
  }

  /** As `removeRow`, unless something was staged for the row. */
  forgetRow(key: Key): void {
    if (!this.#rows.has(key)) this.removeRow(key)
  }

  setNamed(name: string, value: unknown): void {
    this.#collection.set(name, { value, removed: false })
  }

  removeNamed(name: string): void {
    this.#collection.set(name, { value: undefined, removed: true })
  }

  /** The value a row will have: staged, else applied. */
  row(key: Key, applied: Metadata): unknown {
    const staged = this.#rows.get(key)
    if (staged !== undefined) return staged.value
    return this.#truncates ? undefined : applied.row(key)
  }

  named(name: string, applied: Metadata): unknown {
    const staged = this.#collection.get(name)
    return staged === undefined ? applied.named(name) : staged.value
  }

  /** Names that begin with `prefix` and their values, staged over applied. */
  list(prefix: string, applied: Metadata): { key: string; value: unknown }[] {
    const found = new Map<string, unknown>()
    for (const [key, value] of applied.names()) if (key.startsWith(prefix)) found.set(key, value)
    for (const [key, { value, removed }] of this.#collection) {
      if (removed) found.delete(key)
      else if (key.startsWith(prefix)) found.set(key, value)
    }
    return Array.from(found, ([key, value]) => ({ key, value }))
  }

  /** Leaves to a later transaction, which is applied before this one, what both write. */
  yieldTo(later: StagedMetadata): void {
    for (const key of later.#rows.keys()) this.#rows.delete(key)
    for (const name of later.#collection.keys()) this.#collection.delete(name)
  }

  /** Keys of rows that something is staged for. */
  rowKeys(): IterableIterator<Key> {
    return this.#rows.keys()
  }

  applyTo(metadata: Metadata): void {
    if (this.#truncates) metadata.clearRows()
    for (const [key, { value, removed }] of this.#rows) metadata.setRow(key, value, removed)
    for (const [name, { value, removed }] of this.#collection) metadata.setNamed(name, value, removed)
  }
}
