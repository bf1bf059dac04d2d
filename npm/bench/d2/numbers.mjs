/** Checksums and random numbers that tests/bench/d2/rows.go makes just so. */

/** Takes a number into the checksum of a row. */
export function fold(h, x) {
  const mixed = Math.imul(h ^ x, 0x9e3779b1)
  return mixed ^ (mixed >>> 15)
}

/** The checksum of a row of a table. */
export const checksumOf = (row) => fold(fold(fold(0, row.key), row.a), row.b)

export class Dice {
  #state

  constructor(seed) {
    this.#state = seed
  }

  below(n) {
    this.#state = (Math.imul(this.#state, 1664525) + 1013904223) >>> 0
    return (this.#state >>> 4) % n
  }
}
