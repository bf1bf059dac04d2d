import { describe, expectTypeOf, test } from 'vitest'
import {
  type CursorExpressions,
  DeduplicatedLoadSubset,
  eq,
  extractFieldPath,
  extractSimpleComparisons,
  extractValue,
  type FieldPath,
  IR,
  isWhereSubset,
  type LoadSubsetFn,
  type LoadSubsetOptions,
  minusWherePredicates,
  type ParsedOrderBy,
  type ParseWhereOptions,
  parseLoadSubsetOptions,
  parseOrderByExpression,
  parseWhereExpression,
  type SimpleComparison,
  type UnloadSubsetFn,
  type Untyped,
  unionWherePredicates,
  walkExpression,
} from '../../src/index.ts'

const options: LoadSubsetOptions = {}

describe('what a source is asked for', () => {
  test('is predicates, an order and a page', () => {
    expectTypeOf<LoadSubsetOptions['where']>().toEqualTypeOf<IR.BasicExpression<boolean> | undefined>()
    expectTypeOf<LoadSubsetOptions['orderBy']>().toEqualTypeOf<IR.OrderBy | undefined>()
    expectTypeOf<CursorExpressions['whereFrom']>().toEqualTypeOf<IR.BasicExpression<boolean>>()
    expectTypeOf<ReturnType<LoadSubsetFn>>().toEqualTypeOf<true | Promise<void>>()
    expectTypeOf<UnloadSubsetFn>().toEqualTypeOf<(options: LoadSubsetOptions) => void>()
  })

  test('is not to be changed', () => {
    // @ts-expect-error request data is immutable
    options.limit = 5
  })

  test('what the builder makes fits', () => {
    expectTypeOf(eq(1, 1)).toExtend<NonNullable<LoadSubsetOptions['where']>>()
    expectTypeOf(isWhereSubset).parameters.toEqualTypeOf<
      [IR.BasicExpression<boolean> | undefined, IR.BasicExpression<boolean> | undefined]
    >()
    expectTypeOf(unionWherePredicates([eq(1, 1)])).toEqualTypeOf<IR.BasicExpression<boolean>>()
    expectTypeOf(
      minusWherePredicates(undefined, undefined),
    ).toEqualTypeOf<IR.BasicExpression<boolean> | null>()
  })

  test('a deduplicated load is a load', () => {
    const dedupe = new DeduplicatedLoadSubset({ loadSubset: async () => {} })
    expectTypeOf(dedupe.loadSubset).toExtend<LoadSubsetFn>()
  })
})

describe('parsing', () => {
  test('gives what the handlers give', () => {
    const text = parseWhereExpression<string>(options.where, {
      handlers: {
        eq: (field, value) => `${field.join('.')} = ${value}`,
        gt: (field: FieldPath, value: number) => `${field.join('.')} > ${value.toFixed()}`,
      },
      onUnknownOperator: (operator, args) => `${operator}/${args.length}`,
    })
    expectTypeOf(text).toEqualTypeOf<string | null>()
    expectTypeOf<ParseWhereOptions<string>['onUnknownOperator']>().toEqualTypeOf<
      ((operator: string, args: Untyped[]) => string) | undefined
    >()
  })

  test('gives lists', () => {
    expectTypeOf(parseOrderByExpression(options.orderBy)).toEqualTypeOf<ParsedOrderBy[]>()
    expectTypeOf(extractSimpleComparisons(options.where)).toEqualTypeOf<SimpleComparison[]>()
    expectTypeOf(parseLoadSubsetOptions(options)).toEqualTypeOf<{
      filters: SimpleComparison[]
      sorts: ParsedOrderBy[]
      limit?: number
    }>()
    expectTypeOf<SimpleComparison['field']>().toEqualTypeOf<FieldPath>()
  })

  test('reads nodes', () => {
    expectTypeOf(extractFieldPath(eq(1, 1))).toEqualTypeOf<FieldPath | null>()
    expectTypeOf(extractValue(eq(1, 1))).toBeAny()
    walkExpression(options.where, (node) => {
      if (node.type === 'func') expectTypeOf(node.args).toEqualTypeOf<IR.BasicExpression[]>()
    })
  })
})

describe('the IR namespace', () => {
  test('has classes and types', () => {
    expectTypeOf(new IR.Func<boolean>('eq', [])).toExtend<IR.BasicExpression<boolean>>()
    expectTypeOf(new IR.Aggregate<number>('sum', []).type).toEqualTypeOf<'agg'>()
    expectTypeOf<IR.OrderByClause['expression']>().toEqualTypeOf<IR.BasicExpression>()
    // @ts-expect-error an aggregate has no value for a single row
    expectTypeOf(new IR.Aggregate<boolean>('max', [])).toExtend<IR.BasicExpression<boolean>>()
  })
})
