/**
 * The intermediate representation of a query: what the builder produces and what is compiled for the
 * engine. Nodes carry a `type` tag; code that reads a tree tests the tag, never the class, because
 * trees may come from another copy of this package or from code that writes plain objects.
 */
export * from './ir-expressions.ts'
export * from './ir-query.ts'
export * from './ir-sources.ts'
export * from './ir-walk.ts'
