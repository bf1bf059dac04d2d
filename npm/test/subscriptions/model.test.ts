import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createLiveQueryCollection, gt, gte, isNull, or } from '../../src/index.ts'
import type { SubscribeChangesOptions } from '../../src/types.ts'
import { type Row, source } from '../shell/source.ts'

type Value = number | null | undefined
type Rows = Map<number, Value>
type Options = SubscribeChangesOptions

/** One change of one row, as text. */
type Told = string

interface Filter {
  readonly where: Options['where']
  readonly keeps: (value: Value) => boolean
}

const filters: readonly (Filter | undefined)[] = [
  undefined,
  { where: (row) => gte(row.v, 2), keeps: (value) => typeof value === 'number' && value >= 2 },
  {
    where: (row) => or(isNull(row.v), gt(row.v, 2)),
    keeps: (value) => value === null || (typeof value === 'number' && value > 2),
  },
]

/** What a subscriber is to hear, worked out from whole states. */
class Subscriber {
  readonly heard: Told[][] = []
  readonly expected: Told[][] = []
  readonly #told = new Set<number>()
  readonly #filter: Filter | undefined
  readonly #initial: boolean | undefined

  constructor(
    collection: Pick<ReturnType<typeof source>['collection'], 'subscribeChanges'>,
    rows: Rows,
    filter: Filter | undefined,
    initial: boolean | undefined,
  ) {
    this.#filter = filter
    this.#initial = initial
    const options: Options = {}
    if (filter?.where !== undefined) options.where = filter.where
    if (initial !== undefined) options.includeInitialState = initial
    collection.subscribeChanges((changes) => this.heard.push(changes.map(shown).sort()), options)
    if (initial === true) {
      const present = [...rows].filter(([, value]) => this.#keeps(value))
      this.expected.push(present.map(([key, value]) => `insert ${key} ${value}`).sort())
      for (const [key] of present) this.#told.add(key)
    }
  }

  step(before: Rows, after: Rows): void {
    const batch: Told[] = []
    let changed = false
    for (const key of new Set([...before.keys(), ...after.keys()])) {
      const same = before.has(key) === after.has(key) && before.get(key) === after.get(key)
      if (same) continue
      changed = true
      const was = before.has(key) && this.#keeps(before.get(key))
      const is = after.has(key) && this.#keeps(after.get(key))
      if (!was && !is) continue
      const known = this.#initial === false || this.#told.has(key)
      if (is) this.#told.add(key)
      else this.#told.delete(key)
      if (!is) {
        if (known) batch.push(`delete ${key} ${before.get(key)}`)
      } else if (was && known) batch.push(`update ${key} ${after.get(key)} from ${before.get(key)}`)
      else batch.push(`insert ${key} ${after.get(key)}`)
    }
    if (batch.length > 0 || (changed && this.#filter === undefined)) this.expected.push(batch.sort())
  }

  #keeps(value: Value): boolean {
    return this.#filter === undefined || this.#filter.keeps(value)
  }
}

function shown({
  type,
  key,
  value,
  previousValue,
}: {
  type: string
  key: unknown
  value: object
  previousValue?: unknown
}) {
  const text = `${type} ${String(key)} ${String((value as Row).v)}`
  return previousValue === undefined ? text : `${text} from ${String((previousValue as Row).v)}`
}

const key = fc.integer({ min: 1, max: 5 })
const value = fc.constantFrom<Value>(0, 1, 2, 3, null, undefined)
const write = fc.oneof(
  fc.record({ kind: fc.constant('put' as const), key, value }),
  fc.record({ kind: fc.constant('remove' as const), key }),
)
const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('commit' as const),
      truncate: fc.boolean(),
      writes: fc.array(write, { maxLength: 4 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('subscribe' as const),
      filter: fc.nat({ max: filters.length - 1 }),
      initial: fc.constantFrom(undefined, true, false),
      live: fc.boolean(),
    }),
  },
)

describe('what subscribers hear', () => {
  it('is what a comparison of whole states gives, in every mode, with and without a condition', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 14 }), (steps) => {
        const { collection, commit } = source()
        const live = createLiveQueryCollection({ query: (q) => q.from({ r: collection }), startSync: true })
        const rows: Rows = new Map()
        const subscribers: Subscriber[] = []
        for (const step of steps) {
          if (step.kind === 'subscribe') {
            const target = step.live ? (live as unknown as typeof collection) : collection
            subscribers.push(new Subscriber(target, rows, filters[step.filter], step.initial))
            continue
          }
          const before = new Map(rows)
          commit(({ write, truncate }) => {
            if (step.truncate) {
              truncate()
              rows.clear()
            }
            for (const one of step.writes) {
              if (one.kind === 'remove') {
                write({ type: 'delete', key: one.key })
                rows.delete(one.key)
              } else {
                write({ type: 'update', value: { id: one.key, v: one.value } })
                rows.set(one.key, one.value)
              }
            }
          })
          for (const subscriber of subscribers) subscriber.step(before, rows)
        }
        for (const { heard, expected } of subscribers) expect(heard).toEqual(expected)
        void live.cleanup()
        void collection.cleanup()
      }),
      { numRuns: 300 },
    )
  })
})
