import { isConstant, type Predicate } from '../expressions/nodes.ts'
import { reportError } from '../rows/report-error.ts'
import type { LoadSubsetFn, LoadSubsetOptions } from '../types/subsets.ts'
import { minusWherePredicates } from './minus.ts'
import { isPredicateSubset } from './page-subset.ts'
import { unionWherePredicates } from './union.ts'
import { isWhereSubset } from './where-subset.ts'

/** What a request asks for, without who asks. */
type Demand = Pick<LoadSubsetOptions, 'where' | 'orderBy' | 'limit' | 'offset' | 'cursor'>

interface InFlight {
  readonly demand: Demand
  readonly settled: Promise<void>
}

/**
 * Passes on to a source only what was not loaded before. A request that earlier ones cover is answered with `true`; one
 * for all rows of a filter is narrowed to the rest of them where that can be said in simple terms.
 *
 * Requests under way are shared only if neither side has an abort signal: who can cancel has a request of their own,
 * so that nobody's cancellation takes rows from another. A request that fails or is aborted counts for nothing.
 *
 * Cost of a request: the parts remembered, which requests that cover others replace.
 */
export class DeduplicatedLoadSubset {
  readonly #source: LoadSubsetFn
  readonly #onDeduplicate: ((options: LoadSubsetOptions) => void) | undefined
  #everything = false
  /** Filters all of whose rows are loaded, none of them within another; `#union` is their union. */
  #filters: Predicate[] = []
  #union: Predicate | undefined
  #pages: Demand[] = []
  readonly #inFlight = new Set<InFlight>()
  /** Counts resets, so that what was under way then is not remembered. */
  #era = 0

  /** `loadSubset` is the source; `onDeduplicate` hears of the requests that did not reach it. */
  constructor(options: {
    loadSubset: LoadSubsetFn
    onDeduplicate?: ((options: LoadSubsetOptions) => void) | undefined
  }) {
    this.#source = options.loadSubset
    this.#onDeduplicate = options.onDeduplicate
  }

  /**
   * Loads what is missing; can be passed on by itself. Errors of the source are the caller's. A request whose signal is
   * aborted already does nothing.
   */
  readonly loadSubset = (options: LoadSubsetOptions): true | Promise<void> => {
    if (options.signal?.aborted === true) return true
    const request = this.#covers(options) ? undefined : this.#missing(options)
    if (request === undefined) {
      this.#onDeduplicate?.(options)
      return true
    }
    return this.#join(options) ?? this.#load(options, request)
  }

  /** Forgets everything loaded, as after the rows were removed. What is under way then is not remembered either. */
  reset(): void {
    this.#era++
    this.#everything = false
    this.#filters = []
    this.#union = undefined
    this.#pages = []
    this.#inFlight.clear()
  }

  #covers(options: LoadSubsetOptions): boolean {
    if (this.#everything) return true
    if (
      options.where !== undefined &&
      this.#filters.length > 0 &&
      isWhereSubset(options.where, this.#loaded())
    ) {
      return true
    }
    return isPage(options) && this.#pages.some((page) => isPredicateSubset(options, page))
  }

  #loaded(): Predicate {
    this.#union ??= unionWherePredicates(this.#filters)
    return this.#union
  }

  #join(options: LoadSubsetOptions): Promise<void> | undefined {
    if (options.signal !== undefined) return undefined
    for (const { demand, settled } of this.#inFlight) {
      if (!contains(demand, options)) continue
      settled.then(
        () => this.#deduplicated(options),
        () => {},
      )
      return settled
    }
    return undefined
  }

  #deduplicated(options: LoadSubsetOptions): void {
    try {
      this.#onDeduplicate?.(options)
    } catch (error) {
      reportError(error)
    }
  }

  #load(options: LoadSubsetOptions, request: LoadSubsetOptions): true | Promise<void> {
    const demand = demandOf(options)
    const { signal } = options
    const era = this.#era
    const remember = () => {
      if (era === this.#era && signal?.aborted !== true) this.#remember(demand)
    }
    const result = this.#source(request)
    if (result === true) {
      remember()
      return true
    }
    if (signal !== undefined) return result.then(remember)
    const settled: Promise<void> = result.then(
      () => {
        this.#inFlight.delete(entry)
        remember()
      },
      (error: unknown) => {
        this.#inFlight.delete(entry)
        throw error
      },
    )
    const entry = { demand, settled }
    if (era === this.#era) this.#inFlight.add(entry)
    return settled
  }

  /** The request for what is not loaded of a request; undefined if that is nothing. */
  #missing(options: LoadSubsetOptions): LoadSubsetOptions | undefined {
    const copy = cloneOptions(options)
    if (isPage(options) || this.#filters.length === 0) return copy
    const where = minusWherePredicates(options.where, this.#loaded())
    if (where === null) return copy
    return isConstant(where, false) ? undefined : { ...copy, where }
  }

  #remember(demand: Demand): void {
    const { where } = demand
    if (isPage(demand)) {
      this.#pages = [...this.#pages.filter((page) => !isPredicateSubset(page, demand)), demand]
      return
    }
    if (where === undefined) {
      this.#everything = true
      this.#filters = []
      this.#pages = []
    } else {
      this.#filters = [...this.#filters.filter((filter) => !isWhereSubset(filter, where)), where]
      this.#pages = this.#pages.filter((page) => !isWhereSubset(page.where, where))
    }
    this.#union = undefined
  }
}

/** A copy of a request that may be given other fields. Expressions, signal and subscription are those of the original. */
export function cloneOptions(options: LoadSubsetOptions): LoadSubsetOptions {
  const { orderBy, cursor } = options
  const copy: { -readonly [K in keyof LoadSubsetOptions]: LoadSubsetOptions[K] } = { ...options }
  if (orderBy !== undefined) {
    copy.orderBy = orderBy.map((term) => ({ ...term, compareOptions: { ...term.compareOptions } }))
  }
  if (cursor !== undefined) copy.cursor = { ...cursor }
  return copy
}

/** What is to be remembered of a request: nothing that keeps its subscription alive. */
function demandOf(options: LoadSubsetOptions): Demand {
  const { where, orderBy, limit, offset, cursor } = cloneOptions(options)
  return { where, orderBy, limit, offset, cursor }
}

/** Whether a request is for a part of the rows of its filter. */
function isPage({ limit, offset = 0, cursor }: Demand): boolean {
  return limit !== undefined || offset > 0 || cursor !== undefined
}

/** Whether the rows of one request are all in another's. Of a request for all rows of a filter the order is no matter. */
function contains(outer: Demand, inner: LoadSubsetOptions): boolean {
  return isPage(outer) ? isPredicateSubset(inner, outer) : isWhereSubset(inner.where, outer.where)
}
