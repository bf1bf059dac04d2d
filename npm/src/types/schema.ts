/** Schemas of the Standard Schema kind (https://standardschema.dev), written out so that nothing has to be installed. */

/** A validator of any library that follows Standard Schema, version 1. */
export interface StandardSchema<TInput = unknown, TOutput = TInput> {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    readonly validate: (
      value: unknown,
    ) => StandardSchemaResult<TOutput> | Promise<StandardSchemaResult<TOutput>>
    readonly types?: { readonly input: TInput; readonly output: TOutput } | undefined
  }
}

/** What a schema answers: the value, or what is wrong with it. */
export type StandardSchemaResult<TOutput> =
  | { readonly value: TOutput; readonly issues?: undefined }
  | { readonly issues: ReadonlyArray<StandardSchemaIssue> }

/** One fault of a value. */
export interface StandardSchemaIssue {
  readonly message: string
  readonly path?: ReadonlyArray<PropertyKey | { readonly key: PropertyKey }> | undefined
}

/** The same under the name other packages use. */
export type StandardSchemaAlias<TInput = unknown, TOutput = TInput> = StandardSchema<TInput, TOutput>

type TypesOf<S> = S extends { readonly '~standard': { readonly types?: infer Types } }
  ? NonNullable<Types>
  : never

/** The rows a schema gives. */
export type InferSchemaOutput<S> =
  TypesOf<S> extends { readonly output: infer Output }
    ? Output extends object
      ? Output
      : Record<string, unknown>
    : Record<string, unknown>

/** The rows a schema takes. */
export type InferSchemaInput<S> =
  TypesOf<S> extends { readonly input: infer Input }
    ? Input extends object
      ? Input
      : Record<string, unknown>
    : Record<string, unknown>
