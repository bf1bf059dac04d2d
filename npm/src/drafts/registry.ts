import type { DraftNode } from './draft-node.ts'

/**
 * Every draft there is, the parts of rows included, with what stands behind it. It recognises drafts that an
 * application assigns, whatever row they belong to and whether or not their callback is still running.
 */
export const drafts = new WeakMap<object, DraftNode>()
