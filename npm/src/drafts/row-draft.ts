import { DraftNode } from './draft-node.ts'
import { Kind, kindOf } from './kinds.ts'
import { behind } from './registry.ts'

/** The draft of one row: its parts that were touched, each with its own copy. */
export class RowDraft {
  readonly root: DraftNode
  /** The touched parts by the object they stand for: an object reached by two paths has one draft. */
  #parts: Map<object, DraftNode> | undefined
  /** Whether a part was seen that leads back to the row. */
  loops = false
  /** Whether fields named by symbols may have changed somewhere. */
  symbols = false

  constructor(row: object) {
    this.root = new DraftNode(this, row, Array.isArray(row) ? Kind.array : Kind.object)
  }

  /** The touched parts but for the row itself. */
  get parts(): ReadonlyMap<object, DraftNode> | undefined {
    return this.#parts
  }

  /** What is behind the draft of an object, if it was touched. */
  nodeOf(base: object): DraftNode | undefined {
    return base === this.root.base ? this.root : this.#parts?.get(base)
  }

  /** What the application gets to see of an object: its draft, or itself if it is a draft or is never drafted. */
  track(value: object): object {
    if (value === this.root.base || value === this.root.draft) {
      this.loops = true
      return this.root.draft
    }
    if (behind(value) !== undefined) return value
    const known = this.#parts?.get(value)
    if (known !== undefined) return known.draft
    const kind = kindOf(value)
    if (kind === Kind.opaque) return value
    const node = new DraftNode(this, value, kind)
    this.#parts ??= new Map()
    this.#parts.set(value, node)
    return node.draft
  }

  /** The object a draft of this row stands for; anything else as it is. */
  untrack(value: unknown): unknown {
    if (typeof value !== 'object' || value === null) return value
    const node = behind(value)
    return node?.row === this ? node.base : value
  }
}
