/** Effects: callbacks for what enters, leaves and changes in the result of a query. */
import type { InitialQueryBuilder, QueryBuilder } from '../query/builder.ts'
import type { Context, GetResult, RootObjectResultConstraint } from '../query/context.ts'

/** How a row of the result changed: it came in, went out, or is another version. */
export type DeltaType = 'enter' | 'exit' | 'update'

/** One change of the result. */
export type DeltaEvent<
  TRow extends object = Record<string, unknown>,
  TKey extends string | number = string | number,
> =
  | { readonly type: 'enter'; readonly key: TKey; readonly value: TRow }
  /** `value` is the row as it was last. */
  | { readonly type: 'exit'; readonly key: TKey; readonly value: TRow }
  /** `previousValue` is the row before this batch. */
  | { readonly type: 'update'; readonly key: TKey; readonly value: TRow; readonly previousValue: TRow }

/** What every handler is given besides what happened. */
export interface EffectContext {
  readonly effectId: string
  /** Aborted when the effect is disposed of. */
  readonly signal: AbortSignal
}

/** The query of an effect, or a function that builds it from a fresh builder. */
export type EffectQueryInput<TContext extends Context> =
  | ((q: InitialQueryBuilder) => QueryBuilder<TContext> & RootObjectResultConstraint<TContext>)
  | (QueryBuilder<TContext> & RootObjectResultConstraint<TContext>)

type Handled = void | Promise<void>
type Event<TRow extends object, TKey extends string | number, T extends DeltaType> = Extract<
  DeltaEvent<TRow, TKey>,
  { readonly type: T }
>

/**
 * What `createEffect` takes. Handlers may be asynchronous; nobody waits for them but `dispose`. What they throw or reject with goes to
 * `onError`.
 */
export interface EffectConfig<
  TContext extends Context,
  TRow extends object = GetResult<TContext> & object,
  TKey extends string | number = string | number,
> {
  /** A name for messages; `live-query-effect-<n>` if left out. */
  id?: string
  query: EffectQueryInput<TContext>
  /** A row is in the result that was not. */
  onEnter?(event: Event<TRow, TKey, 'enter'>, context: EffectContext): Handled
  /** A row of the result is another version. */
  onUpdate?(event: Event<TRow, TKey, 'update'>, context: EffectContext): Handled
  /** A row is in the result no longer. */
  onExit?(event: Event<TRow, TKey, 'exit'>, context: EffectContext): Handled
  /** All changes of one publication, before the other handlers are called for each. */
  onBatch?(events: ReadonlyArray<DeltaEvent<TRow, TKey>>, context: EffectContext): Handled
  /** A handler failed: for which event, the first one if it was `onBatch`. Without it the error is logged. */
  onError?(error: Error, event: DeltaEvent<TRow, TKey>): void
  /** A source failed or was cleaned up, which ends the effect. Without it the error is logged. */
  onSourceError?(error: Error): void
  /** Whether the rows that are there at first, before the sources are ready, are passed over. */
  skipInitial?: boolean
}

/** A running effect. */
export interface Effect {
  readonly disposed: boolean
  /** Ends it: no handler is called from now on. Resolves when handlers under way have ended; do not wait for it in one of them. */
  dispose(): Promise<void>
}
