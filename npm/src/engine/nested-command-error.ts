import { TanStackDBError } from '../errors/base.js'

/** A collection was written or a query created while the engine was reading rows for another command. */
export class NestedCommandError extends TanStackDBError {
  constructor() {
    super(
      'a collection cannot be changed while the engine reads rows, compares them or hands out its results: ' +
        'do not write to collections in getters of rows or in comparison functions',
    )
    this.name = 'NestedCommandError'
  }
}
