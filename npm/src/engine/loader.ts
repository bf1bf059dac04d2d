import { payload } from '#engine'
import { EngineStartError, EngineVersionError } from '../errors/engine.js'
import { type Engine, PROTOCOL_VERSION } from './engine.js'
import { ModuleEngine } from './module-engine.js'
import { isNode, unpack, unpackInBackground } from './payload.js'

/** Where copies of the library in one process find the engine that another started. */
const HANDLE = Symbol.for('millrace/engine')

interface Global {
  [HANDLE]?: Engine
}

let known: Engine | undefined

/**
 * The engine of this process, started at the first call: 20 to 60 ms, unless a browser has had time to prepare it in the
 * background. Importing the library costs nothing.
 *
 * Throws EngineStartError when WebAssembly cannot be used here, and EngineVersionError when a copy of the library
 * that speaks another protocol version started an engine before.
 */
export function engine(): Engine {
  known ??= running() ?? publish(new ModuleEngine(compile()))
  return known
}

/** The engine that this or another copy has started. */
function running(): Engine | undefined {
  const other = (globalThis as Global)[HANDLE]
  if (other !== undefined && other.protocol !== PROTOCOL_VERSION) {
    throw new EngineVersionError(PROTOCOL_VERSION, other.protocol)
  }
  return other
}

function publish(started: Engine): Engine {
  Object.defineProperty(globalThis, HANDLE, { value: started, enumerable: false, configurable: true })
  return started
}

function compile(): WebAssembly.Module {
  if (typeof WebAssembly !== 'object') throw new EngineStartError('this environment has no WebAssembly')
  try {
    return new WebAssembly.Module(unpack(payload))
  } catch (error) {
    throw new EngineStartError(error instanceof Error ? error.message : String(error), { cause: error })
  }
}

/**
 * Start the engine without holding up the page, so that the first use finds it running. A failure is left for
 * the first use to meet and report.
 */
async function warmUp(): Promise<void> {
  try {
    const module = await WebAssembly.compile(await unpackInBackground(payload))
    if (known === undefined && running() === undefined) publish(new ModuleEngine(module))
  } catch {
    // The synchronous way may still work, and reports if it does not.
  }
}

// Only where there is a page to hold up: servers, workers and test runners start the engine when it is used.
if (typeof document === 'object' && typeof DecompressionStream === 'function' && !isNode()) {
  if (typeof requestIdleCallback === 'function') requestIdleCallback(() => void warmUp())
  else setTimeout(() => void warmUp())
}
