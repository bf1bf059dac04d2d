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

const DIGITS = 12
const LAST = 3
const BATCH = 16 ** LAST
let prefix = ''
let batches = 0
let batch = ''
let count = BATCH
const endings: string[] = []

/**
 * As `randomId`, for what is made by the thousand: the first digits are random once per process, the last twelve count
 * from a random number.
 */
export function countedId(): string {
  if (count === BATCH) nextBatch()
  return batch + (endings[count++] as string)
}

function nextBatch(): void {
  if (prefix === '') {
    const id = randomId()
    prefix = id.slice(0, -DIGITS)
    // Half the range is left to count in.
    batches = Math.floor(Number.parseInt(id.slice(-DIGITS, -LAST), 16) / 2)
    for (let i = 0; i < BATCH; i++) endings.push(i.toString(16).padStart(LAST, '0'))
  }
  batch = prefix + (batches++).toString(16).padStart(DIGITS - LAST, '0')
  count = 0
}
