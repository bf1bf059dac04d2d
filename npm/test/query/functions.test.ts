import { describe, expect, it } from 'vitest'
import {
  EmptyReferencePathError,
  LimitOffsetRequireOrderByError,
  UnknownExpressionTypeError,
  UnknownFunctionError,
  UnsafeAliasPathError,
  UnsupportedFromTypeError,
  UnsupportedRootScalarSelectError,
} from '../../src/errors.ts'
import { getQueryIR, Query } from '../../src/query/builder.ts'
import { assertCompilable, assertRootResult } from '../../src/query/check.ts'
import {
  and,
  eq,
  gt,
  gte,
  ilike,
  inArray,
  isNull,
  isUndefined,
  like,
  lt,
  lte,
  not,
  operators,
  or,
} from '../../src/query/functions.ts'
import { CollectionRef, Func, isExpressionLike, PropRef, type QueryIR, Value } from '../../src/query/ir.ts'
import { toExpression } from '../../src/query/refs.ts'
import { fakeCollection } from './fake-collection.ts'

const rows = fakeCollection<{ id: number; tags: string[]; name: string }>('rows')
const start = () => new Query().from({ r: rows })
const one = new Value(1)
const yes = new Value(true)

describe('expression functions', () => {
  it('call the function of their name with two operands', () => {
    expect(eq(1, 1)).toEqual(new Func('eq', [one, one]))
    expect(gt(1, 1)).toEqual(new Func('gt', [one, one]))
    expect(gte(1, 1)).toEqual(new Func('gte', [one, one]))
    expect(lt(1, 1)).toEqual(new Func('lt', [one, one]))
    expect(lte(1, 1)).toEqual(new Func('lte', [one, one]))
    expect(like('a', 'a%')).toEqual(new Func('like', [new Value('a'), new Value('a%')]))
    expect(ilike('a', 'A%')).toEqual(new Func('ilike', [new Value('a'), new Value('A%')]))
    expect(inArray(1, [1, 2])).toEqual(new Func('in', [one, new Value([1, 2])]))
  })

  it('call it with one operand', () => {
    expect(not(true)).toEqual(new Func('not', [yes]))
    expect(isNull(null)).toEqual(new Func('isNull', [new Value(null)]))
    expect(isUndefined(undefined)).toEqual(new Func('isUndefined', [new Value(undefined)]))
  })

  it('call and and or with two operands or more, unnested', () => {
    expect(and(true, true)).toEqual(new Func('and', [yes, yes]))
    expect(or(true, true, true, true)).toEqual(new Func('or', [yes, yes, yes, yes]))
    expect((and(and(true, true), true) as Func).args[0]).toEqual(new Func('and', [yes, yes]))
  })

  it('are listed by their IR names', () => {
    expect(operators).toEqual([
      'eq',
      'gt',
      'gte',
      'lt',
      'lte',
      'in',
      'like',
      'ilike',
      'and',
      'or',
      'not',
      'isNull',
      'isUndefined',
      'upper',
      'lower',
      'length',
      'concat',
      'add',
      'subtract',
      'multiply',
      'divide',
      'coalesce',
      'caseWhen',
      'count',
      'avg',
      'sum',
      'min',
      'max',
    ])
  })

  it('keep constants as they are', () => {
    const date = new Date(0)
    expect((toExpression(date) as Value).value).toBe(date)
    expect(toExpression(1n)).toEqual(new Value(1n))
    const node = eq(1, 1)
    expect(toExpression(node)).toBe(node)
  })

  it('recognise nodes of other origins by their shape', () => {
    expect(isExpressionLike({ type: 'ref', path: ['id'] })).toBe(true)
    expect(isExpressionLike({ type: 'val', value: undefined })).toBe(true)
    expect(isExpressionLike({ type: 'func', name: 'eq', args: [] })).toBe(true)
    expect(isExpressionLike({ type: 'ref' })).toBe(false)
    expect(isExpressionLike({ type: 'other', path: [] })).toBe(false)
    expect(isExpressionLike('ref')).toBe(false)
  })
})

describe('checks before compilation', () => {
  const from = new CollectionRef(rows as never, 'r')
  const check = (clauses: Partial<QueryIR>) => () => assertCompilable({ from, ...clauses })

  it('accept a complete query over a query', () => {
    const inner = start()
      .where(({ r }) => inArray(r.name, ['a']))
      .orderBy(({ r }) => r.id)
      .limit(3)
    const outer = new Query().from({ r: inner }).select(({ r }) => ({ ...r, deep: { n: r.name } }))
    expect(() => assertCompilable(getQueryIR(outer))).not.toThrow()
    expect(() => assertRootResult(getQueryIR(outer))).not.toThrow()
  })

  it('want an order for a limit or an offset', () => {
    const text = 'LIMIT and OFFSET require an ORDER BY clause to ensure deterministic results'
    expect(check({ limit: 0 })).toThrow(LimitOffsetRequireOrderByError)
    expect(check({ offset: 1 })).toThrow(text)
    expect(() => assertCompilable(getQueryIR(new Query().from({ o: start().limit(1) })))).toThrow(text)
  })

  it('refuse a scalar root', () => {
    const scalar = getQueryIR(start().select(({ r }) => r.name))
    expect(() => assertRootResult(scalar)).toThrow(UnsupportedRootScalarSelectError)
    expect(() => assertRootResult(scalar)).toThrow(
      'Top-level scalar select() is not supported by createLiveQueryCollection() or queryOnce()',
    )
  })

  it.each(['__proto__', 'constructor', 'a.prototype', 'constructor.x'])(
    'refuse the field name %s',
    (field) => {
      const select = getQueryIR(start().select(({ r }) => ({ nested: { [field]: r.id } }))).select!
      expect(check({ select })).toThrow(UnsafeAliasPathError)
      expect(new UnsafeAliasPathError('x').name).toBe('UnsafeAliasPathError')
    },
  )

  it('refuse trees nobody can evaluate', () => {
    const bad = (expression: unknown) => check({ where: [expression as never] })
    expect(bad(new Func('unknownFunc', []))).toThrow(UnknownFunctionError)
    expect(bad(new Func('unknownFunc', []))).toThrow(
      'Unknown function: unknownFunc in where() of the query over "r"',
    )
    expect(bad(new Func('not', [{ type: 'unknown' } as never]))).toThrow(
      new UnknownExpressionTypeError('unknown', 'where() of the query over "r"'),
    )
    expect(bad(new PropRef([]))).toThrow(EmptyReferencePathError)
    expect(() => assertCompilable({ from: { type: 'other' } as never })).toThrow(UnsupportedFromTypeError)
  })

  it('tell selected fields that look like a node from a node', () => {
    const ir = getQueryIR(start().select(({ r }) => ({ type: 'ref', path: r.tags })))
    expect(() => assertRootResult(ir)).not.toThrow()
    expect(() => assertCompilable(ir)).not.toThrow()
  })
})
