export { withCollectionConfigFactory } from './client/config-factory.ts'
export { DbClient } from './client/db-client.ts'
export { collectionOptions, isCollectionOptions } from './client/options.ts'
export { CollectionImpl } from './collection/collection.ts'
export { createCollection } from './collection/create.ts'
export {
  createArrayChangeProxy,
  createChangeProxy,
  withArrayChangeTracking,
  withChangeTracking,
} from './drafts/drafts.ts'
export { NestedCommandError } from './engine/nested-command-error.ts'
export * from './errors.ts'
export { extractFieldPath, extractValue, walkExpression } from './expressions/fields.ts'
export { parseOrderByExpression } from './expressions/parse-order.ts'
export { parseWhereExpression } from './expressions/parse-where.ts'
export { extractSimpleComparisons, parseLoadSubsetOptions } from './expressions/simple-comparisons.ts'
export { BaseIndex } from './indexes/base-index.ts'
export { BasicIndex, BTreeIndex } from './indexes/basic-index.ts'
export {
  clearQueryPatterns,
  configureIndexDevMode,
  getIndexDevModeConfig,
  getQueryPatterns,
  type IndexDevModeConfig,
  type IndexSuggestion,
  isDevModeEnabled,
  type QueryPattern,
  trackQuery,
} from './indexes/dev-mode.ts'
export { findIndexForField, optimizeExpressionWithIndexes } from './indexes/plan.ts'
export { ReverseIndex } from './indexes/reverse-index.ts'
export { createEffect } from './live/effect.ts'
export { createLiveQueryCollection, liveQueryCollectionOptions } from './live/live-query.ts'
export { queryOnce } from './live/once.ts'
export { localOnlyCollectionOptions } from './local/local-only.ts'
export { localStorageCollectionOptions } from './local/local-storage.ts'
export { createLiveQueryObserver } from './observers/observer.ts'
export { createLiveQueryWindowController } from './observers/window-controller.ts'
export {
  assertLiveQueryWindowManyResult,
  compareLiveQueryWindowDependencies,
  fetchNextLiveQueryWindowPage,
  getLiveQueryWindowCollectionWarning,
  getLiveQueryWindowInputKind,
  hasLiveQueryWindowLeases,
  isLiveQueryWindowCollection,
  normalizeLiveQueryWindowPageSize,
  resolveLiveQueryWindowInput,
  shouldPreserveLiveQueryWindowPageCount,
} from './observers/window-input.ts'
export { debounceStrategy } from './pacing/debounce.ts'
export { createPacedMutations } from './pacing/paced-mutations.ts'
export { queueStrategy } from './pacing/queue.ts'
export { throttleStrategy } from './pacing/throttle.ts'
export { DeduplicatedLoadSubset } from './predicates/deduplicated-load-subset.ts'
export { minusWherePredicates } from './predicates/minus.ts'
export {
  isLimitSubset,
  isOffsetLimitSubset,
  isOrderBySubset,
  isPredicateSubset,
} from './predicates/page-subset.ts'
export { unionWherePredicates } from './predicates/union.ts'
export { isWhereSubset } from './predicates/where-subset.ts'
export { avg, count, max, min, sum } from './query/aggregates.ts'
export {
  BaseQueryBuilder,
  type FunctionalClauses,
  type InitialQueryBuilder,
  type OrderByOptions,
  Query,
  type QueryBuilder,
  type RecursiveOptions,
} from './query/builder.ts'
export type {
  Context,
  ContextSchema,
  ExtractContext,
  FunctionalHavingRow,
  FunctionalRow,
  GetResult,
  GroupByCallback,
  HavingCallback,
  InferResultType,
  OrderByCallback,
  QueryResult,
  RefsForContext,
  WhereCallback,
  WithResult,
} from './query/context.ts'
export { exists, notExists, type Subquery } from './query/exists.ts'
export {
  add,
  and,
  caseWhen,
  coalesce,
  concat,
  divide,
  eq,
  gt,
  gte,
  ilike,
  inArray,
  isNull,
  isUndefined,
  length,
  like,
  lower,
  lt,
  lte,
  multiply,
  not,
  type OperatorName,
  operators,
  or,
  subtract,
  upper,
} from './query/functions.ts'
export {
  canonicalizeQueryIR,
  getStableQueryBuilderHash,
  getStableQueryIRHash,
  getStableValueHash,
} from './query/identity.ts'
export * as IR from './query/ir.ts'
export { isCollection } from './query/is-collection.ts'
export type {
  ApplyJoinOptionalityToMergedSchema,
  JoinOnCallback,
  MergeContextForJoinCallback,
  MergeContextWithJoinType,
} from './query/join-types.ts'
export type { CaseProjection } from './query/projection.ts'
export type { Ref } from './query/ref-types.ts'
export type { ResultTypeFromSelect, SelectObject } from './query/select-types.ts'
export type {
  ContextFromSource,
  ContextFromUnionBranches,
  ContextFromUnionSource,
  RecursiveSource,
  SchemaFromSource,
  SelfSource,
  SingleSource,
  Source,
} from './query/source-types.ts'
export { createOptimisticAction } from './transactions/optimistic-action.ts'
export { TransactionScope } from './transactions/scope.ts'
export { createTransaction, getActiveTransaction } from './transactions/transaction.ts'
export * from './types.ts'
export { deepEquals } from './utils/deep-equals.ts'
export {
  getLiveQueryStatusFlags,
  isSingleResultCollection,
  type LiveQueryStatusFlags,
} from './utils/live-query-status.ts'
export { randomId as safeRandomUUID } from './utils/random-id.ts'
export { SortedMap } from './utils/sorted-map.ts'
export { hasVirtualProps } from './utils/virtual-props.ts'
