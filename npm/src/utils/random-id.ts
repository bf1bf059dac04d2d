/** A random UUID, version 4, as identity of collections and transactions. */
export function randomId(): string {
  const source = globalThis.crypto as Crypto | undefined
  if (typeof source?.randomUUID === 'function') return source.randomUUID()
  if (typeof source?.getRandomValues !== 'function') {
    throw new Error(
      'No secure random number generator is available: give collections an id, or provide crypto.getRandomValues',
    )
  }
  const bytes = source.getRandomValues(new Uint8Array(16))
  bytes[6] = ((bytes[6] as number) & 0x0f) | 0x40
  bytes[8] = ((bytes[8] as number) & 0x3f) | 0x80
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}

let prefix = ''
let count = 0
const DIGITS = 12
const COUNTED = 16 ** DIGITS

/**
 * As `randomId`, for what is made by the thousand: the first digits are random once per process, the last twelve count
 * from a random number.
 */
export function countedId(): string {
  if (prefix === '') {
    const id = randomId()
    prefix = id.slice(0, -DIGITS)
    // Half the range is left to count in.
    count = Number.parseInt(id.slice(-DIGITS), 16) % (COUNTED / 2)
  }
  return prefix + (count++).toString(16).padStart(DIGITS, '0')
}
