import { describe, expect, it } from 'vitest'
import { ModuleEngine } from '../../src/engine/module-engine.js'
import { EngineCrashedError, EngineStartError, EngineVersionError } from '../../src/errors/engine.js'
import { type Bodies, code, TEXT, tinyModule } from './tiny-module.js'

function start(bodies: Bodies): ModuleEngine {
  return new ModuleEngine(tinyModule(bodies))
}

function command(engine: ModuleEngine): number {
  const message = engine.begin()
  message.nil()
  return engine.command(message, () => {})
}

describe('an engine that dies while it runs', () => {
  const deaths: readonly (readonly [string, readonly number[], RegExp])[] = [
    ['exits, having written why', [...code.write, ...code.exit, ...code.constant(0)], new RegExp(TEXT)],
    ['exits without a word', [...code.exit, ...code.constant(0)], /exit status 2/],
    ['traps', code.trap, /unreachable/],
    ['says that it broke', code.constant(4), /an invariant does not hold/],
  ]
  for (const [how, body, reason] of deaths) {
    it(`is dead from then on when it ${how}`, () => {
      const engine = start({ command: body })
      expect(engine.crashed).toBe(false)
      expect(() => command(engine)).toThrow(EngineCrashedError)
      expect(engine.crashed).toBe(true)
      expect(() => command(engine)).toThrow(reason)
      expect(engine.busy).toBe(false)
      engine.collectGarbage()
    })
  }
})

describe('an engine that does not start', () => {
  it('says what the module wrote', () => {
    expect(() => start({ run: [...code.write, ...code.exit] })).toThrow(EngineStartError)
    expect(() => start({ run: [...code.write, ...code.exit] })).toThrow(TEXT)
  })

  it('says which exports are missing', () => {
    expect(() => start({ without: ['mr_gc', 'mr_answer'] })).toThrow('does not export mr_answer, mr_gc')
  })

  it('says which protocol version it speaks', () => {
    expect(() => start({ version: code.constant(9) })).toThrow(EngineVersionError)
  })
})
