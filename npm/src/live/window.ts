import { SetWindowReentrancyError } from '../errors/observers.ts'
import type { QueryWindow, QueryWindowOptions } from '../types/live-query.ts'

/** What a window is moved in. */
export interface WindowTarget {
  readonly id: string
  /** Whether subscribers of the result are being told of a change, or rows are being read for the engine. */
  readonly occupied: boolean
  /**
   * Moves the window of the running query, if it runs, and calls back before anybody is told. What throws before has moved
   * nothing; later it is what those who were told have thrown.
   */
  show(window: QueryWindow, shown: () => void): void
  /** Resolves when no load that the result waits for is under way; undefined if there is none. */
  loaded(): Promise<void> | undefined
}

/**
 * The window of one ordered query: where it is, where it is going, and who waits for it. A move shows at once, in one
 * publication; it counts as settled when the rows it needed have been loaded.
 */
export class WindowMoves {
  readonly #initial: QueryWindow
  #settled: QueryWindow
  /** Where the latest move that waits for rows is going. */
  #requested: QueryWindow | undefined
  /** Never starts again, so that a move of a session that is over is told from one of the next. */
  #generation = 0
  readonly #waiting = new Set<(error: Error) => void>()

  constructor(offset: number | null | undefined, limit: number | null | undefined) {
    this.#initial = { offset: rowCount(offset, 0), limit: rowCount(limit, Number.POSITIVE_INFINITY) }
    this.#settled = this.#initial
  }

  /** The settled window. */
  get settled(): QueryWindow {
    return this.#settled
  }

  /** The window a query has to start with. */
  get wanted(): QueryWindow {
    return this.#requested ?? this.#settled
  }

  /** Whether the query has to start with another window than it was written with. */
  get moved(): boolean {
    return this.wanted !== this.#initial
  }

  /**
   * Moves to another window; what is left out stays as it is wanted now. Gives true if everything shows already.
   * @throws SetWindowReentrancyError while subscribers are being told.
   */
  move({ offset, limit }: QueryWindowOptions, target: WindowTarget): true | Promise<void> {
    if (target.occupied) throw new SetWindowReentrancyError(target.id)
    const { wanted } = this
    const window = { offset: rowCount(offset, wanted.offset), limit: rowCount(limit, wanted.limit) }
    const generation = ++this.#generation
    const before = this.#requested
    this.#requested = window
    let loads: Promise<void> | undefined
    let shown = false
    try {
      target.show(window, () => {
        shown = true
        loads = target.loaded()
        if (loads === undefined) this.#settle(window, generation)
      })
    } finally {
      if (!shown && generation === this.#generation) this.#requested = before
    }
    return loads === undefined ? true : this.#wait(loads, window, generation)
  }

  /** The session is over: nobody waits any more, and the next one begins with the window of the query. */
  reset(reason: () => Error): void {
    this.#generation++
    this.#requested = undefined
    this.#settled = this.#initial
    const waiting = Array.from(this.#waiting)
    this.#waiting.clear()
    for (const reject of waiting) reject(reason())
  }

  #wait(loads: Promise<void>, window: QueryWindow, generation: number): Promise<void> {
    const moved = new Promise<void>((resolve, reject) => {
      this.#waiting.add(reject)
      loads.then(
        () => {
          // After a reset it has been rejected.
          if (!this.#waiting.delete(reject)) return
          this.#settle(window, generation)
          resolve()
        },
        (error: unknown) => {
          if (!this.#waiting.delete(reject)) return
          if (generation === this.#generation) this.#requested = undefined
          reject(error)
        },
      )
    })
    // Nobody has to wait for a move.
    moved.catch(() => {})
    return moved
  }

  #settle(window: QueryWindow, generation: number): void {
    if (generation !== this.#generation) return
    this.#requested = undefined
    this.#settled = window
  }
}

/** A number of rows, or another if none is given. */
function rowCount(rows: number | null | undefined, otherwise: number): number {
  if (rows === null || rows === undefined || Number.isNaN(rows)) return otherwise
  return Math.max(0, Math.trunc(rows))
}
