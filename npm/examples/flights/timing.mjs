/** The last measured durations, for quantiles and a histogram. Memory is fixed at `capacity` numbers. */
export class Timings {
  #ring
  #next = 0
  #count = 0

  /** @param {number} capacity how many of the latest durations count */
  constructor(capacity) {
    this.#ring = new Float64Array(capacity)
  }

  /** Durations currently held. */
  get count() {
    return this.#count
  }

  /** @param {number} duration milliseconds */
  add(duration) {
    this.#ring[this.#next] = duration
    this.#next = (this.#next + 1) % this.#ring.length
    this.#count = Math.min(this.#count + 1, this.#ring.length)
  }

  clear() {
    this.#next = 0
    this.#count = 0
  }

  /**
   * Median and 99th percentile in milliseconds, undefined before the first duration. Sorts a copy: call it a few
   * times a second, not per update.
   */
  summary() {
    if (this.#count === 0) return undefined
    const sorted = this.#ring.slice(0, this.#count).sort()
    return { median: quantile(sorted, 0.5), p99: quantile(sorted, 0.99), count: this.#count }
  }

  /**
   * How many durations fall into each of the buckets whose lower edges (ascending, milliseconds) are given. What
   * is below the first edge counts in the first bucket.
   */
  histogram(edges) {
    const buckets = new Array(edges.length).fill(0)
    for (let at = 0; at < this.#count; at++) {
      let bucket = 0
      while (bucket + 1 < edges.length && this.#ring[at] >= edges[bucket + 1]) bucket++
      buckets[bucket]++
    }
    return buckets
  }
}

function quantile(sorted, share) {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]
}

/** A duration as one reads it: "8.4 µs", "120 µs", "1.3 ms". */
export function formatDuration(milliseconds) {
  const micros = milliseconds * 1000
  if (micros < 1000) return `${micros < 10 ? micros.toFixed(1) : Math.round(micros)} µs`
  return `${milliseconds < 10 ? milliseconds.toFixed(1) : Math.round(milliseconds)} ms`
}
