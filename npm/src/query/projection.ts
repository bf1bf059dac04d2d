/** What `caseWhen` returns if its values are objects: something only `select` can use. */

declare const projected: unique symbol

const projectionBrand: unique symbol = Symbol.for('millrace.projection')

/** A choice between shapes of a field, each for the rows that its condition holds of; `T` is the field's type. */
export class CaseProjection<T> {
  declare readonly [projected]: T
  readonly args: readonly unknown[]

  /** `args` are those of `caseWhen`. */
  constructor(args: readonly unknown[]) {
    this.args = args
  }

  get [projectionBrand](): true {
    return true
  }
}

/** Whether a value is a {@link CaseProjection}, of any copy of this package. */
export function isProjection(value: unknown): value is CaseProjection<unknown> {
  return typeof value === 'object' && value !== null && projectionBrand in value
}
