import type { ThrottleStrategy, ThrottleStrategyOptions } from '../types/pacing.ts'
import { edgesOf } from './edges.ts'
import { cleanedUp, commitLate } from './nothing-to-commit.ts'

interface Call {
  readonly commit: () => unknown
  readonly drop: ((reason: Error) => void) | undefined
}

/**
 * Sends at most once in `wait` milliseconds: at once when that much time has passed (`leading`), and at the end of that
 * time what came meanwhile (`trailing`). With `trailing` alone, calls of one turn are sent together after it; with `leading` alone, what
 * came meanwhile is sent with the next call after that time.
 *
 * @throws TypeError if neither is wanted.
 */
export function throttleStrategy(options: ThrottleStrategyOptions): ThrottleStrategy {
  const { leading, trailing } = edgesOf('throttleStrategy', options, { leading: true, trailing: true })
  /** Runs from a sending until the next may follow; with `trailing` alone also before the first. */
  let timer: ReturnType<typeof setTimeout> | undefined
  let waiting: Call | undefined
  const elapsed = () => {
    timer = undefined
    const call = waiting
    if (!trailing || call === undefined) return
    waiting = undefined
    timer = setTimeout(elapsed, options.wait)
    commitLate(call.commit)
  }
  return {
    _type: 'throttle',
    options: { ...options, leading, trailing },
    execute: (commit, drop) => {
      if (leading && timer === undefined) {
        waiting = undefined
        timer = setTimeout(elapsed, options.wait)
        commit()
        return
      }
      waiting = { commit, drop }
      timer ??= setTimeout(elapsed, 0)
    },
    cleanup: () => {
      clearTimeout(timer)
      const call = waiting
      timer = waiting = undefined
      call?.drop?.(cleanedUp())
    },
  }
}
