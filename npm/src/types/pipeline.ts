/** Rows on their way through a query, as its stages pass them on: with a key, and in a namespace per source. */

declare const streamed: unique symbol

/** Changes of rows of type `T` between two stages of a query. Opaque: the engine alone reads it. */
export interface RowStream<T> {
  readonly [streamed]: T
}

/** A row with its key, before or after a query. */
export type InputRow = [key: unknown, row: Record<string, unknown>]

/** The rows of a source. */
export type KeyedStream = RowStream<InputRow>

/** A query's rows, each with its place in the query's order. */
export type ResultStream = RowStream<[key: unknown, placed: [row: unknown, place: string | undefined]]>

/** The rows of all sources of a query that were put together, by alias. */
export type NamespacedRow = Record<string, Record<string, unknown>>

/** {@link NamespacedRow} with a key. */
export type KeyedNamespacedRow = [key: unknown, rows: NamespacedRow]

/** Rows between the clauses of a query. */
export type NamespacedAndKeyedStream = RowStream<KeyedNamespacedRow>
