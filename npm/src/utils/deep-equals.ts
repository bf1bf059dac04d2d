import { strictDeepEquals } from '../rows/deep-equals.ts'

/**
 * Whether two values are structurally equal. Dates, regular expressions, buffers and typed arrays, temporals, maps, sets,
 * arrays and objects with fields compare by what they hold, whatever their order where order means nothing; functions,
 * symbols, errors and objects that show no field of their own by identity. null and undefined equal only themselves, and
 * fields are the own enumerable ones with string names. Values that contain themselves are compared once.
 *
 * As with `===`, NaN differs from itself unless both sides are the same object. (To decide whether a row has changed,
 * collections take NaN for equal to NaN.)
 *
 * @throws what an accessor of the values throws.
 */
export function deepEquals(a: unknown, b: unknown): boolean {
  return strictDeepEquals(a, b)
}
