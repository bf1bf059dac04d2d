import { describe, expect, it } from 'vitest'
import {
  InvalidWhereExpressionError,
  QueryBuilderError,
  UnsupportedNestedQueryError,
} from '../../src/errors.ts'
import { avg, count, max, min, sum } from '../../src/query/aggregates.ts'
import { getQueryIR, Query } from '../../src/query/builder.ts'
import {
  add,
  caseWhen,
  coalesce,
  concat,
  divide,
  eq,
  gt,
  length,
  lower,
  multiply,
  not,
  subtract,
  upper,
} from '../../src/query/functions.ts'
import { Aggregate, ConditionalSelect, Func, PropRef, Value } from '../../src/query/ir.ts'
import { fakeCollection } from './fake-collection.ts'

interface User {
  id: number
  name: string
  role: string
  active: boolean
}

const users = fakeCollection<User>('users')
const start = () => new Query().from({ user: users })
const ref = (...path: string[]) => new PropRef(path)
const val = (value: unknown) => new Value(value)

describe('groupBy and having', () => {
  it('append, one expression or a list', () => {
    const ir = getQueryIR(
      start()
        .groupBy(({ user }) => user.role)
        .groupBy(({ user }) => [user.active, upper(user.name)])
        .having(({ user }) => gt(count(user.id), 1))
        .having(({ user }) => user.active),
    )
    expect(ir.groupBy).toEqual([
      ref('user', 'role'),
      ref('user', 'active'),
      upper(ref('user', 'name') as never),
    ])
    expect(ir.having).toEqual([
      new Func('gt', [new Aggregate('count', [ref('user', 'id')]) as never, val(1)]),
      ref('user', 'active'),
    ])
  })

  it('having offers $selected after a select, and refuses what is no expression', () => {
    const q = start().select(({ user }) => ({ n: count(user.id) }))
    expect(getQueryIR(q.having(({ $selected }) => gt($selected.n, 1))).having).toEqual([
      gt(ref('$selected', 'n') as never, 1),
    ])
    expect(() =>
      start().having((refs) => (refs as never as { $selected: { n: 1 } }).$selected.n as never),
    ).toThrow(TypeError)
    expect(() => q.having(() => true as never)).toThrow(InvalidWhereExpressionError)
    expect(() => q.having(() => true as never)).toThrow('Invalid having(')
  })
})

describe('distinct, findOne', () => {
  it('set a mark and nothing else', () => {
    expect(getQueryIR(start().distinct()).distinct).toBe(true)
    const { from: _from, ...clauses } = getQueryIR(start().findOne())
    expect(clauses).toEqual({ singleResult: true })
  })
})

describe('fn', () => {
  const one = () => true
  const two = () => false

  it('select replaces select, and is replaced by it', () => {
    const both = start().select(({ user }) => ({ id: user.id })).fn
    expect(Object.keys(getQueryIR(both.select(one)))).toEqual(['from', 'fnSelect'])
    const back = start()
      .fn.select(one)
      .select(({ user }) => ({ id: user.id }))
    expect(Object.keys(getQueryIR(back))).toEqual(['from', 'select'])
  })

  it('where and having append', () => {
    const ir = getQueryIR(start().fn.where(one).fn.where(two).fn.having(two).fn.having(one))
    expect(ir.fnWhere).toEqual([one, two])
    expect(ir.fnHaving).toEqual([two, one])
    expect(ir.fnWhere![0]).toBe(one)
  })

  it('where and having keep a select; $selected follows a functional one too', () => {
    const q = start()
      .select(({ user }) => ({ id: user.id }))
      .fn.where(one)
    expect(getQueryIR(q).select).toEqual({ id: ref('user', 'id') })
    const ordered = start()
      .fn.select(({ user }) => ({ label: user.name }))
      .orderBy(({ $selected }) => $selected.label)
    expect(getQueryIR(ordered).orderBy![0]!.expression).toEqual(ref('$selected', 'label'))
  })
})

