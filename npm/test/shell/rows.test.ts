import { describe, expect, it } from 'vitest'
import { deepEquals } from '../../src/rows/deep-equals.ts'
import { Members, NONE } from '../../src/rows/members.ts'
import { OrderList } from '../../src/rows/order-list.ts'
import { SlotCache } from '../../src/rows/slot-cache.ts'
import { Kind, TextDictionary } from '../../src/rows/texts.ts'

describe('deepEquals', () => {
  const cyclic = () => {
    const value: Record<string, unknown> = { a: [1] }
    value.self = value
    return value
  }
  const pairs: [string, unknown, unknown, boolean][] = [
    ['NaN', Number.NaN, Number.NaN, true],
    ['0 and -0', 0, -0, true],
    ['null and undefined', null, undefined, false],
    ['missing and undefined', {}, { a: undefined }, false],
    ['dates', new Date(5), new Date(5), true],
    ['invalid dates', new Date(Number.NaN), new Date(Number.NaN), true],
    ['a date and its number', new Date(5), 5, false],
    ['expressions', /a/g, /a/i, false],
    ['bytes', new Uint8Array([1, 2]), new Uint8Array([1, 2]), true],
    ['bytes and words', new Uint8Array([1]), new Uint16Array([1]), false],
    [
      'maps in another order',
      new Map([
        [1, { x: 1 }],
        [2, { x: 2 }],
      ]),
      new Map([
        [2, { x: 2 }],
        [1, { x: 1 }],
      ]),
      true,
    ],
    ['maps with object keys', new Map([[{ k: 1 }, 1]]), new Map([[{ k: 1 }, 1]]), true],
    ['sets of objects', new Set([{ a: 1 }, { a: 2 }]), new Set([{ a: 2 }, { a: 1 }]), true],
    ['different sets of objects', new Set([{ a: 1 }, { a: 2 }]), new Set([{ a: 2 }, { a: 2 }]), false],
    ['arrays and objects', [1], { 0: 1 }, false],
    ['nested', { a: [{ b: new Set([1]) }] }, { a: [{ b: new Set([1]) }] }, true],
    ['cycles', cyclic(), cyclic(), true],
    ['functions', () => 1, () => 1, false],
  ]
  for (const [name, a, b, expected] of pairs) {
    it(`${expected ? 'equates' : 'tells apart'} ${name}`, () => {
      expect(deepEquals(a, b)).toBe(expected)
      expect(deepEquals(b, a)).toBe(expected)
      expect(deepEquals(a, a)).toBe(true)
    })
  }
})

describe('TextDictionary', () => {
  it('gives equal values equal cells', () => {
    const dictionary = new TextDictionary()
    const cell = (value: unknown) => `${dictionary.kindOf(value)}:${dictionary.val}`
    expect(cell(-0)).toBe(cell(0))
    expect(cell(Number.NaN)).toBe(cell(new Date(Number.NaN)))
    expect(cell('a')).toBe(cell('a'))
    expect(cell(10n)).toBe(cell(10n))
    expect(cell('10')).not.toBe(cell(10n))
    expect(cell(new Uint8Array([1, 2]))).toBe(cell(Buffer.from([1, 2])))
    expect(cell({})).not.toBe(cell({}))
    expect(cell(Symbol.iterator)).toBe(cell(Symbol.iterator))
    expect(dictionary.kindOf(new Date(3))).toBe(Kind.date)
    expect(cell('')).toBe(`${Kind.string}:0`)
  })

  it('reuses an id only after it was freed, and never the known ones', () => {
    const dictionary = new TextDictionary()
    dictionary.kindOf('a')
    const id = dictionary.val
    dictionary.free(0)
    dictionary.free(id)
    dictionary.free(id)
    dictionary.kindOf('b')
    expect(dictionary.val).toBe(id)
    dictionary.kindOf('c')
    expect(dictionary.val).not.toBe(id)
    dictionary.kindOf('')
    expect(dictionary.val).toBe(0)
  })
})

describe('Members', () => {
  for (const [name, members] of [
    ['dense', () => new Members(10, 10)],
    ['sparse', () => new Members(1, 1000)],
  ] as const) {
    it(`finds slots by key id when ${name}`, () => {
      const table = members()
      for (let id = 0; id < 100; id++) table.set(id, id * 2)
      table.set(7, NONE)
      expect([table.slotOf(7), table.slotOf(8), table.slotOf(5000)]).toEqual([NONE, 16, NONE])
    })
  }
})

describe('SlotCache', () => {
  it('keeps what was set until it is taken', () => {
    const cache = new SlotCache<string>()
    cache.set(1000, 'x')
    cache.set(3, 'y')
    expect([cache.get(1000), cache.get(3), cache.get(4)]).toEqual(['x', 'y', undefined])
    expect([cache.take(1000), cache.take(1000), cache.get(1000)]).toEqual(['x', undefined, undefined])
  })
})

describe('OrderList', () => {
  const MOVED_AND_CHANGED = 0x80000000
  const layout = (
    oldLength: number,
    newLength: number,
    leaves: number[],
    moves: [number, number][],
    enters: [number, number, number][],
    updates: [number, number][],
  ) => {
    const counts = [oldLength, newLength, leaves.length, moves.length, enters.length, updates.length]
    return Uint32Array.from([...counts, ...leaves, ...moves.flat(), ...enters.flat(), ...updates.flat()])
  }
  const content = (order: OrderList) =>
    Array.from({ length: order.length }, (_, i) => [order.pairs[2 * i], order.pairs[2 * i + 1]])

  it('takes out, puts in, moves and replaces as one layout says', () => {
    const order = new OrderList()
    order.load(Uint32Array.from([0, 10, 1, 11, 2, 12, 3, 13, 4, 14]), 0, 5)
    // 0 leaves; 4 moves to the front with a new slot; 9 enters behind it; 2 gets a new slot where it is.
    const words = layout(5, 5, [0], [[4, (0 | MOVED_AND_CHANGED) >>> 0]], [[1, 9, 19]], [[3, 22]])
    expect(order.apply(words, 0, (key) => (key === 4 ? 24 : NONE))).toBe(true)
    expect(content(order)).toEqual([
      [4, 24],
      [9, 19],
      [1, 11],
      [2, 22],
      [3, 13],
    ])
  })

  it('fills and empties', () => {
    const order = new OrderList()
    expect(
      order.apply(
        layout(
          0,
          2,
          [],
          [],
          [
            [0, 5, 50],
            [1, 6, 60],
          ],
          [],
        ),
        0,
        () => NONE,
      ),
    ).toBe(true)
    expect(content(order)).toEqual([
      [5, 50],
      [6, 60],
    ])
    expect(order.apply(layout(2, 0, [0, 1], [], [], []), 0, () => NONE)).toBe(true)
    expect(content(order)).toEqual([])
  })

  it('refuses a layout of another order', () => {
    expect(new OrderList().apply(layout(3, 2, [0], [], [], []), 0, () => NONE)).toBe(false)
  })
})
