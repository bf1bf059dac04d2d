/** How far a row version is confirmed. */
export const Standing = {
  /** Confirmed by the source. */
  remote: 0,
  /** Confirmed after a local write. */
  local: 1,
  /** Made by local writes that are not confirmed. */
  pending: 2,
} as const

/** The standings of slots. Most collections never have another than `remote`, so the table is made for the first other one. */
export class Standings {
  #bySlot: Uint8Array | undefined

  of(slot: number): number {
    return this.#bySlot?.[slot] ?? Standing.remote
  }

  set(slot: number, standing: number): void {
    let table = this.#bySlot
    if (table === undefined || slot >= table.length) {
      if (standing === Standing.remote) return
      const grown = new Uint8Array(Math.max(64, slot + 1, (table?.length ?? 0) * 2))
      if (table !== undefined) grown.set(table)
      this.#bySlot = table = grown
    }
    table[slot] = standing
  }

  clear(): void {
    this.#bySlot = undefined
  }
}
