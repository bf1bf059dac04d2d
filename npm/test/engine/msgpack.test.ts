import { decode, encode } from '@msgpack/msgpack'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { MessageFormatError } from '../../src/engine/format.js'
import { Reader } from '../../src/engine/reader.js'
import { Writer } from '../../src/engine/writer.js'

type Item = null | boolean | number | string | Uint8Array | Item[]

function write(writer: Writer, item: Item): void {
  if (item === null) writer.nil()
  else if (typeof item === 'boolean') writer.bool(item)
  else if (typeof item === 'number') writer.num(item)
  else if (typeof item === 'string') writer.str(item)
  else if (Array.isArray(item)) {
    writer.array(item.length)
    for (const each of item) write(writer, each)
  } else writer.bin(item)
}

function read(reader: Reader): unknown {
  switch (reader.kind) {
    case 'nil':
      reader.nil()
      return null
    case 'bool':
      return reader.bool()
    case 'int':
      return reader.int()
    case 'float':
      return reader.num()
    case 'str':
      return reader.str()
    case 'bin':
      return reader.bin()
    case 'array':
      return Array.from({ length: reader.array() }, () => read(reader))
    case 'map': {
      const entries: [string, unknown][] = []
      for (let n = reader.map(); n > 0; n--) entries.push([reader.str(), read(reader)])
      return Object.fromEntries(entries)
    }
    case 'block':
      throw new Error('no block expected')
  }
}

function readerOf(bytes: Uint8Array, shift = 8): Reader {
  const buffer = new ArrayBuffer((shift + bytes.length + 7) & ~7)
  const views = {
    u8: new Uint8Array(buffer),
    u32: new Uint32Array(buffer),
    f64: new Float64Array(buffer),
  }
  views.u8.set(bytes, shift)
  return new Reader().open(views, shift, bytes.length)
}

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({ unit: 'grapheme', maxLength: 300, size: 'max' }),
)
const wholeNumber = fc.oneof(fc.integer(), fc.maxSafeInteger(), fc.integer({ min: -200, max: 300 }))
const scalar = fc.oneof(
  fc.constant(null),
  fc.boolean(),
  wholeNumber,
  fc.double(),
  text,
  fc.uint8Array({ maxLength: 300 }),
)
const { item } = fc.letrec<{ item: Item }>((tie) => ({
  item: fc.oneof({ maxDepth: 4 }, scalar, fc.array(tie('item'), { maxLength: 20 })),
}))

describe('messages', () => {
  it('come back as they were written', () => {
    fc.assert(
      fc.property(item, (value) => {
        const writer = new Writer(8)
        write(writer, value)
        const reader = readerOf(writer.bytes())
        expect(read(reader)).toEqual(value)
        expect(reader.done).toBe(true)
        const skipped = readerOf(writer.bytes())
        skipped.skip()
        expect(skipped.done).toBe(true)
      }),
    )
  })

  it('are what another implementation reads and writes', () => {
    fc.assert(
      fc.property(item, (value) => {
        const writer = new Writer()
        write(writer, value)
        expect(decode(writer.bytes())).toEqual(value)
        // The other writer drops the sign of -0, so its own reading is what counts.
        const theirs = encode(value)
        expect(read(readerOf(theirs))).toEqual(decode(theirs))
      }),
    )
  })

  it('use the shortest form of an integer, at every boundary', () => {
    const edges = [0, 31, 32, 127, 128, 255, 256, 32767, 32768, 65535, 65536, 2 ** 31, 2 ** 32 - 1, 2 ** 32]
    for (const n of [
      ...edges,
      ...edges.map((e) => -e),
      ...edges.map((e) => -e - 1),
      2 ** 53 - 1,
      1 - 2 ** 53,
    ]) {
      const value = n === 0 ? 0 : n
      const writer = new Writer()
      writer.int(value)
      expect(writer.bytes()).toEqual(encode(value))
      expect(readerOf(writer.bytes()).int()).toBe(value)
    }
  })

  it('keep lone surrogates, in short and in long strings', () => {
    for (const each of [
      '\ud800',
      'a\udc00b',
      '\udc00\ud800',
      `${'x'.repeat(500)}\ud83d`,
      '\ud83d\ude00'.repeat(90),
    ]) {
      const writer = new Writer()
      writer.str(each)
      expect(readerOf(writer.bytes()).str()).toBe(each)
    }
  })

  it('read a 32-bit float', () => {
    expect(readerOf(Uint8Array.of(0xca, 0x3f, 0xc0, 0, 0)).num()).toBe(1.5)
  })
})

describe('blocks', () => {
  it('align their data from the start of the message, whatever stands before', () => {
    for (let before = 0; before < 9; before++) {
      const writer = new Writer(8)
      for (let i = 0; i < before; i++) writer.nil()
      writer.words([1, 0xffffffff, 3])
      writer.doubles(Float64Array.of(-0.5, Number.NaN))
      writer.octets([7, 8, 9], 2)
      writer.blockU32(0)
      const reader = readerOf(writer.bytes(), 16)
      for (let i = 0; i < before; i++) expect(reader.nil()).toBe(true)
      expect(reader.kind).toBe('block')
      expect(reader.blockU32()).toBe(3)
      expect([...reader.u32.subarray(reader.at, reader.at + 3)]).toEqual([1, 0xffffffff, 3])
      expect(reader.blockF64()).toBe(2)
      expect([...reader.f64.subarray(reader.at, reader.at + 2)]).toEqual([-0.5, Number.NaN])
      expect(reader.blockU8()).toBe(2)
      expect([...reader.u8.subarray(reader.at, reader.at + 2)]).toEqual([7, 8])
      expect(reader.blockU32()).toBe(0)
      expect(reader.done).toBe(true)
    }
  })

  it('are refused when the padding does not align them', () => {
    const writer = new Writer()
    writer.words([1, 2])
    const bytes = writer.bytes().slice()
    bytes[6] = 3
    expect(() => readerOf(bytes).blockU32()).toThrow(MessageFormatError)
  })

  it('are zero between header and data, though the buffer was used before', () => {
    const writer = new Writer()
    writer.octets(new Uint8Array(64).fill(255))
    writer.reset()
    writer.nil()
    writer.words([5])
    expect([...writer.bytes()]).toEqual([0xc0, 0xc9, 0, 0, 0, 5, 1, 0, 5, 0, 0, 0])
  })
})

describe('malformed messages', () => {
  it('never do worse than a MessageFormatError', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
        const reader = readerOf(bytes)
        try {
          while (!reader.done) reader.skip()
        } catch (error) {
          expect(error).toBeInstanceOf(MessageFormatError)
        }
      }),
      { numRuns: 1000 },
    )
  })

  it('say where, what was expected and what was found', () => {
    const writer = new Writer()
    writer.array(2)
    writer.int(1)
    writer.str('two')
    const reader = readerOf(writer.bytes())
    expect(reader.array()).toBe(2)
    expect(reader.int()).toBe(1)
    expect(() => reader.int()).toThrow(
      'malformed engine message at byte 2: expected an integer, found byte 0xa3',
    )
  })

  it('may not nest more than 64 deep', () => {
    expect(() => readerOf(new Uint8Array(100).fill(0x91)).skip()).toThrow('nesting of at most 64')
  })

  it('may not claim more items than there are bytes', () => {
    expect(() => readerOf(Uint8Array.of(0xdd, 0xff, 0xff, 0xff, 0xff)).array()).toThrow(MessageFormatError)
  })
})
