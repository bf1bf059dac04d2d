/** Orders up to this length, and changes of at most `FEW` rows, are worth patching when they arrive. */
const SMALL = 1024
const FEW = 16
/** Marks a moved row whose value changed as well. */
const CHANGED = 0x80000000
const HEADER = 6

const NOTHING = new Uint32Array(0)

/** The rows of a collection in order. Positional changes are applied as the engine describes them. */
export class OrderList {
  /** Number of rows. */
  length = 0
  /** Key id and slot of each row, one behind the other. Longer than the order may be. */
  pairs = NOTHING

  /** Takes in the whole order: pairs of key id and slot. */
  load(pairs: Uint32Array, at: number, n: number): void {
    // Most lists are loaded once, so the first time takes exactly what is there.
    if (fits(this.pairs, n)) this.pairs.set(pairs.subarray(at, at + 2 * n))
    else this.pairs = pairs.slice(at, at + 2 * n)
    this.length = n
  }

  clear(): void {
    this.length = 0
    this.pairs = NOTHING
  }

  /** Puts another slot in the place of `old`. Scans the list. */
  replaceSlot(old: number, slot: number): void {
    const { pairs } = this
    for (let i = 1; i < 2 * this.length; i += 2) {
      if (pairs[i] !== old) continue
      pairs[i] = slot
      return
    }
  }

  /**
   * Applies a layout, whose rows changed value as `slotNow` says. Returns false, having done nothing, when
   * reading the order again is cheaper or the layout is for another order than this.
   */
  apply(layout: Uint32Array, at: number, slotNow: (keyId: number) => number): boolean {
    const oldLength = layout[at] as number
    const newLength = layout[at + 1] as number
    const leaves = layout[at + 2] as number
    const moves = layout[at + 3] as number
    const enters = layout[at + 4] as number
    const updates = layout[at + 5] as number
    if (oldLength !== this.length) return false
    if (leaves + moves + enters > 0) {
      if (Math.max(oldLength, newLength) > SMALL && leaves + moves + enters > FEW) return false
      this.#rearrange(layout, at, slotNow)
    }
    const { pairs } = this
    const updateAt = at + HEADER + leaves + 2 * moves + 3 * enters
    for (let i = updateAt; i < updateAt + updates * 2; i += 2) {
      pairs[2 * (layout[i] as number) + 1] = layout[i + 1] as number
    }
    return true
  }

  /** Applies what leaves, moves and enters, in place: takes out from the front, then puts in from the back. */
  #rearrange(layout: Uint32Array, at: number, slotNow: (keyId: number) => number): void {
    const newLength = layout[at + 1] as number
    const leaves = layout[at + 2] as number
    let moves = layout[at + 3] as number
    let enters = layout[at + 4] as number
    const leaveAt = at + HEADER
    const moveAt = leaveAt + leaves
    const enterAt = moveAt + moves * 2
    const removed: number[] = []
    for (let i = 0; i < leaves; i++) removed.push(layout[leaveAt + i] as number)
    const moved: number[] = []
    for (let i = 0; i < moves; i++) {
      const from = layout[moveAt + 2 * i] as number
      const key = this.pairs[2 * from] as number
      const changed = ((layout[moveAt + 2 * i + 1] as number) & CHANGED) !== 0
      moved.push(key, changed ? slotNow(key) : (this.pairs[2 * from + 1] as number))
      removed.push(from)
    }
    if (moves > 0) removed.sort((a, b) => a - b)

    let end = this.#takeOut(removed)
    this.#reserve(newLength)
    const { pairs } = this
    for (let to = newLength; moves + enters > 0; ) {
      const moveTo = moves > 0 ? (layout[moveAt + 2 * moves - 1] as number) & ~CHANGED : -1
      const enterTo = enters > 0 ? (layout[enterAt + 3 * enters - 3] as number) : -1
      const place = Math.max(moveTo, enterTo)
      // What stays between this place and the one put in before.
      const run = to - place - 1
      pairs.copyWithin(2 * (place + 1), 2 * (end - run), 2 * end)
      end -= run
      to = place
      if (enterTo === place) {
        enters--
        pairs[2 * to] = layout[enterAt + 3 * enters + 1] as number
        pairs[2 * to + 1] = layout[enterAt + 3 * enters + 2] as number
      } else {
        moves--
        pairs[2 * to] = moved[2 * moves] as number
        pairs[2 * to + 1] = moved[2 * moves + 1] as number
      }
    }
    this.length = newLength
  }

  /** Closes the gaps that the rows at ascending places leave. Returns how many rows stay. */
  #takeOut(removed: readonly number[]): number {
    let to = removed.length > 0 ? (removed[0] as number) : this.length
    for (let i = 0; i < removed.length; i++) {
      const from = (removed[i] as number) + 1
      const end = i + 1 < removed.length ? (removed[i + 1] as number) : this.length
      this.pairs.copyWithin(2 * to, 2 * from, 2 * end)
      to += end - from
    }
    return to
  }

  /** Makes room for n rows, and not far too much; the rows so far stay. */
  #reserve(n: number): void {
    if (fits(this.pairs, n)) return
    const pairs = new Uint32Array(2 * (n + (n >> 2)))
    pairs.set(this.pairs.subarray(0, Math.min(pairs.length, 2 * this.length)))
    this.pairs = pairs
  }
}

/** Whether a list has room for n rows, and not far too much. */
function fits(pairs: Uint32Array, n: number): boolean {
  const rows = pairs.length >> 1
  return rows >= n && rows < 4 * n + 64
}
