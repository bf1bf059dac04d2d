import { type Change, InitialState, type Subscription } from '../collection/subscription.ts'
import { QueryCompilationError, TanStackDBError } from '../errors/base.ts'
import { GroupByError, JoinError } from '../errors/joins.ts'
import { assertCompilable, assertRootResult } from '../query/check.ts'
import type { Context, GetResult } from '../query/context.ts'
import type { DeltaEvent, Effect, EffectConfig, EffectContext } from '../types/effects.ts'
import type { LiveCollection } from './live-collection.ts'
import { queryOf } from './live-query.ts'
import { liveCollection } from './start.ts'

let count = 0

/** What the engine alone can find wrong with a query. */
const FAULTS_OF_QUERIES = [QueryCompilationError, JoinError, GroupByError]

type AnyEvent = DeltaEvent<object>
type Handlers = Pick<
  EffectConfig<Context, object>,
  'onEnter' | 'onUpdate' | 'onExit' | 'onBatch' | 'onError' | 'onSourceError'
>

/**
 * Calls back for what enters, leaves and changes in the result of a query, from the rows that are there at first on. Nothing but
 * what the query itself needs is kept: there is no collection of the results.
 *
 * The handlers of one publication are called in one go: `onBatch`, then those of each change. Ends by itself when a source fails.
 *
 * @throws QueryBuilderError, QueryCompilationError if the query has a fault.
 */
export function createEffect<
  TContext extends Context,
  TRow extends object = GetResult<TContext> & object,
  TKey extends string | number = string | number,
>(config: EffectConfig<TContext, TRow, TKey>): Effect {
  const query = queryOf(config.query)
  assertRootResult(query)
  assertCompilable(query)
  const id = config.id || `live-query-effect-${++count}`
  const live = liveCollection(query, { id, gcTime: 0, quiet: true })
  const effect = new RunningEffect(id, live, config as unknown as Handlers, config.skipInitial === true)
  effect.start()
  return effect
}

class RunningEffect implements Effect {
  readonly #live: LiveCollection
  readonly #handlers: Handlers
  readonly #context: EffectContext
  readonly #abort = new AbortController()
  readonly #running = new Set<Promise<void>>()
  #passing: boolean
  /** Whether a source has failed. */
  #broken = false
  #subscription: Subscription | undefined
  #end: Promise<void> | undefined

  constructor(id: string, live: LiveCollection, handlers: Handlers, skipInitial: boolean) {
    this.#live = live
    this.#handlers = handlers
    this.#context = { effectId: id, signal: this.#abort.signal }
    this.#passing = skipInitial
  }

  get disposed(): boolean {
    return this.#end !== undefined
  }

  /** @throws what is wrong with the query; what is wrong with a source goes to `onSourceError`. */
  start(): void {
    const live = this.#live
    live.onFirstReady(() => {
      this.#passing = false
    })
    live.events.on('status:error', () => this.#sourceFailed(live.failure?.error))
    try {
      const initial = this.#passing ? InitialState.known : InitialState.told
      const callback = (changes: Change[]): void => this.#tell(changes)
      const subscription = live.subscribe({ callback, initial, where: undefined })
      this.#subscription = subscription
    } catch (error) {
      const faulty = FAULTS_OF_QUERIES.some((kind) => error instanceof kind)
      if (faulty) void this.dispose()
      else this.#sourceFailed(error)
      if (faulty) throw error
    }
    // What it was told of at once may have ended it.
    if (this.disposed) this.#release()
  }

  dispose(): Promise<void> {
    if (this.#end === undefined) {
      // A handler that calls this is not among those that are waited for: it would wait for itself.
      this.#end = Promise.allSettled(this.#running).then(() => {})
      this.#abort.abort()
      this.#release()
    }
    return this.#end
  }

  #release(): void {
    const subscription = this.#subscription
    this.#subscription = undefined
    if (subscription !== undefined) this.#live.unsubscribe(subscription)
    this.#live.cleanup()
  }

  #tell(changes: readonly Change[]): void {
    if (this.#passing || this.disposed) return
    const events = changes.map(eventOf)
    const [first] = events
    if (first === undefined) return
    const { onBatch, onEnter, onUpdate, onExit } = this.#handlers
    const context = this.#context
    if (onBatch !== undefined) this.#call(() => onBatch(events, context), first)
    for (const event of events) {
      if (this.disposed) return
      if (event.type === 'enter') this.#call(() => onEnter?.(event, context), event)
      else if (event.type === 'exit') this.#call(() => onExit?.(event, context), event)
      else this.#call(() => onUpdate?.(event, context), event)
    }
  }

  #call(handler: () => void | Promise<void>, event: AnyEvent): void {
    try {
      const result = handler()
      if (result === undefined || typeof result.then !== 'function') return
      const running = Promise.resolve(result).then(
        () => {
          this.#running.delete(running)
        },
        (error: unknown) => {
          this.#running.delete(running)
          this.#failed(error, event)
        },
      )
      this.#running.add(running)
    } catch (error) {
      this.#failed(error, event)
    }
  }

  #failed(reason: unknown, event: AnyEvent): void {
    const { onError } = this.#handlers
    const { effectId } = this.#context
    const error = errorOf(reason)
    if (onError === undefined) {
      console.error(`[millrace] a handler of effect "${effectId}" failed`, error)
      return
    }
    try {
      onError(error, event)
    } catch (again) {
      console.error(`[millrace] onError of effect "${effectId}" failed`, again)
    }
  }

  #sourceFailed(reason: unknown): void {
    if (this.disposed || this.#broken) return
    this.#broken = true
    const { onSourceError } = this.#handlers
    const { effectId } = this.#context
    const error =
      reason === undefined
        ? new TanStackDBError(
            `Effect "${effectId}" ended: a source failed without a cause, or was cleaned up`,
          )
        : errorOf(reason)
    try {
      if (onSourceError === undefined)
        console.error(`[millrace] a source of effect "${effectId}" failed`, error)
      else onSourceError(error)
    } catch (again) {
      console.error(`[millrace] onSourceError of effect "${effectId}" failed`, again)
    }
    void this.dispose()
  }
}

function eventOf({ type, key, value, previousValue }: Change): AnyEvent {
  if (type === 'insert') return { type: 'enter', key, value }
  if (type === 'delete') return { type: 'exit', key, value }
  return { type: 'update', key, value, previousValue: previousValue as object }
}

function errorOf(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error(String(reason))
}
