/** Errors of transactions of local writes. */
import { TanStackDBError, TransactionError } from './base.ts'

/** A transaction was made without a function that sends it. */
export class MissingMutationFunctionError extends TransactionError {
  constructor() {
    super('mutationFn is required when a transaction is created: pass a function that sends its mutations')
  }
}

/** The `onMutate` of an optimistic action returned a promise. */
export class OnMutateMustBeSynchronousError extends TransactionError {
  constructor() {
    super(
      'onMutate must be synchronous: make the changes that show at once there, and await the server in mutationFn',
    )
    this.name = 'OnMutateMustBeSynchronousError'
  }
}

/** `mutate` of a transaction that is committed or rolled back. */
export class TransactionNotPendingMutateError extends TransactionError {
  constructor() {
    super('mutate() needs a pending transaction: this one is committed or rolled back. Create another')
  }
}

/** `rollback` of a transaction that is completed. */
export class TransactionAlreadyCompletedRollbackError extends TransactionError {
  constructor() {
    super('A transaction that is already completed cannot be rolled back: undo it by another transaction')
  }
}

/** `commit` of a transaction that is committed or rolled back. */
export class TransactionNotPendingCommitError extends TransactionError {
  constructor() {
    super('commit() needs a pending transaction: this one is committed or rolled back already')
  }
}

/** For mutation functions: the failure is final, so trying again makes no sense. */
export class NonRetriableError extends TanStackDBError {
  constructor(message: string) {
    super(message)
    this.name = 'NonRetriableError'
  }
}
