/** Static types of `select`: what a callback may return and the row that comes of it. */
import type { BasicExpression, Expression } from './ir.ts'
import type { ValueOf } from './operands.ts'
import type { CaseProjection } from './projection.ts'
import type { IsPlainObject, RefBrand } from './ref-types.ts'
import type { IsAny } from './type-tests.ts'

/** One value of a select object. */
export type SelectValue =
  | RefBrand<unknown>
  | Expression
  | CaseProjection<unknown>
  | string
  | number
  | bigint
  | boolean
  | null
  | undefined
  | SelectObject

/** What a select callback may return as an object: fields, nested objects, spread rows. */
export interface SelectObject {
  readonly [field: string]: SelectValue
}

// The key is a parameter of its own on purpose. Mapped over `keyof S` directly, the fields of a spread row
// would inherit the removal of `?` from their references and lose the undefined that belongs to the value.
type SelectedFields<S, Field extends PropertyKey> = {
  [K in Field]: K extends keyof S ? ResultTypeFromSelect<S[K]> : never
}

/** The result type of a select callback's return type. */
export type ResultTypeFromSelect<S> =
  IsAny<S> extends true
    ? S
    : S extends RefBrand<infer T>
      ? T
      : S extends Expression<infer T>
        ? T
        : S extends CaseProjection<infer T>
          ? T
          : [IsPlainObject<S>] extends [true]
            ? SelectedFields<S, keyof S>
            : S

/** The arguments of `caseWhen`: conditions and values in turn, and perhaps a default. */
export type CaseArguments = readonly [condition: unknown, value: SelectValue, ...rest: SelectValue[]]

type CaseValues<TArgs extends readonly unknown[]> = TArgs extends readonly [unknown, infer V, ...infer Rest]
  ? V | CaseValues<Rest>
  : TArgs extends readonly [infer Default]
    ? Default
    : never

type HasDefault<TArgs extends readonly unknown[]> = TArgs extends readonly [unknown, unknown, ...infer Rest]
  ? HasDefault<Rest>
  : TArgs extends readonly [unknown]
    ? true
    : false

type IsScalar<V> = V extends RefBrand<unknown> | Expression
  ? true
  : V extends CaseProjection<unknown>
    ? false
    : IsPlainObject<V> extends true
      ? false
      : true

/** What `caseWhen` gives: an expression if all values are scalar, otherwise a projection for `select`. */
export type CaseWhenResult<TArgs extends readonly unknown[]> =
  false extends IsScalar<CaseValues<TArgs>>
    ? CaseProjection<
        ResultTypeFromSelect<CaseValues<TArgs>> | (HasDefault<TArgs> extends true ? never : undefined)
      >
    : BasicExpression<ValueOf<CaseValues<TArgs>> | (HasDefault<TArgs> extends true ? never : null)>
