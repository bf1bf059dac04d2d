import { deepEquals } from '../rows/deep-equals.ts'
import type { PendingMutation } from '../types/transactions.ts'

type Fields = Record<string, unknown>

/** Updates that stand for a delete and an insert. */
const replacements = new WeakSet<PendingMutation>()

/** Whether a mutation puts a whole row in the place of another, whatever that is by then. */
export function isReplacement(mutation: PendingMutation): boolean {
  return replacements.has(mutation)
}

/**
 * What two mutations of one transaction to the same row come to, or undefined if to nothing. The later one was
 * made of the row as the earlier one left it, unless that did not show.
 */
export function mergeMutations(
  existing: PendingMutation,
  incoming: PendingMutation,
): PendingMutation | undefined {
  switch (`${existing.type}-${incoming.type}`) {
    case 'insert-update':
      return {
        ...existing,
        type: 'insert',
        original: {},
        modified: incoming.modified,
        changes: { ...existing.changes, ...incoming.changes },
        ...inherited(existing, incoming),
        // The row is there already, or is not to be; an update of it changes nothing of that.
        optimistic: existing.optimistic,
        mutationId: incoming.mutationId,
        updatedAt: incoming.updatedAt,
      }
    case 'insert-delete':
      return undefined
    case 'update-update': {
      const merged = {
        ...incoming,
        original: existing.original,
        modified: existing.optimistic ? incoming.modified : updated(existing.modified, incoming),
        changes: { ...existing.changes, ...incoming.changes },
        ...inherited(existing, incoming),
        optimistic: incoming.optimistic,
      }
      if (replacements.has(existing)) replacements.add(merged)
      return merged
    }
    case 'delete-insert':
      return replacement(existing, incoming)
    default:
      // update then delete, delete then delete, insert then insert, a delete that did not show then update: the
      // later one says all.
      return incoming
  }
}

function inherited(existing: PendingMutation, incoming: PendingMutation): Partial<PendingMutation> {
  return {
    metadata: incoming.metadata ?? existing.metadata,
    syncMetadata: { ...existing.syncMetadata, ...incoming.syncMetadata },
    optimistic: existing.optimistic && incoming.optimistic,
  }
}

/** A row with the changes of a mutation that did not see it. */
function updated(row: PendingMutation['modified'], { changes, modified }: PendingMutation): Fields {
  const result = Object.assign(Object.create(Object.getPrototypeOf(row) as object | null), row) as Fields
  for (const name of Object.keys(changes)) {
    if (Object.hasOwn(modified, name)) result[name] = changes[name]
    else delete result[name]
  }
  return result
}

/** A row that was deleted and inserted anew is an update of the row that was there before the transaction. */
function replacement(existing: PendingMutation, incoming: PendingMutation): PendingMutation {
  const before = existing.original as Fields
  const after = incoming.modified as Fields
  const changes: Fields = {}
  for (const name of Object.keys(after)) {
    if (!Object.hasOwn(before, name) || !deepEquals(before[name], after[name])) changes[name] = after[name]
  }
  for (const name of Object.keys(before)) if (!Object.hasOwn(after, name)) changes[name] = undefined
  const replacing: PendingMutation = {
    ...incoming,
    type: 'update',
    original: before,
    changes,
    ...inherited(existing, incoming),
  }
  replacements.add(replacing)
  return replacing
}
