import {
  EngineCommandError,
  EngineCrashedError,
  EngineStartError,
  EngineVersionError,
} from '../errors/engine.js'
import {
  type CommandStatus,
  type Engine,
  PROTOCOL_VERSION,
  type RootPulls,
  type TakeEffects,
  type TextPulls,
} from './engine.js'
import { type GoExports, GoHost } from './go-host.js'
import { NestedCommandError } from './nested-command-error.js'
import { type MemoryViews, Reader } from './reader.js'
import { Writer } from './writer.js'

/** Exports of the engine module. */
export interface EngineExports extends GoExports {
  mr_version(): number
  mr_header(): number
  mr_reserve(n: number): number
  mr_command(n: number): number
  mr_answer(n: number): number
  mr_gc(): void
}

const NAMES: readonly (keyof EngineExports)[] = [
  'mem',
  'run',
  'mr_version',
  'mr_header',
  'mr_reserve',
  'mr_command',
  'mr_answer',
  'mr_gc',
]

/** Words of the header. */
const IN_PTR = 0
const IN_CAP = 1
const OUT_PTR = 2
const OUT_LEN = 3
const ASK_PTR = 4
const ASK_LEN = 5

const MAX_MESSAGE = 1 << 30

const NESTED = 3
const BROKEN = 4
const PULL_FAILED = -1
const ERROR_EFFECT = 1

/** Writers that wait for reuse: one, and some for nested use. */
const SPARE_WRITERS = 4
/** Messages up to this many bytes are copied by a loop, which is faster than a call for them. */
const SHORT_MESSAGE = 512
/** An input buffer of the engine larger than this is offered back: `mr_reserve` decides. */
const LARGE_INPUT = 1 << 20

/**
 * The engine of one module instance. Nothing that belongs to the instance is an own property, so whatever walks
 * the object graph of a collection does not find its memory.
 */
export class ModuleEngine implements Engine {
  readonly protocol: number
  readonly #exports: EngineExports
  readonly #host: GoHost
  readonly #header: number
  #views: MemoryViews
  #crash: EngineCrashedError | undefined
  #busy = false
  /** What a pull threw, until the command that pulled has returned. */
  #thrown: { readonly error: unknown } | undefined
  #lastId = 1
  readonly #effects = new Reader()
  readonly #request = new Reader()
  readonly #answer = new Writer()
  readonly #spare: Writer[] = []
  readonly #shared = new Map<string, object>()
  readonly #roots = new Map<number, RootPulls>()
  #texts: TextPulls | undefined

