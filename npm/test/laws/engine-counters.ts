/** The engine's counters, asked for as the shell would. */
import { theSession } from '../../src/collection/the-session.ts'

const STATS = 13
const STATISTICS = 12

const HELD = [
  'roots',
  'lives',
  'rows',
  'columns',
  'arrangements',
  'nodes',
  'retained',
  'pinned',
  'texts',
  'layers',
  'parked',
]

/** What the engine holds of collections, transactions and queries. */
export function held(): Record<string, number | undefined> {
  const { engine } = theSession()
  const command = engine.begin()
  command.array(1)
  command.int(STATS)
  const stats: Record<string, number> = {}
  engine.command(command, (effects) => {
    for (let n = effects.array(); n > 0; n--) {
      effects.array()
      if (effects.int() !== STATISTICS) throw new Error('expected statistics only')
      for (let pairs = effects.map(); pairs > 0; pairs--) stats[effects.str()] = effects.num()
    }
  })
  return Object.fromEntries(HELD.map((name) => [name, stats[name]]))
}

/** What is held when everything was cleaned up. */
export const nothing: Record<string, number> = Object.fromEntries(HELD.map((name) => [name, 0]))
