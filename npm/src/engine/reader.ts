import { BLOCK, EXT32, MAX_DEPTH, MessageFormatError } from './format.js'
import { wtf8Decode } from './wtf8.js'

/** The memory a message lies in, seen three ways. */
export interface MemoryViews {
  readonly u8: Uint8Array
  readonly u32: Uint32Array
  readonly f64: Float64Array
}

/** What the next item is, as far as callers need to tell. */
export type ItemKind = 'nil' | 'bool' | 'int' | 'float' | 'str' | 'bin' | 'array' | 'map' | 'block'

/**
 * A cursor over one MessagePack message that lies in memory at a multiple of 8. Every read checks
 * bounds and type and throws MessageFormatError. It allocates nothing but strings and copies of
 * bytes; blocks are read through the views.
 */
export class Reader implements MemoryViews {
  u8: Uint8Array = EMPTY.u8
  u32: Uint32Array = EMPTY.u32
  f64: Float64Array = EMPTY.f64
  /** Where the next item starts: an index into `u8`. */
  pos = 0
  /** Where the message ends: an index into `u8`. */
  end = 0
  /** First element of the block read last, as an index into the view of its element type. */
  at = 0
  #start = 0

  /** Point the cursor at the `length` bytes from `offset`, a multiple of 8. */
  open(memory: MemoryViews, offset: number, length: number): this {
    if ((offset & 7) !== 0) throw new MessageFormatError(0, 'an address that is a multiple of 8', `${offset}`)
    this.u8 = memory.u8
    this.u32 = memory.u32
    this.f64 = memory.f64
    this.#start = this.pos = offset
    this.end = offset + length
    if (this.end > this.u8.length) this.#fail(`${length} bytes`, 'the end of memory')
    return this
  }

  /** Let go of the memory. */
  close(): void {
    this.u8 = EMPTY.u8
    this.u32 = EMPTY.u32
    this.f64 = EMPTY.f64
    this.#start = this.pos = this.end = 0
  }

  /** Whether the message is read to its end. */
  get done(): boolean {
    return this.pos >= this.end
  }

  /** The kind of the next item. */
  get kind(): ItemKind {
    const tag = this.#tag('an item')
    if (tag < 0x80 || tag >= 0xe0) return 'int'
    if (tag < 0x90) return 'map'
    if (tag < 0xa0) return 'array'
    if (tag < 0xc0) return 'str'
    const kind = KINDS[tag - 0xc0]
    return kind ?? this.#fail('a type of the protocol', hex(tag))
  }

