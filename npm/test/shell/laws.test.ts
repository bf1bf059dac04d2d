import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { outerQueryArb, queryArb, type Step, stepArb } from './arbitraries.ts'
import { World } from './world.ts'

const queries = fc.array(queryArb, { minLength: 1, maxLength: 3 })
const outer = fc.array(outerQueryArb, { maxLength: 2 })
const history = fc.array(stepArb, { maxLength: 10 })

describe('laws of live queries', () => {
  beforeEach(() => void vi.spyOn(console, 'error').mockImplementation(() => {}))
  afterEach(() => vi.restoreAllMocks())

  it('FRESH, DELTA, COHERENT: results, order and events are those of recomputation after every step', () => {
    fc.assert(
      fc.property(queries, outer, history, (inner, over, steps) => {
        const world = new World(inner, over)
        for (const step of steps) world.run(step)
        world.end()
      }),
      { numRuns: 250, interruptAfterTimeLimit: 15_000 },
    )
  })

  it('SPLIT: one transaction or one for each write, the state in the end is the same', () => {
    fc.assert(
      fc.property(queries, outer, history, (inner, over, steps) => {
        const commits = steps.filter((step) => step.do === 'commit')
        const writes = commits.flatMap((step) => (step.do === 'commit' ? step.writes : []))
        const together = new World(inner, over)
        const apart = new World(inner, over)
        const commit = (some: typeof writes): Step => ({ do: 'commit', truncate: false, writes: some })
        together.run(commit(writes))
        for (const write of writes) apart.run(commit([write]))
        expect(apart.results()).toEqual(together.results())
        together.end()
        apart.end()
      }),
      { numRuns: 100, interruptAfterTimeLimit: 10_000 },
    )
  })
})
