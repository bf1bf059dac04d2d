import { NONE } from './members.ts'

/** Orders up to this length, and changes of at most `FEW` rows, are worth patching when they arrive. */
const SMALL = 1024
const FEW = 16
/** Marks a moved row whose value changed as well. */
const CHANGED = 0x80000000
const HEADER = 6

/** The key ids and slots of a collection in order. Positional changes are applied as the engine describes them. */
export class OrderList {
  length = 0
  keys = new Uint32Array(0)
  slots = new Uint32Array(0)
  #spareKeys = new Uint32Array(0)
  #spareSlots = new Uint32Array(0)

  /** Takes in the whole order: pairs of key id and slot. */
  load(pairs: Uint32Array, at: number, n: number): void {
    this.#reserve(n)
    const keys = this.#spareKeys
    const slots = this.#spareSlots
    for (let i = 0; i < n; i++) {
      keys[i] = pairs[at + 2 * i] as number
      slots[i] = pairs[at + 2 * i + 1] as number
    }
    this.#swap(n)
  }

  clear(): void {
    this.length = 0
    this.keys = this.slots = this.#spareKeys = this.#spareSlots = new Uint32Array(0)
  }

  /** Puts another slot in the place of `old`. Scans the list. */
  replaceSlot(old: number, slot: number): void {
    const place = this.slots.subarray(0, this.length).indexOf(old)
    if (place >= 0) this.slots[place] = slot
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
    const leaveAt = at + HEADER
    const moveAt = leaveAt + leaves
    const enterAt = moveAt + moves * 2
    const updateAt = enterAt + enters * 3
    if (leaves + moves + enters > 0) {
      if (Math.max(oldLength, newLength) > SMALL && leaves + moves + enters > FEW) return false
      this.#rearrange(layout, { leaveAt, leaves, moveAt, moves, enterAt, enters, newLength }, slotNow)
    }
    for (let i = updateAt; i < updateAt + updates * 2; i += 2) {
      this.slots[layout[i] as number] = layout[i + 1] as number
    }
    return true
  }

  #rearrange(layout: Uint32Array, part: Parts, slotNow: (keyId: number) => number): void {
    const { leaveAt, leaves, moveAt, moves, enterAt, enters, newLength } = part
    const removed: number[] = []
    for (let i = 0; i < leaves; i++) removed.push(layout[leaveAt + i] as number)
    for (let i = 0; i < moves; i++) removed.push(layout[moveAt + 2 * i] as number)
    if (moves > 0) removed.sort((a, b) => a - b)
    this.#reserve(newLength)
    const keys = this.#spareKeys
    const slots = this.#spareSlots
    let from = 0
    let nextRemoved = 0
    let move = 0
    let enter = 0
    for (let to = 0; to < newLength; ) {
      const moveTo = move < moves ? ((layout[moveAt + 2 * move + 1] as number) & ~CHANGED) >>> 0 : NONE
      const enterTo = enter < enters ? (layout[enterAt + 3 * enter] as number) : NONE
      if (to === enterTo) {
        keys[to] = layout[enterAt + 3 * enter + 1] as number
        slots[to++] = layout[enterAt + 3 * enter++ + 2] as number
        continue
      }
      if (to === moveTo) {
        const source = layout[moveAt + 2 * move] as number
        const changed = ((layout[moveAt + 2 * move++ + 1] as number) & CHANGED) !== 0
        const key = this.keys[source] as number
        keys[to] = key
        slots[to++] = changed ? slotNow(key) : (this.slots[source] as number)
        continue
      }
      while (nextRemoved < removed.length && removed[nextRemoved] === from) {
        nextRemoved++
        from++
      }
      // Everything up to the next place where something is taken out or put in stays side by side.
      const stop = nextRemoved < removed.length ? (removed[nextRemoved] as number) : this.length
      const run = Math.min(stop - from, Math.min(moveTo, enterTo, newLength) - to)
      keys.set(this.keys.subarray(from, from + run), to)
      slots.set(this.slots.subarray(from, from + run), to)
      if (run <= 0) break
      from += run
      to += run
    }
    this.#swap(newLength)
  }

  #reserve(n: number): void {
    if (this.#spareKeys.length >= n && this.#spareKeys.length < 4 * n + 64) return
    this.#spareKeys = new Uint32Array(n + (n >> 2))
    this.#spareSlots = new Uint32Array(n + (n >> 2))
  }

  #swap(length: number): void {
    const keys = this.keys
    const slots = this.slots
    this.keys = this.#spareKeys
    this.slots = this.#spareSlots
    this.#spareKeys = keys
    this.#spareSlots = slots
    this.length = length
  }
}

interface Parts {
  readonly leaveAt: number
  readonly leaves: number
  readonly moveAt: number
  readonly moves: number
  readonly enterAt: number
  readonly enters: number
  readonly newLength: number
}
