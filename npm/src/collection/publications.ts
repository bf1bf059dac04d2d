import { emptyList } from '../rows/empty-list.ts'
import { reportError } from '../rows/report-error.ts'

/** Something to tell user code: a batch for a subscriber, an event for listeners. */
export interface Publication {
  /** Tells it, unless it became obsolete. May throw what user code throws. */
  publish(): void
}

/**
 * What is to be told, first in, first out. User code that is told something may cause more publications: they
 * join the end, and the outermost caller works the queue off.
 */
export class PublicationQueue {
  #waiting: Publication[] = []
  #nested: boolean[] = []
  #head = 0
  #draining = false
  #current: Publication | undefined

  /** What is being told. */
  get current(): Publication | undefined {
    return this.#current
  }

  /** Runs something when all that waits has been told: at once if nothing does. */
  whenTold(run: () => void): void {
    if (!this.#draining) {
      run()
      return
    }
    // Others may have queued up behind it by the time its turn comes.
    this.push({ publish: () => (this.#head < this.#waiting.length ? this.whenTold(run) : run()) })
  }

  push(publication: Publication): void {
    this.#waiting.push(publication)
    this.#nested.push(this.#draining)
  }

  /**
   * Tells everything that waits; returns at once from inside a publication. Everybody is told whoever
   * throws: the first error that the caller's own change caused is thrown at the end unless `contain` is set, all
   * others are reported.
   */
  drain(contain = false): void {
    if (this.#draining || this.#waiting.length === 0) return
    this.#draining = true
    let failed = false
    let failure: unknown
    while (this.#head < this.#waiting.length) {
      const at = this.#head++
      const publication = this.#waiting[at] as Publication
      this.#current = publication
      try {
        publication.publish()
      } catch (error) {
        if (failed || contain || this.#nested[at]) reportError(error)
        else {
          failed = true
          failure = error
        }
      }
    }
    emptyList(this.#waiting)
    emptyList(this.#nested)
    this.#head = 0
    this.#draining = false
    this.#current = undefined
    if (failed) throw failure
  }
}
