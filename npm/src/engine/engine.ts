import type { MemoryViews, Reader } from './reader.js'
import type { Writer } from './writer.js'

/** The protocol this code speaks; the module must answer the same. */
export const PROTOCOL_VERSION = 2

/** How a command ended: 0 done, 1 refused (the effects say why), 2 a pull threw. */
export type CommandStatus = 0 | 1 | 2

/** Takes in the effects of one command; see `Engine.command`. */
export type TakeEffects = (effects: Reader, status: CommandStatus) => void

/**
 * What the engine may ask about the rows of one root collection while a command runs. All methods run
 * inside the engine: they must not issue commands. What they throw is kept, the engine is told that the pull failed, and
 * `Engine.command` throws it once the engine has returned.
 */
export interface RootPulls {
  /**
   * Read a column. `request` stands behind the collection id: index, path, flags, slots block.
   * Write `[cells, texts]` to `answer`.
   */
  readColumn(request: Reader, answer: Writer): void
  /** Read keys. `request` stands behind the collection id: key ids block. Write `[cells, texts]` to `answer`. */
  readKeys(request: Reader, answer: Writer): void
  /**
   * Lay patches over rows. `request` stands behind the collection id: words block. Write `[slots, columns, texts]` to
   * `answer`.
   */
  compose(request: Reader, answer: Writer): void
  /** Are the rows of two slots deeply equal as template `template` shows them (0: the whole row)? */
  equal(template: number, a: number, b: number): boolean
}

/** What the engine may ask about texts. The same rules as for `RootPulls` hold. */
export interface TextPulls {
  /** Order of two texts under a collation: negative, 0 or positive. */
  compare(collation: number, a: number, b: number): number
}

/**
 * The running engine of this process. Copies of the library (ESM and CommonJS, two bundles) that speak
 * the same protocol version share one; everything here works across copies.
 *
 * Its memory views are handed out for reading effects and must not be kept: any command may grow the
 * memory, which empties older views.
 */
export interface Engine extends MemoryViews {
  /** The protocol version of the module. */
  readonly protocol: number
  /** Whether a command is running, so that none may be issued. */
  readonly busy: boolean
  /** Whether the engine broke; every command throws EngineCrashedError from then on. */
  readonly crashed: boolean
  /** A fresh id for a collection, a subscription or a collation; unique among all copies, from 2 up, below 2^31. */
  nextId(): number
  /**
   * The process-wide object called `name`, made by the first copy that asks. For what must be one per engine: the
   * dictionary of texts, the collations.
   */
  shared<T extends object>(name: string, make: () => T): T
  /** Let `pulls` answer for root collection `col`. */
  attachRoot(col: number, pulls: RootPulls): void
  /** Root collection `col` is gone. */
  detachRoot(col: number): void
  /** Let `pulls` answer for texts; the first caller's stay. */
  attachTexts(pulls: TextPulls): void
  /** An empty message to write a command into. Nested use is fine; a writer that is not sent is just dropped. */
  begin(): Writer
  /**
   * Send a command and give its effects to `take`, which must decode all of them and run no user code: the engine
   * takes no command until it returned, and the bytes are gone afterwards.
   *
   * Afterwards throws what a pull threw, if one did. Throws NestedCommandError from inside a pull or
   * `take` (nothing happened then) and EngineCrashedError when the engine is or becomes dead.
   */
  command(message: Writer, take: TakeEffects): CommandStatus
  /** Collect the engine's garbage: for idle moments after much was dropped. Takes milliseconds. Does nothing while a command runs. */
  collectGarbage(): void
}
