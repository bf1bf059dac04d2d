/** Rows as applications see them, and small type utilities shared by the public types. */

/**
 * A value the compiler knows nothing about, as `JSON.parse` gives it. It appears where an application
 * chose to give no row type.
 */
export type Untyped = ReturnType<typeof JSON.parse>

/** Where the last confirmed or pending write of a row came from. */
export type VirtualOrigin = 'local' | 'remote'

/** The properties every row handed out carries besides its own fields. */
export interface VirtualRowProps<TKey extends string | number = string | number> {
  /** Whether no pending local change covers the row. */
  readonly $synced: boolean
  /** `local` while a local change is pending or if the last confirmed write was local. */
  readonly $origin: VirtualOrigin
  /** The row's key in its collection. */
  readonly $key: TKey
  /** The id of the collection the row belongs to. */
  readonly $collectionId: string
}

/** A row with its virtual properties. */
export type WithVirtualProps<T, TKey extends string | number = string | number> = T & VirtualRowProps<TKey>

/** A row without the virtual properties. */
export type WithoutVirtualProps<T> = T extends unknown ? Omit<T, keyof VirtualRowProps> : never

/** Flattens an intersection, so that editors and messages show the fields. */
export type Prettify<T> = { [K in keyof T]: T[K] } & {}

/** The functions a collection offers besides its own, as given in its configuration. */
export type UtilsRecord = Record<string, Untyped>

/** How strings are ordered: by code unit, or by a locale's rules (the default). */
export type StringCollationConfig =
  | { readonly stringSort?: 'lexical' }
  | { readonly stringSort?: 'locale'; readonly locale?: string; readonly localeOptions?: object }

/** A deeply writable copy of `T`: the type of an update's draft. */
export type WritableDeep<T> = T extends
  | ((...args: never[]) => unknown)
  | Date
  | RegExp
  | { readonly [Symbol.toStringTag]: string }
  ? T
  : T extends object
    ? { -readonly [K in keyof T]: WritableDeep<T[K]> }
    : T

/** Any function. */
export type Fn = (...args: Untyped[]) => Untyped

/** What a field of a row without a type of its own may hold. `TExtensions` adds what a source has besides. */
export type Value<TExtensions = never> =
  | string
  | number
  | boolean
  | bigint
  | null
  | Array<Value<TExtensions>>
  | { [key: string]: Value<TExtensions> }
  | TExtensions

/** A row without a type of its own. */
export type Row<TExtensions = never> = Record<string, Value<TExtensions>>

/** `T`, some of whose fields may be left out. */
export type MakeOptional<T, K extends keyof T> = Omit<T, K> & Partial<Pick<T, K>>
