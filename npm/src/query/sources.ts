/** Reading the arguments of builder calls that name sources. */
import { isCollectionOptions } from '../client/options.ts'
import { QueryBuilderError } from '../errors/base.ts'
import { InvalidSourceError, InvalidSourceTypeError, OnlyOneSourceAllowedError } from '../errors/query.ts'
import type { CollectionOptions } from '../types/client.ts'
import type { Collection } from '../types/collection.ts'
import { CollectionRef, type JoinSource, type QueryIR, QueryRef, type Recursion, SelfRef } from './ir.ts'
import { isCollection } from './is-collection.ts'
import { isQueryLike, kindOf } from './refs.ts'

/** Gives the collection of a descriptor; a client has one for each of its own. */
export type ResolveCollection = (descriptor: CollectionOptions) => Collection

const selfBrand: unique symbol = Symbol.for('millrace.self')

/** What the step of a recursion takes for a source: the rows there already are. */
export class Self {
  readonly [selfBrand]: Recursion

  constructor(recursion: Recursion) {
    this[selfBrand] = recursion
  }
}

/** The one source of a clause that has one. */
export function oneSource(source: unknown, clause: string, resolve?: ResolveCollection): JoinSource {
  const aliases = aliasesOf(source, clause)
  if (aliases.length > 1) throw new OnlyOneSourceAllowedError(clause)
  return namedSource(source as Named, aliases[0] as string, clause, resolve)
}

/** All sources of a clause that may have several, in order. */
export function manySources(source: unknown, clause: string, resolve?: ResolveCollection): JoinSource[] {
  return aliasesOf(source, clause).map((alias) => namedSource(source as Named, alias, clause, resolve))
}

type Named = Readonly<Record<string, unknown>>

/** The names in an argument, one at least. */
export function aliasesOf(source: unknown, clause: string): string[] {
  if (typeof source !== 'object' || source === null || Array.isArray(source)) {
    throw new InvalidSourceTypeError(clause, kindOf(source))
  }
  const aliases = Object.keys(source)
  if (aliases.length === 0) throw new InvalidSourceTypeError(clause, 'empty object')
  return aliases
}

function namedSource(source: Named, alias: string, clause: string, resolve?: ResolveCollection): JoinSource {
  const value = source[alias]
  if (isCollection(value)) return new CollectionRef(value, alias)
  if (isQueryLike(value)) return new QueryRef(value._getQuery() as QueryIR, alias)
  if (typeof value === 'object' && value !== null && selfBrand in value) {
    return new SelfRef((value as Self)[selfBrand], alias)
  }
  if (isCollectionOptions(value)) {
    if (resolve === undefined) {
      throw new QueryBuilderError(
        `The source "${alias}" of the ${clause} describes a collection ("${value.id}") that a client makes: ` +
          'use client.collection(options) as the source, or run the query through the client',
      )
    }
    return new CollectionRef(resolve(value), alias)
  }
  throw new InvalidSourceError(alias)
}
