import { UnhashableQueryIRError } from '../errors/compile.ts'
import { isBytes, isDate, isMap, isPlainObject, isSet, isTypedArray, temporalTag } from '../rows/brands.ts'
import { getQueryIR } from './builder.ts'

/** A value in tagged form, whose JSON text is its identity. */
export type CanonicalValue =
  | string
  | number
  | boolean
  | null
  | readonly CanonicalValue[]
  | { readonly [name: string]: CanonicalValue }

const CLAUSES_OF_FUNCTIONS = {
  fnSelect: 'function select',
  fnWhere: 'function where',
  fnHaving: 'function having',
}

/**
 * A text that two values share exactly if they are equal by value: fields in any order, maps and sets in any order,
 * dates, bytes and temporals by what they stand for.
 *
 * @throws UnhashableQueryIRError for functions, symbols, class instances, invalid dates and cycles; it says where.
 */
export function getStableValueHash(value: unknown, path = 'value'): string {
  return JSON.stringify(canonical(value, path, new Set()))
}

/** As `getStableValueHash`, of a query's intermediate form. Collections are told apart by their ids. */
export function getStableQueryIRHash(query: object): string {
  return JSON.stringify(canonicalizeQueryIR(query))
}

/** As `getStableQueryIRHash`, of what a builder has built. */
export function getStableQueryBuilderHash(builder: object): string {
  return getStableQueryIRHash(getQueryIR(builder as never))
}

/** The tagged form behind `getStableQueryIRHash`. */
export function canonicalizeQueryIR(query: object): CanonicalValue {
  return canonical(query, 'query', new Set())
}

function canonical(value: unknown, path: string, open: Set<object>): CanonicalValue {
  switch (typeof value) {
    case 'string':
      return ['string', value]
    case 'boolean':
      return ['boolean', value]
    case 'undefined':
      return ['undefined']
    case 'number':
      return ['number', Object.is(value, -0) ? '0' : String(value)]
    case 'bigint':
      return ['bigint', String(value)]
    case 'function':
      throw new UnhashableQueryIRError(path, 'functions have no identity')
    case 'symbol':
      throw new UnhashableQueryIRError(path, 'symbols have no identity')
  }
  if (value === null) return ['null']
  const object = value as object
  if (open.has(object)) throw new UnhashableQueryIRError(path, 'it refers to itself')
  open.add(object)
  try {
    return canonicalObject(object, path, open)
  } finally {
    open.delete(object)
  }
}

function canonicalObject(value: object, path: string, open: Set<object>): CanonicalValue {
  const inner = (item: unknown, name: string | number) => canonical(item, `${path}.${name}`, open)
  if (Array.isArray(value)) return ['array', value.map(inner)]
  if (isDate(value)) {
    if (Number.isNaN(value.getTime())) throw new UnhashableQueryIRError(path, 'the date is invalid')
    return ['date', value.toISOString()]
  }
  if (isBytes(value) || isTypedArray(value)) return ['bytes', value.constructor.name, Array.from(value)]
  const temporal = temporalTag(value)
  if (temporal !== undefined) return ['temporal', temporal, String(value)]
  if (isMap(value)) {
    return ['map', sorted(Array.from(value, ([key, item], i) => [inner(key, i), inner(item, i)]))]
  }
  if (isSet(value)) return ['set', sorted(Array.from(value, inner))]
  const node = value as { readonly type?: unknown; readonly collection?: unknown; readonly alias?: unknown }
  if (node.type === 'collectionRef') {
    const { id } = node.collection as { readonly id: string }
    return ['collection', id, String(node.alias)]
  }
  for (const [clause, reason] of Object.entries(CLAUSES_OF_FUNCTIONS)) {
    const present = (value as Record<string, unknown>)[clause]
    if (present !== undefined && !(Array.isArray(present) && present.length === 0)) {
      throw new UnhashableQueryIRError(`${path}.${clause}`, reason)
    }
  }
  if (!isPlainObject(value) && typeof node.type !== 'string') {
    throw new UnhashableQueryIRError(path, 'only plain objects have an identity')
  }
  const fields: Record<string, CanonicalValue> = {}
  for (const name of Object.keys(value).sort()) {
    const field = (value as Record<string, unknown>)[name]
    if (field !== undefined) fields[`.${name}`] = inner(field, name)
  }
  return ['object', fields]
}

/** In the order of their texts, which is any order as long as it is one. */
function sorted(items: CanonicalValue[]): CanonicalValue[] {
  return items
    .map((item) => ({ item, text: JSON.stringify(item) }))
    .sort((a, b) => (a.text < b.text ? -1 : a.text > b.text ? 1 : 0))
    .map(({ item }) => item)
}
