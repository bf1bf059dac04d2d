import { describe, expect, it } from 'vitest'
import { collectionOptions } from '../../src/client/options.ts'
import {
  InvalidSourceError,
  InvalidSourceTypeError,
  JoinConditionMustBeEqualityError,
  OnlyOneSourceAllowedError,
  QueryBuilderError,
  QueryMustHaveFromClauseError,
} from '../../src/errors.ts'
import { BaseQueryBuilder, getQueryIR, Query } from '../../src/query/builder.ts'
import { exists, notExists } from '../../src/query/exists.ts'
import { and, eq, gt, isNull } from '../../src/query/functions.ts'
import {
  CollectionRef,
  collectCollectionSources,
  followRef,
  mainCollection,
  PropRef,
  QueryRef,
  type RecursiveRef,
  type SelfRef,
  UnionAll,
  UnionFrom,
  Value,
} from '../../src/query/ir.ts'
import { fakeCollection } from './fake-collection.ts'

interface User {
  id: number
  name: string
  teamId: number
}
interface Team {
  id: number
  name: string
  leadId: number
}

const users = fakeCollection<User>('users')
const teams = fakeCollection<Team>('teams')
const start = () => new Query().from({ user: users })
const ref = (...path: string[]) => new PropRef(path)

/** Calls a builder the way untyped code can. */
type Untyped = Record<string, (...args: unknown[]) => BaseQueryBuilder>
const untyped = (builder: unknown) => builder as Untyped

describe('join', () => {
  it('keeps source, kind and both sides as written', () => {
    const ir = getQueryIR(
      start()
        .join({ team: teams }, ({ user, team }) => eq(user.teamId, team.id))
        .innerJoin({ lead: users }, ({ lead, team }) => eq(lead.id, team.leadId)),
    )
    expect(ir.join).toEqual([
      {
        from: new CollectionRef(teams as never, 'team'),
        type: 'left',
        left: ref('user', 'teamId'),
        right: ref('team', 'id'),
      },
      {
        from: new CollectionRef(users as never, 'lead'),
        type: 'inner',
        left: ref('lead', 'id'),
        right: ref('team', 'leadId'),
      },
    ])
  })

  it('has a method for each kind', () => {
    const on = ({ user, team }: { user: { teamId: never }; team: { id: never } }) => eq(user.teamId, team.id)
    const kinds = (['leftJoin', 'rightJoin', 'innerJoin', 'fullJoin'] as const).map(
      (method) => getQueryIR(untyped(start())[method]!({ team: teams }, on)).join![0]!.type,
    )
    expect(kinds).toEqual(['left', 'right', 'inner', 'full'])
    const given = getQueryIR(start().join({ t: teams }, ({ user, t }) => eq(user.id, t.id), 'full'))
    expect(given.join![0]!.type).toBe('full')
  })

  it('offers all aliases afterwards, the joined one in its condition', () => {
    start()
      .join({ team: teams }, (refs) => {
        expect(Object.keys(refs)).toEqual(['user', 'team'])
        return eq(refs.user.teamId, refs.team.id)
      })
      .where((refs) => {
        expect('team' in refs).toBe(true)
        expect('lead' in refs).toBe(false)
        return gt(refs.team.id, 1)
      })
  })

  it('takes a subquery', () => {
    const sub = new Query().from({ t: teams }).where(({ t }) => gt(t.id, 1))
    const ir = getQueryIR(start().innerJoin({ team: sub }, ({ user, team }) => eq(user.teamId, team.id)))
    expect(ir.join![0]!.from).toEqual(new QueryRef(getQueryIR(sub), 'team'))
    expect(collectCollectionSources(ir).map(({ alias }) => alias)).toEqual(['user', 't'])
  })

  it('refuses a condition that is no equality of two', () => {
    const join = (result: unknown) => () => untyped(start()).join!({ team: teams }, () => result)
    for (const result of [gt(1, 2), and(true, true), true, undefined, null, new Value(1)]) {
      expect(join(result)).toThrow(JoinConditionMustBeEqualityError)
    }
    expect(() => start().join({ team: teams }, ({ user }) => user.id as never)).toThrow(
      JoinConditionMustBeEqualityError,
    )
  })

  it.each([
    ['a string', 'teams', InvalidSourceTypeError],
    ['null', null, InvalidSourceTypeError],
    ['undefined', undefined, InvalidSourceTypeError],
    ['a list', [teams], InvalidSourceTypeError],
    ['an empty object', {}, InvalidSourceTypeError],
    ['two aliases', { a: teams, b: teams }, OnlyOneSourceAllowedError],
    ['no source', { a: 1 }, InvalidSourceError],
    ['a builder without a source', { a: new BaseQueryBuilder() }, QueryMustHaveFromClauseError],
  ])('refuses %s', (_name, source, error) => {
    expect(() => untyped(start()).join!(source, () => eq(1, 1))).toThrow(error)
  })

  it('shows how to join in its errors', () => {
    const build = () => untyped(start()).join!('teams', () => eq(1, 1))
    expect(build).toThrow('Invalid source for join clause')
    expect(build).toThrow('For example: .join')
  })
})

