import { gunzip } from './inflate.js'

/** The compressed module as the package carries it. */
export interface Payload {
  readonly gzipBase64: string
  readonly byteLength: number
}

/** The bytes of the module, at once: by the platform's own decompression in Node, by ours elsewhere. */
export function unpack(payload: Payload): Uint8Array<ArrayBuffer> {
  const file = decodeBase64(payload.gzipBase64)
  const zlib = nodeZlib()
  return zlib === undefined ? gunzip(file, payload.byteLength) : new Uint8Array(zlib.gunzipSync(file))
}

/** The bytes of the module, without holding up the page. Needs `DecompressionStream`. */
export async function unpackInBackground(payload: Payload): Promise<ArrayBuffer> {
  const file = new Response(decodeBase64(payload.gzipBase64)).body as ReadableStream<Uint8Array<ArrayBuffer>>
  return new Response(file.pipeThrough(new DecompressionStream('gzip'))).arrayBuffer()
}

interface Zlib {
  gunzipSync(file: Uint8Array): Uint8Array<ArrayBuffer>
}

interface NodeGlobals {
  readonly process?: {
    getBuiltinModule?(name: string): unknown
    readonly versions?: { readonly node?: string }
  }
  readonly Buffer?: { from?(text: string, encoding: 'base64'): Uint8Array<ArrayBuffer> }
}

/** Whether this is Node or pretends well to be. */
export function isNode(): boolean {
  return typeof (globalThis as NodeGlobals).process?.versions?.node === 'string'
}

/** Asked for at run time, so that bundlers see no import of a Node module. */
function nodeZlib(): Zlib | undefined {
  try {
    const zlib = (globalThis as NodeGlobals).process?.getBuiltinModule?.('node:zlib') as Zlib | undefined
    return typeof zlib?.gunzipSync === 'function' ? zlib : undefined
  } catch {
    return undefined
  }
}

function decodeBase64(text: string): Uint8Array<ArrayBuffer> {
  const { Buffer } = globalThis as NodeGlobals
  if (typeof Buffer?.from === 'function') return Buffer.from(text, 'base64')
  const { fromBase64 } = Uint8Array as { fromBase64?(text: string): Uint8Array<ArrayBuffer> }
  if (typeof fromBase64 === 'function') return fromBase64.call(Uint8Array, text)
  const binary = atob(text)
  const bytes = new Uint8Array(binary.length)
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i)
  return bytes
}
