import { BaseQueryBuilder, type InitialQueryBuilder, isQueryBuilder } from '../query/builder.ts'
import { isCollection } from '../query/is-collection.ts'
import { strictDeepEquals } from '../rows/deep-equals.ts'
import type { Collection } from '../types/collection.ts'
import type {
  LiveQueryWindowCollection,
  LiveQueryWindowController,
  LiveQueryWindowDependencies,
  LiveQueryWindowInputKind,
  LiveQueryWindowReplacement,
  ResolvedLiveQueryWindowInput,
} from '../types/observers.ts'
import { isSingleResultCollection } from '../utils/live-query-status.ts'
import { isHeld, windowUtils } from './window-leases.ts'

const DEFAULT_PAGE_SIZE = 20

/** What a hook for paged lists is called in the texts of its errors. */
const HOOK = 'useLiveInfiniteQuery'

/** What somebody pages through. @throws Error unless it is a collection or a function. */
export function getLiveQueryWindowInputKind(input: unknown): LiveQueryWindowInputKind {
  if (isCollection(input)) return 'collection'
  if (typeof input === 'function') return 'query'
  throw new Error(
    `${HOOK}: First argument must be either a pre-created live query collection or a query function. Received: ${typeof input}`,
  )
}

/**
 * The collection to page through, or the query that one has to be made of: a function is called with a fresh builder.
 *
 * @throws Error unless it is a collection, or a function that gives a collection or a query.
 */
export function resolveLiveQueryWindowInput<TCollection extends object = Collection>(
  input: TCollection | ((q: InitialQueryBuilder) => unknown),
): ResolvedLiveQueryWindowInput<TCollection> {
  if (getLiveQueryWindowInputKind(input) === 'collection') {
    return { kind: 'collection', collection: input as TCollection }
  }
  const build = input as (q: InitialQueryBuilder) => unknown
  const built = build(new BaseQueryBuilder() as InitialQueryBuilder)
  if (isCollection(built)) return { kind: 'collection', collection: built as TCollection }
  if (isQueryBuilder(built)) return { kind: 'query', query: built }
  throw new Error(
    `${HOOK}: Query function must return a query builder. Disabled null or undefined queries are not supported`,
  )
}

/** Rows a page: 20 for anything but a positive whole number. */
export function normalizeLiveQueryWindowPageSize(pageSize: unknown): number {
  return Number.isSafeInteger(pageSize) && (pageSize as number) > 0 ? (pageSize as number) : DEFAULT_PAGE_SIZE
}

/** Whether a paged list holds the window of a collection. */
export function hasLiveQueryWindowLeases(collection: object): boolean {
  return isHeld(collection)
}

/** @throws Error for the collection of a query with `findOne`, which has no pages. */
export function assertLiveQueryWindowManyResult(collection: { readonly config: object }): void {
  if (isSingleResultCollection(collection)) {
    throw new Error(`${HOOK}: Infinite queries do not support single-result queries. Remove .findOne()`)
  }
}

/** Whether a collection is that of a query with an order, whose window can be moved. */
export function isLiveQueryWindowCollection<C extends { readonly utils: object }>(
  collection: C,
): collection is C & Pick<LiveQueryWindowCollection, 'utils'> {
  return windowUtils(collection) !== undefined
}

/**
 * What to warn of when a list takes over a collection that shows other rows than the first `limit`; undefined if it shows those.
 *
 * @throws Error if the collection has no pages.
 */
export function getLiveQueryWindowCollectionWarning(
  collection: { readonly config: object; readonly utils: object },
  limit: number,
): string | undefined {
  assertLiveQueryWindowManyResult(collection)
  const window = windowUtils(collection)?.getWindow()
  if (window === undefined) {
    throw new Error(
      `${HOOK}: Pre-created live query collection must have an ORDER BY (orderBy) clause for infinite pagination to work: ` +
        'add .orderBy() to its query',
    )
  }
  if (window.offset === 0 && window.limit === limit) return undefined
  return (
    `${HOOK}: Pre-created collection has window {offset: ${window.offset}, limit: ${window.limit}} ` +
    `but the hook expects {offset: 0, limit: ${limit}}. Adjusting window now`
  )
}

/** How the dependencies of a hook differ from those of the time before. O(size) of what they hold. */
export function compareLiveQueryWindowDependencies(
  before: readonly unknown[] | null | undefined,
  now: readonly unknown[],
): LiveQueryWindowDependencies {
  if (before === null || before === undefined || before.length !== now.length) {
    return { changed: true, structurallyEqual: false }
  }
  return {
    changed: now.some((value, at) => !sameValue(value, before[at])),
    structurallyEqual: now.every(
      (value, at) => sameValue(value, before[at]) || strictDeepEquals(value, before[at]),
    ),
  }
}

/** `===`, but that NaN is itself: a hook must not begin anew each time because of one. */
function sameValue(a: unknown, b: unknown): boolean {
  return a === b || (Number.isNaN(a) && Number.isNaN(b))
}

/** Whether a list that is made anew shows as many pages as the one before. */
export function shouldPreserveLiveQueryWindowPageCount({
  hasPreviousController,
  previousInputKind,
  inputKind,
  dependenciesChanged,
  dependenciesStructurallyEqual,
  pageShapeChanged,
}: LiveQueryWindowReplacement): boolean {
  if (!hasPreviousController || inputKind !== 'query' || previousInputKind !== inputKind) return false
  return dependenciesChanged ? dependenciesStructurallyEqual : pageShapeChanged
}

/** Fetches the next page, for an event handler: why a page did not come is told by the snapshot. */
export function fetchNextLiveQueryWindowPage(
  controller: Pick<LiveQueryWindowController, 'fetchNextPage'>,
): Promise<void> {
  return controller.fetchNextPage().catch(() => {})
}
