import { describe, expect, it } from 'vitest'
import {
  createCollection,
  eq,
  getStableQueryBuilderHash,
  getStableValueHash,
  localOnlyCollectionOptions,
  Query,
  UnhashableQueryIRError,
} from '../../src/index.ts'

describe('the identity of a value', () => {
  it('is the same for equal values, whatever the order of fields and members', () => {
    const one = {
      a: 1,
      b: [
        new Date(5),
        new Map([
          ['x', 1],
          ['y', 2],
        ]),
      ],
      c: new Set([1, 2]),
      z: 0,
    }
    const other = {
      z: -0,
      c: new Set([2, 1]),
      b: [
        new Date(5),
        new Map([
          ['y', 2],
          ['x', 1],
        ]),
      ],
      a: 1,
      gone: undefined,
    }
    expect(getStableValueHash(one)).toBe(getStableValueHash(other))
  })

  it('tells types apart', () => {
    const values = [
      1,
      '1',
      1n,
      true,
      null,
      undefined,
      [],
      {},
      new Date(1),
      new Uint8Array([1]),
      new Set([1]),
      Number.NaN,
    ]
    expect(new Set(values.map((value) => getStableValueHash(value))).size).toBe(values.length)
  })

  it('says where something has none', () => {
    const cyclic: Record<string, unknown> = {}
    cyclic.self = cyclic
    for (const [value, path] of [
      [{ a: [() => 1] }, 'value.a.0'],
      [{ s: Symbol('x') }, 'value.s'],
      [new Date(Number.NaN), 'value'],
      [new (class Custom {})(), 'value'],
      [cyclic, 'value.self'],
    ] as const) {
      try {
        getStableValueHash(value)
        expect.unreachable()
      } catch (error) {
        expect(error).toBeInstanceOf(UnhashableQueryIRError)
        expect((error as UnhashableQueryIRError).path).toBe(path)
      }
    }
  })

  it('of a query goes by collection, alias and clauses', () => {
    const todos = createCollection(
      localOnlyCollectionOptions<{ id: number; done: boolean }>({ id: 'todos', getKey: (row) => row.id }),
    )
    const build = (done: boolean) => new Query().from({ t: todos }).where(({ t }) => eq(t.done, done))
    const renamed = new Query().from({ u: todos }).where(({ u }) => eq(u.done, true))
    const hash = getStableQueryBuilderHash(build(true))
    expect(getStableQueryBuilderHash(build(true))).toBe(hash)
    expect(getStableQueryBuilderHash(build(false))).not.toBe(hash)
    expect(getStableQueryBuilderHash(renamed)).not.toBe(hash)
  })
})
