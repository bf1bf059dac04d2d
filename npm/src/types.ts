/** The public types of collections, under one path for the rest of the package. */
export type {
  ChangeListener,
  ChangeMessage,
  ChangeMessageOrDeleteKeyMessage,
  ChangesPayload,
  CollectionSubscription,
  DeleteKeyMessage,
  OperationType,
  RowChange,
  SubscribeChangesOptions,
} from './types/changes.js'
export type { Collection, InferCollectionType, Transaction, TransactionState } from './types/collection.js'
export type {
  BaseCollectionConfig,
  CleanupFn,
  CollectionConfig,
  LocalOnlyCollectionConfig,
  SyncConfig,
  SyncConfigRes,
  SyncParams,
  SyncResult,
} from './types/config.js'
export type {
  CollectionEventName,
  CollectionEvents,
  CollectionStatus,
  CollectionStatusChangeEvent,
  CollectionStatusEvent,
  CollectionSubscribersChangeEvent,
  CollectionTruncateEvent,
  EventCollection,
} from './types/events.js'
export type { LiveQueryCollectionConfig, LiveQueryFn, RootQueryBuilder } from './types/live-query.js'
export type {
  Prettify,
  StringCollationConfig,
  Untyped,
  UtilsRecord,
  VirtualOrigin,
  VirtualRowProps,
  WithoutVirtualProps,
  WithVirtualProps,
  WritableDeep,
} from './types/rows.js'
