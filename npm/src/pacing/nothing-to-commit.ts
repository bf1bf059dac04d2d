import { TransactionError } from '../errors/base.ts'
import { reportError } from '../rows/report-error.ts'

/** The time to commit has come for a transaction that somebody else committed or rolled back, or for none at all. */
export class NothingToCommitError extends TransactionError {
  constructor(state: string | undefined) {
    super(
      state === undefined
        ? 'There is no active transaction to commit: a strategy calls the function it was given once per transaction'
        : `The paced transaction cannot be committed, because it is ${state}: it was committed or rolled back elsewhere`,
    )
  }
}

/**
 * Commits from a timer. That the transaction was rolled back while it waited is no fault of the timer's; any other error
 * has nobody up the stack to go to.
 */
export function commitLate<R>(commit: () => R): R | undefined {
  try {
    return commit()
  } catch (error) {
    if (!(error instanceof NothingToCommitError)) reportError(error)
    return undefined
  }
}

/** Why what waited is rolled back when a strategy is cleaned up. */
export function cleanedUp(): Error {
  return new TransactionError(
    'The strategy of the paced mutations was cleaned up before the transaction was sent',
  )
}
