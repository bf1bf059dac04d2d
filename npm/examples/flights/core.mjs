/**
 * The demo without its screen: two collections, the live queries over them, and the changes that flow in. The
 * page and the terminal both run this; it takes the library as a parameter and touches no DOM and no Node API.
 *
 * @typedef {import('./data.mjs').Airport} Airport
 * @typedef {import('./data.mjs').Flight} Flight
 * @typedef {import('./changes.mjs').Change} Change
 * @typedef {{code: string, page: number, minDelay: number | null}} Choice
 *   what to show: departures of an airport, the page counted from 0, and the least delay in minutes (null: any)
 */
import { ChangeSource } from './changes.mjs'
import { Timings } from './timing.mjs'

/** Departures on one page. */
export const PAGE_SIZE = 50
const TIMINGS_KEPT = 4000

export class FlightsApp {
  #db
  #now
  #airports
  #flights
  #sync
  #changes
  /** Plain copy of every flight, kept beside the engine so that its answers can be checked. */
  #plain = new Map()
  #choice = { code: '', page: 0, minDelay: null }
  #view
  #current = -1
  #reached = false

  /** Changes applied since the start. */
  applied = 0
  /** Time per update: from before `begin` until the subscribers have returned from `commit`. */
  timings = new Timings(TIMINGS_KEPT)
  /** The same, only of updates that changed the page on show. */
  reachedTimings = new Timings(TIMINGS_KEPT)
  /** Milliseconds that filling both collections took (the engine starts in it), and that the query on show took to build and first answer. */
  loadTime = 0
  queryTime = 0
  /** Called inside `commit` whenever the page or its total changed, with the id of the flight behind it. */
  onChange = () => {}

