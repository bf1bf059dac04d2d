import type { Collection } from '../../src/types.ts'

/** The least a builder takes for a collection. It holds no rows. */
export function fakeCollection<T extends object, TKey extends string | number = number>(
  id: string,
): Collection<T, TKey> {
  const shell = { id, subscribeChanges: () => ({ unsubscribe() {} }), startSyncImmediate() {} }
  return shell as unknown as Collection<T, TKey>
}
