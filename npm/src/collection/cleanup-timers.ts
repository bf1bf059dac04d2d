import { reportError } from '../rows/report-error.ts'

/**
 * Collections that nobody uses, waiting for their time to be cleaned up. All share one timer: thousands of queries
 * that are mounted and dropped cost entries in a map, not timers. What is asked for in one turn is looked at once.
 */
interface Idle {
  readonly deadline: number
  readonly run: () => void
}

/** A timer for longer than this fires at once. */
const LONGEST = 0x7fffffff
/** So many are cleaned up in one idle moment, where the host does not say how long the moment is. */
const AT_ONCE = 1000
/** An idle moment comes after so many milliseconds at the latest. */
const PATIENCE = 1000

const waiting = new Map<object, Idle>()
/** Whose time has come. */
const due = new Map<object, () => void>()
let timer: ReturnType<typeof setTimeout> | undefined
/** When the timer fires. It may find nothing to do: nobody sets it back for what was cancelled. */
let firesAt = Number.POSITIVE_INFINITY
/** The clock the timer was set by. Test tools replace it, and a timer of a clock that is gone never fires. */
let clock: typeof setTimeout | undefined
let planned = false
let idling: typeof setTimeout | undefined

/** Calls `run` after `delay` milliseconds, in an idle moment, unless it is cancelled or asked for again. */
export function scheduleCleanup(owner: object, delay: number, run: () => void): void {
  const deadline = Date.now() + delay
  due.delete(owner)
  waiting.set(owner, { deadline, run })
  if (timer === undefined || clock !== setTimeout || deadline < firesAt) plan()
}

/** What was asked for will not happen. */
export function cancelCleanup(owner: object): void {
  due.delete(owner)
  if (waiting.delete(owner) && waiting.size === 0) plan()
}

function plan(): void {
  if (planned) return
  planned = true
  // Not queueMicrotask: test tools replace it, and put it back without running what they were given.
  void Promise.resolve().then(() => {
    planned = false
    setTimer()
  })
}

function setTimer(): void {
  if (waiting.size === 0) {
    clearTimeout(timer)
    timer = undefined
    firesAt = Number.POSITIVE_INFINITY
    return
  }
  let earliest = Number.POSITIVE_INFINITY
  for (const idle of waiting.values()) earliest = Math.min(earliest, idle.deadline)
  clearTimeout(timer)
  clock = setTimeout
  firesAt = earliest
  timer = setTimeout(expire, Math.min(Math.max(0, earliest - Date.now()), LONGEST))
  // A process that has nothing else to do need not stay for this.
  ;(timer as { unref?: () => void }).unref?.()
}

function expire(): void {
  timer = undefined
  firesAt = Number.POSITIVE_INFINITY
  const now = Date.now()
  for (const [owner, { deadline, run }] of waiting) {
    if (deadline > now) continue
    waiting.delete(owner)
    due.set(owner, run)
  }
  if (due.size > 0) waitForIdle()
  if (waiting.size > 0) plan()
}

function waitForIdle(): void {
  if (idling === setTimeout) return
  idling = setTimeout
  if (typeof requestIdleCallback === 'function') requestIdleCallback(runDue, { timeout: PATIENCE })
  else setTimeout(runDue, 0)
}

function runDue(deadline?: IdleDeadline): void {
  idling = undefined
  let left = AT_ONCE
  for (const [owner, run] of due) {
    due.delete(owner)
    try {
      run()
    } catch (error) {
      reportError(error)
    }
    left--
    const over = deadline === undefined || deadline.didTimeout ? left <= 0 : deadline.timeRemaining() <= 0
    if (over) break
  }
  if (due.size > 0) waitForIdle()
}
