/** A source, live queries over it, and the same by plain recomputation; checked against each other. */
import { expect } from 'vitest'
import type { Collection } from '../../src/index.ts'
import { evaluate, type Key, liveOver, type Query, type Row } from '../model/query.ts'
import type { Step, Write } from './arbitraries.ts'
import { isPlain, plain, source } from './source.ts'

type Event = { type: string; key: Key; value: object; previousValue?: object | undefined }

/** What one subscriber was told, applied to a copy. */
class Follower {
  readonly rows = new Map<Key, unknown>()
  batches: Event[][] = []

  constructor(collection: Collection, includeInitialState: boolean) {
    if (!includeInitialState) for (const [key, row] of collection) this.rows.set(key, shown(row))
    collection.subscribeChanges((changes) => this.take(changes as Event[]), { includeInitialState })
  }

  take(changes: Event[]): void {
    this.batches.push(changes)
    for (const { type, key, value, previousValue } of changes) {
      const known = this.rows.get(key)
      expect(this.rows.has(key), `${type} of ${key}`).toBe(type !== 'insert')
      if (type === 'update') expect(shown(previousValue)).toEqual(known)
      if (type === 'delete') expect(shown(value)).toEqual(known)
      if (type === 'delete') this.rows.delete(key)
      else this.rows.set(key, shown(value))
    }
  }
}

interface Watched {
  readonly query: Query
  readonly over: Watched | undefined
  readonly live: Collection
  readonly follower: Follower
  before: Map<Key, Row>
}

/** What a subscriber throws now and then. */
const thrown = new Error('subscriber')

export class World {
  readonly #source = source()
  readonly #state = new Map<Key, Row>()
  readonly #watched: Watched[] = []
  #echo: Write | undefined
  #echoed = false
  #throwing = false

