/**
 * Static types of references. They mirror the row: a plain object has one reference per field, everything
 * else is a leaf. A value that may be missing on the way to a field shows in the field's type, so no `?.`
 * is needed in a callback.
 */

declare const refValue: unique symbol

/**
 * Carries the type of the value a reference stands for. The carrier is an accessor of a class because
 * the compiler drops those from spread and rest objects: a spread row is then only its fields, and a
 * referenced row is still recognisable as a whole.
 */
export declare abstract class RefBrand<T> {
  private constructor()
  get [refValue](): T
}

type IsAny<T> = 0 extends 1 & T ? true : false

/** Whether `T` is an object made of fields, as opposed to one that is a value of its own (a Date, a list). */
export type IsPlainObject<T> = T extends object
  ? T extends
      | readonly unknown[]
      | Date
      | RegExp
      | Error
      | ((...args: never[]) => unknown)
      | { readonly [Symbol.toStringTag]: string }
    ? false
    : true
  : false

type ObjectRef<T, Missing> = {
  readonly [K in keyof T]-?: Ref<T[K], Missing>
} & RefBrand<T | Missing>

type DistributedObjectRef<T, Missing> = T extends object ? ObjectRef<T, Missing> : never

/**
 * A reference to a value of type `T`. `Missing` is what the path gives when it stops early: undefined or
 * null, whichever a step on the way may be.
 */
export type Ref<T, Missing = never> =
  IsAny<T> extends true
    ? T
    : unknown extends T
      ? RefBrand<T>
      : [Exclude<T, null | undefined>] extends [never]
        ? RefBrand<T | Missing>
        : [IsPlainObject<Exclude<T, null | undefined>>] extends [true]
          ? DistributedObjectRef<Exclude<T, null | undefined>, Missing | Extract<T, null | undefined>>
          : RefBrand<T | Missing>
