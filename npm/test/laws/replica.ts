import { expect } from 'vitest'
import type { Key } from './writes-model.ts'

interface Change {
  readonly type: string
  readonly key: Key
  readonly value: object
  readonly previousValue?: object | undefined
}

/** A copy of a collection that is made of nothing but its events. */
export class Replica {
  readonly rows = new Map<Key, object>()

  take(changes: readonly Change[]): void {
    const mentioned = new Set<Key>()
    for (const { type, key, value, previousValue } of changes) {
      expect(mentioned.has(key), `${key} is mentioned once`).toBe(false)
      mentioned.add(key)
      expect(this.rows.has(key), `${type} of ${key}`).toBe(type !== 'insert')
      const before = type === 'update' ? previousValue : type === 'delete' ? value : undefined
      if (before !== undefined) expect(shown(before)).toEqual(this.rows.get(key))
      if (type === 'delete') this.rows.delete(key)
      else this.rows.set(key, shown(value))
    }
  }
}

/** A row with its standing, without the properties that say where it comes from. */
export function shown(row: object): object {
  const { $key: _key, $collectionId: _collection, ...rest } = row as Record<string, unknown>
  return rest
}
