import type { WritableDeep } from '../types/rows.ts'
import { draftOf, open, openRow, settle } from './changes.ts'
import { changesOf, type TrackedChanges } from './difference.ts'

/*
 * Drafts: objects that can be changed like the row they stand for, while the row stays as it is, and that say
 * afterwards what was changed.
 *
 * What counts is the difference in the end, by `deepEquals`: a change that was undone, or that put an equal value, is
 * none. Whatever ordinary code does to plain objects, arrays, maps, sets, dates, buffers and views of them counts, at
 * any depth (two views of one buffer become views of two). The rest is taken by reference: instances of classes
 * (subclasses of built-ins too), temporals and functions. To change one of these, assign another; changing it in place
 * changes the original and is not seen. The row itself may be an instance of a class, whose methods work on the draft
 * unless they use private members.
 *
 * Fields are enumerable own properties, whatever their names: `__proto__` and `constructor` too. Those named by
 * symbols are kept, but are no change by themselves inside of other objects. What a getter of the original gives when
 * its object is touched is the field's value. Drafts of frozen objects can be changed, and what is done to a draft
 * with `Object.freeze` and the like holds until the callback returns.
 *
 * An object that was put into a draft is not changed through the draft: it may belong to another row. Where it is
 * reached again through the draft it is copied like all others. In the result it is the very object if it was not
 * touched and holds no drafts.
 *
 * Objects that the row refers to twice are one object in the draft and in the result. Objects that lead back to the
 * row lead to the changed row if they were changed or read; those nobody looked at still lead to the row as it was.
 * Rows given together do not share anything, even where they refer to the same object.
 *
 * A draft is a proxy (but for maps, sets and what has no parts), so `structuredClone` and `postMessage` refuse it, and
 * a console may show parts of the row as they were. Spreading a draft, `JSON.stringify`, `Object.keys` and the like
 * work. When the callback has returned its drafts go on working, on copies nobody else looks at.
 */

/**
 * A draft of an object and a function that says what was done to it so far: the changed top-level fields with their
 * new values. The draft may be changed further after that.
 */
export function createChangeProxy<T extends object>(
  target: T,
): { proxy: WritableDeep<T>; getChanges: () => Record<string | symbol, unknown> } {
  const row = openRow(target)
  return { proxy: row.root.draft as WritableDeep<T>, getChanges: () => changesOf(row).changes }
}

/** As `createChangeProxy`, for several objects; the changes are in the order of the objects. */
export function createArrayChangeProxy<T extends object>(
  targets: readonly T[],
): { proxies: WritableDeep<T>[]; getChanges: () => Record<string | symbol, unknown>[] } {
  const rows = open(targets)
  return { proxies: rows.map(draftOf) as WritableDeep<T>[], getChanges: () => settle(rows).map(onlyChanges) }
}

/**
 * Runs a callback on a draft of an object, which stays as it is.
 * @returns the changed top-level fields with their new values, undefined for those that were deleted; empty if nothing differs.
 */
export function withChangeTracking<T extends object>(
  target: T,
  callback: (draft: WritableDeep<T>) => void,
): Record<string | symbol, unknown> {
  const { proxy, getChanges } = createChangeProxy(target)
  callback(proxy)
  return getChanges()
}

/** As `withChangeTracking`, for several objects; the changes are in the order of the objects. */
export function withArrayChangeTracking<T extends object>(
  targets: readonly T[],
  callback: (drafts: WritableDeep<T>[]) => void,
): Record<string | symbol, unknown>[] {
  const { proxies, getChanges } = createArrayChangeProxy(targets)
  callback(proxies)
  return getChanges()
}

function onlyChanges({ changes }: TrackedChanges): Record<string | symbol, unknown> {
  return changes
}
