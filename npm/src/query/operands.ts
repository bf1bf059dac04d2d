/** Static types of what the expression functions accept: references, expressions and plain values. */
import type { BasicExpression } from './ir.ts'
import type { RefBrand } from './ref-types.ts'

/** The type of the value an operand stands for. */
export type ValueOf<X> = X extends RefBrand<infer T> ? T : X extends BasicExpression<infer T> ? T : X

/** Something whose value is a `T`. */
export type Operand<T> = T | RefBrand<T> | BasicExpression<T>

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