  /** Take nil if it is next: whether it was. */
  nil(): boolean {
    if (this.#tag('an item') !== 0xc0) return false
    this.pos++
    return true
  }

  bool(): boolean {
    const tag = this.#tag('a bool')
    if (tag !== 0xc2 && tag !== 0xc3) this.#fail('a bool', hex(tag))
    this.pos++
    return tag === 0xc3
  }

  /** An integer within the safe range. */
  int(): number {
    const tag = this.#tag('an integer')
    if (tag < 0x80 || tag >= 0xe0) {
      this.pos++
      return tag < 0x80 ? tag : tag - 0x100
    }
    switch (tag) {
      case 0xcc:
        return this.#be(1)
      case 0xcd:
        return this.#be(2)
      case 0xce:
        return this.#be(4)
      case 0xd0:
        return (this.#be(1) << 24) >> 24
      case 0xd1:
        return (this.#be(2) << 16) >> 16
      case 0xd2:
        return this.#be(4) | 0
      case 0xcf:
      case 0xd3:
        return this.#long(tag === 0xd3)
      default:
        return this.#fail('an integer', hex(tag))
    }
  }

  /** An integer or a float. */
  num(): number {
    const tag = this.#tag('a number')
    if (tag !== 0xcb && tag !== 0xca) return this.int()
    const size = tag === 0xcb ? 8 : 4
    this.#room(1 + size)
    for (let i = 0; i < size; i++) scratch.u8[size - 1 - i] = this.u8[this.pos + 1 + i] as number
    this.pos += 1 + size
    return (size === 8 ? scratch.f64[0] : scratch.f32[0]) as number
  }

  /** A string, lone surrogates included. */
  str(): string {
    const tag = this.#tag('a string')
    let length: number
    if (tag >= 0xa0 && tag < 0xc0) {
      this.pos++
      length = tag & 0x1f
    } else if (tag === 0xd9) length = this.#be(1)
    else if (tag === 0xda) length = this.#be(2)
    else if (tag === 0xdb) length = this.#be(4)
    else return this.#fail('a string', hex(tag))
    this.#room(length)
    const text = wtf8Decode(this.u8, this.pos, length)
    if (text === undefined) return this.#fail('well-formed WTF-8', 'other bytes')
    this.pos += length
    return text
  }

  /** A copy of bytes. */
  bin(): Uint8Array {
    const tag = this.#tag('bytes')
    if (tag < 0xc4 || tag > 0xc6) this.#fail('bytes', hex(tag))
    const length = this.#be(1 << (tag - 0xc4))
    this.#room(length)
    this.pos += length
    return this.u8.slice(this.pos - length, this.pos)
  }

  /** Header of an array: the number of items that follow. */
  array(): number {
    const tag = this.#tag('an array')
    let n: number
    if (tag >= 0x90 && tag < 0xa0) {
      this.pos++
      n = tag & 0x0f
    } else if (tag === 0xdc) n = this.#be(2)
    else if (tag === 0xdd) n = this.#be(4)
    else return this.#fail('an array', hex(tag))
    this.#room(n)
    return n
  }

  /** Header of a map: the number of key and value pairs that follow. */
  map(): number {
    const tag = this.#tag('a map')
    let n: number
    if (tag >= 0x80 && tag < 0x90) {
      this.pos++
      n = tag & 0x0f
    } else if (tag === 0xde) n = this.#be(2)
    else if (tag === 0xdf) n = this.#be(4)
    else return this.#fail('a map', hex(tag))
    this.#room(2 * n)
    return n
  }

  /** A block of bytes: returns their number; `at` is the index of the first in `u8`. */
  blockU8(): number {
    return this.#block(0)
  }

  /** A block of words: returns their number; `at` is the index of the first in `u32`. */
  blockU32(): number {
    return this.#block(2)
  }

  /** A block of doubles: returns their number; `at` is the index of the first in `f64`. */
  blockF64(): number {
    return this.#block(3)
  }

  /** Pass over the next item, whatever it holds, at most 64 deep. */
  skip(depth = 0): void {
    if (depth >= MAX_DEPTH) this.#fail(`nesting of at most ${MAX_DEPTH}`, 'more')
    switch (this.kind) {
      case 'nil':
        this.pos++
        return
      case 'bool':
        this.bool()
        return
      case 'int':
      case 'float': {
        const tag = this.u8[this.pos] as number
        const size = tag < 0x80 || tag >= 0xe0 ? 0 : tag < 0xcc ? 4 << (tag - 0xca) : 1 << (tag & 3)
        this.#room(1 + size)
        this.pos += 1 + size
        return
      }
      case 'str':
        this.str()
        return
      case 'bin':
        this.bin()
        return
      case 'block':
        this.#block(0)
        return
      case 'array':
        for (let n = this.array(); n > 0; n--) this.skip(depth + 1)
        return
      case 'map':
        for (let n = 2 * this.map(); n > 0; n--) this.skip(depth + 1)
    }
  }

  #block(shift: number): number {
    const tag = this.#tag('a block')
    if (tag !== EXT32) this.#fail('a block', hex(tag))
    const from = this.pos
    const length = this.#be(4)
    this.#room(1 + length)
    const pad = this.u8[this.pos + 1] as number
    const data = this.pos + 2 + pad
    const bytes = length - 1 - pad
    const whole = (bytes & ((1 << shift) - 1)) === 0
    if (this.u8[this.pos] !== BLOCK || pad > 7 || bytes < 0 || !whole || (data & 7) !== 0) {
      this.pos = from
      this.#fail(`an aligned block of ${1 << shift}-byte elements`, `${length} bytes with padding ${pad}`)
    }
    this.pos = data + bytes
    this.at = data >>> shift
    return bytes >>> shift
  }

  /** A big-endian unsigned integer of `size` bytes after the tag. */
  #be(size: number): number {
    this.#room(1 + size)
    const u8 = this.u8
    let value = 0
    for (let i = this.pos + 1, end = i + size; i < end; i++) value = value * 256 + (u8[i] as number)
    this.pos += 1 + size
    return value
  }

  #long(signed: boolean): number {
    this.#room(9)
    const start = this.pos
    const high = this.#be(4)
    this.pos--
    const low = this.#be(4)
    const value = (signed ? high | 0 : high) * 0x100000000 + low
    if (!Number.isSafeInteger(value)) {
      this.pos = start
      this.#fail('a safe integer', `${value}`)
    }
    return value
  }

  #tag(expected: string): number {
    if (this.pos >= this.end) this.#fail(expected, 'the end of the message')
    return this.u8[this.pos] as number
  }

  #room(bytes: number): void {
    if (bytes > this.end - this.pos) this.#fail(`${bytes} bytes`, `${this.end - this.pos}`)
  }

  #fail(expected: string, actual: string): never {
    throw new MessageFormatError(this.pos - this.#start, expected, actual)
  }
}

const EMPTY: MemoryViews = { u8: new Uint8Array(0), u32: new Uint32Array(0), f64: new Float64Array(0) }

const scratch = { u8: new Uint8Array(8), f32: new Float32Array(2), f64: new Float64Array(1) }
scratch.f32 = new Float32Array(scratch.u8.buffer)
scratch.f64 = new Float64Array(scratch.u8.buffer)

/** Kinds of the tags from 0xc0 to 0xdf. */
const KINDS: readonly (ItemKind | undefined)[] = [
  'nil',
  undefined,
  'bool',
  'bool',
  'bin',
  'bin',
  'bin',
  undefined,
  undefined,
  'block',
  'float',
  'float',
  'int',
  'int',
  'int',
  'int',
  'int',
  'int',
  'int',
  'int',
  undefined,
  undefined,
  undefined,
  undefined,
  undefined,
  'str',
  'str',
  'str',
  'array',
  'array',
  'map',
  'map',
]

function hex(tag: number): string {
  return `byte 0x${tag.toString(16).padStart(2, '0')}`
}
