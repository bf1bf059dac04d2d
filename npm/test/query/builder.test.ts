import { describe, expect, it } from 'vitest'
import {
  InvalidSourceError,
  InvalidSourceTypeError,
  InvalidWhereExpressionError,
  OnlyOneSourceAllowedError,
  QueryBuilderError,
  QueryMustHaveFromClauseError,
} from '../../src/errors.ts'
import { BaseQueryBuilder, getQueryIR, isQueryBuilder, Query } from '../../src/query/builder.ts'
import { eq, gt, isNull, not } from '../../src/query/functions.ts'
import {
  CollectionRef,
  collectCollectionSources,
  Func,
  PropRef,
  parseSpreadKey,
  QueryRef,
  spreadKey,
  Value,
} from '../../src/query/ir.ts'
import { isCollection } from '../../src/query/is-collection.ts'
import { fakeCollection } from './fake-collection.ts'

interface User {
  id: number
  name: string
  active: boolean
  email?: string
  address: { city: string; geo: { lat: number } }
}

const users = fakeCollection<User>('users')
const start = () => new Query().from({ user: users })

/** Calls a builder the way untyped code can. */
const untyped = () => new BaseQueryBuilder() as unknown as { from(source: unknown): BaseQueryBuilder }

describe('from', () => {
  it('makes a collection reference', () => {
    const ir = getQueryIR(start())
    expect(ir).toEqual({ from: new CollectionRef(users as never, 'user') })
    expect(Object.keys(ir.from).sort()).toEqual(['alias', 'collection', 'type'])
    expect(ir.from.type).toBe('collectionRef')
  })

  it('numbers every use of a collection, and keeps the number out of comparison', () => {
    const [a, b] = [getQueryIR(start()).from, getQueryIR(start()).from] as CollectionRef[]
    expect(a!.sourceId).toMatch(/^source-\d+$/)
    expect(a!.sourceId).not.toBe(b!.sourceId)
    expect(a!.sourceId).toBe(a!.sourceId)
    expect(a).toEqual(b)
  })

  it('makes a query reference from a builder', () => {
    const inner = start().where(({ user }) => user.active)
    const ir = getQueryIR(new Query().from({ active: inner }))
    expect(ir.from).toEqual(new QueryRef(getQueryIR(inner), 'active'))
    expect(collectCollectionSources(ir)).toEqual([(ir.from as QueryRef).query.from])
  })

  it.each([
    ['a string', 'users', 'string'],
    ['null', null, 'null'],
    ['undefined', undefined, 'undefined'],
    ['a list', [users], 'array'],
    ['an empty object', {}, 'empty object'],
  ])('refuses %s', (_name, source, shown) => {
    const build = () => untyped().from(source)
    expect(build).toThrow(InvalidSourceTypeError)
    expect(build).toThrow('Invalid source for from clause: Expected an object with a single key-value pair')
    expect(build).toThrow(`Got: ${shown}`)
  })

  it('refuses several aliases and values that are no source', () => {
    expect(() => untyped().from({ a: users, b: users })).toThrow(OnlyOneSourceAllowedError)
    expect(() => untyped().from({ a: 'users' })).toThrow(InvalidSourceError)
    expect(() => untyped().from({ a: undefined })).toThrow(InvalidSourceError)
    expect(() => untyped().from({ a: { id: 'users' } })).toThrow(InvalidSourceError)
  })

  it('needs a source, in a subquery too', () => {
    expect(() => new BaseQueryBuilder()._getQuery()).toThrow(QueryMustHaveFromClauseError)
    expect(() => untyped().from({ a: new BaseQueryBuilder() })).toThrow(QueryMustHaveFromClauseError)
  })

  it('recognises collections and builders by what they can do', () => {
    expect(isCollection(users)).toBe(true)
    expect(isCollection({ ...users, id: 1 })).toBe(false)
    expect(isCollection(null)).toBe(false)
    expect(isQueryBuilder(start())).toBe(true)
    expect(isQueryBuilder({ _getQuery: () => ({}) })).toBe(true)
    expect(start()).toBeInstanceOf(BaseQueryBuilder)
    expect(start()).toBeInstanceOf(Query)
  })
})

