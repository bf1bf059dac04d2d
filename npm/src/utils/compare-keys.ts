/**
 * The order of keys: strings before numbers, each among themselves by `<`. NaN comes last, so that the order is total.
 *
 * @returns a negative number, zero or a positive number, as `Array.prototype.sort` wants it.
 */
export function compareKeys(a: string | number, b: string | number): number {
  if (typeof a !== typeof b) return typeof a === 'string' ? -1 : 1
  if (a < b) return -1
  if (a > b) return 1
  return Number(Number.isNaN(a)) - Number(Number.isNaN(b))
}
