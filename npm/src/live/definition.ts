import type { QueryIR } from '../query/ir.ts'

const DEFINITION: unique symbol = Symbol.for('millrace.liveQuery')

/** A configuration that belongs to a live query. Copies made by spreading stay live queries. */
export interface WithDefinition {
  readonly [DEFINITION]?: QueryIR
}

/** Makes a configuration one of a live query. */
export function defineLive<C extends object>(config: C & { [DEFINITION]?: QueryIR }, query: QueryIR): C {
  config[DEFINITION] = query
  return config
}

/** The query of a live query's configuration; undefined for any other. */
export function definitionOf(config: object): QueryIR | undefined {
  return (config as WithDefinition)[DEFINITION]
}
