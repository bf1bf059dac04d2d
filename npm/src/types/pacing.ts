/** Strategies that decide when paced mutations are sent. */
import type { MutationFn, Transaction, TransactionConfig } from './transactions.ts'

/** What every strategy offers. A strategy keeps time for one `createPacedMutations`; two of them must not share it. */
export interface BaseStrategy<TName extends string = string> {
  /** `queue` makes every call a transaction of its own; any other lets calls share one until it is sent. */
  readonly _type: TName
  /**
   * Takes a call. `fn` sends the transaction of the call and gives it; it throws if there is nothing to send any more. A
   * strategy that will never call `fn` calls `drop` instead, which rolls the transaction back.
   */
  execute<T extends object = Record<string, unknown>>(
    fn: () => Transaction<T>,
    drop?: (reason: Error) => void,
  ): void | Promise<void>
  /** Stops timers and drops what waits. The strategy can be used again. */
  cleanup(): void
}

/** Options of `debounceStrategy`. */
export interface DebounceStrategyOptions {
  /** Milliseconds without a call until what came is sent. */
  wait: number
  /** Whether the first call of a burst is sent at once; false if left out, unless `trailing` is false. */
  leading?: boolean
  /** Whether the rest is sent at the end of the burst; true if left out, unless `leading` is true. */
  trailing?: boolean
}

/** Sends once a burst of calls is over. */
export interface DebounceStrategy extends BaseStrategy<'debounce'> {
  readonly options: DebounceStrategyOptions
}

/** Options of `throttleStrategy`. */
export interface ThrottleStrategyOptions {
  /** Least number of milliseconds between two sendings. */
  wait: number
  /** Whether a call is sent at once when that time has passed. */
  leading?: boolean
  /** Whether what comes within that time is sent at its end. With neither flag given, both are true; with one, the other is its opposite. */
  trailing?: boolean
}

/** Sends at most once in a span of time. */
export interface ThrottleStrategy extends BaseStrategy<'throttle'> {
  readonly options: ThrottleStrategyOptions
}

/** Options of `queueStrategy`. */
export interface QueueStrategyOptions {
  /** Least number of milliseconds between two starts; 0 if left out. */
  wait?: number
  /** So many transactions may wait; what comes beyond is rolled back. No limit if left out. */
  maxSize?: number
  /** Where a transaction joins those that wait; `back` if left out. */
  addItemsTo?: 'front' | 'back'
  /** Where the next one is taken from; `front` if left out. */
  getItemsFrom?: 'front' | 'back'
}

/** Sends one after the other. */
export interface QueueStrategy extends BaseStrategy<'queue'> {
  readonly options?: QueueStrategyOptions | undefined
}

/** Options of a strategy of your own that collects calls. */
export interface BatchStrategyOptions {
  /** Number of calls that are sent together. */
  maxSize?: number
  /** Milliseconds after which fewer are sent. */
  wait?: number
}

/** A strategy of your own that collects calls; this package has none. */
export interface BatchStrategy extends BaseStrategy<'batch'> {
  readonly options?: BatchStrategyOptions | undefined
}

/** The strategies that have names. */
export type Strategy = DebounceStrategy | QueueStrategy | ThrottleStrategy | BatchStrategy

/** The options of a strategy. */
export type StrategyOptions<T extends Strategy> = NonNullable<T['options']>

/** Configuration of `createPacedMutations`. */
export interface PacedMutationsConfig<TVariables = unknown, T extends object = Record<string, unknown>>
  extends Pick<TransactionConfig<T>, 'metadata'> {
  /** Makes the changes that show at once. Must be synchronous. */
  onMutate: (variables: TVariables) => void
  /** Sends the changes of all calls that share the transaction. Rejecting rolls them back. */
  mutationFn: MutationFn<T>
  /** When what was changed is sent. */
  strategy: Strategy | BaseStrategy
}
