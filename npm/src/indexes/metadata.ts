import type { BasicExpression } from '../query/ir.ts'
import type { CollectionIndexMetadata } from '../types/events.ts'
import type { IndexConstructor, IndexInterface } from '../types/indexes.ts'

/** What is known of an index without looking into it. The result shares nothing with the index. */
export function metadataOf(
  index: IndexInterface,
  type: IndexConstructor,
  options: unknown,
): CollectionIndexMetadata {
  const expression = plain(index.expression)
  const plainOptions = options === undefined ? undefined : plain(options)
  return {
    signatureVersion: 1,
    signature: JSON.stringify(plain({ signatureVersion: 1, expression, options: plainOptions ?? null })),
    indexId: index.id,
    ...(index.name === undefined ? {} : { name: index.name }),
    expression: expression as unknown as BasicExpression,
    resolver: type.name === '' ? { kind: 'constructor' } : { kind: 'constructor', name: type.name },
    ...(plainOptions === undefined ? {} : { options: plainOptions }),
  }
}

/** A value as JSON can hold it: fields in order, functions and symbols left out, what JSON lacks by tag. */
function plain(value: unknown): unknown {
  if (typeof value === 'bigint') return { $bigint: String(value) }
  if (typeof value === 'function' || typeof value === 'symbol') return undefined
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((item) => plain(item) ?? null)
  if (value instanceof Date) return { $date: value.getTime() }
  if (value instanceof RegExp) return { $regexp: String(value) }
  if (value instanceof Set) return { $set: Array.from(value, plain) }
  if (value instanceof Map) return { $map: Array.from(value, ([key, item]) => [plain(key), plain(item)]) }
  const fields: Record<string, unknown> = {}
  for (const name of Object.keys(value).sort()) {
    const field = plain((value as Record<string, unknown>)[name])
    if (field !== undefined) fields[name] = field
  }
  return fields
}
