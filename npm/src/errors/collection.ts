/** Errors of collections: configuration, state, reads and writes. */
import {
  CollectionConfigurationError,
  CollectionOperationError,
  CollectionStateError,
  MissingHandlerError,
  shown,
  TanStackDBError,
} from './base.ts'

/** createCollection was called without a configuration. */
export class CollectionRequiresConfigError extends CollectionConfigurationError {
  constructor() {
    super('Collection requires a config: pass an object with getKey and sync to createCollection()')
  }
}

/** A configuration has no `sync`. */
export class CollectionRequiresSyncConfigError extends CollectionConfigurationError {
  constructor() {
    super(
      'Collection requires a sync config: add sync: { sync: ({ begin, write, commit, markReady }) => ... }, ' +
        'or use localOnlyCollectionOptions() for a collection without a source',
    )
  }
}

/** A write to a collection in the error state. */
export class CollectionInErrorStateError extends CollectionStateError {
  constructor(operation: string, collectionId: string) {
    super(
      `Cannot perform ${operation} on collection "${collectionId}": it is in the error state. ` +
        `Call cleanup() and start it again, or wait until its source recovers`,
    )
  }
}

/** A status may not follow the present one. */
export class InvalidCollectionStatusTransitionError extends CollectionStateError {
  constructor(from: string, to: string, collectionId: string) {
    super(
      `Invalid collection status transition from ${shown(from)} to ${shown(to)} for collection ${shown(collectionId)}: ` +
        `a collection that is cleaned up has to be started again first`,
    )
  }
}

/** A collection failed without saying why. */
export class CollectionIsInErrorStateError extends CollectionStateError {
  constructor() {
    super(
      'Collection is in the error state and its source gave no cause. ' +
        'Pass an error to markError() to see it here; cleanup() allows another start',
    )
  }
}

/** More unsubscribes than subscribes: a broken invariant of this package. */
export class NegativeActiveSubscribersError extends CollectionStateError {
  constructor() {
    super(
      'Active subscribers count is negative: something unsubscribed more often than it subscribed. Please report it',
    )
  }
}

/** getKey gave nothing. */
export class UndefinedKeyError extends CollectionOperationError {
  constructor(item: unknown) {
    super(`getKey returned undefined for ${shown(item)}: every row needs a key. Check the field getKey reads`)
  }
}

/** A key is neither string nor number. */
export class InvalidKeyError extends CollectionOperationError {
  constructor(key: unknown, item: unknown) {
    super(
      `getKey returned an invalid key for ${shown(item)}: expected a string or a number, got ${shown(key)} (${typeof key})`,
    )
  }
}

/** An insert of a key that is present. */
export class DuplicateKeyError extends CollectionOperationError {
  constructor(key: string | number) {
    super(
      `Cannot insert a row with key ${shown(key)}: it already exists in the collection. Use update() instead`,
    )
  }
}

/** What a live query is built with that can make two rows share a key. */
export interface DuplicateKeyContext {
  readonly hasCustomGetKey?: boolean
  readonly hasJoins?: boolean
  readonly hasDistinct?: boolean
}

/** A sync source inserted a key that already holds a different row. */
export class DuplicateKeySyncError extends CollectionOperationError {
  constructor(key: string | number, collectionId: string, context: DuplicateKeyContext = {}) {
    super(
      `Cannot insert a row with key ${shown(key)} from sync: it already exists in collection "${collectionId}". ` +
        duplicateAdvice(context),
    )
  }
}

function duplicateAdvice({ hasCustomGetKey, hasJoins, hasDistinct }: DuplicateKeyContext): string {
  if (hasCustomGetKey && hasDistinct) {
    return 'The live query uses a custom getKey together with distinct(): let getKey cover every selected field, or leave it out'
  }
  if (hasCustomGetKey && hasJoins) {
    return 'The live query uses a custom getKey together with joins: let getKey combine the keys of all joined rows, or leave it out'
  }
  return 'Write it as an update, or delete the key first in the same transaction'
}

/** update() without a key. */
export class MissingUpdateArgumentError extends CollectionOperationError {
  constructor() {
    super('The first argument to update() is missing: pass the key or the list of keys to update')
  }
}

/** update() with an empty list. */
export class NoKeysPassedToUpdateError extends CollectionOperationError {
  constructor() {
    super(
      'No keys were passed to update(): the list is empty. Leave the call out if there is nothing to update',
    )
  }
}

/** update() of a row that is not there. */
export class UpdateKeyNotFoundError extends CollectionOperationError {
  constructor(key: string | number) {
    super(
      `The key ${shown(key)} was passed to update() but no row with it is in the collection. Use insert() instead`,
    )
  }
}

/** An update changed the field the key comes from. */
export class KeyUpdateNotAllowedError extends CollectionOperationError {
  constructor(originalKey: string | number, newKey: string | number) {
    super(
      `Updating the key of a row is not allowed: ${shown(originalKey)} would become ${shown(newKey)}. ` +
        `Delete the row and insert another`,
    )
  }
}

/** delete() with an empty list. */
export class NoKeysPassedToDeleteError extends CollectionOperationError {
  constructor() {
    super(
      'No keys were passed to delete(): the list is empty. Leave the call out if there is nothing to delete',
    )
  }
}

/** delete() of a row that is not there. */
export class DeleteKeyNotFoundError extends CollectionOperationError {
  constructor(key: string | number) {
    super(
      `The key ${shown(key)} was passed to delete() but no row with it is in the collection. ` +
        `Check has() first if it may be gone already`,
    )
  }
}

/** insert() on a collection that cannot persist one. */
export class MissingInsertHandlerError extends MissingHandlerError {
  constructor() {
    super(
      'Collection.insert was called directly but there is no onInsert handler to persist the row: ' +
        'add one to the configuration, or insert inside transaction.mutate()',
    )
  }
}

/** update() on a collection that cannot persist one. */
export class MissingUpdateHandlerError extends MissingHandlerError {
  constructor() {
    super(
      'Collection.update was called directly but there is no onUpdate handler to persist the change: ' +
        'add one to the configuration, or update inside transaction.mutate()',
    )
  }
}

/** delete() on a collection that cannot persist one. */
export class MissingDeleteHandlerError extends MissingHandlerError {
  constructor() {
    super(
      'Collection.delete was called directly but there is no onDelete handler to persist the removal: ' +
        'add one to the configuration, or delete inside transaction.mutate()',
    )
  }
}

/** A source's cleanup function threw. The collection was cleaned up all the same. */
export class SyncCleanupError extends TanStackDBError {
  constructor(collectionId: string, error: unknown) {
    const reason = error instanceof Error ? error.message : String(error)
    super(
      `The cleanup function of collection "${collectionId}" threw: ${reason}. The collection was cleaned up all the same; ` +
        `make sure that its source is released`,
      { cause: error },
    )
    this.name = 'SyncCleanupError'
  }
}
