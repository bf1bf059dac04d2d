import { clockOverhead, cpuNow } from '../cpu.mjs'

/** The rule of tests/bench/d2/measure.go, in milliseconds. */
const BATCH = 3
const PATIENCE = 20
const PATIENCE_TIME = 400
const LONGEST = 4000

/** A page reaches fully compiled code in time, not in rounds: nothing counts as settled before this. */
const LEAST = 1200

/** Times a workload that is open: the least mean of a batch, in microseconds per run. */
export function measure(engine, workload) {
  const overhead = workload.steps ? 0 : clockOverhead()
  const clock = workload.steps ? engine.step : cpuNow
  const timed = (n) => {
    const start = clock()
    engine.runs(n)
    return Math.max(clock() - start - overhead - (engine.stepCost ?? 0) * n, 0)
  }
  let n = workload.cycle
  for (const began = performance.now(); timed(n) < BATCH && performance.now() - began < PATIENCE_TIME; )
    n *= 2
  const began = performance.now()
  let best = Number.POSITIVE_INFINITY
  let rounds = 0
  let stood = 0
  let since = began
  for (;;) {
    const mean = timed(n) / n
    const now = performance.now()
    rounds++
    stood++
    if (mean < best * 0.99) {
      stood = 0
      since = now
    }
    best = Math.min(best, mean)
    const settled = stood > PATIENCE && now - since > PATIENCE_TIME && now - began > LEAST
    if (settled || now - began > LONGEST) break
    // Code gets faster while it is measured: a batch that has become short is made longer.
    if (mean * n < BATCH / 2) n *= 2
  }
  return { micros: best * 1000, runs: n, rounds }
}
