import { NONE } from './members.ts'

/** Orders up to this length, and changes of at most `FEW` rows, are worth patching when they arrive. */
const SMALL = 1024
const FEW = 16
/** Marks a moved row whose value changed as well. */
const CHANGED = 0x80000000
const HEADER = 6
/** Up to this many words are copied by a loop, which is faster than a call and its view for them. */
const SHORT_RUN = 128

const NOTHING = new Uint32Array(0)

/** The rows of a collection in order. Positional changes are applied as the engine describes them. */
export class OrderList {
  /** Number of rows. */
  length = 0
  /** Key id and slot of each row, one behind the other. Longer than the order may be. */
  pairs = NOTHING
  #spare = NOTHING

  /** Takes in the whole order: pairs of key id and slot. */
  load(pairs: Uint32Array, at: number, n: number): void {
    // Most lists are loaded once, so the first time takes exactly what is there.
    if (fits(this.pairs, n)) this.pairs.set(pairs.subarray(at, at + 2 * n))
    else this.pairs = pairs.slice(at, at + 2 * n)
    this.length = n
  }

  clear(): void {
    this.length = 0
    this.pairs = this.#spare = NOTHING
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

  /** Applies what leaves, moves and enters: the order is put together anew in the spare list. */
  #rearrange(layout: Uint32Array, at: number, slotNow: (keyId: number) => number): void {
    const newLength = layout[at + 1] as number
    const leaves = layout[at + 2] as number
    const moves = layout[at + 3] as number
    const enters = layout[at + 4] as number
    const leaveAt = at + HEADER
    const moveAt = leaveAt + leaves
    const enterAt = moveAt + moves * 2
    const removed: number[] = []
    for (let i = 0; i < leaves; i++) removed.push(layout[leaveAt + i] as number)
    for (let i = 0; i < moves; i++) removed.push(layout[moveAt + 2 * i] as number)
    if (moves > 0) removed.sort((a, b) => a - b)
    const old = this.pairs
    const pairs = fits(this.#spare, newLength)
      ? this.#spare
      : new Uint32Array(2 * (newLength + (newLength >> 2)))
    let from = 0
    let nextRemoved = 0
    let move = 0
    let enter = 0
    for (let to = 0; to < newLength; ) {
      const moveTo = move < moves ? ((layout[moveAt + 2 * move + 1] as number) & ~CHANGED) >>> 0 : NONE
      const enterTo = enter < enters ? (layout[enterAt + 3 * enter] as number) : NONE
      if (to === enterTo) {
        pairs[2 * to] = layout[enterAt + 3 * enter + 1] as number
        pairs[2 * to++ + 1] = layout[enterAt + 3 * enter++ + 2] as number
        continue
      }
      if (to === moveTo) {
        const source = layout[moveAt + 2 * move] as number
        const changed = ((layout[moveAt + 2 * move++ + 1] as number) & CHANGED) !== 0
        const key = old[2 * source] as number
        pairs[2 * to] = key
        pairs[2 * to++ + 1] = changed ? slotNow(key) : (old[2 * source + 1] as number)
        continue
      }
      while (nextRemoved < removed.length && removed[nextRemoved] === from) {
        nextRemoved++
        from++
      }
      // Everything up to the next place where something is taken out or put in stays side by side.
      const stop = nextRemoved < removed.length ? (removed[nextRemoved] as number) : this.length
      const run = Math.min(stop - from, Math.min(moveTo, enterTo, newLength) - to)
      if (run <= 0) break
      copyWords(old, 2 * from, pairs, 2 * to, 2 * run)
      from += run
      to += run
    }
    this.#spare = old
    this.pairs = pairs
    this.length = newLength
  }
}

/** Whether a list has room for n rows, and not far too much. */
function fits(pairs: Uint32Array, n: number): boolean {
  const rows = pairs.length >> 1
  return rows >= n && rows < 4 * n + 64
}

function copyWords(from: Uint32Array, at: number, to: Uint32Array, toAt: number, n: number): void {
  if (n > SHORT_RUN) to.set(from.subarray(at, at + n), toAt)
  else for (let i = 0; i < n; i++) to[toAt + i] = from[at + i] as number
}
