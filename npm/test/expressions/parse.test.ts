import { describe, expect, it } from 'vitest'
import {
  and,
  eq,
  extractFieldPath,
  extractSimpleComparisons,
  extractValue,
  gt,
  gte,
  IR,
  ilike,
  inArray,
  isNull,
  isUndefined,
  like,
  lt,
  lte,
  not,
  or,
  parseLoadSubsetOptions,
  parseOrderByExpression,
  parseWhereExpression,
  type Untyped,
  walkExpression,
} from '../../src/index.ts'

const ref = (...path: string[]) => new IR.PropRef<Untyped>(path)
const age = ref('age')

describe('fields', () => {
  it('extractFieldPath gives the path of a reference, a copy, and null for anything else', () => {
    const deep = ref('address', 'city')
    const path = extractFieldPath(deep)
    expect(path).toEqual(['address', 'city'])
    path?.shift()
    expect(deep.path).toEqual(['address', 'city'])
    expect(extractFieldPath(new IR.Value(1))).toBeNull()
    expect(extractFieldPath(eq(age, 1))).toBeNull()
    expect(extractFieldPath({ type: 'ref', path: ['a'] } as never)).toEqual(['a'])
  })

  it('extractValue gives the value of a constant and undefined for anything else', () => {
    expect(extractValue(new IR.Value(null))).toBeNull()
    expect(extractValue(age)).toBeUndefined()
  })

  it('walkExpression visits calls before their arguments, from left to right', () => {
    const seen: string[] = []
    walkExpression(and(eq(age, 1), not(isNull(ref('name')))), (node) =>
      seen.push(
        node.type === 'func' ? node.name : node.type === 'ref' ? node.path.join('.') : String(node.value),
      ),
    )
    expect(seen).toEqual(['and', 'eq', 'age', '1', 'not', 'isNull', 'name'])
    walkExpression(null, () => seen.push('never'))
    walkExpression(undefined, () => seen.push('never'))
    expect(seen).toHaveLength(7)
  })

  it('walkExpression follows chains as deep as they are long', () => {
    let chain: IR.BasicExpression<boolean> = eq(age, 0)
    for (let i = 1; i < 20_000; i++) chain = or(chain, eq(age, i))
    let nodes = 0
    walkExpression(chain, () => nodes++)
    expect(nodes).toBe(20_000 * 3 + 19_999)
  })
})

describe('parseWhereExpression', () => {
  const handlers = {
    eq: (field: (string | number)[], value: unknown) => `${field.join('.')} = ${String(value)}`,
    and: (...parts: string[]) => `(${parts.join(' AND ')})`,
    not: (part: string) => `NOT ${part}`,
  }

  it('translates from the inside out', () => {
    const where = and(eq(age, 3), not(and(eq(ref('a', 'b'), 'x'), eq(age, null))))
    expect(parseWhereExpression(where, { handlers })).toBe('(age = 3 AND NOT (a.b = x AND age = null))')
  })

  it('gives null for no predicate, and the value or path of a single node', () => {
    expect(parseWhereExpression(null, { handlers })).toBeNull()
    expect(parseWhereExpression(undefined, { handlers })).toBeNull()
    expect(parseWhereExpression<unknown>(new IR.Value(true), { handlers })).toBe(true)
    expect(parseWhereExpression<unknown>(ref('done'), { handlers })).toEqual(['done'])
  })

  it('gives calls without a handler to onUnknownOperator, with the nodes of their arguments', () => {
    const where = and(eq(age, 3), gt(age, 7))
    const seen: unknown[] = []
    const text = parseWhereExpression(where, {
      handlers,
      onUnknownOperator: (name, args) => {
        seen.push(name, ...args)
        return '?'
      },
    })
    expect(text).toBe('(age = 3 AND ?)')
    expect(seen).toEqual(['gt', age, new IR.Value(7)])
  })

  it('refuses calls without a handler otherwise, with the handlers there are', () => {
    expect(() => parseWhereExpression(gt(age, 7), { handlers })).toThrow(
      'No handler provided for operator: gt. Available handlers: eq, and, not',
    )
  })

  it('takes no inherited function for a handler', () => {
    const hostile = new IR.Func<boolean>('constructor', [age])
    expect(() => parseWhereExpression(hostile, { handlers })).toThrow(
      'No handler provided for operator: constructor',
    )
    class Dialect {
      readonly [operator: string]: (...args: unknown[]) => string
    }
    Object.assign(Dialect.prototype, { gt: () => 'inherited on purpose' })
    expect(parseWhereExpression(gt(age, 1), { handlers: new Dialect() })).toBe('inherited on purpose')
  })

  it('refuses nodes that no predicate has', () => {
    const aggregate = new IR.Aggregate('sum', [age])
    expect(() => parseWhereExpression(new IR.Func('eq', [aggregate as never, age]), { handlers })).toThrow(
      'Cannot parse an expression of type agg',
    )
  })
})

