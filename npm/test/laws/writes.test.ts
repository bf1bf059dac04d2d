import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Said, type Step, saidArb, stepArb } from './histories.ts'
import { World } from './writes-world.ts'

/** Runs a history and gives what it ended at. */
async function follow(steps: readonly Step[]): Promise<unknown> {
  const world = new World()
  let rows: unknown
  try {
    for (const step of steps) await world.run(step)
    rows = world.rows()
  } catch (error) {
    await world.end().catch(() => {})
    throw error
  }
  await world.end()
  return rows
}

const quiet = { root: 0, truncate: false, immediate: false }

/** What the source says, cut into transactions after the places in `cuts`. */
function cut(said: readonly Said[], cuts: readonly number[]): Step[] {
  const steps: Step[] = []
  let from = 0
  for (const to of [...new Set([...cuts.filter((at) => at < said.length), said.length])].sort(
    (a, b) => a - b,
  )) {
    steps.push({ do: 'sync', ...quiet, said: said.slice(from, to) })
    from = to
  }
  return steps
}

describe('laws of local writes', () => {
  it('OVERLAY, COHERENT, RECEIPT, CONTAIN, SPACE: any history shows, tells and leaves what the rules say', async () => {
    const history = fc.array(stepArb, { minLength: 1, maxLength: 30 })
    await fc.assert(
      fc.asyncProperty(history, async (steps) => {
        await follow(steps)
      }),
      { numRuns: 70 },
    )
  })

  it('SPLIT: under writes that are not sent yet, any split of what the source says ends at the same rows', async () => {
    const changes = fc
      .array(stepArb, { maxLength: 6 })
      .map((steps) => steps.filter((step) => step.do === 'mutate'))
    const cuts = fc.array(fc.nat(8), { maxLength: 4 })
    await fc.assert(
      fc.asyncProperty(
        changes,
        fc.tuple(saidArb, saidArb),
        cuts,
        cuts,
        async (before, said, some, others) => {
          const written: Step[] = [{ do: 'make' }, { do: 'make' }, ...before]
          const first = await follow([...written, ...cut(said.flat(), some)])
          expect(await follow([...written, ...cut(said.flat(), others)])).toEqual(first)
        },
      ),
      { numRuns: 25 },
    )
  })
})
