// @vitest-environment jsdom
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { Engine } from '../../src/engine/engine.js'

const HANDLE = Symbol.for('millrace/engine')

function handle(): Engine | undefined {
  return (globalThis as { [HANDLE]?: Engine })[HANDLE]
}

function works(engine: Engine): boolean {
  const message = engine.begin()
  message.array(1)
  message.int(13)
  return engine.command(message, () => {}) === 0
}

/** What the loader asks of the environment before it prepares the engine in the background. */
function pretendToBeABrowser(idle: (run: () => void) => void): void {
  vi.stubGlobal('process', Object.create(process, { versions: { value: {} } }))
  vi.stubGlobal('requestIdleCallback', idle)
}

afterEach(() => {
  vi.unstubAllGlobals()
  vi.resetModules()
  Reflect.deleteProperty(globalThis, HANDLE)
})

describe('a test environment with a simulated document', () => {
  it('starts the engine at first use and not before', async () => {
    const idle = vi.fn()
    vi.stubGlobal('requestIdleCallback', idle)
    const { engine } = await import('../../src/engine/loader.js')
    expect(idle).not.toHaveBeenCalled()
    expect(handle()).toBeUndefined()
    expect(works(engine())).toBe(true)
  })

  it('may lack coders, a clock and randomness', async () => {
    for (const name of ['TextEncoder', 'TextDecoder', 'performance', 'crypto']) vi.stubGlobal(name, undefined)
    const { engine } = await import('../../src/engine/loader.js')
    expect(works(engine())).toBe(true)
  })

  it('may lack WebAssembly, and the error says so', async () => {
    const { engine } = await import('../../src/engine/loader.js')
    vi.stubGlobal('WebAssembly', undefined)
    expect(engine).toThrow(/no WebAssembly/)
    vi.stubGlobal('WebAssembly', {
      Module: class {
        constructor() {
          throw new EvalError("violates 'script-src'")
        }
      },
    })
    expect(engine).toThrow(/violates 'script-src'.*'wasm-unsafe-eval'/)
    vi.unstubAllGlobals()
    expect(works(engine())).toBe(true)
  })
})

describe('a browser', () => {
  it('has the engine running before the first use, when it had time', async () => {
    const idle = vi.fn<(run: () => void) => void>()
    pretendToBeABrowser(idle)
    const { engine } = await import('../../src/engine/loader.js')
    expect(idle).toHaveBeenCalledOnce()
    idle.mock.calls[0]?.[0]()
    await vi.waitFor(() => expect(handle()).toBeDefined(), { timeout: 10_000 })
    const warm = handle()
    expect(engine()).toBe(warm)
    expect(works(engine())).toBe(true)
  })

  it('keeps the engine that was used before the preparation was done', async () => {
    const idle = vi.fn<(run: () => void) => void>()
    pretendToBeABrowser(idle)
    const compile = vi.spyOn(WebAssembly, 'compile')
    const { engine } = await import('../../src/engine/loader.js')
    idle.mock.calls[0]?.[0]()
    const used = engine()
    await vi.waitFor(() => expect(compile).toHaveBeenCalled(), { timeout: 10_000 })
    await compile.mock.results[0]?.value
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect(handle()).toBe(used)
    expect(engine()).toBe(used)
  })
})
