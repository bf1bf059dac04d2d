/** What tests of transactions share. */
import type { ChangeMessage, Collection, MutationFn } from '../../src/index.ts'
import { type Row, source } from '../shell/source.ts'

/** A function that sends, whose calls end when the test says so. */
export function held() {
  const ends: { resolve(): void; reject(error: unknown): void }[] = []
  const send: MutationFn = () =>
    new Promise<void>((resolve, reject) => {
      ends.push({ resolve, reject })
    })
  return { ends, send }
}

/** Rows 1 to 3 with handlers that never end, unless others are given. */
export function items(options: Parameters<typeof source>[0] = {}) {
  const forever = () => new Promise<void>(() => {})
  return source({
    rows: [1, 2, 3].map((id) => ({ id, n: id })),
    onInsert: forever,
    onUpdate: forever,
    onDelete: forever,
    ...options,
  })
}

/** Changes as they are told, in short: one list per call. */
export function told(collection: Collection<Row>): string[][] {
  const calls: string[][] = []
  collection.subscribeChanges(
    (changes) => calls.push(changes.map((change) => short(change as unknown as ChangeMessage<Row>))),
    { includeInitialState: false },
  )
  return calls
}

function short({ type, key, value }: ChangeMessage<Row>): string {
  const { n, $synced } = value as unknown as { n: unknown; $synced: boolean }
  return `${type} ${key}=${String(n)}${$synced ? '' : '*'}`
}

/** The rows as `key=n`, with a star while they are not synced. */
export function seen(collection: Collection<Row>): string {
  return Array.from(collection.entries(), ([key, row]) => `${key}=${row.n}${row.$synced ? '' : '*'}`).join(
    ' ',
  )
}

export const set = (n: unknown) => (draft: unknown) => {
  ;(draft as { n: unknown }).n = n
}
