/** Strategies that decide when paced mutations are sent. */
import type { MutationFn, TransactionConfig } from './transactions.ts'

/** What a strategy needs of a transaction that is sent. */
export interface Sent {
  readonly isPersisted: { readonly promise: Promise<unknown> }
}

/** What every strategy offers. */
export interface BaseStrategy<TName extends string = string> {
  readonly _type: TName
  /** Calls the function when its time has come; `false` when it never will. */
  execute(fn: () => Sent): unknown
  /** Forgets what waits and stops timers. */
  cleanup(): void
}

/** Options of `debounceStrategy`. */
export interface DebounceStrategyOptions {
  /** Milliseconds without a call until what came is sent. */
  wait: number
  /** Whether the first call of a burst is sent at once. */
  leading?: boolean
  /** Whether the rest is sent at the end; true unless only `leading` is given. */
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
  /** Whether a call is sent at once when that time has passed; true if left out. */
  leading?: boolean
  /** Whether what comes within that time is sent at its end; true if left out. */
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
  /** So many may wait; more are rolled back. */
  maxSize?: number
  addItemsTo?: 'front' | 'back'
  getItemsFrom?: 'front' | 'back'
}

/** Sends one after the other. */
export interface QueueStrategy extends BaseStrategy<'queue'> {
  readonly options: QueueStrategyOptions
}

/** Any strategy of this package. */
export type Strategy = DebounceStrategy | ThrottleStrategy | QueueStrategy

/** The options of any strategy. */
export type StrategyOptions<T extends Strategy> = T['options']

/** Configuration of `createPacedMutations`. */
export interface PacedMutationsConfig<TVariables = unknown, T extends object = Record<string, unknown>>
  extends Omit<TransactionConfig<T>, 'mutationFn' | 'autoCommit'> {
  /** Makes the changes that show at once. Must be synchronous. */
  onMutate: (variables: TVariables) => void
  mutationFn: MutationFn<T>
  /** When what was changed is sent. */
  strategy: Strategy
}
