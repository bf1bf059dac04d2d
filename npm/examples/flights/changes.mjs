/**
 * The stream of changes: an endless, seeded sequence of delays revised, flights added and flights cancelled.
 * The same seed, flights and calls give the same changes. Adds and cancellations balance, so the number of
 * flights stays about where it started. Knows nothing of collections; keeps its own list of living flights.
 *
 * @typedef {import('./data.mjs').Flight} Flight
 * @typedef {{kind: 'revised', id: number, delay: number}
 *   | {kind: 'added', flight: Flight}
 *   | {kind: 'cancelled', id: number}} Change
 */

const REVISED_SHARE = 0.8
const ADDED_SHARE = 0.1
/** Of all changes, the share aimed at the airport on screen; the others follow the traffic of the file. */
export const FOCUS_SHARE = 0.25
const MINUTE = 60_000
const MIN_DELAY = -60
const MAX_DELAY = 600

/** Uniform numbers in [0, 1) from a 32-bit seed (mulberry32). */
export function seededRandom(seed) {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

export class ChangeSource {
  #random
  #templates
  #templatesByOrigin = new Map()
  /** Living flights per origin, oldest first: recent ones are at the end. */
  #living = new Map()
  #focus = ''
  #nextId
  #clock

  /**
   * @param {readonly Flight[]} flights in departure order, not empty
   * @param {number} seed
   */
  constructor(flights, seed) {
    if (flights.length === 0) throw new Error('a stream of changes needs at least one flight to start from')
    this.#random = seededRandom(seed)
    this.#templates = flights
    for (const flight of flights) {
      append(this.#templatesByOrigin, flight.origin, flight)
      append(this.#living, flight.origin, { id: flight.id, delay: flight.delay })
    }
    this.#nextId = 1 + flights.reduce((highest, flight) => Math.max(highest, flight.id), 0)
    this.#clock = flights.at(-1).date
  }

  /** Departure time of the newest flight, milliseconds. */
  get clock() {
    return this.#clock
  }

  /** Aims a quarter of the coming changes at one airport. An airport without any traffic gets none. */
  focus(code) {
    this.#focus = code
  }

  /** The next change; the caller is expected to apply it. @returns {Change} */
  next() {
    const template = this.#template()
    const living = this.#living.get(template.origin)
    const choice = this.#random()
    if (living.length === 0 || choice < ADDED_SHARE) return this.#add(template, living)
    // Cubing favours recent flights, the ones on the first pages, without sparing any other.
    const index = living.length - 1 - Math.floor(living.length * this.#random() ** 3)
    if (choice < ADDED_SHARE + REVISED_SHARE) return this.#revise(living[index])
    const [{ id }] = living.splice(index, 1)
    return { kind: 'cancelled', id }
  }

  #template() {
    const aimed = this.#random() < FOCUS_SHARE ? this.#templatesByOrigin.get(this.#focus) : undefined
    const pool = aimed ?? this.#templates
    return pool[Math.floor(this.#random() * pool.length)]
  }

  #add(template, living) {
    this.#clock += MINUTE * (1 + Math.floor(this.#random() * 12))
    const flight = { ...template, id: this.#nextId++, date: this.#clock }
    living.push({ id: flight.id, delay: flight.delay })
    return { kind: 'added', flight }
  }

  #revise(entry) {
    const drift = Math.round((this.#random() + this.#random() + this.#random() - 1.5) * 40) || 1
    const delay = entry.delay + drift
    entry.delay = delay < MIN_DELAY || delay > MAX_DELAY ? entry.delay - drift : delay
    return { kind: 'revised', id: entry.id, delay: entry.delay }
  }
}

function append(lists, key, value) {
  const list = lists.get(key)
  if (list === undefined) lists.set(key, [value])
  else list.push(value)
}
