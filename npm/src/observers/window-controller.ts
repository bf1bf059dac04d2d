import { LiveQueryWindowControllerDisposedError } from '../errors/observers.ts'
import { reportError } from '../rows/report-error.ts'
import type { Collection } from '../types/collection.ts'
import type {
  CreateLiveQueryWindowControllerOptions,
  LiveQueryObserver,
  LiveQuerySnapshot,
  LiveQueryWindowController,
  LiveQueryWindowSnapshot,
  ManyRows,
} from '../types/observers.ts'
import type { UtilsRecord } from '../types/rows.ts'
import { getLiveQueryStatusFlags } from '../utils/live-query-status.ts'
import { Announcer } from './announcer.ts'
import { createLiveQueryObserver } from './observer.ts'
import { sameItems } from './snapshot.ts'
import { normalizeLiveQueryWindowPageSize } from './window-input.ts'
import { leasesOf, type WindowLeases } from './window-leases.ts'

type AnyWindowSnapshot = LiveQueryWindowSnapshot<object>
type Row = ManyRows<object, string | number>[number]

/**
 * Shows an ordered query by pages, for a list that grows: the window of the query is held as wide as the pages and a row more, which
 * tells whether there is another page. Without a collection the list is disabled and empty.
 *
 * Nothing is moved or started before somebody subscribes or preloads. Then a query without an order is refused with a
 * SetWindowRequiresOrderByError.
 */
export function createLiveQueryWindowController<
  T extends object,
  TKey extends string | number,
  TUtils extends UtilsRecord,
>(
  collection: Collection<T, TKey, TUtils> | null,
  options: CreateLiveQueryWindowControllerOptions = {},
): LiveQueryWindowController<T, TKey> {
  return new WindowController(collection as Collection<object> | null, options) as never
}

/** What a snapshot was made of besides the rows. */
interface Standing {
  readonly of: LiveQuerySnapshot<object>
  readonly pages: number
  readonly fetching: boolean
  readonly failure: Failure | undefined
}

/** Why a page did not come, and whether there was one. */
interface Failure {
  readonly error: Error
  readonly hasNextPage: boolean
}

class WindowController implements LiveQueryWindowController<object> {
  readonly #observer: LiveQueryObserver<object>
  readonly #leases: WindowLeases | undefined
  readonly #pageSize: number
  readonly #firstParam: number
  readonly #listeners = new Announcer<void>()
  #pages: number
  #fetching: Promise<void> | undefined
  #failure: Failure | undefined
  /** Another number after everything that makes a move under way count no longer. */
  #generation = 0
  #leave: (() => void) | undefined
  /** While it is positive listeners are told at the end of what is being done. */
  #quiet = 0
  #preloaded = false
  #disposed = false
  #taken: { readonly standing: Standing; readonly snapshot: AnyWindowSnapshot } | undefined

  constructor(collection: Collection<object> | null, options: CreateLiveQueryWindowControllerOptions) {
    const { pageSize, initialPageParam = 0, initialPageCount = 1 } = options
    this.#observer = createLiveQueryObserver(collection, { mode: 'wholesale' })
    this.#leases = collection === null ? undefined : leasesOf(collection)
    this.#pageSize = normalizeLiveQueryWindowPageSize(pageSize)
    this.#firstParam = initialPageParam
    this.#pages = Number.isSafeInteger(initialPageCount) ? Math.max(1, initialPageCount) : 1
  }

  getSnapshot(): AnyWindowSnapshot {
    const of = this.#observer.getSnapshot()
    const standing = {
      of,
      pages: this.#pages,
      fetching: this.#fetching !== undefined,
      failure: this.#failure,
    }
    const taken = this.#taken
    if (taken !== undefined && sameStanding(taken.standing, standing)) return taken.snapshot
    const snapshot = this.#make(standing, taken?.snapshot.pages ?? [])
    this.#taken = { standing, snapshot }
    return snapshot
  }

