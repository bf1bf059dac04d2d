import { insideOf } from '../collection/access.ts'
import type { LocalWrite } from '../sync/local-write.ts'
import { RootCollection } from '../sync/root-collection.ts'
import type { PendingMutation } from '../types/transactions.ts'
import { isReplacement } from './merge.ts'

/** The root collection a mutation writes to. */
export function rootOf(mutation: PendingMutation): RootCollection {
  const inside = insideOf(mutation.collection)
  if (inside instanceof RootCollection) return inside
  // Another copy of the library made it; its shape is the same.
  return inside as unknown as RootCollection
}

/** The row a mutation is about: its global key, which does not tell 1 from "1", and the type of the key. */
export function rowOf({ globalKey, key }: PendingMutation): string {
  return typeof key === 'number' ? `n ${globalKey}` : `s ${globalKey}`
}

/** What the engine is told of a mutation. */
export function writeOf(mutation: PendingMutation): LocalWrite {
  const { type, key, modified, optimistic } = mutation
  if (type === 'delete') return { op: 'delete', key, optimistic }
  if (type === 'insert' || isReplacement(mutation)) return { op: 'insert', key, row: modified, optimistic }
  const removed = removedOf(mutation.changes, modified)
  return { op: 'update', key, row: modified, changes: mutation.changes, removed, optimistic }
}

const NO_NAMES: readonly string[] = []

function removedOf(changes: object, modified: object): readonly string[] {
  let removed: string[] | undefined
  for (const name in changes) {
    if (Object.hasOwn(modified, name) || !Object.hasOwn(changes, name)) continue
    removed ??= []
    removed.push(name)
  }
  return removed ?? NO_NAMES
}

/** What undoes a mutation of a transaction that has made no other to the row. */
export function withdrawal(mutation: PendingMutation): LocalWrite {
  return { op: 'withdraw', key: mutation.key, optimistic: true }
}

/** Mutations by the collection they write to, in order of first mention. */
export function byCollection(
  mutations: readonly PendingMutation[],
): Map<RootCollection, readonly PendingMutation[]> {
  const groups = new Map<RootCollection, PendingMutation[]>()
  for (const mutation of mutations) {
    const root = rootOf(mutation)
    const group = groups.get(root)
    if (group === undefined) groups.set(root, [mutation])
    else group.push(mutation)
  }
  return groups
}
