/** Milliseconds between two ticks, and the most of them that changes may take, so that the page stays responsive. */
const TICK = 8
const BUDGET = 7
/** A tab that was asleep does not catch up for longer than this many milliseconds. */
const LONGEST_GAP = 250
const RATE_WINDOW = 1000

/**
 * Paces a step function at so many calls a second. What does not fit into the time budget of a tick is dropped,
 * and shows as a delivered rate below the wanted one.
 */
export class Stream {
  #step
  #afterTick
  #timer
  #last = 0
  #owed = 0
  #rate
  #window = { start: 0, steps: 0 }
  #delivered = 0

  /**
   * @param {() => void} step makes one change
   * @param {{rate: number, afterTick: () => void}} options calls a second, and what to do after each tick
   */
  constructor(step, { rate, afterTick }) {
    this.#step = step
    this.#rate = rate
    this.#afterTick = afterTick
  }

  get running() {
    return this.#timer !== undefined
  }

  /** Steps a second that were really made, over about the last second. */
  get delivered() {
    return this.running ? this.#delivered : 0
  }

  get rate() {
    return this.#rate
  }

  set rate(perSecond) {
    this.#rate = perSecond
    this.#owed = 0
    this.#window = { start: performance.now(), steps: 0 }
  }

  start() {
    if (this.running) return
    this.#last = performance.now()
    this.#window = { start: this.#last, steps: 0 }
    this.#timer = setTimeout(this.#tick, TICK)
  }

  stop() {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#owed = 0
  }

  #tick = () => {
    this.#timer = setTimeout(this.#tick, TICK)
    const start = performance.now()
    this.#owed += (Math.min(start - this.#last, LONGEST_GAP) * this.#rate) / 1000
    this.#last = start
    let now = start
    while (this.#owed >= 1 && now - start < BUDGET) {
      this.#step()
      this.#owed--
      this.#window.steps++
      now = performance.now()
    }
    if (this.#owed >= 1) this.#owed %= 1
    const elapsed = now - this.#window.start
    if (elapsed >= RATE_WINDOW) {
      this.#delivered = (this.#window.steps * 1000) / elapsed
      this.#window = { start: now, steps: 0 }
    }
    this.#afterTick()
  }
}
