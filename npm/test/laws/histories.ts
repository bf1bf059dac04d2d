/** Random histories of local writes, sync transactions and what happens around them. */
import fc from 'fast-check'
import type { Key } from './writes-model.ts'

export const keys: readonly Key[] = [1, 2, 3, 'x']

/** A local write; what does not fit the row that is there is left out. */
export interface Change {
  readonly root: number
  readonly key: Key
  readonly what: 'insert' | 'a' | 'b' | 'c' | 'remove c' | 'delete'
  readonly n: number
  readonly silent: boolean
}

/** A write of the source. */
export interface Said {
  readonly key: Key
  readonly what: 'insert' | 'a' | 'b' | 'all' | 'delete'
  readonly n: number
}

export interface SyncStep {
  readonly root: number
  readonly said: readonly Said[]
  readonly truncate: boolean
  readonly immediate: boolean
}

export type Step =
  | ({ readonly do: 'sync' | 'open' } & SyncStep)
  | { readonly do: 'commit' | 'stop' | 'start'; readonly root: number }
  | { readonly do: 'direct'; readonly change: Change; readonly handler: 'later' | 'at once' | 'throws' }
  | { readonly do: 'make' | 'fail a subscriber' | 'fail a listener' }
  | {
      readonly do: 'mutate'
      readonly which: number
      readonly changes: readonly Change[]
      readonly throws: boolean
    }
  | { readonly do: 'send' | 'accept' | 'refuse' | 'roll back'; readonly which: number }
  | { readonly do: 'confirm'; readonly which: number; readonly under: 'the same key' | 'another key' }
  | { readonly do: 'answer'; readonly with: SyncStep | Change }

const rarely = fc.nat(9).map((k) => k === 0)
const root = fc.nat(1)
const which = fc.nat(5)
const key = fc.constantFrom(...keys)
const n = fc.nat(3)
const change: fc.Arbitrary<Change> = fc.record({
  root,
  key,
  what: fc.constantFrom('insert', 'insert', 'a', 'a', 'b', 'c', 'remove c', 'delete'),
  n,
  silent: rarely,
})
const said: fc.Arbitrary<Said> = fc.record({
  key,
  what: fc.constantFrom('insert', 'insert', 'a', 'b', 'all', 'delete'),
  n,
})
export const saidArb = fc.array(said, { maxLength: 4 })
const sync = { root, said: saidArb, truncate: rarely, immediate: rarely }
const does = <const T extends string>(...names: T[]) => fc.constantFrom(...names)

export const stepArb: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ do: does('sync'), ...sync }) },
  { weight: 1, arbitrary: fc.record({ do: does('open'), ...sync }) },
  { weight: 1, arbitrary: fc.record({ do: does('commit', 'stop', 'start', 'start'), root }) },
  {
    weight: 5,
    arbitrary: fc.record({
      do: does('direct'),
      change,
      handler: does('later', 'later', 'at once', 'throws'),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: does('make', 'make', 'fail a subscriber', 'fail a listener') }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: does('mutate'),
      which,
      changes: fc.array(change, { maxLength: 4 }),
      throws: rarely,
    }),
  },
  { weight: 4, arbitrary: fc.record({ do: does('send', 'accept', 'refuse', 'roll back'), which }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: does('confirm'), which, under: does('the same key', 'another key') }),
  },
  { weight: 1, arbitrary: fc.record({ do: does('answer'), with: fc.oneof(fc.record(sync), change) }) },
)
