import type { Reader } from '../engine/reader.ts'
import { refusal } from './refusal.ts'
import type { Session } from './session.ts'

const Effect = {
  error: 1,
  freeTexts: 2,
  freeKeys: 3,
  freeSlots: 4,
  install: 5,
  layout: 6,
  rows: 7,
  status: 8,
  emit: 9,
  dropColumn: 10,
  truncated: 11,
  stats: 12,
  empty: 13,
  rebind: 14,
  found: 19,
} as const

/**
 * Applies the effects of one command in the order given. What is for user code is built while the rows it
 * names are there, and queued.
 */
export function decodeEffects(session: Session, effects: Reader): void {
  for (let n = effects.array(); n > 0; n--) {
    const fields = effects.array()
    const op = effects.int()
    if (op === Effect.error) decodeError(session, effects)
    else if (op === Effect.freeTexts) freeTexts(session, effects)
    else if (op === Effect.stats) effects.skip()
    else decodeOf(session, effects, op, fields - 2)
  }
  session.endOfEffects()
}

function decodeOf(session: Session, effects: Reader, op: number, fields: number): void {
  const col = effects.int()
  const collection = session.collection(col)
  if (collection === undefined) {
    for (let i = 0; i < fields; i++) effects.skip()
    return
  }
  switch (op) {
    case Effect.install:
      collection.install(effects)
      break
    case Effect.rebind:
      collection.rebind(effects)
      break
    case Effect.layout:
      collection.layout(effects)
      break
    case Effect.rows:
      collection.rows(effects)
      break
    case Effect.emit:
      collection.emit(effects)
      break
    case Effect.status:
      collection.statusChanged(effects)
      break
    case Effect.truncated:
      collection.truncated()
      break
    case Effect.found:
      session.takeFound(effects)
      break
    case Effect.empty:
      collection.emptied()
      break
    default:
      collection.released(op, effects, fields)
  }
}

function decodeError(session: Session, effects: Reader): void {
  const code = effects.int()
  const path = text(effects)
  const message = text(effects)
  session.refuse(refusal(code, path, message))
}

function text(effects: Reader): string {
  if (effects.nil()) return ''
  return effects.kind === 'int' ? String(effects.int()) : effects.str()
}

function freeTexts(session: Session, effects: Reader): void {
  const n = effects.blockU32()
  for (let i = effects.at; i < effects.at + n; i++) session.dictionary.free(effects.u32[i] as number)
}
