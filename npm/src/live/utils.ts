import { SetWindowRequiresOrderByError } from '../errors/compile.ts'
import type { LiveQueryCollectionUtils } from '../types/live-query.ts'
import type { UtilsRecord } from '../types/rows.ts'
import type { LiveCollection } from './live-collection.ts'

/**
 * What a live query's collection offers in `utils`, with what its configuration adds or replaces. Functions of their own,
 * so that they can be passed on alone.
 */
export function liveUtils(inside: LiveCollection, added: UtilsRecord | undefined): UtilsRecord {
  const utils: LiveQueryCollectionUtils = {
    getRunCount: () => inside.runs,
    setWindow: (options) => {
      if (inside.window === undefined) throw new SetWindowRequiresOrderByError()
      return inside.window.move(options, inside)
    },
    getWindow: () => inside.window && { ...inside.window.settled },
  }
  return added === undefined ? utils : Object.defineProperties(utils, Object.getOwnPropertyDescriptors(added))
}
