/** Errors of sync transactions: calls outside a begin() and commit() pair. */
import { TransactionError } from './base.ts'

/** write() or truncate() without begin(). */
export class NoPendingSyncTransactionWriteError extends TransactionError {
  constructor() {
    super('No pending sync transaction to write to: call begin() before write() and truncate()')
  }
}

/** commit() without begin(). */
export class NoPendingSyncTransactionCommitError extends TransactionError {
  constructor() {
    super(
      'No pending sync transaction to commit: call begin() before commit(), and commit() once per begin()',
    )
  }
}