  constructor(queries: readonly Query[], outer: readonly Query[]) {
    for (const query of queries) this.#watch(query, undefined)
    for (const [i, query] of outer.entries()) this.#watch(query, this.#watched[i % queries.length])
    this.#source.collection.subscribeChanges((changes) => {
      // What a subscriber throws inside of another's write is reported to nobody who could expect it here.
      if (!this.#throwing || this.#echoed || changes.length === 0) return
      this.#throwing = false
      throw thrown
    })
    this.#source.collection.subscribeChanges((changes) => {
      for (const { type } of changes) if (type === 'insert') this.#answer()
      // Whoever is told sees every query complete.
      this.#checkRows()
    })
  }

  run(step: Step): void {
    for (const { follower } of this.#watched) follower.batches = []
    this.#echoed = false
    if (step.do === 'commit') this.#commit(step.writes, step.truncate)
    else if (step.do === 'throw') this.#throwing = true
    else if (step.do === 'restart all') this.#restartAll()
    else if (step.do === 'echo') this.#echo = step.write
    else if (step.do === 'restart') this.#restart(this.#watched[step.which % this.#watched.length] as Watched)
    else this.#checkRows()
    this.#checkRows()
    for (const watched of this.#watched) {
      expect([...watched.follower.rows].sort(byText)).toEqual([...this.#expected(watched)].sort(byText))
      if (step.do === 'commit' && !this.#echoed) this.#checkNews(watched)
      watched.before = this.#expected(watched)
    }
  }

  /** The final rows of each query. */
  results(): unknown[] {
    return this.#watched.map(({ live }) => [...live.entries()].map(([key, row]) => [key, shown(row)]))
  }

  end(): void {
    for (const { live } of [...this.#watched].reverse()) void live.cleanup()
    void this.#source.collection.cleanup()
  }

  #watch(query: Query, over: Watched | undefined): void {
    const live = liveOver((over?.live ?? this.#source.collection) as Collection, query)
    const follower = new Follower(live, this.#watched.length % 2 === 0)
    this.#watched.push({ query, over, live, follower, before: new Map() })
  }

  #commit(writes: readonly Write[], truncate: boolean): void {
    try {
      this.#write(writes, truncate)
    } catch (error) {
      if (error !== thrown) throw error
    }
  }

  #write(writes: readonly Write[], truncate: boolean): void {
    this.#source.commit(({ write, truncate: empty }) => {
      const next = new Map(truncate ? [] : this.#state)
      if (truncate) empty()
      for (const { key, row } of writes) {
        if (row === undefined) {
          write({ type: 'delete', key })
          next.delete(key)
        } else {
          write({ type: next.has(key) ? 'update' : 'insert', value: row })
          next.set(key, row)
        }
      }
      // Rows show when the transaction commits, which is after this callback and before any subscriber.
      this.#state.clear()
      for (const [key, row] of next) this.#state.set(key, row)
    })
  }

  #answer(): void {
    const write = this.#echo
    this.#echo = undefined
    if (write === undefined) return
    this.#echoed = true
    this.#commit([write], false)
  }

  #restart(watched: Watched): void {
    const affected = this.#watched.filter((other) => other === watched || other.over === watched)
    for (const { live } of affected.reverse()) void live.cleanup()
    for (const other of affected.reverse()) {
      expect(other.live.size).toBe(0)
      // Subscriptions outlive a cleanup; the rows are told anew.
      other.follower.rows.clear()
      other.live.startSyncImmediate()
    }
  }

  #restartAll(): void {
    void this.#source.collection.cleanup()
    this.#state.clear()
    const downwards = [...this.#watched].reverse()
    for (const { live } of downwards) expect([live.status, live.size]).toEqual(['error', 0])
    for (const { live } of downwards) void live.cleanup()
    for (const { live, follower } of this.#watched) {
      follower.rows.clear()
      live.startSyncImmediate()
    }
  }

  #expected({ query, over }: Watched): Map<Key, Row> {
    const rows = evaluate(query, over === undefined ? this.#state : this.#expected(over))
    return new Map([...rows].map(([key, row]) => [key, shown(row)]))
  }

  #checkRows(): void {
    for (const watched of this.#watched) {
      const { live } = watched
      const expected = [...this.#expected(watched)]
      expect([...live.keys()]).toEqual(expected.map(([key]) => key))
      expect(live.toArray.map(shown)).toEqual(expected.map(([, row]) => row))
      expect(live.size).toBe(expected.length)
      for (const [key, row] of expected) expect(shown(live.get(key))).toEqual(row)
    }
  }

  /** A commit is told in one batch, exactly what changed, and nothing when nothing did. */
  #checkNews(watched: Watched): void {
    const after = this.#expected(watched)
    const changed = [...new Set([...watched.before.keys(), ...after.keys()])].filter((key) => {
      return watched.before.has(key) !== after.has(key) || !equal(watched.before.get(key), after.get(key))
    })
    const told = watched.follower.batches.flat().map(({ key }) => key)
    expect([...told].sort(byText)).toEqual(changed.sort(byText))
    expect(watched.follower.batches.length).toBeLessThanOrEqual(1)
    if (changed.length > 0) return
    const moved = [...after.keys()].join() !== [...watched.before.keys()].join()
    expect(watched.follower.batches.length).toBe(moved ? 1 : 0)
  }
}

const text = (value: unknown) =>
  JSON.stringify(value, (_name, inner) => (typeof inner === 'bigint' ? `${inner}n` : inner)) ?? ''
const byText = (a: unknown, b: unknown) => (text(a) < text(b) ? -1 : 1)

function equal(a: unknown, b: unknown): boolean {
  try {
    expect(a).toEqual(b)
    // The matcher takes a field that is undefined for one that is missing; here they differ.
    return text(Object.keys(a as object).sort()) === text(Object.keys(b as object).sort())
  } catch {
    return false
  }
}

/** A row as it is compared: without virtual properties, and with one zero, since 0 and -0 are the same value. */
function shown<T>(value: T): T {
  return zeroes(plain(value))
}

function zeroes<T>(value: T): T {
  if (value === 0) return 0 as T
  if (Array.isArray(value)) return value.map(zeroes) as T
  if (!isPlain(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, zeroes(inner)])) as T
}
