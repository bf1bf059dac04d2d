import type { DraftNode } from './draft-node.ts'

/**
 * The name under which a draft says what stands behind it. A name rather than a weak map, which would cost more than all
 * the rest of an update.
 */
export const BEHIND: unique symbol = Symbol('what stands behind a draft')

/** Marks what stands behind drafts: a proxy of another library may answer to any name. */
export class Marked {}

/** What stands behind a draft, of whatever row, and whether or not its callback is still running; undefined for all else. */
export function behind(value: object): DraftNode | undefined {
  const node = (value as { [BEHIND]?: unknown })[BEHIND]
  return node !== undefined && node instanceof Marked ? (node as DraftNode) : undefined
}
