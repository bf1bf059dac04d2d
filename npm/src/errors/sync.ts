/** Errors of sync transactions. */
import { TransactionError } from './base.ts'

/** A write outside a transaction. */
export class NoPendingSyncTransactionWriteError extends TransactionError {
  constructor() {
    super(
      'No pending sync transaction to write to: call begin() before write(), truncate() or metadata writes',
    )
  }
}

/** A write when the latest transaction is committed and waits for local writes. */
export class SyncTransactionAlreadyCommittedWriteError extends TransactionError {
  constructor() {
    super(
      'The latest sync transaction is already committed and waits for local writes to be persisted: ' +
        'call begin() to start another before you write',
    )
  }
}

/** A commit outside a transaction. */
export class NoPendingSyncTransactionCommitError extends TransactionError {
  constructor() {
    super('No pending sync transaction to commit: call begin() first')
  }
}

/** A second commit of a transaction that waits for local writes. */
export class SyncTransactionAlreadyCommittedError extends TransactionError {
  constructor() {
    super('The latest sync transaction is already committed and waits for local writes to be persisted')
  }
}
