/** Errors of collections kept in web storage. */
import { shown, TanStackDBError } from './base.ts'

/** The root of storage errors. */
export class StorageError extends TanStackDBError {
  constructor(message: string) {
    super(message)
    this.name = 'StorageError'
  }
}

/** A row that the parser cannot turn into text. Nothing was written. */
export class SerializationError extends StorageError {
  constructor(operation: string, message: string) {
    super(
      `Cannot ${operation} the row: it cannot be serialized for storage: ${message}. ` +
        `Leave such values out, or give the collection a parser that can write them`,
    )
  }
}

/** The root of errors of `localStorageCollectionOptions`. */
export class LocalStorageCollectionError extends StorageError {
  constructor(message: string) {
    super(message)
    this.name = 'LocalStorageCollectionError'
  }
}

/** The configuration names no storage key. */
export class StorageKeyRequiredError extends LocalStorageCollectionError {
  constructor() {
    super('A collection in web storage needs a storageKey: give the name under which its rows are stored')
  }
}

/** An entry in storage is no row. */
export class InvalidStorageDataFormatError extends LocalStorageCollectionError {
  constructor(storageKey: string, key: string) {
    super(
      `The data under ${shown(storageKey)} have an invalid entry ${shown(key)}: expected { versionKey, data }. ` +
        `Remove the item, or use another storageKey`,
    )
  }
}

/** What is in storage is no object. */
export class InvalidStorageObjectFormatError extends LocalStorageCollectionError {
  constructor(storageKey: string) {
    super(
      `The data under ${shown(storageKey)} are not an object of rows by key. Remove the item, or use another storageKey`,
    )
  }
}
