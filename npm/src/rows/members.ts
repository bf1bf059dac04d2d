/** "No slot" in engine messages. */
export const NONE = 0xffffffff

/** A table by key id costs 4 bytes per key of the root, a map about 16 per row. */
const SPARSE_BELOW = 16

/** Which key ids a collection shows, and under which slots. */
export class Members {
  #dense: Uint32Array | undefined
  readonly #sparse: Map<number, number> | undefined

  /** For `size` rows out of `keyCapacity` key ids. */
  constructor(size: number, keyCapacity: number) {
    if (size * SPARSE_BELOW < keyCapacity) this.#sparse = new Map()
    else this.#dense = new Uint32Array(Math.max(16, keyCapacity)).fill(NONE)
  }

  /** The slot of a key id, or NONE. */
  slotOf(keyId: number): number {
    const dense = this.#dense
    if (dense !== undefined) return keyId < dense.length ? (dense[keyId] as number) : NONE
    return this.#sparse?.get(keyId) ?? NONE
  }

  /** Sets the slot of a key id; NONE removes it. */
  set(keyId: number, slot: number): void {
    let dense = this.#dense
    if (dense === undefined) {
      if (slot === NONE) this.#sparse?.delete(keyId)
      else this.#sparse?.set(keyId, slot)
      return
    }
    if (keyId >= dense.length) {
      if (slot === NONE) return
      const grown = new Uint32Array(Math.max(keyId + 1, dense.length * 2)).fill(NONE)
      grown.set(dense)
      this.#dense = dense = grown
    }
    dense[keyId] = slot
  }
}
