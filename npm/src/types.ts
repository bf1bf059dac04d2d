/** The public types of collections, under one path for the rest of the package. */
export type { FieldPath } from './expressions/fields.ts'
export type { ParsedOrderBy } from './expressions/parse-order.ts'
export type { ParseWhereOptions } from './expressions/parse-where.ts'
export type { SimpleComparison } from './expressions/simple-comparisons.ts'
export type { CurrentStateAsChangesOptions } from './live/current-state.ts'
export type {
  ChangeListener,
  ChangeMessage,
  ChangeMessageOrDeleteKeyMessage,
  ChangesPayload,
  CollectionSubscription,
  CollectionSubscription as Subscription,
  DeleteKeyMessage,
  LimitedSnapshotOptions,
  OperationType,
  RowChange,
  SnapshotOptions,
  SubscribeChangesOptions,
  SubscriptionEventName,
  SubscriptionEvents,
  SubscriptionLoadErrorEvent,
  SubscriptionStatus,
  SubscriptionStatusChangeEvent,
  SubscriptionStatusEvent,
  SubscriptionUnsubscribedEvent,
} from './types/changes.ts'
export type {
  CollectionMaterializeOptions,
  CollectionOptions,
  DbClientEvent,
  DbClientLiveQuery,
  DbClientLiveQueryState,
  DbClientOptions,
  DehydrateDbClientOptions,
  DehydratedCollectionChunk,
  DehydratedCollectionRow,
  DehydratedDbState,
  DehydratedLiveQuery,
  DehydratedLiveQueryResult,
} from './types/client.ts'
export type { Collection, InferCollectionType } from './types/collection.ts'
export type {
  BaseCollectionConfig,
  CleanupFn,
  CollectionConfig,
  SyncConfig,
  SyncConfigRes,
  SyncMetadataApi,
  SyncMode,
  SyncParams,
  SyncResult,
} from './types/config.ts'
export type {
  DeltaEvent,
  DeltaType,
  Effect,
  EffectConfig,
  EffectContext,
  EffectQueryInput,
} from './types/effects.ts'
export type {
  CollectionEventName,
  CollectionEvents,
  CollectionIndexEvent,
  CollectionIndexMetadata,
  CollectionLoadingSubsetChangeEvent,
  CollectionStatus,
  CollectionStatusChangeEvent,
  CollectionStatusEvent,
  CollectionSubscribersChangeEvent,
  CollectionTruncateEvent,
  EventCollection,
} from './types/events.ts'
export type {
  BasicIndexOptions,
  BTreeRangeQueryOptions,
  IndexConstructor,
  IndexInterface,
  IndexOperation,
  IndexOptions,
  IndexStats,
  KeyFilter,
  RangeQueryOptions,
} from './types/indexes.ts'
export type {
  CollectionInternals,
  CollectionLifecycleView,
  CollectionStateView,
  CollectionSyncView,
  RowsView,
  SubsetRequest,
} from './types/internals.ts'
export type {
  LiveQueryCollection,
  LiveQueryCollectionConfig,
  LiveQueryCollectionUtils,
  LiveQueryFn,
  QueryOnceConfig,
  QueryWindow,
  QueryWindowOptions,
  ResultMark,
  RootQueryBuilder,
} from './types/live-query.ts'
export type {
  ClearStorageFn,
  GetStorageSizeFn,
  LocalOnlyCollectionConfig,
  LocalOnlyCollectionUtils,
  LocalStorageCollectionConfig,
  LocalStorageCollectionUtils,
  Parser,
  StorageApi,
  StorageEventApi,
} from './types/local.ts'
export type {
  CreateLiveQueryObserverOptions,
  CreateLiveQueryWindowControllerOptions,
  FirstRow,
  LiveQueryObserver,
  LiveQueryObserverListener,
  LiveQuerySnapshot,
  LiveQueryWindowCollection,
  LiveQueryWindowController,
  LiveQueryWindowDependencies,
  LiveQueryWindowInputKind,
  LiveQueryWindowReplacement,
  LiveQueryWindowSnapshot,
  ManyRows,
  ResolvedLiveQueryWindowInput,
} from './types/observers.ts'
export type {
  BaseStrategy,
  DebounceStrategy,
  DebounceStrategyOptions,
  PacedMutationsConfig,
  QueueStrategy,
  QueueStrategyOptions,
  Strategy,
  StrategyOptions,
  ThrottleStrategy,
  ThrottleStrategyOptions,
} from './types/pacing.ts'
export type {
  InputRow,
  KeyedNamespacedRow,
  KeyedStream,
  NamespacedAndKeyedStream,
  NamespacedRow,
  ResultStream,
  RowStream,
} from './types/pipeline.ts'
export type {
  CollectionConfigSingleRowOption,
  CollectionLike,
  MaybeSingleResult,
  NonSingleResult,
  OptimisticChangeMessage,
  SingleResult,
  SubscribeChangesSnapshotOptions,
} from './types/results.ts'
export type {
  Fn,
  MakeOptional,
  Prettify,
  Row,
  StringCollationConfig,
  Untyped,
  UtilsRecord,
  VirtualOrigin,
  VirtualRowProps,
  WithoutVirtualProps,
  WithVirtualProps,
  WritableDeep,
} from './types/rows.ts'
export type {
  InferSchemaInput,
  InferSchemaOutput,
  StandardSchema,
  StandardSchemaAlias,
  StandardSchemaIssue,
  StandardSchemaResult,
} from './types/schema.ts'
export type {
  CursorExpressions,
  LoadSubsetFn,
  LoadSubsetOptions,
  UnloadSubsetFn,
} from './types/subsets.ts'
export type {
  CreateOptimisticActionsOptions,
  DeleteMutationFn,
  DeleteMutationFnParams,
  InsertConfig,
  InsertMutationFn,
  InsertMutationFnParams,
  MutationFn,
  MutationFnParams,
  NonEmptyArray,
  OperationConfig,
  PendingMutation,
  ResolveTransactionChanges,
  Transaction,
  TransactionConfig,
  TransactionState,
  TransactionWithMutations,
  UpdateMutationFn,
  UpdateMutationFnParams,
} from './types/transactions.ts'
