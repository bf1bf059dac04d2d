import { Members, NONE } from './members.ts'
import { OrderList } from './order-list.ts'
import type { RowSource } from './row-source.ts'

/** In a list of up to this many rows a changed one is found faster by looking at all than through a table. */
const TINY = 16
/** So many rows are looked at rather than the whole order being read again. */
const SEARCHED = 1 << 14

/**
 * Which keys a collection shows under which slots, and in which order, as the engine says. Membership and
 * order are kept only as far as somebody looked: what is unknown is read from the engine at the next read.
 */
export class Mirror {
  /** Number of rows. */
  size = 0
  readonly #positional: boolean
  readonly #keyCapacity: () => number
  readonly #read: () => void
  readonly #order = new OrderList()
  #known = true
  #members: Members | undefined
  readonly #eager: boolean

  /**
   * `positional` says that a layout follows every change of the order; otherwise rows are in key order and
   * only the engine knows it. `keyCapacity` bounds the key ids; left out, membership is followed from the start.
   * `read` asks the engine for the order: `rows` is called before it returns.
   */
  constructor(positional: boolean, read: () => void, keyCapacity?: () => number) {
    this.#positional = positional
    this.#read = read
    this.#keyCapacity = keyCapacity ?? (() => 0)
    this.#eager = keyCapacity === undefined
    if (this.#eager) this.#members = new Members(0, 0)
  }

  /** The slot a key id is shown under, or NONE. The first call builds the membership: O(size). */
  slotOf(keyId: number): number {
    return this.#needMembers().slotOf(keyId)
  }

  /** Takes in changes: triples of key id, old slot, new slot. */
  install(triples: Uint32Array, at: number, n: number): void {
    const end = at + n * 3
    let size = this.size
    let inPlace = true
    for (let i = at; i < end; i += 3) {
      if (triples[i + 1] === NONE) size++
      else if (triples[i + 2] === NONE) size--
      else continue
      inPlace = false
    }
    this.size = size
    if (!this.#positional) {
      if (!inPlace) this.#known = false
      else this.#keepSlots(triples, at, n)
    }
    this.#setMembers(triples, at, n)
  }

  /** Takes in slots that took the place of others without a visible change. */
  rebind(triples: Uint32Array, at: number, n: number): void {
    this.#keepSlots(triples, at, n)
    this.#setMembers(triples, at, n)
  }

  /**
   * Makes sure that the order goes on to lead to the right slots after rows that stay in place got new ones. Rows
   * in key order are found through the membership; a list with positions is searched while that is little work.
   */
  #keepSlots(triples: Uint32Array, at: number, n: number): void {
    if (!this.#known) return
    if (!this.#positional && this.#members !== undefined) return
    if (this.size <= TINY || (this.#positional && n * this.size <= SEARCHED)) {
      for (let i = at; i < at + n * 3; i += 3) {
        this.#order.replaceSlot(triples[i + 1] as number, triples[i + 2] as number)
      }
    } else if (this.#positional) this.#known = false
    else this.#buildMembers()
  }

  #setMembers(triples: Uint32Array, at: number, n: number): void {
    const members = this.#members
    if (members === undefined) return
    for (let i = at; i < at + n * 3; i += 3) members.set(triples[i] as number, triples[i + 2] as number)
  }

  /** Takes in a layout; the n triples are the changes installed with it. */
  layout(words: Uint32Array, at: number, triplesAt: number, n: number): void {
    if (!this.#positional || !this.#known) return
    this.#known = this.#order.apply(words, at, (keyId) => {
      for (let i = triplesAt; i < triplesAt + n * 3; i += 3)
        if (words[i] === keyId) return words[i + 2] as number
      return NONE
    })
  }

  /** Takes in the whole content in order: pairs of key id and slot. */
  rows(pairs: Uint32Array, at: number, n: number): void {
    this.#order.load(pairs, at, n)
    this.size = n
    this.#known = true
    if (this.#members !== undefined) this.#buildMembers()
  }

  /** The order has changed, and only the engine knows how. */
  forgetOrder(): void {
    this.#known = false
  }

  /** Forgets all rows. */
  empty(): void {
    this.size = 0
    this.#order.clear()
    this.#known = true
    this.#members = this.#eager ? new Members(0, 0) : undefined
  }

  /** Whether the order is known, so that reading it does not need the engine. */
  get readable(): boolean {
    return this.#known
  }

  /** Visits the rows in order. A change of the order is read from the engine first. */
  visit(visitor: (keyId: number, slot: number) => void): void {
    const { pairs, length } = this.#needOrder()
    // Without positions only the membership follows the values of rows that stay in place.
    const members = this.#positional ? undefined : this.#members
    for (let i = 0; i < 2 * length; i += 2) {
      const key = pairs[i] as number
      visitor(key, members === undefined ? (pairs[i + 1] as number) : members.slotOf(key))
    }
  }

  /** The rows in order, as `source` has them. */
  rowsFrom(source: RowSource): object[] {
    const { pairs, length } = this.#needOrder()
    const members = this.#positional ? undefined : this.#members
    const rows: object[] = []
    for (let i = 0; i < 2 * length; i += 2) {
      const slot = members === undefined ? pairs[i + 1] : members.slotOf(pairs[i] as number)
      rows.push(source.row(slot as number))
    }
    return rows
  }

  #needOrder(): OrderList {
    if (!this.#known) this.#read()
    return this.#order
  }

  #needMembers(): Members {
    return this.#members ?? this.#buildMembers()
  }

  #buildMembers(): Members {
    const { pairs, length } = this.#needOrder()
    const members = new Members(length, this.#keyCapacity())
    for (let i = 0; i < 2 * length; i += 2) members.set(pairs[i] as number, pairs[i + 1] as number)
    this.#members = members
    return members
  }
}
