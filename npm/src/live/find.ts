import type { ManagedCollection } from '../collection/lifecycle.ts'
import { Command } from '../collection/session.ts'
import { theSession } from '../collection/the-session.ts'
import type { BasicExpression, OrderBy, QueryIR } from '../query/ir.ts'

type Key = string | number

/** A question about the present rows of a collection. References have no alias. */
export interface RowQuestion {
  /** All must be true of a row. */
  readonly where?: readonly BasicExpression[]
  /** Key order if left out. */
  readonly orderBy?: OrderBy
  readonly offset?: number | undefined
  readonly limit?: number | undefined
}

/**
 * The rows that answer a question now, in order. The engine reads as little of its indexes as the answer needs, and keeps
 * what it had to build for the next such question.
 */
export function findRows(collection: ManagedCollection, question: RowQuestion): [Key, object][] {
  // A collection that the engine has not heard of has no rows.
  if (collection.col === 0) return []
  const session = theSession()
  const command = session.begin(3, Command.find)
  command.int(collection.col)
  const encoder = session.encoder(collection.collation, false, command)
  encoder.write({ query: question as QueryIR, select: undefined })
  session.writeTexts(encoder.texts, command)
  const pairs = session.find(command)
  const { source } = collection
  const rows: [Key, object][] = []
  for (let i = 0; i < pairs.length; i += 2) {
    rows.push([source.root.key(pairs[i] as number), source.row(pairs[i + 1] as number)])
  }
  return rows
}
