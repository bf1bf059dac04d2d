/**
 * The engine module as it travels inside the package: what the package import `#engine` provides.
 * The build writes one such module per module system (`dist/engine.inline.js`, `.cjs`).
 */
export const payload: {
  /** The WebAssembly module, compressed with gzip, then base64 (standard alphabet, padded). */
  readonly gzipBase64: string
  /** Length of the uncompressed module in bytes. */
  readonly byteLength: number
  /** SHA-256 of the uncompressed module, lower-case hexadecimal. */
  readonly sha256: string
}
