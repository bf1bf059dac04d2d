import type { Collection } from '../types/collection.ts'

/**
 * Whether a value is a collection: it has `subscribeChanges` and `startSyncImmediate` functions and a
 * string `id`. Deliberately not `instanceof`: two copies of this package may meet in one application.
 */
export function isCollection(value: unknown): value is Collection {
  if (typeof value !== 'object' || value === null) return false
  const candidate = value as Partial<Record<keyof Collection, unknown>>
  return (
    typeof candidate.subscribeChanges === 'function' &&
    typeof candidate.startSyncImmediate === 'function' &&
    typeof candidate.id === 'string'
  )
}
