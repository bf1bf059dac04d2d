/** Errors of validating local writes by a schema. */
import { CollectionConfigurationError, TanStackDBError } from './base.ts'

/** What a schema has to say against a value. */
export interface SchemaIssue {
  readonly message: string
  readonly path?: ReadonlyArray<string | number | symbol> | undefined
}

/** The schema of a configuration is none of the Standard Schema kind. */
export class InvalidSchemaError extends CollectionConfigurationError {
  constructor() {
    super(
      'The schema does not implement Standard Schema: it has no "~standard" property. ' +
        'Pass a schema of a library that implements it, such as Zod, Valibot or ArkType',
    )
  }
}

/** A schema answered with a promise. */
export class SchemaMustBeSynchronousError extends CollectionConfigurationError {
  constructor() {
    super('Schema validation must be synchronous: leave asynchronous checks to the mutation handlers')
  }
}

/** A row or change that the schema refuses. Nothing was written. */
export class SchemaValidationError extends TanStackDBError {
  readonly type: 'insert' | 'update'
  readonly issues: readonly SchemaIssue[]

  constructor(type: 'insert' | 'update', issues: readonly SchemaIssue[], message?: string) {
    super(
      message ??
        `${type === 'insert' ? 'Insert' : 'Update'} validation failed: ${issues.map(shownIssue).join('; ')}`,
    )
    this.name = 'SchemaValidationError'
    this.type = type
    this.issues = issues
  }
}

function shownIssue({ message, path }: SchemaIssue): string {
  return path === undefined || path.length === 0
    ? message
    : `${message} - path: ${path.map(String).join('.')}`
}
