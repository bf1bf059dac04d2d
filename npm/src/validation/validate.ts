import { InvalidSchemaError, SchemaMustBeSynchronousError, SchemaValidationError } from '../errors/schema.ts'
import type { StandardSchema, StandardSchemaIssue, StandardSchemaResult } from '../types/schema.ts'

type Fields = Record<string, unknown>

/**
 * What a schema makes of a row to be inserted: with its defaults and transformations.
 *
 * @throws SchemaValidationError if it refuses the row.
 */
export function validateInsert(schema: unknown, row: object): object {
  return validate(schema, 'insert', row) as object
}

/**
 * What a schema makes of the changed fields of a row: the whole row is validated, only those fields are taken.
 *
 * @throws SchemaValidationError if it refuses the row.
 */
export function validateChanges(schema: unknown, row: object, changed: readonly string[]): Fields {
  const valid = validate(schema, 'update', { ...row }) as Fields
  const taken: Fields = {}
  for (const name of changed) {
    const value = valid[name]
    Object.defineProperty(taken, name, { value, enumerable: true, configurable: true, writable: true })
  }
  return taken
}

function validate(schema: unknown, type: 'insert' | 'update', value: object): unknown {
  const standard = (schema as Partial<StandardSchema>)['~standard']
  if (standard === undefined) throw new InvalidSchemaError()
  const result = standard.validate(value)
  if (typeof (result as { then?: unknown }).then === 'function') throw new SchemaMustBeSynchronousError()
  const { issues } = result as Partial<StandardSchemaResult<unknown>> & {
    issues?: readonly StandardSchemaIssue[]
  }
  if (issues !== undefined && issues.length > 0) throw new SchemaValidationError(type, issues.map(plainIssue))
  return (result as { readonly value: unknown }).value
}

function plainIssue({ message, path }: StandardSchemaIssue): { message: string; path: string[] } {
  const names = (path ?? []).map((part) => String(typeof part === 'object' ? part.key : part))
  return { message, path: names }
}
