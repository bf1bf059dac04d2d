import { clockOverhead, cpuNow } from './cpu.mjs'

/**
 * Minimum over rounds, with the same warm-up rule for every engine: rounds go on until the best has not moved by
 * more than one percent for PATIENCE rounds and for PATIENCE_MS, inside a bound of rounds and of time. The rule in
 * time gives short work as long to be compiled as long work gets.
 */

const PATIENCE = 25
const PATIENCE_MS = 1200
const MOST_ROUNDS = 20_000
const MOST_MS = 10_000

/** `early` is the minimum over this many first rounds: what a page sees that is not yet fully compiled. */
const EARLY_ROUNDS = 30

let overhead = -1

/** Times one synchronous call, milliseconds of CPU, the clock's own cost taken off. */
export function timed(work) {
  if (overhead < 0) overhead = clockOverhead()
  const start = cpuNow()
  work()
  return Math.max(cpuNow() - start - overhead, 0)
}

const turn = () => new Promise((resolve) => setImmediate(resolve))

/**
 * Repeats `round` (which returns milliseconds, and may be async to tidy up after its timed part).
 * @returns {Promise<{ min: number, early: number, cold: number, rounds: number }>} milliseconds; `cold` is the
 *   first round
 */
export async function minimumOf(round, { rounds = MOST_ROUNDS } = {}) {
  const began = performance.now()
  let min = Number.POSITIVE_INFINITY
  let early = Number.POSITIVE_INFINITY
  let cold = 0
  let done = 0
  let improvedAt = { round: 0, time: began }
  while (done < rounds) {
    const spent = await round()
    const now = performance.now()
    if (done === 0) cold = spent
    if (spent < min * 0.99) improvedAt = { round: done, time: now }
    min = Math.min(min, spent)
    if (done < EARLY_ROUNDS) early = min
    done++
    const settled = done - improvedAt.round > PATIENCE && now - improvedAt.time > PATIENCE_MS
    if (settled || now - began > MOST_MS) break
    // Timers and promises an engine left behind run here, outside the timed part.
    await turn()
  }
  return { min, early, cold, rounds: done }
}

/**
 * Minimum for work that may be far shorter than the clock's own cost: the first rounds do it once each, later ones
 * repeat it until a round is long enough, and the round's mean counts.
 */
export function minimumOfShort(work, { rounds, roundMs = 1 } = {}) {
  let batch = 1
  let done = 0
  const repeat = () => {
    for (let i = 0; i < batch; i++) work()
  }
  return minimumOf(
    () => {
      const size = batch
      const spent = timed(repeat)
      if (++done >= EARLY_ROUNDS && spent < roundMs && batch < 4096) batch *= 2
      return spent / size
    },
    { rounds },
  )
}
