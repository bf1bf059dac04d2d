import { cloneRow } from '../rows/deep-clone.ts'
import type { WritableDeep } from '../types/rows.ts'
import { changesOf, trackChanges } from './changes.ts'

/** The changed top-level fields of a row. */
type Changes = Record<string | symbol, unknown>

/**
 * A draft of an object: change it at will, the original stays as it is. `getChanges` gives the top-level fields
 * that differ by value, with their new values; one that was removed is undefined. Costs a copy of the object.
 */
export function createChangeProxy<T extends object>(
  target: T,
): { proxy: WritableDeep<T>; getChanges: () => Changes } {
  const proxy = cloneRow(target)
  return { proxy: proxy as WritableDeep<T>, getChanges: () => changesOf(target, proxy).changes }
}

/** As `createChangeProxy` for several objects. */
export function createArrayChangeProxy<T extends object>(
  targets: readonly T[],
): { proxies: Array<WritableDeep<T>>; getChanges: () => Changes[] } {
  const drafts = targets.map((target) => createChangeProxy(target))
  return {
    proxies: drafts.map(({ proxy }) => proxy),
    getChanges: () => drafts.map(({ getChanges }) => getChanges()),
  }
}

/** Calls back with a draft of an object and gives the changed fields, `{}` if there are none. */
export function withChangeTracking<T extends object>(
  target: T,
  callback: (draft: WritableDeep<T>) => void,
): Changes {
  const [result] = trackChanges([target], ([draft]) => callback(draft as WritableDeep<T>))
  return result?.changes ?? {}
}

/** As `withChangeTracking` for several objects. */
export function withArrayChangeTracking<T extends object>(
  targets: readonly T[],
  callback: (drafts: Array<WritableDeep<T>>) => void,
): Changes[] {
  return trackChanges(targets, (drafts) => callback(drafts as Array<WritableDeep<T>>)).map(
    ({ changes }) => changes,
  )
}
