/**
 * Assembles a WebAssembly module with the exports of the engine and bodies as a test wants them, to see how the host
 * takes what the real engine does only when it is broken.
 */

const I32 = 0x7f
const TYPES: readonly (readonly [params: number, results: number])[] = [
  [0, 0],
  [0, 1],
  [1, 1],
  [1, 0],
  [2, 0],
]

/** Instructions, by what they do. */
export const code = {
  nothing: [] as readonly number[],
  /** Leave a constant from 0 to 63 on the stack. */
  constant: (value: number): readonly number[] => [0x41, value],
  /** Call runtime.wasmExit with the frame at 1024, whose code is 2. */
  exit: [0x41, ...leb(1024), 0x10, 0] as readonly number[],
  /** Call runtime.wasmWrite with the frame at 1024, which names the text. */
  write: [0x41, ...leb(1024), 0x10, 1] as readonly number[],
  trap: [0x00] as readonly number[],
}

export interface Bodies {
  readonly run?: readonly number[]
  readonly version?: readonly number[]
  readonly reserve?: readonly number[]
  readonly command?: readonly number[]
  /** Exports that are left out. */
  readonly without?: readonly string[]
}

/** The text that `code.write` writes. */
export const TEXT = 'panic: as planned'

/** A module with these bodies; what is not given does nothing or returns 2 (version), 64 (header) or 128 (buffers). */
export function tinyModule(bodies: Bodies): WebAssembly.Module {
  const buffer = [0x41, ...leb(128)]
  const functions: readonly (readonly [name: string, type: number, body: readonly number[]])[] = [
    ['run', 4, bodies.run ?? code.nothing],
    ['mr_version', 1, bodies.version ?? code.constant(2)],
    ['mr_header', 1, [0x41, ...leb(64)]],
    ['mr_reserve', 2, bodies.reserve ?? buffer],
    ['mr_command', 2, bodies.command ?? code.constant(0)],
    ['mr_answer', 2, buffer],
    ['mr_gc', 0, code.nothing],
  ]
  const exported = functions.map(([name], i) => [...named(name), 0, i + 2] as const)
  const shown = exported.filter((_, i) => !bodies.without?.includes(functions[i]?.[0] ?? ''))
  const frame = new Uint8Array(64)
  frame[8] = 2 // exit code, or the file descriptor of a write
  new DataView(frame.buffer).setUint32(16, 1024 + 32, true)
  frame[24] = TEXT.length
  frame.set(new TextEncoder().encode(TEXT), 32)
  const binary = [
    ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(
      1,
      TYPES.map(([params, results]) => [0x60, ...vector(params), ...vector(results)]),
    ),
    ...section(2, [
      [...named('gojs'), ...named('runtime.wasmExit'), 0, 3],
      [...named('gojs'), ...named('runtime.wasmWrite'), 0, 3],
    ]),
    ...section(
      3,
      functions.map(([, type]) => [type]),
    ),
    ...section(5, [[0, 1]]),
    ...section(7, [[...named('mem'), 2, 0], ...shown]),
    ...section(
      10,
      functions.map(([, , body]) => [...leb(body.length + 2), 0, ...body, 0x0b]),
    ),
    ...section(11, [[0, 0x41, ...leb(1024), 0x0b, ...leb(frame.length), ...frame]]),
  ]
  return new WebAssembly.Module(Uint8Array.from(binary))
}

function section(id: number, items: readonly (readonly number[])[]): number[] {
  const content = [...leb(items.length), ...items.flat()]
  return [id, ...leb(content.length), ...content]
}

function vector(n: number): number[] {
  return [n, ...new Array<number>(n).fill(I32)]
}

function named(text: string): number[] {
  return [text.length, ...new TextEncoder().encode(text)]
}

/** LEB128, for a non-negative number; also right for a signed operand. */
function leb(value: number): number[] {
  const bytes: number[] = []
  let rest = value
  for (; rest > 63; rest >>>= 7) bytes.push((rest & 0x7f) | 0x80)
  return [...bytes, rest]
}
