import { engine } from '../engine/loader.ts'
import { Session } from './session.ts'

/** The session over the engine of this process. The first call starts the engine. */
export function theSession(): Session {
  const running = engine()
  return running.shared('session', () => new Session(running))
}
