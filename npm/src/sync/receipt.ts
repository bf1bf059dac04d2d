import type { StagedMetadata } from './metadata.ts'

/** `true`: rows and events are visible. Otherwise the promise resolves when they are. */
export type Receipt = true | Promise<void>

/** A sync transaction that is committed and waits for local writes. */
export class Waiting {
  readonly metadata: StagedMetadata | undefined
  readonly receipt: Promise<void>
  #resolve!: () => void
  #reject!: (error: unknown) => void

  constructor(metadata: StagedMetadata | undefined) {
    this.metadata = metadata
    this.receipt = new Promise((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
    })
    // Most adapters do not look at receipts: one that is abandoned is no unhandled rejection.
    this.receipt.catch(() => {})
  }

  /** Rows and events are visible. */
  settle(): void {
    this.#resolve()
  }

  /** The session ended before the transaction could be applied. */
  abandon(collectionId: string): void {
    const error = new Error(
      `Collection "${collectionId}" was cleaned up before a sync transaction that waited for local writes was applied`,
    )
    error.name = 'AbortError'
    this.#reject(error)
  }
}
