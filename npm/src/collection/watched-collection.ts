import type { Reader } from '../engine/reader.ts'
import type { SubsetLoading } from '../sync/sync-session.ts'
import type { SubsetRequest } from '../types/internals.ts'
import { Emitter } from './emitter.ts'
import { EngineCollection } from './engine-collection.ts'
import { LayoutWatch } from './layout-watch.ts'
import { LoadTracker } from './load-tracker.ts'
import type { Publication } from './publications.ts'

interface WaitingLoad {
  readonly request: SubsetRequest
  readonly resolve: (result?: PromiseLike<void>) => void
}

/** Where the counts stand in a Layout: old and new length come first. */
const LEAVES = 2
const ENTERS = 4

/** What can be seen of a collection besides its rows and its status: events, revisions, loads under way. */
export abstract class WatchedCollection extends EngineCollection {
  readonly events = new Emitter()
  /** The public face of this collection, which events carry. */
  facade: object = {}
  /** Changes whenever rows or status change. */
  stateRevision = 0
  /** What iterators read, kept from the first loop until the rows change. */
  #keys: readonly (string | number)[] | undefined
  #rows: readonly object[] | undefined
  readonly layouts = new LayoutWatch()
  #holds = 0
  #held: Publication[] = []
  readonly #loads = new LoadTracker((loading) => this.#loadingChanged(loading))
  #waitingLoads: WaitingLoad[] = []

  /** Whether starts only take note; loads wait then, too. */
  protected abstract get startsDeferred(): boolean

  /** What the running source offers for loading on demand; nothing if it delivers all rows by itself. */
  get subsets(): SubsetLoading | undefined {
    return undefined
  }

  /** Whether the row of a key was put in before the source delivered it. */
  isSeed(_key: string | number): boolean {
    return false
  }

  override install(effects: Reader): void {
    super.install(effects)
    this.changed()
  }

  override rebind(effects: Reader): void {
    super.rebind(effects)
    this.#forgetLists()
  }

  override emptied(): void {
    super.emptied()
    this.changed()
  }

  /** Rows or status have changed. */
  protected override changed(): void {
    super.changed()
    this.stateRevision++
    this.#forgetLists()
  }

  #forgetLists(): void {
    this.#keys = this.#rows = undefined
  }

  /** Sends a write that waits for somebody to look. */
  look(): void {
    if (this.late) this.shell.sendLate()
  }

  /** The keys in order. O(size) after a change. Shared: not to be handed out. */
  get iteratedKeys(): readonly (string | number)[] {
    this.look()
    this.#keys ??= this.keyList()
    return this.#keys
  }

  /** The rows in order. O(size) after a change. Shared: not to be handed out. */
  get iteratedRows(): readonly object[] {
    this.look()
    this.#rows ??= this.rowList()
    return this.#rows
  }

  override layout(effects: Reader): void {
    super.layout(effects)
    const { u32, at } = effects
    let moved = 0
    for (let i = at + LEAVES; i <= at + ENTERS; i++) moved += u32[i] as number
    if (moved > 0) this.layoutChanged()
  }

  /** The order of the rows has changed. */
  layoutChanged(): void {
    const layout = this.layouts
    layout.revision++
    if (layout.watched) this.shell.enqueue({ publish: () => layout.tell() })
  }

  /** As `layoutChanged`, for a change that no command led to. */
  markLayoutChange(): void {
    const layout = this.layouts
    layout.revision++
    if (layout.watched) this.shell.publish({ publish: () => layout.tell() })
  }

  /** Keeps batches back until the function it returns is called. Rows change all the same. Calls nest. */
  deferPublication(): () => void {
    this.#holds++
    let over = false
    return () => {
      if (over) return
      over = true
      if (--this.#holds > 0) return
      const held = this.#held
      this.#held = []
      for (const batch of held) this.shell.publish(batch)
    }
  }

  /** Takes a batch that is not to be told yet; false if it is. */
  holds(batch: Publication): boolean {
    if (this.#holds === 0) return false
    this.#held.push(batch)
    return true
  }

  get loading(): boolean {
    return this.#loads.loading
  }

  /** Asks the source for rows. `true` says that there is nothing to wait for. What the source throws propagates. */
  loadSubset(request: SubsetRequest): true | Promise<void> {
    if (request.signal?.aborted === true) return true
    if (this.startsDeferred) {
      return new Promise((resolve) => {
        this.#waitingLoads.push({ request, resolve })
      })
    }
    const result = this.subsets?.loadSubset(request as never)
    if (!isThenable(result)) return true
    this.#loads.track(result)
    return result
  }

  /** Asks for what was asked for while starts were deferred. */
  protected replayLoads(): void {
    const waiting = this.#waitingLoads
    this.#waitingLoads = []
    for (const { request, resolve } of waiting) {
      try {
        const result = this.loadSubset(request)
        resolve(result === true ? undefined : result)
      } catch (error) {
        resolve(Promise.reject(error))
      }
    }
  }

  /** The session is over: its loads count no longer, and nobody waits for one that has not begun. */
  protected retireLoads(): void {
    this.#loads.reset()
    const waiting = this.#waitingLoads
    this.#waitingLoads = []
    for (const { resolve } of waiting) resolve()
  }

  protected announce(type: string, fields: object): void {
    if (this.events.hears(type)) this.events.emit(type, { type, collection: this.facade, ...fields })
  }

  #loadingChanged(isLoadingSubset: boolean): void {
    this.announce('loadingSubset:change', {
      isLoadingSubset,
      previousIsLoadingSubset: !isLoadingSubset,
      loadingSubsetTransition: isLoadingSubset ? 'start' : 'end',
    })
  }
}

function isThenable(value: unknown): value is Promise<void> {
  return (
    typeof value === 'object' && value !== null && typeof (value as PromiseLike<void>).then === 'function'
  )
}
