/** Tag of an ext item with a 32-bit length, the only ext form the protocol writes. */
export const EXT32 = 0xc9
/** Ext type of a block: `[pad: u8][pad zero bytes][data]`, the data at a multiple of 8 from the start of the message. */
export const BLOCK = 1
/** How deep items may nest. */
export const MAX_DEPTH = 64

/** The message is not what the protocol says it is: a bug of the side that wrote it. */
export class MessageFormatError extends Error {
  override readonly name = 'MessageFormatError'
  /** Where, in bytes from the start of the message. */
  readonly at: number

  constructor(at: number, expected: string, actual: string) {
    super(`malformed engine message at byte ${at}: expected ${expected}, found ${actual}`)
    this.at = at
  }
}
