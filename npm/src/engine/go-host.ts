/**
 * What a Go program compiled with GOOS=js expects of its host, as far as the engine uses it: eight
 * functions, each given the address of its argument frame. Nothing is installed on `globalThis`, and the clock
 * and the random source are looked up when they are called, so replaced ones are respected.
 */

/** Exports of every Go module. */
export interface GoExports {
  readonly mem: WebAssembly.Memory
  run(argc: number, argv: number): void
}

/** Thrown through the module when it exits, which it does only to die. */
export class GoExit extends Error {
  override readonly name = 'GoExit'

  constructor(code: number, output: string) {
    super(output === '' ? `exit status ${code}` : output)
  }
}

const ARGV = 4096
const MAX_OUTPUT = 16 * 1024
/** The most that `getRandomValues` fills at once. */
const MAX_RANDOM = 65536

/** The host side of one module instance. */
export class GoHost {
  /** Why the module exited, if it did; it must not be called any more then. */
  exit: GoExit | undefined
  #memory: WebAssembly.Memory | undefined
  #view: DataView<ArrayBuffer> | undefined
  #output = ''
  #lastNanoseconds = 0

  /** The functions of the import namespace `gojs`. */
  readonly imports: Readonly<Record<string, (frame: number) => void>> = {
    'runtime.wasmExit': (frame) => {
      this.exit = new GoExit(this.#frame().getInt32(frame + 8, true), this.#output)
      throw this.exit
    },
    'runtime.wasmWrite': (frame) => {
      const view = this.#frame()
      const bytes = new Uint8Array(
        view.buffer,
        view.getUint32(frame + 16, true),
        view.getInt32(frame + 24, true),
      )
      if (this.#output.length < MAX_OUTPUT) this.#output += latin(bytes)
    },
    'runtime.resetMemoryDataView': () => {
      this.#view = undefined
    },
    'runtime.nanotime1': (frame) => {
      const now = typeof performance === 'object' ? performance.now() : Date.now()
      // The runtime relies on a clock that never goes back; a replaced one may.
      this.#lastNanoseconds = Math.max(this.#lastNanoseconds + 1, Math.round(now * 1e6))
      setInt64(this.#frame(), frame + 8, this.#lastNanoseconds)
    },
    'runtime.walltime': (frame) => {
      const now = Date.now()
      const view = this.#frame()
      setInt64(view, frame + 8, Math.floor(now / 1000))
      view.setInt32(frame + 16, Math.round(now % 1000) * 1e6, true)
    },
    // The engine owns no timer: one that the runtime asks for never fires and never shows in anybody's clock.
    'runtime.scheduleTimeoutEvent': (frame) => {
      this.#frame().setInt32(frame + 16, 1, true)
    },
    'runtime.clearTimeoutEvent': () => {},
    'runtime.getRandomData': (frame) => {
      const view = this.#frame()
      fillRandom(
        new Uint8Array(view.buffer, view.getUint32(frame + 8, true), view.getUint32(frame + 16, true)),
      )
    },
  }

  /** Run the program until it waits for calls. Throws GoExit when it dies at once. */
  start(exports: GoExports): void {
    this.#memory = exports.mem
    // argv and the environment are two zero-terminated vectors of 64-bit pointers, one after the other.
    const view = this.#frame()
    view.setUint32(ARGV, 0x736a, true) // "js"
    const vector = ARGV + 8
    setInt64(view, vector, ARGV)
    setInt64(view, vector + 8, 0)
    setInt64(view, vector + 16, 0)
    exports.run(1, vector)
  }

  #frame(): DataView<ArrayBuffer> {
    const buffer = (this.#memory as WebAssembly.Memory).buffer
    if (this.#view?.buffer !== buffer) this.#view = new DataView(buffer)
    return this.#view as DataView<ArrayBuffer>
  }
}

function setInt64(view: DataView, at: number, value: number): void {
  view.setUint32(at, value >>> 0, true)
  view.setInt32(at + 4, Math.floor(value / 0x100000000), true)
}

/** Randomness only seeds hash tables here, so an environment without a source of it is no obstacle. */
function fillRandom(bytes: Uint8Array<ArrayBuffer>): void {
  try {
    for (let i = 0; i < bytes.length; i += MAX_RANDOM)
      crypto.getRandomValues(bytes.subarray(i, i + MAX_RANDOM))
  } catch {
    for (let i = 0; i < bytes.length; i++) bytes[i] = Math.random() * 256
  }
}

/** Panic texts are ASCII but for what a message quotes; that may look odd. */
function latin(bytes: Uint8Array): string {
  let text = ''
  for (const byte of bytes) text += String.fromCharCode(byte)
  return text
}
