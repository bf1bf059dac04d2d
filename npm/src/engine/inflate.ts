/**
 * Decompression of the engine's payload where the platform offers none that is synchronous. Source: RFC 1951 and
 * RFC 1952. The checksum is not verified: compiling the module tells more about its integrity.
 */

const LENGTH_BASE: readonly number[] = [
  3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195,
  227, 258,
]
const LENGTH_EXTRA: readonly number[] = [
  0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0,
]
/** The order in which the lengths of the code-length code are sent. */
const CODE_ORDER: readonly number[] = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]

/** A prefix code: `entries[next bits]` is symbol << 4 | code length; 0 where no code leads. */
interface Code {
  readonly entries: Uint16Array
  readonly mask: number
}

/** Unpack a gzip file of one member that holds `length` bytes. Throws on anything else. */
export function gunzip(file: Uint8Array, length: number): Uint8Array<ArrayBuffer> {
  if (file[0] !== 0x1f || file[1] !== 0x8b || file[2] !== 8) throw new Error('not a gzip file')
  const flags = file[3] as number
  if ((flags & 0xfe) !== 0) throw new Error('a gzip file with header fields that are not expected')
  return inflate(file, 10, length)
}

function inflate(source: Uint8Array, start: number, length: number): Uint8Array<ArrayBuffer> {
  const out = new Uint8Array(length)
  let from = start
  let to = 0
  let bits = 0
  let count = 0

  /** Have at least n (at most 16) bits at hand; past the end there are zeros. */
  const fill = (n: number): void => {
    while (count < n) {
      bits |= (source[from++] ?? 0) << count
      count += 8
    }
    if (from > source.length + 4) throw new Error('the compressed data end early')
  }
  const take = (n: number): number => {
    fill(n)
    const value = bits & ((1 << n) - 1)
    bits >>>= n
    count -= n
    return value
  }
  const decode = (code: Code): number => {
    fill(15)
    const entry = code.entries[bits & code.mask] as number
    if (entry === 0) throw new Error('a bit pattern that is no code')
    bits >>>= entry & 15
    count -= entry & 15
    return entry >>> 4
  }

  const stored = (): void => {
    // The rest of the byte is padding; whole bytes that were read ahead go back.
    from -= count >>> 3
    bits = count = 0
    const n = (source[from] as number) | ((source[from + 1] as number) << 8)
    from += 4
    if (from + n > source.length || to + n > length) throw new Error('a stored block of the wrong length')
    out.set(source.subarray(from, from + n), to)
    from += n
    to += n
  }
  const compressed = (literals: Code, distances: Code): void => {
    for (;;) {
      const symbol = decode(literals)
      if (symbol < 256) {
        if (to >= length) throw new Error('more data than expected')
        out[to++] = symbol
      } else if (symbol === 256) return
      else {
        const n = (LENGTH_BASE[symbol - 257] as number) + take(LENGTH_EXTRA[symbol - 257] as number)
        const distance = decode(distances)
        const extra = distance < 4 ? 0 : (distance >>> 1) - 1
        let copy = to - 1 - (distance < 4 ? distance : ((2 + (distance & 1)) << extra) + take(extra))
        if (copy < 0 || !(to + n <= length)) throw new Error('a copy from or to nowhere')
        for (const end = to + n; to < end; ) out[to++] = out[copy++] as number
      }
    }
  }
  const lengthsOfCodes = (): [Code, Code] => {
    const literals = take(5) + 257
    const total = literals + take(5) + 1
    const ordered = new Uint8Array(19)
    for (let i = take(4) + 4, k = 0; k < i; k++) ordered[CODE_ORDER[k] as number] = take(3)
    const code = codeOf(ordered)
    const lengths = new Uint8Array(total)
    for (let i = 0; i < total; ) {
      const symbol = decode(code)
      if (symbol < 16) lengths[i++] = symbol
      else {
        const repeat = symbol === 16 ? take(2) + 3 : symbol === 17 ? take(3) + 3 : take(7) + 11
        if (i + repeat > total) throw new Error('more code lengths than codes')
        lengths.fill(symbol === 16 ? (lengths[i - 1] ?? 0) : 0, i, i + repeat)
        i += repeat
      }
    }
    return [codeOf(lengths.subarray(0, literals)), codeOf(lengths.subarray(literals))]
  }

  for (let last = 0; last === 0; ) {
    last = take(1)
    const type = take(2)
    if (type === 0) stored()
    else if (type === 1) compressed(FIXED_LITERALS, FIXED_DISTANCES)
    else if (type === 2) compressed(...lengthsOfCodes())
    else throw new Error('a block of no known type')
  }
  if (to !== length) throw new Error(`${to} bytes instead of ${length}`)
  return out
}

/** The prefix code whose code lengths are given, by symbol. */
function codeOf(lengths: Uint8Array): Code {
  let width = 1
  for (const length of lengths) width = Math.max(width, length)
  const entries = new Uint16Array(1 << width)
  let code = 0
  for (let length = 1; length <= width; length++, code <<= 1) {
    for (let symbol = 0; symbol < lengths.length; symbol++) {
      if (lengths[symbol] !== length) continue
      // Codes arrive highest bit first, everything else lowest bit first: index by the code reversed.
      let index = 0
      for (let bit = 0; bit < length; bit++) index |= ((code >>> bit) & 1) << (length - 1 - bit)
      for (; index < entries.length; index += 1 << length) entries[index] = (symbol << 4) | length
      code++
    }
  }
  return { entries, mask: entries.length - 1 }
}

const FIXED_LITERALS = codeOf(
  Uint8Array.from({ length: 288 }, (_, i) => (i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8)),
)
const FIXED_DISTANCES = codeOf(new Uint8Array(30).fill(5))