describe('unionAll', () => {
  it('of several sources is a union of sources', () => {
    const ir = getQueryIR(new Query().unionAll({ user: users, team: teams }))
    expect(ir.from).toEqual(
      new UnionFrom([new CollectionRef(users as never, 'user'), new CollectionRef(teams as never, 'team')]),
    )
    expect(ir.from.alias).toBe('user')
    expect(new UnionFrom([]).alias).toBe('')
    expect(collectCollectionSources(ir).map(({ alias }) => alias)).toEqual(['user', 'team'])
  })

  it('of one source is that source', () => {
    expect(getQueryIR(new Query().unionAll({ user: users }))).toEqual(getQueryIR(start()))
  })

  it('of queries is a union of results, whose fields have no alias', () => {
    const a = start().select(({ user }) => ({ name: user.name }))
    const b = new Query().from({ team: teams }).select(({ team }) => ({ name: team.name }))
    const ir = getQueryIR(
      new Query()
        .unionAll(a, b)
        .where(({ name }) => eq(name, 'x'))
        .orderBy((refs) => {
          expect('anything' in refs).toBe(true)
          expect('$selected' in refs).toBe(false)
          expect((refs as { $selected?: unknown }).$selected).toBeUndefined()
          return refs.name
        })
        .select((refs) => ({ ...refs, again: refs.name }))
        .orderBy(({ $selected }) => $selected.again),
    )
    expect(ir.from).toEqual(new UnionAll([getQueryIR(a), getQueryIR(b)]))
    expect(ir.from.alias).toBe('')
    expect(ir.where).toEqual([eq(ref('name'), 'x')])
    expect(ir.select).toEqual({ __SPREAD_SENTINEL____0: true, again: ref('name') })
    expect(ir.orderBy!.map(({ expression }) => expression)).toEqual([ref('name'), ref('$selected', 'again')])
    expect(getQueryIR(new Query().unionAll(a, b).select((row) => row as never)).select).toEqual({
      __SPREAD_SENTINEL____0: true,
    })
  })

  it('refuses a mixture and what is no source', () => {
    const union = (...args: unknown[]) => untyped(new BaseQueryBuilder()).unionAll!(...args)
    expect(() => union(start(), { team: teams })).toThrow(InvalidSourceTypeError)
    expect(() => union({ team: teams }, start())).toThrow(InvalidSourceTypeError)
    expect(() => union()).toThrow(InvalidSourceTypeError)
    expect(() => union({})).toThrow('Invalid source for unionAll clause')
    expect(() => union({ a: users, b: 1 })).toThrow(InvalidSourceError)
    expect(() => union(new BaseQueryBuilder())).toThrow(QueryMustHaveFromClauseError)
  })
})

describe('descriptors', () => {
  const described = collectionOptions<User, number>('people', () => ({}) as never)

  it('become collections by way of the one who knows them', () => {
    const q = new BaseQueryBuilder({}, (descriptor) => {
      expect(descriptor).toBe(described)
      return users as never
    })
    const ir = getQueryIR(
      q
        .from({ user: described })
        .where(({ user }) => eq(user.id, 1))
        .join({ other: described }, ({ user, other }) => eq(user.id, other.id)),
    )
    expect(ir.from).toEqual(new CollectionRef(users as never, 'user'))
    expect(ir.join![0]!.from).toEqual(new CollectionRef(users as never, 'other'))
  })

  it('are refused without one', () => {
    expect(() => new Query().from({ user: described })).toThrow(QueryBuilderError)
    expect(() => new Query().from({ user: described })).toThrow('"people"')
  })
})