describe('functions of values', () => {
  it('call the function of their name with exactly their arguments', () => {
    const name = ref('user', 'name')
    expect(upper('a')).toEqual(new Func('upper', [val('a')]))
    expect(lower('a')).toEqual(new Func('lower', [val('a')]))
    expect(length('a')).toEqual(new Func('length', [val('a')]))
    expect(concat('a', name, 1)).toEqual(new Func('concat', [val('a'), name, val(1)]))
    expect(coalesce(null, 1)).toEqual(new Func('coalesce', [val(null), val(1)]))
    expect(add(1, 2)).toEqual(new Func('add', [val(1), val(2)]))
    expect(subtract(1, 2)).toEqual(new Func('subtract', [val(1), val(2)]))
    expect(multiply(1, 2)).toEqual(new Func('multiply', [val(1), val(2)]))
    expect(divide(1, 2)).toEqual(new Func('divide', [val(1), val(2)]))
  })

  it('aggregates have one argument', () => {
    for (const [name, aggregate] of Object.entries({ count, sum, avg, min, max })) {
      expect(aggregate(1)).toEqual(new Aggregate(name, [val(1)]))
    }
  })
})

describe('caseWhen', () => {
  const active = ref('user', 'active')

  it('of scalars is a call', () => {
    expect(caseWhen(active, 1)).toEqual(new Func('caseWhen', [active, val(1)]))
    expect(caseWhen(eq(1, 1), 'a', active, 'b', 'c')).toEqual(
      new Func('caseWhen', [eq(1, 1), val('a'), active, val('b'), val('c')]),
    )
    expect(caseWhen(true, new Date(0) as never, null)).toEqual(
      new Func('caseWhen', [val(true), val(new Date(0)), val(null)]),
    )
  })

  it('wants a condition and a value', () => {
    expect(() => (caseWhen as (...args: unknown[]) => unknown)()).toThrow('a condition and a value')
    expect(() => (caseWhen as (...args: unknown[]) => unknown)(active)).toThrow('a condition and a value')
    const text = 'caseWhen() conditions must be expression-like values'
    expect(() => caseWhen({ a: 1 }, 1)).toThrow(text)
    expect(() => caseWhen(active, 1, [active] as never, 2)).toThrow(text)
    expect(() => caseWhen(() => true, 1)).toThrow(text)
  })

  it('with objects as values is a projection for select', () => {
    const { select } = getQueryIR(
      start().select(({ user }) => ({
        who: caseWhen(user.active, { id: user.id, row: { ...user } }, not(user.active), user.name, {
          none: 1,
        }),
        maybe: caseWhen(user.active, { deep: caseWhen(gt(user.id, 1), { id: user.id }) }),
      })),
    )
    expect(select).toEqual({
      who: new ConditionalSelect(
        [
          { condition: active, value: { id: ref('user', 'id'), row: { __SPREAD_SENTINEL__user__0: true } } },
          { condition: not(active as never), value: ref('user', 'name') },
        ],
        { none: val(1) },
      ),
      maybe: new ConditionalSelect([
        {
          condition: active,
          value: {
            deep: new ConditionalSelect([
              { condition: gt(ref('user', 'id') as never, 1), value: { id: ref('user', 'id') } },
            ]),
          },
        },
      ]),
    })
  })

  it('a projection is no operand, no predicate and no whole select', () => {
    const shape = () => caseWhen(active, { a: 1 })
    for (const build of [
      () => start().where(() => eq(shape() as never, 1)),
      () => start().where(() => shape() as never),
      () => start().orderBy(() => shape()),
      () => start().select(() => shape()),
      () => count(shape()),
      () => caseWhen(shape() as never, 1),
    ]) {
      expect(build).toThrow('caseWhen()')
    }
    expect(() => start().orderBy(() => shape())).toThrow(QueryBuilderError)
  })

  it('refuses queries inside it, as select does', () => {
    const select = (value: unknown) => () => start().select(() => ({ posts: value }) as never)
    expect(select(start())).toThrow(UnsupportedNestedQueryError)
    expect(select({ deep: start() })).toThrow('"deep"')
    expect(select(caseWhen(active, start() as never))).toThrow(
      'nested queries in select() are not supported yet',
    )
  })
})
