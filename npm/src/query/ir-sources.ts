/** The nodes that rows come from. */
import type { Collection } from '../types/collection.ts'
import type { QueryIR } from './ir-query.ts'

/** Where the rows of a query come from. */
export type From = CollectionRef | QueryRef | UnionFrom | UnionAll | RecursiveRef | SelfRef

/** What a join or a union of sources is made of. */
export type JoinSource = CollectionRef | QueryRef | SelfRef

let sourceCount = 0

/** One use of a collection as a source. Two uses of one collection are two sources. */
export class CollectionRef {
  readonly type = 'collectionRef' as const
  readonly #source = ++sourceCount
  constructor(
    readonly collection: Collection,
    readonly alias: string,
  ) {}

  /**
   * Identity of this use, `source-<n>`, unique in the process. It lives on the prototype so that two
   * references to the same collection under the same alias stay structurally equal.
   */
  get sourceId(): string {
    return `source-${String(this.#source)}`
  }
}

/** A query used as a source. */
export class QueryRef {
  readonly type = 'queryRef' as const
  constructor(
    readonly query: QueryIR,
    readonly alias: string,
  ) {}
}

/** The rows of several sources side by side: each row is `{alias: row}` of exactly one of them. */
export class UnionFrom {
  readonly type = 'unionFrom' as const
  constructor(readonly sources: readonly JoinSource[]) {}

  /** The alias of the first source. */
  get alias(): string {
    return this.sources[0]?.alias ?? ''
  }
}

/** The result rows of several queries. Their fields are referred to without an alias. */
export class UnionAll {
  readonly type = 'unionAll' as const
  constructor(readonly queries: readonly QueryIR[]) {}

  get alias(): string {
    return ''
  }
}

/**
 * The identity of one recursion, which its {@link RecursiveRef} shares with the {@link SelfRef}s in its step. Compared
 * by reference; it has no content, so that queries built alike are structurally equal.
 */
export class Recursion {}

/**
 * The rows of `base` and all that `step` derives from rows there already are, as a set: a row that can be derived in
 * several ways is one row. Both select the same fields.
 */
export class RecursiveRef {
  readonly type = 'recursiveRef' as const
  /** How many steps are taken at most; absent for as many as there are. 0 leaves the rows of `base`. */
  declare readonly maxDepth?: number
  /** The field that holds the smallest number of steps a row is derived in: 0 for a row of `base`. */
  declare readonly depthField?: string

  constructor(
    readonly alias: string,
    readonly base: QueryIR,
    readonly step: QueryIR,
    readonly recursion: Recursion,
    options: { readonly maxDepth?: number | undefined; readonly depthField?: string | undefined } = {},
  ) {
    if (options.maxDepth !== undefined) this.maxDepth = options.maxDepth
    if (options.depthField !== undefined) this.depthField = options.depthField
  }
}

/** In the step of a recursion: the rows that there are already, without the depth field. */
export class SelfRef {
  readonly type = 'selfRef' as const
  constructor(
    readonly recursion: Recursion,
    readonly alias: string,
  ) {}
}
