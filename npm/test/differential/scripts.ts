/** Random scripts for both libraries. What a step cannot do where it stands is left out when it runs. */
import fc from 'fast-check'

export type Key = number

export interface Change {
  readonly at: number
  readonly key: Key
  readonly what: 'insert' | 'a' | 'b' | 'delete'
  readonly n: number
  readonly optimistic: boolean
}

export interface Said {
  readonly key: Key
  readonly what: 'insert' | 'a' | 'b' | 'delete'
  readonly n: number
}

export type Step =
  | {
      readonly do: 'sync'
      readonly at: number
      readonly said: readonly Said[]
      readonly truncate: boolean
      readonly immediate: boolean
    }
  | { readonly do: 'direct'; readonly change: Change; readonly handler: 'later' | 'confirms' | 'throws' }
  | { readonly do: 'make' | 'restart' }
  | { readonly do: 'mutate'; readonly which: number; readonly changes: readonly Change[] }
  | { readonly do: 'send' | 'accept' | 'refuse' | 'roll back' | 'confirm'; readonly which: number }

const at = fc.nat(1)
const key = fc.integer({ min: 1, max: 3 })
const n = fc.nat(3)
const which = fc.nat(4)
const rarely = fc.nat(7).map((k) => k === 7)
const does = <const T extends string>(...names: T[]) => fc.constantFrom(...names)
const change: fc.Arbitrary<Change> = fc.record({
  at,
  key,
  what: does('insert', 'insert', 'a', 'b', 'delete'),
  n,
  optimistic: rarely.map((rare) => !rare),
})
const said: fc.Arbitrary<Said> = fc.record({ key, what: does('insert', 'insert', 'a', 'b', 'delete'), n })

export const stepArb: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      do: does('sync'),
      at,
      said: fc.array(said, { minLength: 1, maxLength: 4 }),
      truncate: rarely,
      immediate: rarely,
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      do: does('direct'),
      change,
      handler: does('later', 'later', 'confirms', 'throws'),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: does('make', 'make', 'make', 'restart') }) },
  {
    weight: 4,
    arbitrary: fc.record({ do: does('mutate'), which, changes: fc.array(change, { maxLength: 3 }) }),
  },
  {
    weight: 6,
    arbitrary: fc.record({ do: does('send', 'accept', 'refuse', 'roll back', 'confirm'), which }),
  },
)
