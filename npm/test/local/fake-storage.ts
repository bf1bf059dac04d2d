/** A storage shared by tabs, with events that arrive when the test says so. */
import type { StorageApi, StorageEventApi } from '../../src/index.ts'

type Listener = Parameters<StorageEventApi['addEventListener']>[1]

export class FakeStorage {
  readonly items = new Map<string, string>()
  readonly #tabs: FakeTab[] = []
  /** How many of the next writes are refused. */
  full = 0

  /** What one tab sees of the storage. */
  tab(): FakeTab {
    const tab = new FakeTab(this)
    this.#tabs.push(tab)
    return tab
  }

  /** Tells all tabs but one of a change, later. */
  changed(by: FakeTab, key: string | null): void {
    for (const tab of this.#tabs) if (tab !== by) tab.events.push(key)
  }

  /** Delivers all events that have not arrived. */
  deliver(): void {
    for (const tab of this.#tabs) tab.deliver()
  }
}

export class FakeTab implements StorageApi, StorageEventApi {
  readonly #storage: FakeStorage
  readonly listeners = new Set<Listener>()
  readonly events: (string | null)[] = []
  reads = 0
  writes = 0

  constructor(storage: FakeStorage) {
    this.#storage = storage
  }

  getItem(key: string): string | null {
    this.reads++
    return this.#storage.items.get(key) ?? null
  }

  setItem(key: string, value: string): void {
    this.writes++
    if (this.#storage.full > 0) {
      this.#storage.full--
      throw new Error('QuotaExceeded')
    }
    this.#storage.items.set(key, value)
    this.#storage.changed(this, key)
  }

  removeItem(key: string): void {
    this.#storage.items.delete(key)
    this.#storage.changed(this, key)
  }

  addEventListener(_: 'storage', listener: Listener): void {
    this.listeners.add(listener)
  }

  removeEventListener(_: 'storage', listener: Listener): void {
    this.listeners.delete(listener)
  }

  /** Delivers the events that have not arrived in this tab. */
  deliver(): void {
    for (const key of this.events.splice(0)) this.dispatch({ key, storageArea: this })
  }

  dispatch(event: Parameters<Listener>[0]): void {
    for (const listener of this.listeners) listener(event)
  }
}
