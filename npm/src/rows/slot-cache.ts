const SHIFT = 6
const PAGE = 1 << SHIFT
const MASK = PAGE - 1

interface Page<T> {
  readonly items: (T | undefined)[]
  used: number
}

/** A table from slots to values for few or many of a root's slots: pages of 64, empty ones given back. */
export class SlotCache<T> {
  readonly #pages: (Page<T> | undefined)[] = []

  get(slot: number): T | undefined {
    return this.#pages[slot >>> SHIFT]?.items[slot & MASK]
  }

  /** Stores a value for a slot. */
  set(slot: number, value: T): void {
    const at = slot >>> SHIFT
    let page = this.#pages[at]
    if (page === undefined) {
      while (this.#pages.length < at) this.#pages.push(undefined)
      page = { items: new Array<T | undefined>(PAGE).fill(undefined), used: 0 }
      this.#pages[at] = page
    }
    if (page.items[slot & MASK] === undefined) page.used++
    page.items[slot & MASK] = value
  }

  /** Forgets the value of a slot and returns it. */
  take(slot: number): T | undefined {
    const page = this.#pages[slot >>> SHIFT]
    const value = page?.items[slot & MASK]
    if (page === undefined || value === undefined) return undefined
    page.items[slot & MASK] = undefined
    if (--page.used === 0) this.#pages[slot >>> SHIFT] = undefined
    return value
  }

  clear(): void {
    this.#pages.length = 0
  }
}
