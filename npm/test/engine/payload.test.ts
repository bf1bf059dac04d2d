import { deflateRawSync, gzipSync, constants as zlib } from 'node:zlib'
import fc from 'fast-check'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { gunzip } from '../../src/engine/inflate.js'
import { unpack, unpackInBackground } from '../../src/engine/payload.js'

const repetitive = fc
  .array(fc.tuple(fc.uint8Array({ maxLength: 30 }), fc.integer({ min: 1, max: 400 })), { maxLength: 20 })
  .map((runs) =>
    Uint8Array.from(runs.flatMap(([bytes, n]) => new Array<number[]>(n).fill([...bytes]).flat())),
  )

describe('gunzip', () => {
  it('returns what was packed, however hard the packing', () => {
    const strategy = fc.constantFrom(zlib.Z_DEFAULT_STRATEGY, zlib.Z_FIXED, zlib.Z_HUFFMAN_ONLY, zlib.Z_RLE)
    const content = fc.oneof(fc.uint8Array({ maxLength: 3000 }), repetitive)
    fc.assert(
      fc.property(content, fc.integer({ min: 0, max: 9 }), strategy, (bytes, level, kind) => {
        const file = gzipSync(bytes, { level, strategy: kind })
        expect(Buffer.compare(gunzip(file, bytes.length), bytes)).toBe(0)
      }),
      { numRuns: 60 },
    )
  })

  it('refuses a file that is damaged so that the length cannot be right', () => {
    const bytes = Uint8Array.from({ length: 2000 }, (_, i) => (i * i) & 0xff)
    const file = gzipSync(bytes)
    expect(() => gunzip(file.subarray(0, file.length >> 1), bytes.length)).toThrow()
    expect(() => gunzip(file, bytes.length - 1)).toThrow()
    expect(() => gunzip(file, bytes.length + 1)).toThrow()
    expect(() => gunzip(deflateRawSync(bytes), bytes.length)).toThrow('not a gzip file')
  })

  it('ends on any bytes whatsoever', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), fc.integer({ min: 0, max: 500 }), (bytes, length) => {
        try {
          expect(gunzip(Uint8Array.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0, ...bytes), length)).toHaveLength(
            length,
          )
        } catch (error) {
          expect(error).toBeInstanceOf(Error)
        }
      }),
      { numRuns: 300 },
    )
  })
})

describe('the payload', () => {
  const bytes = Uint8Array.from({ length: 10_000 }, (_, i) => (i >> 3) & 0xff)
  const payload = { gzipBase64: gzipSync(bytes).toString('base64'), byteLength: bytes.length }

  afterEach(() => void vi.unstubAllGlobals())

  it('is unpacked by Node', () => {
    expect(unpack(payload)).toEqual(bytes)
  })

  it('is unpacked where there is neither Buffer nor zlib, by fromBase64 or atob', () => {
    vi.stubGlobal('Buffer', undefined)
    vi.stubGlobal('process', undefined)
    expect(unpack(payload)).toEqual(bytes)
    const fromBase64 = vi.fn((text: string) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0)))
    Object.defineProperty(Uint8Array, 'fromBase64', { value: fromBase64, configurable: true })
    try {
      expect(unpack(payload)).toEqual(bytes)
      expect(fromBase64).toHaveBeenCalledOnce()
    } finally {
      Reflect.deleteProperty(Uint8Array, 'fromBase64')
    }
  })

  it('is unpacked in the background', async () => {
    expect(new Uint8Array(await unpackInBackground(payload))).toEqual(bytes)
  })
})