  /** Instantiate and start `module`. Throws EngineStartError, or EngineVersionError when it speaks another protocol. */
  constructor(module: WebAssembly.Module) {
    this.#host = new GoHost()
    const millrace = {
      ask: (): number => this.#ask(),
      equal: (col: number, template: number, a: number, b: number): number =>
        this.#equal(col >>> 0, template >>> 0, a >>> 0, b >>> 0),
      compare: (collation: number, a: number, b: number): number =>
        this.#compare(collation >>> 0, a >>> 0, b >>> 0),
    }
    try {
      const instance = new WebAssembly.Instance(module, { gojs: this.#host.imports, millrace })
      this.#exports = exportsOf(instance)
      this.#host.start(this.#exports)
      this.protocol = this.#exports.mr_version()
      this.#header = this.#exports.mr_header() >>> 2
    } catch (error) {
      throw new EngineStartError(reasonOf(error), { cause: error })
    }
    if (this.protocol !== PROTOCOL_VERSION) throw new EngineVersionError(PROTOCOL_VERSION, this.protocol)
    this.#views = viewsOf(this.#exports.mem)
  }

  get u8(): Uint8Array {
    return this.#fresh().u8
  }

  get u32(): Uint32Array {
    return this.#fresh().u32
  }

  get f64(): Float64Array {
    return this.#fresh().f64
  }

  get busy(): boolean {
    return this.#busy
  }

  get crashed(): boolean {
    return this.#crash !== undefined
  }

  nextId(): number {
    return ++this.#lastId
  }

  shared<T extends object>(name: string, make: () => T): T {
    let object = this.#shared.get(name) as T | undefined
    if (object === undefined) {
      object = make()
      this.#shared.set(name, object)
    }
    return object
  }

  attachRoot(col: number, pulls: RootPulls): void {
    this.#roots.set(col, pulls)
  }

  detachRoot(col: number): void {
    this.#roots.delete(col)
  }

  attachTexts(pulls: TextPulls): void {
    this.#texts ??= pulls
  }

  begin(): Writer {
    return this.#spare.pop() ?? new Writer()
  }

  command(message: Writer, take: TakeEffects): CommandStatus {
    if (this.#crash !== undefined) throw this.#crash
    if (this.#busy) throw new NestedCommandError()
    this.#busy = true
    this.#thrown = undefined
    let status: number
    try {
      status = this.#run(message)
      if (status <= 2) {
        const { u32 } = this.#fresh()
        this.#effects.open(
          this.#views,
          u32[this.#header + OUT_PTR] as number,
          u32[this.#header + OUT_LEN] as number,
        )
        take(this.#effects, status as CommandStatus)
      }
    } finally {
      this.#busy = false
      this.#effects.close()
      message.reset()
      if (this.#spare.length < SPARE_WRITERS && !this.#spare.includes(message)) this.#spare.push(message)
    }
    const thrown = this.#thrown as { readonly error: unknown } | undefined
    if (thrown !== undefined) {
      this.#thrown = undefined
      throw thrown.error
    }
    return status as CommandStatus
  }

  collectGarbage(): void {
    if (this.#busy || this.#crash !== undefined) return
    try {
      this.#exports.mr_gc()
    } catch (error) {
      throw this.#die(error)
    }
  }

  /** Copy the message in and run it. Whatever comes out of the module as an exception is its end. */
  #run(message: Writer): number {
    const n = message.length
    if (n > MAX_MESSAGE)
      throw new EngineCommandError('LimitExceeded', `it takes ${n} bytes, the limit is 1 GiB`)
    let status: number
    try {
      const { u32 } = this.#fresh()
      const capacity = u32[this.#header + IN_CAP] as number
      // The call would only say what the header does, which is much faster to read.
      const at =
        n <= capacity && capacity <= LARGE_INPUT
          ? (u32[this.#header + IN_PTR] as number)
          : this.#exports.mr_reserve(n)
      copyIn(message, this.#fresh(), at)
      status = this.#exports.mr_command(n)
    } catch (error) {
      throw this.#die(error)
    }
    if (status === NESTED) throw new NestedCommandError()
    if (status === BROKEN) throw this.#die(new Error(this.#brokenReason()))
    return status
  }

  #die(error: unknown): EngineCrashedError {
    this.#crash = new EngineCrashedError(reasonOf(this.#host.exit ?? error), { cause: error })
    return this.#crash
  }

  /** The message of the Error effect that a broken engine leaves, if it managed to. */
  #brokenReason(): string {
    const fallback = 'an invariant does not hold'
    try {
      const { u32 } = this.#fresh()
      const effects = new Reader().open(
        this.#views,
        u32[this.#header + OUT_PTR] as number,
        u32[this.#header + OUT_LEN] as number,
      )
      if (effects.array() === 0 || effects.array() < 4 || effects.int() !== ERROR_EFFECT) return fallback
      effects.skip()
      effects.skip()
      return effects.str()
    } catch {
      return fallback
    }
  }

  #ask(): number {
    try {
      const { u32 } = this.#fresh()
      const request = this.#request.open(
        this.#views,
        u32[this.#header + ASK_PTR] as number,
        u32[this.#header + ASK_LEN] as number,
      )
      const answer = this.#answer.reset()
      request.array()
      const kind = request.int()
      if (kind === 1) this.#root(request.int()).readColumn(request, answer)
      else if (kind === 3) this.#root(request.int()).readKeys(request, answer)
      else if (kind === 4) this.#root(request.int()).compose(request, answer)
      else throw new Error(`the engine asks for something unknown: request kind ${kind}`)
      const at = this.#exports.mr_answer(answer.length)
      if (at === 0) throw new RangeError(`an answer of ${answer.length} bytes is over the limit`)
      copyIn(answer, this.#fresh(), at)
      return answer.length
    } catch (error) {
      return this.#pullFailed(error)
    } finally {
      this.#request.close()
    }
  }

  #equal(col: number, template: number, a: number, b: number): number {
    try {
      return this.#root(col).equal(template, a, b) ? 1 : 0
    } catch (error) {
      return this.#pullFailed(error)
    }
  }

  #compare(collation: number, a: number, b: number): number {
    try {
      const order = this.#textPulls().compare(collation, a, b)
      return order < 0 ? 0 : order > 0 ? 2 : 1
    } catch (error) {
      return this.#pullFailed(error)
    }
  }

  /** Keep the first exception for `command`; one of a module that just died must not be swallowed. */
  #pullFailed(error: unknown): number {
    if (this.#host.exit !== undefined) throw error
    this.#thrown ??= { error }
    return PULL_FAILED
  }

  #root(col: number): RootPulls {
    const root = this.#roots.get(col)
    if (root === undefined)
      throw new Error(`the engine asks about root collection ${col}, which nobody attached`)
    return root
  }

  #textPulls(): TextPulls {
    if (this.#texts === undefined)
      throw new Error('the engine asks about texts, and nobody attached a dictionary')
    return this.#texts
  }

  /** The views of the memory as it is: growth detaches older ones, which leaves them empty. */
  #fresh(): MemoryViews {
    if (this.#views.u8.length === 0) this.#views = viewsOf(this.#exports.mem)
    return this.#views
  }
}

function exportsOf(instance: WebAssembly.Instance): EngineExports {
  const missing = NAMES.filter((name) => !(name in instance.exports))
  if (missing.length > 0) throw new Error(`the module does not export ${missing.join(', ')}`)
  return instance.exports as unknown as EngineExports
}

function viewsOf(memory: WebAssembly.Memory): MemoryViews {
  const { buffer } = memory
  return { u8: new Uint8Array(buffer), u32: new Uint32Array(buffer), f64: new Float64Array(buffer) }
}

/** Copies a message to an address that is a multiple of 8, in a buffer whose length is one. */
function copyIn(message: Writer, memory: MemoryViews, at: number): void {
  const { u32, length } = message
  if (length > SHORT_MESSAGE) {
    memory.u8.set(message.bytes(), at)
    return
  }
  const to = memory.u32
  for (let from = 0, word = at >>> 2, end = (length + 3) >>> 2; from < end; )
    to[word++] = u32[from++] as number
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
