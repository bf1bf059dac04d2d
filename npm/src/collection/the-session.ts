import { engine } from '../engine/loader.ts'
import { Session } from './session.ts'

let known: Session | undefined

/** The session over the engine of this process. The first call starts the engine. */
export function theSession(): Session {
  if (known === undefined) {
    const running = engine()
    known = running.shared('session', () => new Session(running))
  }
  return known
}
