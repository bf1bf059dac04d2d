/** Aggregate functions: one value for all rows of a group, or of the whole query without `groupBy`. */
import { Aggregate } from './ir.ts'
import type { AggregateOperand, ValueOf } from './operands.ts'
import { toExpression } from './refs.ts'

function aggregate<T>(name: string, value: unknown): Aggregate<T> {
  return new Aggregate(name, [toExpression(value)])
}

/** The number of rows whose value is neither null nor undefined. Of a row reference: the number of rows there are. */
export function count(value: unknown): Aggregate<number> {
  return aggregate('count', value)
}

/** The sum of the values there are. */
export function sum<X extends AggregateOperand>(value: X): Aggregate<ValueOf<X>> {
  return aggregate('sum', value)
}

/** The mean of the values there are. */
export function avg<X extends AggregateOperand>(value: X): Aggregate<ValueOf<X>> {
  return aggregate('avg', value)
}

/** The smallest of the values there are. */
export function min<X extends AggregateOperand>(value: X): Aggregate<ValueOf<X>> {
  return aggregate('min', value)
}

/** The largest of the values there are. */
export function max<X extends AggregateOperand>(value: X): Aggregate<ValueOf<X>> {
  return aggregate('max', value)
}
