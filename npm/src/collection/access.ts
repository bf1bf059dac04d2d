import type { ManagedCollection } from './lifecycle.ts'

/** Where the inside of a collection is found, by every copy of the library. Not an own property, so nobody walks into it. */
export const INSIDE: unique symbol = Symbol.for('millrace.collection')

/** A collection's public face. */
export interface HasInside {
  readonly [INSIDE]: ManagedCollection
}

/** The inside of a collection. */
export function insideOf(collection: object): ManagedCollection {
  return (collection as HasInside)[INSIDE]
}
