/** Observed collections, and what tests note of them. */
import { vi } from 'vitest'
import { createLiveQueryCollection } from '../../src/index.ts'
import { type Row, type SourceOptions, source } from '../shell/source.ts'

export const rows = (...ids: number[]): Row[] => ids.map((id) => ({ id, v: id }))

/** A source, and the live query of its rows in the order of `v`. */
export function ordered(options: SourceOptions = { rows: rows(1, 2) }, limit?: number) {
  const made = source(options)
  const live = createLiveQueryCollection((q) => {
    const all = q.from({ r: made.collection }).orderBy(({ r }) => r.v)
    return limit === undefined ? all : all.limit(limit)
  })
  return { ...made, live }
}

export interface Told {
  readonly type: string
  readonly key: string | number
}

/** One payload of an observer: changes, `moved`, or `status`. */
export function brief(payload: readonly Told[] | undefined): string {
  if (payload === undefined) return 'status'
  if (payload.length === 0) return 'moved'
  return payload
    .map(({ type, key }) => `${type === 'insert' ? '+' : type === 'delete' ? '-' : '~'}${key}`)
    .join(' ')
}

/** A listener that notes what it is told. */
export function recorder() {
  const log: string[] = []
  return { log, listener: (payload: readonly Told[] | undefined) => void log.push(brief(payload)) }
}

/** Keeps what failing queries say off the console. */
export const muteConsole = () => vi.spyOn(console, 'error').mockImplementation(() => {})