describe('immutability', () => {
  it('lets a partial builder be continued in several ways', () => {
    const base = start().where(({ user }) => user.active)
    const before = structuredCloneOfClauses(base)
    const a = base.where(({ user }) => eq(user.id, 1)).orderBy(({ user }) => user.name)
    const b = base.orderBy(({ user }) => user.id, 'desc').limit(3)
    expect(structuredCloneOfClauses(base)).toEqual(before)
    expect(getQueryIR(a).where).toHaveLength(2)
    expect(getQueryIR(a).limit).toBeUndefined()
    expect(getQueryIR(b).where).toHaveLength(1)
    expect(getQueryIR(b).orderBy).toHaveLength(1)
  })
})

function structuredCloneOfClauses(builder: object): unknown {
  const { from: _from, ...clauses } = getQueryIR(builder)
  return structuredClone(clauses)
}

describe('where', () => {
  it('keeps one entry per call', () => {
    const ir = getQueryIR(
      start()
        .where(({ user }) => gt(user.id, 10))
        .where(({ user }) => user.active),
    )
    expect(ir.where).toEqual([
      new Func('gt', [new PropRef(['user', 'id']), new Value(10)]),
      new PropRef(['user', 'active']),
    ])
  })

  it('takes predicates given as plain objects', () => {
    const plain = { type: 'func', name: 'isNull', args: [{ type: 'ref', path: ['user', 'email'] }] }
    expect(getQueryIR(start().where(() => plain as never)).where).toEqual([plain])
  })

  it.each([
    ['a JavaScript comparison', true, 'boolean'],
    ['nothing', undefined, 'undefined'],
    ['null', null, 'null'],
    ['a list', [], 'array'],
    ['an object', { a: 1 }, 'object'],
  ])('refuses %s', (_name, result, shown) => {
    const build = () => start().where(() => result as never)
    expect(build).toThrow(InvalidWhereExpressionError)
    expect(build).toThrow('Invalid where(')
    expect(build).toThrow(`got ${shown}`)
  })

  it('gives undefined for an alias that does not exist', () => {
    expect(() => start().where((refs) => (refs as never as { zz: { x: never } }).zz.x)).toThrow(TypeError)
  })
})

describe('select', () => {
  const selected = (callback: (refs: { user: never }) => unknown) =>
    getQueryIR(start().select(callback as never)).select

  it('keeps the authored order, nested objects, references and literals', () => {
    const select = getQueryIR(
      start().select(({ user }) => ({
        city: user.address.city,
        nested: { id: user.id, kind: 'user' },
        missing: isNull(user.email),
      })),
    ).select
    expect(select).toEqual({
      city: new PropRef(['user', 'address', 'city']),
      nested: { id: new PropRef(['user', 'id']), kind: new Value('user') },
      missing: new Func('isNull', [new PropRef(['user', 'email'])]),
    })
    expect(Object.keys(select!)).toEqual(['city', 'nested', 'missing'])
  })

  it('turns a row reference into a spread, and embeds one given as a field', () => {
    expect(selected(({ user }) => user)).toEqual({ __SPREAD_SENTINEL__user__0: true })
    expect(selected(({ user }) => ({ row: user }))).toEqual({ row: new PropRef(['user']) })
  })

  it('marks spreads where they stand', () => {
    const select = getQueryIR(
      start().select(({ user }) => ({ ...user, name: 'x', at: { ...user.address, ...user } })),
    ).select!
    expect(Object.entries(select)).toEqual([
      ['__SPREAD_SENTINEL__user__0', true],
      ['name', new Value('x')],
      ['at', { '__SPREAD_SENTINEL__user.address__1': true, __SPREAD_SENTINEL__user__2: true }],
    ])
    expect(parseSpreadKey('__SPREAD_SENTINEL__user.address__1')).toEqual(['user', 'address'])
    expect(parseSpreadKey('user')).toBeUndefined()
    expect(parseSpreadKey(spreadKey(['my__alias'], 12))).toEqual(['my__alias'])
  })

  it('numbers spreads per call, so that equal queries have equal trees', () => {
    const build = () => getQueryIR(start().select(({ user }) => ({ ...user, n: 1 })))
    expect(build()).toEqual(build())
  })

  it('keeps a single expression as the whole clause', () => {
    expect(selected(({ user }) => (user as { name: unknown }).name)).toEqual(new PropRef(['user', 'name']))
    expect(selected(() => 1)).toEqual(new Value(1))
  })

  it('stores null for undefined, an object for a list, and nothing of a date', () => {
    expect(selected(() => ({ u: undefined, list: ['a'], at: new Date(0) }))).toEqual({
      u: new Value(null),
      list: { 0: new Value('a') },
      at: {},
    })
  })

  it('takes objects that only look like expressions as nested objects', () => {
    expect(selected(() => ({ field: { type: 'val', value: 1 } }))).toEqual({
      field: { type: new Value('val'), value: new Value(1) },
    })
  })

  it('keeps hostile field names as own fields', () => {
    const select = selected(() => ({ ['__proto__']: 1 }))!
    expect(Object.keys(select)).toEqual(['__proto__'])
    expect(Object.getPrototypeOf(select)).toBe(Object.prototype)
  })

  it('replaces an earlier select', () => {
    const ir = getQueryIR(
      start()
        .select(({ user }) => ({ id: user.id }))
        .select(({ user }) => ({ name: user.name })),
    )
    expect(ir.select).toEqual({ name: new PropRef(['user', 'name']) })
  })

  it('refuses a query as a field', () => {
    expect(() => selected(() => ({ posts: start() }))).toThrow(QueryBuilderError)
    expect(() => selected(() => ({ posts: start() }))).toThrow('"posts"')
  })
})

