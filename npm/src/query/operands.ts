/** Static types of what the expression functions accept: references, expressions and plain values. */
import type { Expression } from './ir.ts'
import type { RefBrand } from './ref-types.ts'

/** The type of the value an operand stands for. */
export type ValueOf<X> = X extends RefBrand<infer T> ? T : X extends Expression<infer T> ? T : X

/** Something whose value is a `T`. */
export type Operand<T> = T | RefBrand<T> | Expression<T>

type Widen<T> = T extends string
  ? string
  : T extends number
    ? number
    : T extends boolean
      ? boolean
      : T extends bigint
        ? bigint
        : T

/** What a value of type `T` may be compared with: its own kind, or nothing at all. */
export type Comparand<T> = unknown extends T
  ? unknown
  : [NonNullable<T>] extends [never]
    ? unknown
    : Operand<Widen<NonNullable<T>> | null | undefined>

/** A list whose members may be compared with a `T`. */
export type ListOperand<T> = unknown extends T
  ? unknown
  : [NonNullable<T>] extends [never]
    ? unknown
    : Operand<ReadonlyArray<Widen<NonNullable<T>> | null | undefined> | null | undefined>

/** A string, or nothing. */
export type StringOperand = Operand<string | null | undefined>

/** A truth value, null and undefined meaning unknown. */
export type BooleanOperand = Operand<boolean | null | undefined>

/** A number, or nothing, which counts as 0. */
export type NumberOperand = Operand<number | bigint | null | undefined>

/** Something with a length. */
export type LengthOperand = Operand<string | readonly unknown[] | null | undefined>

/** A value that can be summed up or compared over the rows of a group. */
export type AggregateOperand = Operand<number | bigint | string | Date | null | undefined>