  /**
   * @param {typeof import('@tanstack/db')} db the library, as a module namespace
   * @param {{airports: readonly Airport[], flights: readonly Flight[], seed?: number, now?: () => number}} options
   */
  constructor(db, { airports, flights, seed = 20010401, now = () => performance.now() }) {
    this.#db = db
    this.#now = now
    const start = now()
    this.#airports = db.createCollection({
      id: 'airports',
      getKey: (airport) => airport.iata,
      startSync: true,
      gcTime: 0,
      sync: { sync: (params) => fill(params, airports) },
    })
    this.#flights = db.createCollection({
      id: 'flights',
      getKey: (flight) => flight.id,
      startSync: true,
      gcTime: 0,
      sync: {
        sync: (params) => {
          this.#sync = params
          fill(params, flights)
        },
      },
    })
    this.loadTime = now() - start
    for (const flight of flights) this.#plain.set(flight.id, { ...flight })
    this.#changes = new ChangeSource(flights, seed)
  }

  get airportCount() {
    return this.#airports.size
  }

  get flightCount() {
    return this.#flights.size
  }

  /** @returns {Choice} */
  get choice() {
    return this.#choice
  }

  /** Departure time of the newest flight, milliseconds. */
  get clock() {
    return this.#changes.clock
  }

  /** @returns {Airport | undefined} */
  airport(code) {
    return this.#airports.get(code)
  }

  /** @returns {Flight | undefined} */
  flight(id) {
    return this.#flights.get(id)
  }

  /**
   * Airports whose code, city, state or name matches, the busiest first, by a live query that is dropped again.
   * @param {string} text `%` and `_` are taken as ordinary characters to ignore, since patterns have no escape
   * @param {number} limit
   * @returns {Airport[]}
   */
  search(text, limit) {
    const { createLiveQueryCollection, or, ilike } = this.#db
    const wanted = text.replace(/[%_]/g, '').trim()
    const found = createLiveQueryCollection((q) => {
      const all = q.from({ a: this.#airports })
      const matching =
        wanted === ''
          ? all
          : all.where(({ a }) =>
              or(
                ilike(a.iata, `${wanted}%`),
                ilike(a.city, `%${wanted}%`),
                ilike(a.state, wanted),
                ilike(a.stateName, `${wanted}%`),
                ilike(a.name, `%${wanted}%`),
              ),
            )
      return matching
        .orderBy(({ a }) => a.departures, 'desc')
        .orderBy(({ a }) => a.iata)
        .limit(limit)
    })
    const subscription = found.subscribeChanges(() => {}, { includeInitialState: true })
    const rows = found.toArray
    subscription.unsubscribe()
    void found.cleanup()
    return rows
  }

  /**
   * Shows a page of departures: opens its live queries and closes those shown before.
   * @param {Choice} choice
   */
  show(choice) {
    this.#close()
    this.#choice = choice
    this.#changes.focus(choice.code)
    this.timings.clear()
    this.reachedTimings.clear()
    const start = this.#now()
    const page = this.#db.createLiveQueryCollection((q) =>
      this.#matching(q, choice)
        .orderBy(({ f }) => f.date, 'desc')
        .limit(PAGE_SIZE)
        .offset(choice.page * PAGE_SIZE),
    )
    const total = this.#db.createLiveQueryCollection((q) => this.#matching(q, choice))
    const subscriptions = [
      page.subscribeChanges(() => this.#changed(true), { includeInitialState: true }),
      total.subscribeChanges(() => this.#changed(false), { includeInitialState: true }),
    ]
    this.#view = { page, total, subscriptions }
    this.queryTime = this.#now() - start
  }

  #matching(q, { code, minDelay }) {
    const { and, eq, gte } = this.#db
    return q
      .from({ f: this.#flights })
      .where(({ f }) =>
        minDelay === null ? eq(f.origin, code) : and(eq(f.origin, code), gte(f.delay, minDelay)),
      )
  }

  #close() {
    if (this.#view === undefined) return
    for (const subscription of this.#view.subscriptions) subscription.unsubscribe()
    void this.#view.page.cleanup()
    void this.#view.total.cleanup()
    this.#view = undefined
  }

  #changed(onPage) {
    if (onPage) this.#reached = true
    this.onChange(this.#current)
  }

  /** The departures on show, newest first. @returns {Flight[]} */
  get departures() {
    return this.#view?.page.toArray ?? []
  }

  /** Departures that match the choice, on all pages. */
  get total() {
    return this.#view?.total.size ?? 0
  }

  /** Pages of the choice, at least one. */
  get pages() {
    return Math.max(1, Math.ceil(this.total / PAGE_SIZE))
  }

  /** Makes the next change and applies it as one sync transaction, measured. @returns {Change} */
  step() {
    const change = this.#changes.next()
    const message = syncMessage(change)
    const { begin, write, commit } = this.#sync
    this.#current = change.kind === 'added' ? change.flight.id : change.id
    this.#reached = false
    const start = this.#now()
    begin()
    write(message)
    commit()
    const took = this.#now() - start
    this.#current = -1
    this.applied++
    this.timings.add(took)
    if (this.#reached) this.reachedTimings.add(took)
    this.#applyPlainly(change)
    return change
  }

  #applyPlainly(change) {
    if (change.kind === 'added') this.#plain.set(change.flight.id, { ...change.flight })
    else if (change.kind === 'cancelled') this.#plain.delete(change.id)
    else this.#plain.get(change.id).delay = change.delay
  }

  /** Copies of all flights as plain JavaScript has them, for checks made outside. @returns {Flight[]} */
  plainRows() {
    return Array.from(this.#plain.values(), (flight) => ({ ...flight }))
  }

  /**
   * Computes the page on show from scratch in plain JavaScript and compares. Cost: all flights are filtered, the
   * matching ones sorted.
   * @returns {{difference: string | undefined, took: number}} what differs first, and milliseconds of the
   *   recomputation
   */
  check() {
    const { code, page, minDelay } = this.#choice
    const start = this.#now()
    const matching = []
    for (const flight of this.#plain.values()) {
      if (flight.origin === code && (minDelay === null || flight.delay >= minDelay)) matching.push(flight)
    }
    matching.sort((a, b) => b.date - a.date || a.id - b.id)
    const expected = matching.slice(page * PAGE_SIZE, (page + 1) * PAGE_SIZE)
    const took = this.#now() - start
    return { difference: firstDifference(expected, matching.length, this.departures, this.total), took }
  }

  /** Ends the queries and both collections. */
  async close() {
    this.#close()
    await this.#flights.cleanup()
    await this.#airports.cleanup()
  }
}

function fill({ begin, write, commit, markReady }, rows) {
  begin()
  for (const value of rows) write({ type: 'insert', value })
  commit()
  markReady()
}

function syncMessage(change) {
  if (change.kind === 'added') return { type: 'insert', value: change.flight }
  if (change.kind === 'cancelled') return { type: 'delete', key: change.id }
  return { type: 'update', value: { id: change.id, delay: change.delay } }
}

const FIELDS = ['id', 'date', 'delay', 'distance', 'origin', 'destination']

function firstDifference(expected, expectedTotal, actual, actualTotal) {
  if (expectedTotal !== actualTotal)
    return `expected ${expectedTotal} matching departures, got ${actualTotal}`
  if (expected.length !== actual.length) return `expected ${expected.length} rows, got ${actual.length}`
  for (const [at, row] of expected.entries()) {
    for (const field of FIELDS) {
      if (row[field] !== actual[at][field]) {
        return `row ${at}: expected ${field} ${row[field]}, got ${actual[at][field]}`
      }
    }
  }
  return undefined
}
