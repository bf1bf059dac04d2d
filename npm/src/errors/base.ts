/**
 * The roots of the error tree. Only these classes set `name`: a leaf reports the name of the root it
 * belongs to and is recognised by `instanceof`.
 */

/** Every error this package throws by itself. */
export class TanStackDBError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'TanStackDBError'
  }
}

/** A collection's configuration cannot work. */
export class CollectionConfigurationError extends TanStackDBError {
  constructor(message: string) {
    super(message)
    this.name = 'CollectionConfigurationError'
  }
}

/** A call does not fit the state a collection is in. */
export class CollectionStateError extends TanStackDBError {
  constructor(message: string) {
    super(message)
    this.name = 'CollectionStateError'
  }
}

/** An insert, update, delete or sync write that cannot be done. Nothing of it was applied. */
export class CollectionOperationError extends TanStackDBError {
  constructor(message: string) {
    super(message)
    this.name = 'CollectionOperationError'
  }
}

/** A direct write to a collection that has nowhere to send it. */
export class MissingHandlerError extends TanStackDBError {
  constructor(message: string) {
    super(message)
    this.name = 'MissingHandlerError'
  }
}

/** A transaction was used out of order. */
export class TransactionError extends TanStackDBError {
  constructor(message: string) {
    super(message)
    this.name = 'TransactionError'
  }
}

/** A builder call was given something it cannot use. */
export class QueryBuilderError extends TanStackDBError {
  constructor(message: string) {
    super(message)
    this.name = 'QueryBuilderError'
  }
}

/** A built query cannot be run. */
export class QueryCompilationError extends TanStackDBError {
  constructor(message: string) {
    super(message)
    this.name = 'QueryCompilationError'
  }
}

/** Names as they appear in a message. */
export function listed(names: readonly string[]): string {
  return names.length === 0 ? 'none' : names.map(shown).join(', ')
}

const shownLength = 80

/** A value as it appears in a message: short, and safe for objects with throwing accessors. */
export function shown(value: unknown): string {
  switch (typeof value) {
    case 'string': {
      const text = JSON.stringify(value)
      return text.length > shownLength ? `${text.slice(0, shownLength)}…` : text
    }
    case 'object':
      return value === null ? 'null' : Array.isArray(value) ? 'an array' : 'an object'
    case 'function':
      return 'a function'
    default:
      return String(value)
  }
}
