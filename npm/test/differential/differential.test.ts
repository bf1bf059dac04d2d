import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Both } from './both.ts'
import { type DifferenceName, differences } from './differences.ts'
import { stepArb } from './scripts.ts'

const page = readFileSync(new URL('../../../docs/compatibility.md', import.meta.url), 'utf8')

describe('the same script on both libraries', () => {
  it('shows the same rows, tells the same events and sends the same mutations', async () => {
    const avoided = new Set<DifferenceName>()
    let steps = 0
    await fc.assert(
      fc.asyncProperty(fc.array(stepArb, { minLength: 1, maxLength: 25 }), async (script) => {
        const both = new Both()
        try {
          for (const step of script) await both.run(step)
        } finally {
          both.end()
        }
        steps += both.steps
        for (const name of both.avoided) avoided.add(name)
      }),
      // The same scripts every time: another version of the other library is what this test is to notice.
      { numRuns: 150, seed: 11 },
    )
    // Most of what is drawn is run, and what is avoided has a reason that is on the list.
    expect(steps).toBeGreaterThan(300)
    const listed = differences.filter(({ handled }) => handled === 'scripts avoid it').map(({ name }) => name)
    expect(listed).toEqual(expect.arrayContaining([...avoided]))
  })
})

describe('the list of differences', () => {
  it('is the one users are told of', () => {
    const told = [...page.matchAll(/^\*\*(.+?)\.\*\*/gm)].map(([, name]) => name)
    expect(told.sort()).toEqual(differences.map(({ name }) => name).sort())
  })
})
