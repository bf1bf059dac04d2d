import fc from 'fast-check'
import { expect, it } from 'vitest'
import { DeduplicatedLoadSubset } from '../../src/predicates/deduplicated-load-subset.ts'
import type { LoadSubsetOptions } from '../../src/types.ts'
import { compare, fn, type Predicate, ref, rowArb } from './arbitraries.ts'
import { keeps, type Row } from './evaluate.ts'

const orderBy = [
  { expression: ref('n'), compareOptions: { direction: 'asc' as const, nulls: 'first' as const } },
]

/** The rows a request asks for. Rows are numbered, and pages are in the order of the numbers. */
function wanted(rows: readonly Row[], { where, limit, offset = 0 }: LoadSubsetOptions): Row[] {
  return rows
    .filter((row) => keeps(where, row))
    .slice(offset, limit === undefined ? undefined : offset + limit)
}

const value = fc.constantFrom(0, 1, 2, 3.5, Number.NaN, null)
const piece: fc.Arbitrary<Predicate> = fc.oneof(
  fc
    .tuple(fc.constantFrom('gt', 'gte', 'lt', 'lte', 'eq'), value)
    .map(([name, bound]) => compare(name, 'a', bound)),
  fc.array(fc.nat(8), { maxLength: 4 }).map((numbers) => compare('in', 'n', numbers)),
  fc.constant(fn('isNull', ref('a'))),
)
const where = fc.oneof(
  { weight: 4, arbitrary: piece },
  { weight: 2, arbitrary: fc.tuple(piece, piece).map(([a, b]) => fn('and', a, b)) },
  { weight: 2, arbitrary: fc.tuple(piece, piece).map(([a, b]) => fn('or', a, b)) },
  { weight: 1, arbitrary: fc.constant(undefined) },
)
const page = fc.option(
  fc.record({
    limit: fc.option(fc.nat(5), { nil: undefined }),
    offset: fc.nat(3),
    orderBy: fc.constant(orderBy),
  }),
  { nil: undefined, freq: 2 },
)
const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ op: fc.constant('load' as const), where, page, cancellable: fc.boolean() }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      op: fc.constant('settle' as const),
      which: fc.nat(),
      outcome: fc.constantFrom('ok', 'ok', 'fail', 'abort'),
    }),
  },
  { weight: 1, arbitrary: fc.record({ op: fc.constant('reset' as const) }) },
)

interface Load {
  readonly options: LoadSubsetOptions
  settle(outcome: string): void
}

interface Request {
  readonly options: LoadSubsetOptions
  readonly controller: AbortController | undefined
  readonly era: number
  state: 'waiting' | 'done' | 'failed'
}

it('whoever is told that rows are loaded finds them, whatever was shared, failed, cancelled or forgotten', async () => {
  let shared = 0
  await fc.assert(
    fc.asyncProperty(
      fc.array(rowArb, { maxLength: 9 }),
      fc.array(step, { minLength: 8, maxLength: 40, size: 'max' }),
      async (contents, steps) => {
        const rows = contents.map((row, n) => ({ ...row, n }))
        const loaded = new Set<Row>()
        const loads: Load[] = []
        const requests: Request[] = []
        let era = 0
        let calls = 0
        const dedupe = new DeduplicatedLoadSubset({
          loadSubset(options) {
            calls++
            const begun = era
            return new Promise<void>((resolve, reject) => {
              loads.push({
                options,
                settle(outcome) {
                  if (outcome === 'fail') return reject(new Error('offline'))
                  // Rows that come after a reset belong to the time before, and those of a cancelled load never come.
                  if (begun === era && options.signal?.aborted !== true)
                    for (const row of wanted(rows, options)) loaded.add(row)
                  resolve()
                },
              })
            })
          },
        })
        const check = () => {
          for (const { state, era: begun, options, controller } of requests) {
            if (state !== 'done' || begun !== era || controller?.signal.aborted === true) continue
            for (const row of wanted(rows, options)) expect(loaded.has(row)).toBe(true)
          }
        }
        for (const next of steps) {
          if (next.op === 'reset') {
            loaded.clear()
            era++
            dedupe.reset()
          } else if (next.op === 'load') {
            const controller = next.cancellable ? new AbortController() : undefined
            const options: LoadSubsetOptions = { where: next.where, ...next.page, signal: controller?.signal }
            const request: Request = { options, controller, era, state: 'waiting' }
            requests.push(request)
            const before = calls
            const result = dedupe.loadSubset(options)
            if (calls === before) shared++
            if (result === true) request.state = 'done'
            else {
              result.then(
                () => {
                  request.state = 'done'
                },
                () => {
                  request.state = 'failed'
                },
              )
            }
          } else {
            const [load] = loads.splice(next.which % Math.max(1, loads.length), 1)
            if (next.outcome === 'abort') {
              requests
                .find(
                  ({ options }) => options.signal !== undefined && options.signal === load?.options.signal,
                )
                ?.controller?.abort()
            }
            load?.settle(next.outcome)
          }
          await Promise.resolve()
          await Promise.resolve()
          await Promise.resolve()
          check()
        }
      },
    ),
    { numRuns: 600 },
  )
  expect(shared).toBeGreaterThan(500)
})
