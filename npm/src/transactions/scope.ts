import type { LocalTransaction } from './transaction.ts'

/**
 * Transactions that belong together: those whose `mutate` is running, innermost last, and those that have not been
 * committed. There is one default scope, and one per client.
 */
export class TransactionScope {
  readonly #ambient: LocalTransaction[] = []
  /** When each of them was entered, among those of all scopes. */
  readonly #entered: number[] = []
  /** Pending transactions by the rows they have written to, so that a rollback finds those it takes along. */
  readonly #pending = new Map<string, Set<LocalTransaction>>()

  /** The transaction that a write belongs to now, or undefined. */
  get active(): LocalTransaction | undefined {
    const ambient = this.#ambient
    // An index before the first leaves compiled code.
    return ambient.length === 0 ? undefined : ambient[ambient.length - 1]
  }

  /** When the active transaction was entered: larger than what was entered before in any scope; 0 without one. */
  get activeSince(): number {
    const entered = this.#entered
    return entered.length === 0 ? 0 : (entered[entered.length - 1] as number)
  }

  enter(transaction: LocalTransaction): void {
    this.#ambient.push(transaction)
    this.#entered.push(++shared().entries)
  }

  leave(transaction: LocalTransaction): void {
    const at = this.#ambient.lastIndexOf(transaction)
    if (at < 0) return
    this.#ambient.splice(at, 1)
    this.#entered.splice(at, 1)
  }

  /** A pending transaction writes to a row. */
  note(globalKey: string, transaction: LocalTransaction): void {
    let writers = this.#pending.get(globalKey)
    if (writers === undefined) {
      writers = new Set()
      this.#pending.set(globalKey, writers)
    }
    writers.add(transaction)
  }

  /** A transaction is not pending any more, or does not write to the row any more. */
  forget(globalKey: string, transaction: LocalTransaction): void {
    const writers = this.#pending.get(globalKey)
    if (writers?.delete(transaction) && writers.size === 0) this.#pending.delete(globalKey)
  }

  /** The pending transactions that have written to one of the rows. */
  writersOf(globalKeys: Iterable<string>): Set<LocalTransaction> {
    const found = new Set<LocalTransaction>()
    for (const key of globalKeys) for (const writer of this.#pending.get(key) ?? []) found.add(writer)
    return found
  }
}

const SHARED: unique symbol = Symbol.for('millrace.transactions') as never

/** What all copies of the library share: they write to one engine. */
interface Shared {
  scope: TransactionScope
  numbers: number
  /** How often a transaction became the active one. */
  entries: number
}

let found: Shared | undefined

function shared(): Shared {
  if (found === undefined) {
    const home = globalThis as { [SHARED]?: Shared }
    home[SHARED] ??= { scope: new TransactionScope(), numbers: 0, entries: 0 }
    found = home[SHARED]
  }
  return found
}

/** The scope of transactions that no client owns. */
export function defaultScope(): TransactionScope {
  return shared().scope
}

/** A number larger than that of every earlier transaction. */
export function nextNumber(): number {
  return ++shared().numbers
}
