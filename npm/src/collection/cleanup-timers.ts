/**
 * Collections that nobody subscribes to, waiting for their time to be cleaned up. All share one timer, set to
 * the earliest deadline, and what is asked for in one turn is looked at once.
 */
interface Idle {
  readonly deadline: number
  readonly run: () => void
}

/** A timer for longer than this fires at once. */
const LONGEST = 0x7fffffff

const waiting = new Map<object, Idle>()
let timer: ReturnType<typeof setTimeout> | undefined
let scheduled = false

/** Calls `run` after `delay` milliseconds, in an idle moment, unless it is cancelled or asked for again. */
export function scheduleCleanup(owner: object, delay: number, run: () => void): void {
  waiting.set(owner, { deadline: Date.now() + delay, run })
  plan()
}

/** What was asked for will not happen. */
export function cancelCleanup(owner: object): void {
  if (waiting.delete(owner)) plan()
}

function plan(): void {
  if (scheduled) return
  scheduled = true
  // Not queueMicrotask: test tools replace it, and put it back without running what they were given.
  void Promise.resolve().then(() => {
    scheduled = false
    setTimer()
  })
}

function setTimer(): void {
  clearTimeout(timer)
  timer = undefined
  let earliest = Number.POSITIVE_INFINITY
  for (const idle of waiting.values()) earliest = Math.min(earliest, idle.deadline)
  if (earliest === Number.POSITIVE_INFINITY) return
  timer = setTimeout(expire, Math.min(Math.max(0, earliest - Date.now()), LONGEST))
  // A process that has nothing else to do need not stay for this.
  ;(timer as { unref?: () => void }).unref?.()
}

function expire(): void {
  timer = undefined
  const now = Date.now()
  for (const [owner, idle] of waiting) {
    if (idle.deadline > now) continue
    waiting.delete(owner)
    whenIdle(idle.run)
  }
  plan()
}

function whenIdle(run: () => void): void {
  if (typeof requestIdleCallback === 'function') requestIdleCallback(run, { timeout: 1000 })
  else setTimeout(run, 0)
}
