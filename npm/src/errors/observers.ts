/** Errors of the primitives for framework adapters, and of loading the package twice. */
import { CollectionStateError, TanStackDBError } from './base.ts'

/** An observer was used after it was disposed of. */
export class LiveQueryObserverDisposedError extends CollectionStateError {
  constructor() {
    super('Cannot subscribe to a disposed LiveQueryObserver: create another for the same collection')
  }
}

/** A window controller was used after it was disposed of. */
export class LiveQueryWindowControllerDisposedError extends CollectionStateError {
  constructor() {
    super('Cannot use a disposed LiveQueryWindowController: create another for the same collection')
  }
}

/** The package was loaded twice in one page, so that collections of one copy are foreign to the other. */
export class DuplicateDbInstanceError extends TanStackDBError {
  constructor() {
    super(
      'The package was loaded twice in this page. Let the bundler resolve it to one copy (dedupe), ' +
        'or set TANSTACK_DB_DISABLE_DUP_CHECK=1 if that is intended',
    )
    this.name = 'DuplicateDbInstanceError'
  }
}

/** A window was to be moved while its move, or a change of its rows, was being told. */
export class SetWindowReentrancyError extends CollectionStateError {
  constructor(id: string) {
    super(
      `setWindow() of live query "${id}" cannot be called while the query tells of a change: ` +
        'call it when the callback has returned, for example from queueMicrotask()',
    )
  }
}
