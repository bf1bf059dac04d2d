import type {
  DebounceStrategy,
  DebounceStrategyOptions,
  QueueStrategy,
  QueueStrategyOptions,
  Sent,
  ThrottleStrategy,
  ThrottleStrategyOptions,
} from '../types/pacing.ts'
import { Queue } from './queue.ts'

type Timer = ReturnType<typeof setTimeout>

/**
 * Sends when no call has come for `wait` milliseconds (`trailing`, the default), or at the first call of a burst
 * (`leading`), or both.
 */
export function debounceStrategy(options: DebounceStrategyOptions): DebounceStrategy {
  const leading = options.leading ?? false
  const trailing = options.trailing ?? options.leading === undefined
  let timer: Timer | undefined
  let waiting: (() => unknown) | undefined
  return {
    _type: 'debounce',
    options,
    execute: (fn) => {
      if (leading && timer === undefined) fn()
      else waiting = fn
      clearTimeout(timer)
      timer = setTimeout(() => {
        timer = undefined
        const last = waiting
        waiting = undefined
        if (trailing) last?.()
      }, options.wait)
    },
    cleanup: () => {
      clearTimeout(timer)
      timer = waiting = undefined
    },
  }
}

/**
 * Sends at most once in `wait` milliseconds: at once when that much time has passed (`leading`), and at the end of the
 * time what came meanwhile (`trailing`). Both unless said otherwise.
 */
export function throttleStrategy(options: ThrottleStrategyOptions): ThrottleStrategy {
  const { wait, leading = true, trailing = true } = options
  let timer: Timer | undefined
  let waiting: (() => unknown) | undefined
  let last = Number.NEGATIVE_INFINITY
  const run = (fn: () => unknown) => {
    last = Date.now()
    fn()
  }
  return {
    _type: 'throttle',
    options,
    execute: (fn) => {
      const passed = Date.now() - last
      if (leading && passed >= wait && timer === undefined) return run(fn)
      if (!trailing) return
      waiting = fn
      timer ??= setTimeout(
        () => {
          timer = undefined
          const latest = waiting
          waiting = undefined
          if (latest !== undefined) run(latest)
        },
        passed >= wait ? wait : wait - passed,
      )
    },
    cleanup: () => {
      clearTimeout(timer)
      timer = waiting = undefined
    },
  }
}

/**
 * Sends one after the other: each starts when the one before has settled, whether it failed or not, and at least `wait`
 * milliseconds after it started. Beyond `maxSize` waiting ones a new one is turned away: its transaction is rolled back.
 */
export function queueStrategy(options: QueueStrategyOptions = {}): QueueStrategy {
  const queue = new Queue<() => Sent>(options, async (fn) => {
    await fn().isPersisted.promise
  })
  return {
    _type: 'queue',
    options,
    execute: (fn) => queue.add(fn),
    cleanup: () => queue.clear(),
  }
}
