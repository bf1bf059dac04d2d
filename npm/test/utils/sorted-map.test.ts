import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compareKeys } from '../../src/utils/compare-keys.ts'
import { SortedMap } from '../../src/utils/sorted-map.ts'

type Key = string | number
const byValue = (a: number, b: number): number => a - b

/** The oracle: a list that is sorted anew whenever it is read. */
class Model {
  readonly #entries: [Key, number][] = []
  readonly #order: (a: [Key, number], b: [Key, number]) => number
  constructor(comparator?: (a: number, b: number) => number) {
    this.#order = (a, b) => comparator?.(a[1], b[1]) || compareKeys(a[0], b[0])
  }
  #at(key: Key): number {
    return this.#entries.findIndex(([other]) => other === key)
  }
  set(key: Key, value: number): void {
    this.delete(key)
    this.#entries.push([key, value])
  }
  delete(key: Key): boolean {
    const at = this.#at(key)
    if (at >= 0) this.#entries.splice(at, 1)
    return at >= 0
  }
  get entries(): [Key, number][] {
    return [...this.#entries].sort(this.#order)
  }
}

const key = fc.oneof(fc.integer({ min: 0, max: 12 }), fc.constantFrom('a', 'b', '1', '10', ''))
const step = fc.oneof(
  { weight: 6, arbitrary: fc.tuple(fc.constant('set' as const), key, fc.integer({ min: 0, max: 5 })) },
  { weight: 3, arbitrary: fc.tuple(fc.constant('delete' as const), key) },
  { weight: 2, arbitrary: fc.tuple(fc.constant('read' as const)) },
  { weight: 1, arbitrary: fc.tuple(fc.constant('clear' as const)) },
)

describe('SortedMap', () => {
  it.each([
    ['a comparator', byValue],
    ['a comparator under which some values are equal', (a: number, b: number) => (a >> 1) - (b >> 1)],
    ['a comparator that says NaN', (a: number, b: number) => (a === b ? Number.NaN : a - b)],
    ['keys alone', undefined],
  ])('is a map in the order of %s', (_, comparator) => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const map = new SortedMap<Key, number>(comparator)
        let model = new Model(comparator)
        for (const action of steps) {
          if (action[0] === 'set') {
            expect(map.set(action[1], action[2])).toBe(map)
            model.set(action[1], action[2])
          } else if (action[0] === 'delete') {
            expect(map.delete(action[1])).toBe(model.delete(action[1]))
          } else if (action[0] === 'clear') {
            map.clear()
            model = new Model(comparator)
          } else {
            expect([...map]).toEqual(model.entries)
          }
        }
        const entries = model.entries
        expect(map.size).toBe(entries.length)
        expect([...map.entries()]).toEqual(entries)
        expect([...map.keys()]).toEqual(entries.map(([k]) => k))
        expect([...map.values()]).toEqual(entries.map(([, v]) => v))
        const seen: [Key, number][] = []
        map.forEach((value, k, whole) => {
          expect(whole).toBe(map)
          seen.push([k, value])
        })
        expect(seen).toEqual(entries)
        for (const [k, v] of entries) expect([map.has(k), map.get(k)]).toEqual([true, v])
        expect([map.has('none'), map.get('none')]).toEqual([false, undefined])
      }),
      { numRuns: 300 },
    )
  })

  it('keeps a value that is undefined', () => {
    const map = new SortedMap<string, undefined>().set('a', undefined)
    expect([...map]).toEqual([['a', undefined]])
    expect([map.has('a'), map.size]).toEqual([true, 1])
  })

  it('finds its places by few comparisons', () => {
    let compared = 0
    const map = new SortedMap<number, number>((a, b) => {
      compared++
      return a - b
    })
    for (let i = 0; i < 1024; i++) map.set(i, (i * 389) % 1024)
    compared = 0
    map.set(5, 700)
    map.delete(6)
    map.set(2000, 3)
    // Two searches for the value that moves, one for each of the others.
    expect(compared).toBeLessThanOrEqual(4 * 11)
  })

  it('an iteration shows the keys there were, without those deleted since', () => {
    const map = new SortedMap<string, number>(byValue).set('a', 1).set('b', 2).set('c', 3)
    const seen: string[] = []
    for (const [name] of map) {
      seen.push(name)
      if (name === 'a') map.delete('b')
      map.set(`late ${name}`, 9)
    }
    expect(seen).toEqual(['a', 'c'])
    expect([...map.keys()]).toEqual(['a', 'c', 'late a', 'late c'])
  })

  it('a comparator that throws leaves the map as it was', () => {
    let fails = false
    const map = new SortedMap<string, number>((a, b) => {
      if (fails) throw new Error('cannot compare')
      return a - b
    })
    map.set('a', 1).set('b', 2)
    fails = true
    expect(() => map.set('c', 0)).toThrow('cannot compare')
    expect(() => map.set('a', 3)).toThrow('cannot compare')
    expect(() => map.delete('a')).toThrow('cannot compare')
    expect([...map]).toEqual([
      ['a', 1],
      ['b', 2],
    ])
  })

  it('still deletes and moves a value that was altered inside', () => {
    const map = new SortedMap<string, { n: number }>((a, b) => a.n - b.n)
    const a = { n: 1 }
    map.set('a', a).set('b', { n: 2 }).set('c', { n: 3 })
    a.n = 9
    map.set('a', a)
    expect([...map.keys()]).toEqual(['b', 'c', 'a'])
    a.n = 0
    expect(map.delete('a')).toBe(true)
    expect([...map.keys()]).toEqual(['b', 'c'])
  })
})

describe('compareKeys', () => {
  it('is a total order: strings, numbers, NaN', () => {
    const keys: Key[] = [Number.NaN, 10, 'b', 9, '10', -1, 'a', '9', 0]
    expect([...keys].sort(compareKeys)).toEqual(['10', '9', 'a', 'b', -1, 0, 9, 10, Number.NaN])
    expect(compareKeys(-0, 0)).toBe(0)
    expect(compareKeys(Number.NaN, Number.NaN)).toBe(0)
  })
})
