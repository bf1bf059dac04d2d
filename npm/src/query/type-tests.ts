/** Questions about types. */

/** Whether `T` is `any`. */
export type IsAny<T> = 0 extends 1 & T ? true : false

/** Whether `T` is a union of several types; never for `never`. */
export type IsUnion<T, Whole = T> = T extends unknown ? ([Whole] extends [T] ? false : true) : never

/** The keys of all members of a union. */
export type AnyKeyOf<T> = T extends unknown ? keyof T : never

/** The type of a field over those members of a union that have it. */
export type AnyFieldOf<T, K extends PropertyKey> = T extends unknown
  ? K extends keyof T
    ? T[K]
    : never
  : never