  subscribe(listener: () => void): () => void {
    if (this.#disposed) throw new LiveQueryWindowControllerDisposedError()
    if (this.#leases === undefined) return () => {}
    const listening = { listener, told: true }
    const first = this.#listeners.size === 0
    this.#listeners.add(listening)
    if (first) {
      try {
        const moved = this.#hold()
        if (moved !== true) moved.catch(() => {})
        this.#leave = this.#observer.subscribe(() => this.#tell())
      } catch (error) {
        this.#listeners.remove(listening)
        this.#let()
        throw error
      }
    }
    return () => {
      if (!this.#listeners.has(listening)) return
      this.#listeners.remove(listening)
      if (this.#listeners.size === 0) this.#let()
    }
  }

  fetchNextPage(): Promise<void> {
    if (this.#disposed || this.#leases === undefined) return Promise.resolve()
    if (this.#fetching !== undefined) return this.#fetching
    const { hasNextPage } = this.getSnapshot()
    if (!hasNextPage) return Promise.resolve()
    const generation = ++this.#generation
    const failed = (reason: unknown): void => {
      if (generation !== this.#generation) return
      this.#failed({ error: errorOf(reason), hasNextPage })
      throw reason
    }
    return this.#announced(() => {
      this.#failure = undefined
      let moved: true | Promise<void>
      try {
        moved = this.#hold(this.#pages + 1)
      } catch (error) {
        return Promise.resolve().then(() => failed(error))
      }
      if (moved === true) {
        this.#pages++
        return Promise.resolve()
      }
      this.#fetching = moved.then(() => this.#fetched(generation), failed)
      return this.#fetching
    })
  }

  reset(): Promise<void> {
    if (this.#disposed || this.#leases === undefined) return Promise.resolve()
    this.#generation++
    return this.#announced(() => {
      this.#fetching = undefined
      this.#failure = undefined
      this.#pages = 1
      const moved = this.#held ? this.#hold() : true
      return moved === true ? Promise.resolve() : moved
    })
  }

  async preload(): Promise<void> {
    if (this.#disposed) throw new LiveQueryWindowControllerDisposedError()
    if (this.#leases === undefined) return
    this.#preloaded = true
    await Promise.all([this.#hold(), this.#observer.preload()])
  }

  dispose(): void {
    if (this.#disposed) return
    this.#disposed = true
    this.#generation++
    this.#fetching = undefined
    this.#listeners.clear()
    this.#let()
    this.#observer.dispose()
  }

  /** Whether the window is held for this list. */
  get #held(): boolean {
    return this.#preloaded || this.#listeners.size > 0
  }

  #hold(pages: number = this.#pages): true | Promise<void> {
    return this.#leases?.hold(this, pages * this.#pageSize + 1) ?? true
  }

  /** Nobody looks any more. */
  #let(): void {
    this.#preloaded = false
    this.#leave?.()
    this.#leave = undefined
    this.#leases?.release(this)
  }

  #fetched(generation: number): void {
    if (generation !== this.#generation) return
    this.#announced(() => {
      this.#fetching = undefined
      this.#pages++
    })
  }

  #failed(failure: Failure): void {
    this.#announced(() => {
      this.#fetching = undefined
      this.#failure = failure
      // The window may have moved although not all its rows came.
      try {
        const moved = this.#hold()
        if (moved !== true) moved.catch(() => {})
      } catch {
        // What went wrong is told already.
      }
    })
  }

  #tell(): void {
    if (this.#quiet === 0) this.#listeners.announce()
  }

  /** Does something and tells listeners once at the end, if it has changed anything. What they throw is none of the caller's business. */
  #announced<R>(run: () => R): R {
    const before = this.getSnapshot()
    this.#quiet++
    try {
      return run()
    } finally {
      this.#quiet--
      try {
        if (this.getSnapshot() !== before) this.#tell()
      } catch (error) {
        reportError(error)
      }
    }
  }

  #make(standing: Standing, known: ReadonlyArray<readonly Row[]>): AnyWindowSnapshot {
    const { of, pages: count, fetching, failure } = standing
    const rows: readonly Row[] | undefined = of.data
    const shown = count * this.#pageSize
    const data = (rows ?? []).slice(0, shown)
    const pages = rows === undefined ? [] : paged(data, this.#pageSize, known)
    return Object.freeze({
      get state() {
        return of.state
      },
      data,
      pages,
      pageParams: pages.map((_, at) => this.#firstParam + at),
      hasNextPage: failure?.hasNextPage ?? (rows !== undefined && rows.length > shown),
      isFetchingNextPage: fetching,
      error: failure?.error,
      collection: of.collection,
      layoutRevision: of.layoutRevision,
      status: of.status,
      ...getLiveQueryStatusFlags(of.status),
      isReady: of.isReady,
      isEnabled: of.isEnabled,
    })
  }
}

/** Rows by page, at least one page. Pages that are as they were stay the same arrays. */
function paged(rows: readonly Row[], size: number, known: ReadonlyArray<readonly Row[]>): Row[][] {
  const pages: Row[][] = []
  for (let at = 0; at === 0 || at < rows.length; at += size) {
    const page = rows.slice(at, at + size)
    const before = known[pages.length]
    pages.push(before !== undefined && sameItems(before, page) ? (before as Row[]) : page)
  }
  return pages
}

function sameStanding(a: Standing, b: Standing): boolean {
  return a.of === b.of && a.pages === b.pages && a.fetching === b.fetching && a.failure === b.failure
}

function errorOf(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error(String(reason))
}
