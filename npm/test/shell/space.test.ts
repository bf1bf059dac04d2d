import { describe, expect, it } from 'vitest'
import { theSession } from '../../src/collection/the-session.ts'
import { and, createLiveQueryCollection, gt, like, not, or } from '../../src/index.ts'
import { source } from './source.ts'

const STATS = 13

/** The engine's counters. */
function counters(): Record<string, number> {
  const { engine } = theSession()
  const command = engine.begin()
  command.array(1)
  command.int(STATS)
  const stats: Record<string, number> = {}
  engine.command(command, (effects) => {
    for (let n = effects.array(); n > 0; n--) {
      effects.array()
      if (effects.int() !== 12) throw new Error('expected statistics only')
      for (let pairs = effects.map(); pairs > 0; pairs--) stats[effects.str()] = effects.num()
    }
  })
  return stats
}

/** What must be as before once everything is cleaned up: totals only grow, and memory is kept for reuse. */
function held(): Record<string, number> {
  const growing = /visits|scanned|refills|commands|pulls|bytes/i
  return Object.fromEntries(Object.entries(counters()).filter(([name]) => !growing.test(name)))
}

function round(n: number): void {
  const made = source({
    rows: Array.from({ length: 50 }, (_, id) => ({ id, text: `row ${id}`, v: (id * 7) % 13 })),
  })
  const { collection } = made
  const lives = Array.from({ length: 10 }, (_, i) => {
    const live = createLiveQueryCollection({
      startSync: true,
      query: (q) =>
        q
          .from({ r: collection })
          .where(({ r }) => or(like(r.text as never, `%${i}%`), and(gt(r.v, i), not(gt(r.v, `${n}`)))))
          .orderBy(({ r }) => r.text, 'desc')
          .limit(5)
          .select(({ r }) => ({ id: r.id, text: r.text, high: gt(r.v, 5) })),
    })
    const over = createLiveQueryCollection({ startSync: true, query: (q) => q.from({ l: live }) })
    over.subscribeChanges(() => {}, { includeInitialState: true }).unsubscribe()
    return [over, live]
  }).flat()
  for (let i = 0; i < 100; i++) {
    made.update({ id: i % 50, text: `text ${n} ${i}`, v: i })
    if (i % 10 === 0) made.remove(i % 50)
    for (const live of lives) live.get(i % 50)
  }
  for (const live of lives) void live.cleanup()
  void collection.cleanup()
}

describe('SPACE', () => {
  it('nothing is held of what was cleaned up, by the engine or by its dictionary', () => {
    round(0)
    const before = held()
    const texts = theSession().dictionary.size
    for (let n = 1; n < 5; n++) round(n)
    expect(held()).toEqual(before)
    expect(theSession().dictionary.size).toBe(texts)
    expect(texts).toBe(3)
    expect(before).toMatchObject({ roots: 0, lives: 0, rows: 0 })
  })
})
