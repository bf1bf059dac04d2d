import type { DebounceStrategy, DebounceStrategyOptions } from '../types/pacing.ts'
import { edgesOf } from './edges.ts'
import { cleanedUp, commitLate } from './nothing-to-commit.ts'

interface Call {
  readonly commit: () => unknown
  readonly drop: ((reason: Error) => void) | undefined
}

/**
 * Sends when no call has come for `wait` milliseconds (`trailing`, the default), or at the first call of a burst
 * (`leading`), or both: a burst of one call is then sent once. With `leading` alone, what the later calls of a burst changed is sent with
 * the first call of the next one.
 *
 * @throws TypeError if neither is wanted.
 */
export function debounceStrategy(options: DebounceStrategyOptions): DebounceStrategy {
  const { leading, trailing } = edgesOf('debounceStrategy', options, { leading: false, trailing: true })
  let timer: ReturnType<typeof setTimeout> | undefined
  let waiting: Call | undefined
  return {
    _type: 'debounce',
    options: { ...options, leading, trailing },
    execute: (commit, drop) => {
      const first = leading && timer === undefined
      clearTimeout(timer)
      timer = setTimeout(() => {
        timer = undefined
        const call = waiting
        if (!trailing || call === undefined) return
        waiting = undefined
        commitLate(call.commit)
      }, options.wait)
      waiting = first ? undefined : { commit, drop }
      if (first) commit()
    },
    cleanup: () => {
      clearTimeout(timer)
      const call = waiting
      timer = waiting = undefined
      call?.drop?.(cleanedUp())
    },
  }
}
