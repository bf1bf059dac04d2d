/** Errors of collections kept in web storage. */
import { TanStackDBError } from './base.ts'

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
    super(`Cannot ${operation} the row: it cannot be serialized for storage: ${message}`)
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
    super('storageKey is required: give the name under which the collection is stored')
  }
}

/** An entry in storage is no row. */
export class InvalidStorageDataFormatError extends LocalStorageCollectionError {
  constructor(storageKey: string, key: string) {
    super(`The data under "${storageKey}" have an invalid entry "${key}": expected { versionKey, data }`)
  }
}

/** What is in storage is no object. */
export class InvalidStorageObjectFormatError extends LocalStorageCollectionError {
  constructor(storageKey: string) {
    super(`The data under "${storageKey}" are not an object of rows by key`)
  }
}
