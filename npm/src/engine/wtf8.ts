/**
 * WTF-8: UTF-8 in which a lone surrogate is written as its three bytes, so that every JavaScript string
 * has exactly one form and comes back as it was. The platform's coders serve long well-formed texts;
 * they would replace lone surrogates, and some test environments do not have them.
 */

const LONG = 128
const CHUNK = 4096
let encoder: TextEncoder | undefined
let decoder: TextDecoder | undefined

/** Bytes that `value` takes. */
export function textByteLength(value: string): number {
  let bytes = value.length
  for (let i = 0; i < value.length; i++) {
    const c = value.charCodeAt(i)
    if (c < 0x80) continue
    if (c < 0x800) bytes++
    else if (isHigh(c) && isLow(value.charCodeAt(i + 1))) {
      bytes += 2
      i++
    } else bytes += 2
  }
  return bytes
}

/** Write `value`, which takes `bytes` bytes, to `into` from `at`. */
export function wtf8Encode(value: string, bytes: number, into: Uint8Array, at: number): void {
  if (value.length >= LONG && typeof TextEncoder === 'function' && wellFormed(value)) {
    encoder ??= new TextEncoder()
    encoder.encodeInto(value, into.subarray(at, at + bytes))
    return
  }
  let to = at
  for (let i = 0; i < value.length; i++) {
    let c = value.charCodeAt(i)
    if (c < 0x80) {
      into[to++] = c
      continue
    }
    if (c < 0x800) {
      into[to++] = 0xc0 | (c >> 6)
    } else {
      const low = isHigh(c) ? value.charCodeAt(i + 1) : 0
      if (isLow(low)) {
        c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00)
        i++
        into[to++] = 0xf0 | (c >> 18)
        into[to++] = 0x80 | ((c >> 12) & 0x3f)
      } else into[to++] = 0xe0 | (c >> 12)
      into[to++] = 0x80 | ((c >> 6) & 0x3f)
    }
    into[to++] = 0x80 | (c & 0x3f)
  }
}

/** The text in `length` bytes from `at`, or undefined when they are not WTF-8. */
export function wtf8Decode(from: Uint8Array, at: number, length: number): string | undefined {
  if (length >= LONG && typeof TextDecoder === 'function') {
    try {
      decoder ??= new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
      return decoder.decode(from.subarray(at, at + length))
    } catch {
      // Lone surrogates, or no text at all: the loop below tells.
    }
  }
  let text = ''
  let units: number[] = []
  const end = at + length
  for (let i = at; i < end; ) {
    const lead = from[i] as number
    const size = lead < 0x80 ? 1 : lead < 0xc2 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : lead < 0xf5 ? 4 : 0
    if (size === 0 || i + size > end) return undefined
    let c = size === 1 ? lead : lead & (0xff >> (size + 1))
    for (let k = 1; k < size; k++) {
      const next = from[i + k] as number
      if ((next & 0xc0) !== 0x80) return undefined
      c = (c << 6) | (next & 0x3f)
    }
    if ((size === 3 && c < 0x800) || (size === 4 && (c < 0x10000 || c > 0x10ffff))) return undefined
    if (size < 4) units.push(c)
    else units.push(0xd800 + ((c - 0x10000) >> 10), 0xdc00 + ((c - 0x10000) & 0x3ff))
    i += size
    if (units.length >= CHUNK) {
      text += String.fromCharCode.apply(null, units)
      units = []
    }
  }
  return text + String.fromCharCode.apply(null, units)
}

function wellFormed(value: string): boolean {
  for (let i = 0; i < value.length; i++) {
    const c = value.charCodeAt(i)
    if (c < 0xd800 || c > 0xdfff) continue
    if (!isHigh(c) || !isLow(value.charCodeAt(i + 1))) return false
    i++
  }
  return true
}

function isHigh(c: number): boolean {
  return c >= 0xd800 && c < 0xdc00
}

function isLow(c: number): boolean {
  return c >= 0xdc00 && c < 0xe000
}
