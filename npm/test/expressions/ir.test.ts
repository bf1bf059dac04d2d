import { describe, expect, it } from 'vitest'
import { eq, gt, IR, Query } from '../../src/index.ts'
import { getQueryIR } from '../../src/query/builder.ts'
import { fakeCollection } from '../query/fake-collection.ts'

interface User {
  id: number
  name: string
  address: { city: string; zip: string }
}

const users = fakeCollection<User>('users')
const start = () => new Query().from({ user: users })

describe('nodes', () => {
  it('are told by their type', () => {
    expect(new IR.PropRef(['a']).type).toBe('ref')
    expect(new IR.Value(1).type).toBe('val')
    expect(new IR.Func('eq', []).type).toBe('func')
    expect(new IR.Aggregate('sum', [new IR.PropRef(['a'])]).type).toBe('agg')
  })

  it('are expressions, as plain objects too', () => {
    for (const node of [
      new IR.PropRef(['a']),
      new IR.Value(1),
      new IR.Func('eq', []),
      new IR.Aggregate('max', []),
    ]) {
      expect(IR.isExpressionLike(node)).toBe(true)
      expect(IR.isExpressionLike({ ...node })).toBe(true)
    }
    expect(IR.isExpressionLike({ type: 'agg' })).toBe(false)
    expect(IR.isExpressionLike({ type: 'other' })).toBe(false)
  })
})

describe('entries of where and having', () => {
  const predicate = eq(1, 1)

  it('are predicates, or predicates that stay where they are', () => {
    const residual = IR.createResidualWhere(predicate)
    expect(residual).toEqual({ expression: predicate, residual: true })
    expect(IR.isResidualWhere(residual)).toBe(true)
    expect(IR.isResidualWhere(predicate)).toBe(false)
    expect(IR.getWhereExpression(residual)).toBe(predicate)
    expect(IR.getWhereExpression(predicate)).toBe(predicate)
    expect(IR.getHavingExpression(residual)).toBe(predicate)
    expect(IR.createResidualWhere(residual)).toEqual(residual)
  })
})

describe('collectCollectionSources', () => {
  it('gives each use of a collection', () => {
    const inner = start().where(({ user }) => gt(user.id, 1))
    const query = getQueryIR(new Query().from({ outer: inner }))
    expect(IR.collectCollectionSources(query).map(({ alias }) => alias)).toEqual(['user'])
  })
})

describe('followRef', () => {
  const follow = (query: IR.QueryIR, ...path: string[]) => {
    const found = IR.followRef(query, new IR.PropRef(path), users)
    return found && { ...found, collection: found.collection.id, sourceId: typeof found.sourceId }
  }
  const found = (alias: string, ...path: string[]) => ({
    collection: 'users',
    path,
    alias,
    sourceId: 'string',
  })

  it('ends at the field of the collection the alias stands for', () => {
    expect(follow(getQueryIR(start()), 'user', 'address', 'city')).toEqual(found('user', 'address', 'city'))
  })

  it('takes a path without an alias for a field of the collection', () => {
    const followed = follow(getQueryIR(start()), 'name')
    expect(followed).toEqual({ collection: 'users', path: ['name'], sourceId: 'undefined' })
  })

  it('goes through subqueries, with their shape or without', () => {
    const plain = new Query().from({ outer: start() })
    expect(follow(getQueryIR(plain), 'outer', 'name')).toEqual(found('user', 'name'))
    const shaped = start().select(({ user }) => ({
      title: user.name,
      place: { town: user.address.city },
      all: user.address,
    }))
    const outer = getQueryIR(new Query().from({ outer: shaped }))
    expect(follow(outer, 'outer', 'title')).toEqual(found('user', 'name'))
    expect(follow(outer, 'outer', 'place', 'town')).toEqual(found('user', 'address', 'city'))
    expect(follow(outer, 'outer', 'all', 'zip')).toEqual(found('user', 'address', 'zip'))
    const twice = getQueryIR(
      new Query().from({
        last: new Query().from({ outer: shaped }).select(({ outer }) => ({ t: outer.title })),
      }),
    )
    expect(follow(twice, 'last', 't')).toEqual(found('user', 'name'))
  })

  it('knows the fields of rows spread in a shape', () => {
    const spread = start().select(({ user }) => ({ ...user, name: user.address.city }))
    const outer = getQueryIR(new Query().from({ outer: spread }))
    expect(follow(outer, 'outer', 'id')).toEqual(found('user', 'id'))
    expect(follow(outer, 'outer', 'name')).toEqual(found('user', 'address', 'city'))
    const after = start().select(({ user }) => ({
      name: user.address.city,
      ...(user as Pick<typeof user, 'id'>),
    }))
    expect(follow(getQueryIR(new Query().from({ outer: after })), 'outer', 'name')).toBeUndefined()
  })

  it('ends nowhere at computed values, whole rows and fields that are not there', () => {
    const shaped = start().select(({ user }) => ({ big: gt(user.id, 1), place: { town: user.address.city } }))
    const outer = getQueryIR(new Query().from({ outer: shaped }))
    expect(follow(outer, 'outer', 'big')).toBeUndefined()
    expect(follow(outer, 'outer', 'place')).toBeUndefined()
    expect(follow(outer, 'outer', 'other')).toBeUndefined()
    expect(follow(outer, 'outer')).toBeUndefined()
    expect(IR.followRef(outer, new IR.PropRef([]), users)).toBeUndefined()
  })
})