describe('parseOrderByExpression', () => {
  it('gives field, direction and nulls, and of strings what the query said', () => {
    expect(
      parseOrderByExpression([
        { expression: ref('a', 'b'), compareOptions: { direction: 'desc', nulls: 'last' } },
        { expression: age, compareOptions: { direction: 'asc', nulls: 'first', stringSort: 'lexical' } },
        {
          expression: age,
          compareOptions: {
            direction: 'asc',
            nulls: 'first',
            stringSort: 'locale',
            locale: 'de',
            localeOptions: { numeric: true },
          },
        },
      ]),
    ).toStrictEqual([
      { field: ['a', 'b'], direction: 'desc', nulls: 'last' },
      { field: ['age'], direction: 'asc', nulls: 'first', stringSort: 'lexical' },
      {
        field: ['age'],
        direction: 'asc',
        nulls: 'first',
        stringSort: 'locale',
        locale: 'de',
        localeOptions: { numeric: true },
      },
    ])
  })

  it('gives nothing for no order', () => {
    expect(parseOrderByExpression(undefined)).toEqual([])
    expect(parseOrderByExpression(null)).toEqual([])
    expect(parseOrderByExpression([])).toEqual([])
  })

  it('refuses computed values', () => {
    const order = [
      { expression: eq(age, 1), compareOptions: { direction: 'asc' as const, nulls: 'first' as const } },
    ]
    expect(() => parseOrderByExpression(order)).toThrow(
      'ORDER BY expression must be a field reference, got: func',
    )
  })
})

describe('extractSimpleComparisons', () => {
  it('takes conjunctions apart', () => {
    const where = and(
      and(eq(age, 1), gt(age, 2)),
      gte(age, 3),
      lt(age, 4),
      and(lte(age, 5), inArray(age, [6])),
    )
    expect(extractSimpleComparisons(where)).toEqual([
      { field: ['age'], operator: 'eq', value: 1 },
      { field: ['age'], operator: 'gt', value: 2 },
      { field: ['age'], operator: 'gte', value: 3 },
      { field: ['age'], operator: 'lt', value: 4 },
      { field: ['age'], operator: 'lte', value: 5 },
      { field: ['age'], operator: 'in', value: [6] },
    ])
  })

  it('knows missing values and negations', () => {
    const where = and(isNull(age), isUndefined(age), not(isNull(age)), not(eq(age, undefined)))
    expect(extractSimpleComparisons(where)).toStrictEqual([
      { field: ['age'], operator: 'isNull' },
      { field: ['age'], operator: 'isUndefined' },
      { field: ['age'], operator: 'not_isNull' },
      { field: ['age'], operator: 'not_eq', value: undefined },
    ])
  })

  it('gives nothing for no predicate and for single nodes', () => {
    expect(extractSimpleComparisons(null)).toEqual([])
    expect(extractSimpleComparisons(undefined)).toEqual([])
    expect(extractSimpleComparisons(new IR.Value(true))).toEqual([])
    expect(extractSimpleComparisons(ref('done'))).toEqual([])
  })

  it.each<[expression: IR.BasicExpression<boolean>, message: string]>([
    [or(eq(age, 1), eq(age, 2)), "extractSimpleComparisons does not support 'or' operator"],
    [like(ref('name'), 'a%'), "extractSimpleComparisons does not support 'like' operator"],
    [ilike(ref('name'), 'a%'), "extractSimpleComparisons does not support 'ilike' operator"],
    [not(and(eq(age, 1), eq(age, 2))), "extractSimpleComparisons does not support 'not(and)'"],
    [not(or(eq(age, 1), eq(age, 2))), "extractSimpleComparisons does not support 'not(or)'"],
    [not(not(eq(age, 1))), "extractSimpleComparisons does not support 'not(not)'"],
    [not(ref('done')), "extractSimpleComparisons does not support 'not' of a ref"],
    [eq(1, age), "extractSimpleComparisons does not support 'eq' of val and ref"],
    [eq(age, ref('limit')), "extractSimpleComparisons does not support 'eq' of ref and ref"],
    [gt(new IR.Func('length', [age]), 1), "extractSimpleComparisons does not support 'gt' of func and val"],
    [isNull(eq(age, 1)), "extractSimpleComparisons does not support 'isNull' of func"],
    [and(eq(age, 1), new IR.Aggregate('max', [age]) as never), "does not support expressions of type 'agg'"],
  ])('refuses what is no such list: %#', (expression, message) => {
    expect(() => extractSimpleComparisons(expression)).toThrow(message)
  })
})

describe('parseLoadSubsetOptions', () => {
  it('gives filters, sorts and the limit', () => {
    const orderBy = [
      { expression: age, compareOptions: { direction: 'asc' as const, nulls: 'first' as const } },
    ]
    expect(parseLoadSubsetOptions({ where: gt(age, 7), orderBy, limit: 5, offset: 3 })).toStrictEqual({
      filters: [{ field: ['age'], operator: 'gt', value: 7 }],
      sorts: [{ field: ['age'], direction: 'asc', nulls: 'first' }],
      limit: 5,
    })
  })

  it('gives empty lists for nothing', () => {
    expect(parseLoadSubsetOptions(null)).toStrictEqual({ filters: [], sorts: [] })
    expect(parseLoadSubsetOptions(undefined)).toStrictEqual({ filters: [], sorts: [] })
    expect(parseLoadSubsetOptions({})).toStrictEqual({ filters: [], sorts: [] })
  })
})
