import { theSession } from '../collection/the-session.ts'
import { SetWindowRequiresOrderByError } from '../errors/compile.ts'
import { SetWindowReentrancyError } from '../errors/observers.ts'
import type { Collection } from '../types/collection.ts'
import type { LiveQueryCollectionUtils, QueryWindow } from '../types/live-query.ts'

type AnyCollection = Collection<object>
type WindowUtils = Pick<LiveQueryCollectionUtils, 'setWindow' | 'getWindow'>

/** Who holds a window wide. */
export type LeaseHolder = object

/**
 * The window of one collection, which several lists hold as wide as each needs: the widest counts. When the last one lets go, the
 * window goes back to where it was found.
 */
export class WindowLeases {
  readonly #collection: AnyCollection
  readonly #limits = new Map<LeaseHolder, number>()
  /** Where the window was before the first hold. */
  #found: QueryWindow | undefined
  /** Moves that are asked for and not complete. */
  #moving = 0
  #stop: (() => void) | undefined

  constructor(collection: AnyCollection) {
    this.#collection = collection
  }

  get held(): boolean {
    return this.#limits.size > 0
  }

  /**
   * Holds so many rows from the first on. Gives true if they show already, else a promise of that; what moving the window throws
   * propagates, and leaves what was held before.
   *
   * @throws SetWindowRequiresOrderByError if the collection has no window.
   */
  hold(holder: LeaseHolder, limit: number): true | Promise<void> {
    const utils = windowUtils(this.#collection)
    if (utils === undefined) throw new SetWindowRequiresOrderByError()
    if (!this.held && this.#moving === 0) this.#found = utils.getWindow()
    const before = this.#limits.get(holder)
    this.#limits.set(holder, limit)
    this.#watch()
    try {
      return this.#move(utils)
    } catch (error) {
      if (before !== undefined) this.#limits.set(holder, before)
      else this.#remove(holder)
      throw error
    }
  }

  /** Lets go. What then goes wrong concerns nobody any more. */
  release(holder: LeaseHolder): void {
    if (!this.#limits.has(holder)) return
    this.#remove(holder)
    const utils = windowUtils(this.#collection)
    if (utils === undefined) return
    try {
      const moved = this.#move(utils)
      if (moved !== true) moved.catch(() => {})
    } catch {
      // The window stays wider than anybody needs.
    }
  }

  #remove(holder: LeaseHolder): void {
    this.#limits.delete(holder)
    if (this.held) return
    this.#stop?.()
    this.#stop = undefined
  }

  /** A cleanup puts the window back: the next session has to begin with the one that is held. */
  #watch(): void {
    // A cleanup may have removed all listeners.
    this.#stop?.()
    this.#stop = this.#collection.on('status:cleaned-up', () => {
      const utils = windowUtils(this.#collection)
      if (utils !== undefined) this.#move(utils)
    })
  }

  #move(utils: WindowUtils): true | Promise<void> {
    const to = this.held ? { offset: 0, limit: Math.max(...this.#limits.values()) } : this.#found
    const now = utils.getWindow()
    if (to === undefined || (this.#moving === 0 && now?.offset === to.offset && now.limit === to.limit)) {
      return true
    }
    let moved: true | Promise<void>
    try {
      moved = utils.setWindow(to)
    } catch (error) {
      if (!(error instanceof SetWindowReentrancyError)) throw error
      moved = whenTold(() => this.#move(utils))
    }
    return moved === true ? true : this.#count(moved)
  }

  #count(moved: Promise<void>): Promise<void> {
    this.#moving++
    return moved.finally(() => {
      this.#moving--
    })
  }
}

/** Does something when those who are being told of a change have been. */
function whenTold(run: () => true | Promise<void>): Promise<void> {
  return new Promise((resolve, reject) => {
    theSession().whenTold(() => {
      try {
        const done = run()
        resolve(done === true ? undefined : done)
      } catch (error) {
        reject(error)
      }
    })
  })
}

const leases = new WeakMap<object, WindowLeases>()

/** The leases of a collection. */
export function leasesOf(collection: AnyCollection): WindowLeases {
  let known = leases.get(collection)
  if (known === undefined) {
    known = new WindowLeases(collection)
    leases.set(collection, known)
  }
  return known
}

/** Whether somebody holds the window of a collection. */
export function isHeld(collection: object): boolean {
  return leases.get(collection)?.held === true
}

/** What moves the window of a collection; undefined if it has no window. */
export function windowUtils(collection: { readonly utils: object }): WindowUtils | undefined {
  const utils: Partial<WindowUtils> = collection.utils
  if (typeof utils.setWindow !== 'function' || typeof utils.getWindow !== 'function') return undefined
  return utils.getWindow() === undefined ? undefined : (utils as WindowUtils)
}