describe('exists', () => {
  it('holds the query; references to rows around it keep their alias', () => {
    const ir = getQueryIR(
      start().where(({ user }) =>
        and(
          exists(new Query().from({ team: teams }).where(({ team }) => eq(team.leadId, user.id))),
          notExists((q) => q.from({ team: teams })),
        ),
      ),
    )
    const [first, second] = (ir.where![0] as never as { args: Array<{ query: unknown; negated: boolean }> })
      .args
    expect(first).toMatchObject({ type: 'exists', negated: false })
    expect(first!.query).toEqual({
      from: new CollectionRef(teams as never, 'team'),
      where: [eq(ref('team', 'leadId'), ref('user', 'id'))],
    })
    expect(second).toMatchObject({ type: 'exists', negated: true })
    expect(collectCollectionSources(ir).map(({ alias }) => alias)).toEqual(['user', 'team', 'team'])
  })

  it('needs a query with a source', () => {
    expect(() => exists(new BaseQueryBuilder())).toThrow(QueryMustHaveFromClauseError)
  })

  it('is what a query as an operand is told to be', () => {
    expect(() => start().where(() => eq(1, start() as never))).toThrow('exists(query)')
  })
})

describe('recursive', () => {
  const base = () => new Query().from({ top: teams }).where(({ top }) => isNull(top.leadId))

  it('makes a source of a base and a step that reads itself', () => {
    const ir = getQueryIR(
      new Query()
        .recursive(
          { team: base() },
          (q, self) =>
            q
              .from({ child: teams })
              .innerJoin({ parent: self }, ({ child, parent }) => eq(child.leadId, parent.id))
              .select(({ child }) => child),
          { maxDepth: 3, depth: 'level' },
        )
        .where(({ team }) => gt(team.level, 1)),
    )
    const from = ir.from as RecursiveRef
    expect(from).toMatchObject({ type: 'recursiveRef', alias: 'team', maxDepth: 3, depthField: 'level' })
    expect(from.base).toEqual(getQueryIR(base()))
    const self = from.step.join![0]!.from as SelfRef
    expect(self).toMatchObject({ type: 'selfRef', alias: 'parent' })
    expect(self.recursion).toBe(from.recursion)
    expect(ir.where).toEqual([gt(ref('team', 'level'), 1)])
    expect(collectCollectionSources(ir).map(({ alias }) => alias)).toEqual(['top', 'child'])
    expect(mainCollection(ir.from)?.alias).toBe('top')
  })

  it('takes a callback for the base, and no options', () => {
    const build = () =>
      getQueryIR(
        new Query().recursive({ team: (q) => q.from({ top: teams }) }, (q, self) => q.from({ parent: self })),
      )
    const from = build().from as RecursiveRef
    expect(Object.keys(from).sort()).toEqual(['alias', 'base', 'recursion', 'step', 'type'])
    expect(build()).toEqual(build())
  })

  it('refuses other arguments', () => {
    const recursive = (source: unknown) => () =>
      untyped(new BaseQueryBuilder()).recursive!(source, () => start())
    expect(recursive({})).toThrow('Invalid source for recursive clause')
    expect(recursive({ a: base(), b: base() })).toThrow(OnlyOneSourceAllowedError)
    expect(recursive({ a: teams })).toThrow(InvalidSourceTypeError)
    expect(() => untyped(new BaseQueryBuilder()).recursive!({ a: base() }, () => 1)).toThrow(
      InvalidSourceTypeError,
    )
  })
})

describe('following references', () => {
  const follow = (builder: object, ...path: string[]) => {
    const found = followRef(getQueryIR(builder), ref(...path), users as never)
    return found && [found.collection.id, found.alias, ...found.path]
  }

  it('finds joined sources, and fields of subqueries without a select', () => {
    const joined = start().join({ team: teams }, ({ user, team }) => eq(user.teamId, team.id))
    expect(follow(joined, 'team', 'name')).toEqual(['teams', 'team', 'name'])
    const over = new Query().from({ j: joined })
    expect(follow(over, 'j', 'team', 'name')).toEqual(['teams', 'team', 'name'])
    expect(follow(over, 'j', 'team')).toBeUndefined()
    const union = new Query().from({ u: new Query().unionAll({ user: users, team: teams }) })
    expect(follow(union, 'u', 'team', 'name')).toEqual(['teams', 'team', 'name'])
  })

  it('ends at what is computed', () => {
    const grouped = start().groupBy(({ user }) => user.name)
    expect(follow(new Query().from({ g: grouped }), 'g', '__key_0')).toBeUndefined()
    const fn = start().fn.select(({ user }) => ({ id: user.id }))
    expect(follow(new Query().from({ f: fn }), 'f', 'id')).toBeUndefined()
    const union = new Query().unionAll(start(), new Query().from({ other: users }))
    expect(follow(new Query().from({ u: union }), 'u', 'id')).toBeUndefined()
  })
})