describe('orderBy, limit, offset', () => {
  it('gives a string option exactly a direction and nulls first', () => {
    const [first, second] = getQueryIR(
      start()
        .orderBy(({ user }) => user.name)
        .orderBy(({ user }) => user.id, 'desc'),
    ).orderBy!
    expect(first!.expression).toEqual(new PropRef(['user', 'name']))
    expect(Object.entries(first!.compareOptions)).toEqual([
      ['direction', 'asc'],
      ['nulls', 'first'],
    ])
    expect(second!.compareOptions).toStrictEqual({ direction: 'desc', nulls: 'first' })
  })

  it('fills in an object option, and keeps a locale only for locale order', () => {
    const options = (given: object) =>
      getQueryIR(start().orderBy(({ user }) => user.name, given)).orderBy![0]!.compareOptions
    expect(options({ nulls: 'last' })).toEqual({ direction: 'asc', nulls: 'last' })
    expect(
      options({ direction: 'desc', stringSort: 'locale', locale: 'sv', localeOptions: { numeric: true } }),
    ).toEqual({
      direction: 'desc',
      nulls: 'first',
      stringSort: 'locale',
      locale: 'sv',
      localeOptions: { numeric: true },
    })
    expect(options({ stringSort: 'lexical', locale: 'sv' })).toEqual({
      direction: 'asc',
      nulls: 'first',
      stringSort: 'lexical',
    })
    expect(options({ locale: 'sv' })).toEqual({ direction: 'asc', nulls: 'first' })
  })

  it('shares the options among the terms of one call', () => {
    const terms = getQueryIR(start().orderBy(({ user }) => [user.name, user.id], 'desc')).orderBy!
    expect(terms).toHaveLength(2)
    expect(terms[0]!.compareOptions).toBe(terms[1]!.compareOptions)
  })

  it('offers $selected after a select, not before', () => {
    const late = getQueryIR(
      start()
        .select(({ user }) => ({ label: user.name }))
        .orderBy(({ $selected }) => $selected.label),
    )
    expect(late.orderBy![0]!.expression).toEqual(new PropRef(['$selected', 'label']))
    expect(() => start().orderBy((refs) => (refs as never as { $selected: { x: 1 } }).$selected.x)).toThrow(
      TypeError,
    )
  })

  it('keeps limit and offset as given, the last call winning', () => {
    const ir = getQueryIR(start().limit(5).offset(1).limit(-2.5))
    expect([ir.limit, ir.offset]).toEqual([-2.5, 1])
  })

  it('does not depend on the order of the calls', () => {
    const a = start()
      .where(({ user }) => not(user.active))
      .orderBy(({ user }) => user.id)
      .limit(1)
    const b = start()
      .limit(1)
      .orderBy(({ user }) => user.id)
      .where(({ user }) => not(user.active))
    expect(getQueryIR(a)).toEqual(getQueryIR(b))
  })
})

describe('references', () => {
  it('record paths and nothing else', () => {
    start().where((refs) => {
      const user = refs.user as unknown as Record<string, unknown> & Record<symbol, unknown>
      expect('user' in refs).toBe(true)
      expect('other' in refs).toBe(false)
      expect(user.__refProxy).toBe(true)
      expect((user.address as { geo: { __path: string[] } }).geo.__path).toEqual(['user', 'address', 'geo'])
      expect(user[Symbol.iterator]).toBeUndefined()
      expect(user[Symbol.toStringTag]).toBeUndefined()
      expect('__path' in user).toBe(true)
      expect((user.constructor as unknown as { __path: string[] }).__path).toEqual(['user', 'constructor'])
      return eq(refs.user.id, 1)
    })
  })
})
