import { runInNewContext } from 'node:vm'
import { describe, expect, it, vi } from 'vitest'
import { trackChanges } from '../../src/drafts/changes.ts'
import {
  createArrayChangeProxy,
  createChangeProxy,
  withArrayChangeTracking,
  withChangeTracking,
} from '../../src/index.ts'
import type { Untyped } from '../../src/types/rows.ts'

type Row = Record<string, Untyped>

const track = (row: object, edit: (draft: Untyped) => void) =>
  trackChanges([row], ([draft]) => edit(draft))[0]!
const changes = (row: object, edit: (draft: Untyped) => void) => track(row, edit).changes

describe('what counts as a change', () => {
  const row = (): Row => ({
    id: 1,
    name: 'a',
    when: new Date(1),
    list: [1, { n: 1 }, [2]],
    map: new Map<unknown, unknown>([['k', { n: 1 }]]),
    set: new Set<unknown>([{ n: 1 }, 'x']),
    deep: { o: { p: 1 } },
    bytes: new Uint8Array([1, 2]),
    view: new DataView(new ArrayBuffer(4), 1, 2),
    buffer: new ArrayBuffer(2),
    nan: Number.NaN,
    none: undefined,
  })
  const edits: [string, (draft: Untyped) => void, Row][] = [
    ['nothing', () => {}, {}],
    ['a field', (d) => (d.name = 'b'), { name: 'b' }],
    ['an equal value', (d) => (d.deep = { o: { p: 1 } }), {}],
    ['an equal date', (d) => (d.when = new Date(1)), {}],
    ['NaN again', (d) => (d.nan = Number.NaN), {}],
    [
      'a change undone',
      (d) => {
        d.deep.o.p = 2
        d.deep.o.p = 1
        d.name = 'b'
        d.name = 'a'
      },
      {},
    ],
    [
      'an array changed and changed back',
      (d) => (d.list.push(9), d.list.pop(), d.list.reverse().reverse()),
      {},
    ],
    ['null', (d) => (d.name = null), { name: null }],
    ['undefined', (d) => (d.name = undefined), { name: undefined }],
    ['a new field', (d) => (d.more = 1), { more: 1 }],
    ['a deleted field', (d) => delete d.name, { name: undefined }],
    ['a deleted field that was undefined', (d) => delete d.none, { none: undefined }],
    [
      'a field deleted and put back',
      (d) => {
        delete d.name
        d.name = 'a'
      },
      {},
    ],
    ['a nested field deleted', (d) => delete d.deep.o.p, { deep: { o: {} } }],
    ['a date changed in place', (d) => d.when.setTime(5), { when: new Date(5) }],
    ['bytes changed in place', (d) => (d.bytes[0] = 9), { bytes: new Uint8Array([9, 2]) }],
    ['a view written to', (d) => d.view.setUint8(1, 9), { view: new DataView(Uint8Array.of(0, 9).buffer) }],
    ['a buffer written to', (d) => new Uint8Array(d.buffer).fill(9), { buffer: Uint8Array.of(9, 9).buffer }],
    ['an element found', (d) => (d.list.find((x: Row) => x.n === 1).n = 2), { list: [1, { n: 2 }, [2]] }],
    ['an object got from a map', (d) => (d.map.get('k').n = 2), { map: new Map([['k', { n: 2 }]]) }],
    ['a map cleared', (d) => d.map.clear(), { map: new Map() }],
    ['a set added to', (d) => d.set.add('y'), { set: new Set([{ n: 1 }, 'x', 'y']) }],
    ['a set item taken out and put in', (d) => (d.set.delete('x'), d.set.add('x')), {}],
    ['Object.assign', (d) => Object.assign(d.deep.o, { q: 2 }), { deep: { o: { p: 1, q: 2 } } }],
    ['defineProperty', (d) => Object.defineProperty(d, 'name', { value: 'z' }), { name: 'z' }],
    [
      'a field made not enumerable',
      (d) => Object.defineProperty(d, 'name', { enumerable: false }),
      { name: undefined },
    ],
    ['a length set', (d) => (d.list.length = 1), { list: [1] }],
    ['a symbol', (d) => (d[Symbol.for('s')] = 1), { [Symbol.for('s')]: 1 }],
    ['a nested symbol alone', (d) => (d.deep[Symbol.for('s')] = 1), {}],
  ]
  for (const [name, edit, expected] of edits) {
    it(`${Reflect.ownKeys(expected).length > 0 ? 'tells' : 'does not tell'} of ${name}`, () => {
      const original = row()
      const before = structuredClone(original)
      const result = track(original, edit)
      expect(result.changes).toStrictEqual(expected)
      expect(result.removed).toEqual(
        Object.keys(expected).filter((key) => !(key in (result.modified as Row))),
      )
      expect(original).toStrictEqual(before)
      const applied: Row = { ...original, ...result.changes }
      for (const field of result.removed) delete applied[field]
      expect(result.modified).toEqual(applied)
      if (Reflect.ownKeys(expected).length === 0) expect(result.modified).toBe(original)
    })
  }

  it('reads what was set, nothing included', () => {
    changes({ a: 1, o: { b: 1 } }, (d) => {
      d.a = undefined
      d.o.b = null
      expect([d.a, d.o.b]).toEqual([undefined, null])
      delete d.a
      expect(['a' in d, Object.keys(d)]).toEqual([false, ['o']])
    })
  })

  it('tells other instances of a class from equal ones as far as their fields tell', () => {
    class Money {
      constructor(readonly amount: number) {}
    }
    class Marker {}
    const original = { url: new URL('https://a.test'), money: new Money(1), marker: new Marker() }
    expect(changes(original, (d) => (d.url = new URL('https://b.test')))).toHaveProperty('url')
    expect(changes(original, (d) => (d.marker = new Marker()))).toHaveProperty('marker')
    expect(changes(original, (d) => (d.money = new Money(1)))).toEqual({})
    expect(changes({ in: [original] }, (d) => (d.in[0].url = new URL('https://b.test')))).toHaveProperty('in')
  })
})

describe('arrays', () => {
  const list = () => [{ k: 3 }, { k: 1 }, { k: 2 }]
  const edits: [string, (list: Untyped) => void][] = [
    ['push', (l) => l.push({ k: 4 }, 5)],
    ['pop', (l) => (l.pop().k = 9)],
    ['shift', (l) => l.push(l.shift())],
    ['unshift', (l) => l.unshift({ k: 0 })],
    ['splice', (l) => l.splice(0, 2, 7).forEach((x: Row) => l.push({ was: x }))],
    ['sort', (l) => l.sort((a: Row, b: Row) => a.k - b.k)],
    ['reverse', (l) => (l.reverse()[0].k = 8)],
    ['fill', (l) => (l.fill({ k: 0 })[0].k = 1)],
    ['copyWithin', (l) => (l.copyWithin(0, 1)[0].k = 8)],
    ['forEach', (l) => l.forEach((x: Row, i: number, all: Row[]) => (all[i]!.k += x.k))],
    ['map', (l) => l.map((x: Row) => x).forEach((x: Row) => (x.k = 0))],
    ['filter', (l) => (l.filter((x: Row) => x.k > 1)[1].k = 0)],
    ['findLast', (l) => (l.findLast((x: Row) => x.k > 1).k = 0)],
    ['reduce', (l) => (l.reduce((a: Row, b: Row) => (a.k < b.k ? a : b)).k = 0)],
    ['some', (l) => l.some((x: Row) => x.k === 1 && x.k++)],
    ['at', (l) => (l.at(-1).k = 0)],
    ['slice', (l) => (l.slice(1)[0].k = 0)],
    ['concat', (l) => (l.concat([1])[0].k = 0)],
    ['entries', (l) => [...l.entries()].forEach(([i, x]) => (x.k = i))],
    ['destructuring', ([a]) => (a.k = 0)],
    [
      'for of',
      (l) => {
        for (const x of l) x.k++
      },
    ],
    ['an index', (l) => (l[5] = l[0])],
    ['a deleted index', (l) => delete l[1]],
    [
      'flat',
      (l) => {
        l.push([{ k: 1 }])
        l.flat()[3].k = 0
      },
    ],
    ['indexOf', (l) => l.push(l.indexOf(l[1]), l.includes(l[2]), l.lastIndexOf(5), l.includes(1))],
    ['JSON', (l) => l.push(JSON.parse(JSON.stringify(l)))],
    ['spread', (l) => l.push(...l.map((x: Row) => ({ ...x })))],
  ]
  for (const [name, edit] of edits) {
    it(`work as always: ${name}`, () => {
      const expected = list()
      edit(expected)
      expect(
        track({ list: Object.freeze(list().map((item) => Object.freeze(item))) }, (d) => edit(d.list))
          .modified,
      ).toStrictEqual({
        list: expected,
      })
    })
  }

  it('find an object by the original too', () => {
    const original = { list: list() }
    changes(original, (d) => expect(d.list.indexOf(original.list[1])).toBe(1))
  })
})

describe('maps and sets', () => {
  it('hand out drafts whatever way they are read', () => {
    const reads: ((map: Map<string, { n: number }>) => { n: number } | undefined)[] = [
      (map) => map.get('k'),
      (map) => [...map][0]?.[1],
      (map) => [...map.values()][0],
      (map) => [...map.entries()][0]?.[1],
      (map) => {
        let found: { n: number } | undefined
        map.forEach((item) => (found = item))
        return found
      },
      (map) => (map as Untyped).getOrInsert('k', { n: 7 }),
      (map) => (map as Untyped).getOrInsertComputed('k', () => ({ n: 7 })),
    ]
    for (const read of reads) {
      const original = { map: new Map([['k', { n: 1 }]]) }
      const result = changes(original, (d) => (read(d.map)!.n = 2))
      expect(result).toStrictEqual({ map: new Map([['k', { n: 2 }]]) })
      expect(original.map.get('k')).toEqual({ n: 1 })
    }
  })

  it('know their items by draft and by original, and keep their order', () => {
    const [a, b] = [{ n: 1 }, { n: 2 }]
    const original = { set: new Set([a, b]), map: new Map([[a, b]]) }
    const result = track(original, (d) => {
      const [first] = d.set
      first.n = 5
      expect([d.set.has(first), d.set.has(a), d.map.has(first), d.map.has(a), d.set.size]).toEqual([
        true,
        true,
        true,
        true,
        2,
      ])
      expect(d.map.get(first)).toBe([...d.set][1])
      d.set.add(first)
    }).modified as typeof original
    expect([...result.set]).toEqual([{ n: 5 }, { n: 2 }])
    expect([...result.map]).toEqual([[{ n: 5 }, { n: 2 }]])
    expect([...result.map.keys()][0]).toBe([...result.set][0])
    expect(a).toEqual({ n: 1 })
  })

  it('are ordinary ones but for that', () => {
    changes({ set: new Set([1]), map: new Map([[1, 2]]) }, (d) => {
      expect([d.set instanceof Set, d.map instanceof Map, d.set.constructor, d.map.constructor]).toEqual([
        true,
        true,
        Set,
        Map,
      ])
      expect([new Set(d.set), structuredClone(d.map)]).toEqual([new Set([1]), new Map([[1, 2]])])
      const seen: number[] = []
      for (const item of d.set) if (seen.push(item) < 3) d.set.add(item + 1)
      expect(seen).toEqual([1, 2, 3])
    })
  })
})

describe('shared and circular references', () => {
  it('stay one object in the draft and in the result, even where nobody looked', () => {
    const shared = { n: 1 }
    const original = {
      a: shared,
      b: { in: [shared] },
      c: new Map([['k', shared]]),
      d: new Set([shared]),
      e: { n: 1 },
    }
    const { modified, changes } = track(original, (d) => {
      expect(d.a).toBe(d.a)
      d.a.n = 2
    })
    const row = modified as typeof original
    expect(Object.keys(changes)).toEqual(['a', 'b', 'c', 'd'])
    expect([row.a.n, row.b.in[0] === row.a, row.c.get('k') === row.a, row.d.has(row.a)]).toEqual([
      2,
      true,
      true,
      true,
    ])
    expect(row.e).toBe(original.e)
    expect(shared).toEqual({ n: 1 })
  })

  it('lead to the changed row', () => {
    const original: Row = { id: 1, name: 'a', child: { up: null } }
    original.self = original
    original.child.up = original
    const { modified, changes } = track(original, (d) => {
      expect([d.self === d, d.child.up === d]).toEqual([true, true])
      d.self.child.up.name = 'b'
    })
    const row = modified as Row
    expect([row.name, row.self === row, row.child.up === row]).toEqual(['b', true, true])
    expect(Object.keys(changes).sort()).toEqual(['child', 'name', 'self'])
    expect([original.name, original.self === original]).toEqual(['a', true])
    expect((track(original, (d) => (d.name = 'c')).modified as Row).self.name).toBe('c')
    expect(track(original, (d) => d.child.up).modified).toBe(original)
  })

  it('may be made in the draft', () => {
    const row = track({ a: { n: 1 }, b: {} }, (d) => {
      d.b.a = d.a
      d.a.b = d.b
      d.row = d
      d.list = [d, d.a]
      d.a.n = 2
    }).modified as Row
    expect([row.b.a === row.a, row.a.b === row.b, row.row === row, row.list[0] === row]).toEqual([
      true,
      true,
      true,
      true,
    ])
    expect(row.list[1].n).toBe(2)
  })

  it('are followed out of instances that were made with drafts', () => {
    class Order {
      constructor(readonly items: unknown) {}
    }
    const row = track({ items: [1], order: null }, (d) => {
      d.order = new Order(d.items)
      d.items.push(2)
    }).modified as { items: number[]; order: Order }
    expect(row.order.items).toBe(row.items)
    expect(row.items).toEqual([1, 2])
  })
})

describe('what is put into a draft', () => {
  it('is taken by reference, and copied before it is changed through the draft', () => {
    const other = { n: 1 }
    const untouched = { n: 1 }
    const row = track({ list: [] }, (d) => {
      d.list.push(other)
      other.n = 2
      d.list[0].n++
      d.untouched = untouched
    }).modified as Row
    expect(row).toEqual({ list: [{ n: 3 }], untouched: { n: 1 } })
    expect(other).toEqual({ n: 2 })
    expect(row.untouched).toBe(untouched)
  })

  it('is not a part of another row, even if it came from there', () => {
    const rows = [
      { o: { n: 1 }, from: null as Untyped },
      { o: { n: 1 }, from: null as Untyped },
    ]
    const [a, b] = trackChanges(rows, ([first, second]: Untyped[]) => {
      first.from = second.o
      second.from = first
      second.o.n = 2
      first.o.n = 3
    }) as Untyped[]
    expect(a.modified).toMatchObject({ o: { n: 3 }, from: { n: 2 } })
    expect(b.modified).toMatchObject({ o: { n: 2 }, from: { o: { n: 3 }, from: { n: 2 } } })
    expect(a.modified.from).not.toBe(b.modified.o)
  })

  it('may be a draft of an earlier callback', () => {
    let leaked: Untyped
    changes({ o: { list: [1] } }, (d) => {
      leaked = d.o
      leaked.list.push(2)
    })
    const row = track({ id: 1 }, (d) => (d.o = { of: leaked })).modified as Row
    leaked.list.push(3)
    expect(row).toStrictEqual({ id: 1, o: { of: { list: [1, 2] } } })
  })
})

describe('objects of other kinds', () => {
  it('are taken by reference when they are instances of classes', () => {
    class Money {
      #amount = 1
      get amount() {
        return this.#amount
      }
    }
    class Stack extends Array<number> {}
    const original = {
      money: new Money(),
      stack: Stack.of(1),
      error: new Error('x'),
      run: () => 1,
    }
    changes(original, (d) => {
      for (const name of Object.keys(original)) expect(d[name]).toBe(original[name as 'money'])
      expect(d.money.amount).toBe(1)
    })
  })

  it('are known by what they are, whatever they say and wherever they are from', () => {
    class Observed {
      get [Symbol.toStringTag]() {
        return 'Map'
      }
    }
    const talkative = new Proxy(Object.create({ __proto__: {} }), { get: () => () => 'anything' })
    const original = { observed: new Observed(), talkative }
    changes(original, (d) => {
      expect(d.observed).toBe(original.observed)
      expect(d.talkative).toBe(talkative)
    })
    const foreign = runInNewContext(
      '({ map: new Map([["k", { n: 1 }]]), set: new Set([1]), when: new Date(1), list: [1], o: { n: 1 } })',
    )
    const { changes: all } = track(foreign, (d) => {
      d.map.get('k').n = 2
      d.set.add(2)
      d.when.setTime(2)
      d.list.push(2)
      d.o.n = 2
    })
    const expected = {
      map: new Map([['k', { n: 2 }]]),
      set: new Set([1, 2]),
      when: new Date(2),
      list: [1, 2],
    }
    expect(all).toEqual({ ...expected, o: { n: 2 } })
    expect([foreign.map.get('k').n, foreign.set.size, foreign.when.getTime(), foreign.list.length]).toEqual([
      1, 1, 1, 1,
    ])
  })

  it('may be temporals, which are values', () => {
    const temporal = (text: string) => ({
      __proto__: { [Symbol.toStringTag]: 'Temporal.PlainDate', toString: () => text },
    })
    const original = { day: temporal('2020-01-01') }
    changes(original, (d) => expect(d.day).toBe(original.day))
    expect(changes(original, (d) => (d.day = temporal('2020-01-02')))).toHaveProperty('day')
  })

  it('do not change when an expression is used or bytes are views of a buffer', () => {
    const original = { expression: /a/g, buffer: Buffer.from('abc') }
    const { changes, modified } = track(original, (d) => {
      expect(d.expression.test('aa')).toBe(true)
      d.buffer[0] = 120
    })
    expect([original.expression.lastIndex, String(original.buffer)]).toEqual([0, 'abc'])
    expect([Object.keys(changes), String((modified as typeof original).buffer)]).toEqual([['buffer'], 'xbc'])
    expect(Buffer.isBuffer((modified as typeof original).buffer)).toBe(true)
  })

  it('keep the class of the row, whose methods and setters work on the draft', () => {
    class Person {
      first = 'a'
      tags: string[] = []
      get upper() {
        return this.first.toUpperCase()
      }
      set upper(value: string) {
        this.first = value.toLowerCase()
      }
      tag(name: string) {
        this.tags.push(name)
        return this
      }
    }
    const original = new Person()
    const result = track(original, (d: Person) => {
      d.upper = 'B'
      expect(d.tag('x').upper).toBe('B')
      expect(d).toBeInstanceOf(Person)
    })
    expect(result.changes).toEqual({ first: 'b', tags: ['x'] })
    expect(result.modified).toBeInstanceOf(Person)
    expect(original).toEqual(new Person())
  })

  it('take the value of a getter for the field, and nothing for one that throws', () => {
    const original = {
      n: 1,
      get twice() {
        return this.n * 2
      },
    }
    const { changes, modified } = track(original, (d) => (d.n = 2))
    expect([changes, modified]).toEqual([{ n: 2 }, { n: 2, twice: 2 }])
    expect(track(original, (d) => (d.twice = 5)).changes).toEqual({ twice: 5 })
    const report = vi.spyOn(globalThis, 'queueMicrotask').mockImplementation(() => {})
    const broken = {
      n: 1,
      get no(): number {
        throw new Error('no')
      },
    }
    expect(track(broken, (d) => (d.n = 2)).changes).toEqual({ n: 2 })
    expect(report).toHaveBeenCalledTimes(1)
    report.mockRestore()
  })
})

describe('what a program can do to an object', () => {
  it('holds for drafts of frozen ones', () => {
    const frozen = Object.freeze({ a: 1, o: Object.freeze({ b: 1 }), l: Object.freeze([1]) })
    expect(
      changes(frozen, (d) => {
        expect([Object.isFrozen(d), Object.isFrozen(d.o), Object.isExtensible(d.l)]).toEqual([
          false,
          false,
          true,
        ])
        d.a = 2
        delete d.o.b
        d.l.push(2)
      }),
    ).toEqual({ a: 2, o: {}, l: [1, 2] })
  })

  it('includes freezing, sealing and closing drafts', () => {
    const original = { f: { n: 1, o: { p: 1 } }, s: [{ n: 1 }], e: { n: 1 } }
    const { changes, modified } = track(original, (d) => {
      d.f.n = 2
      expect(() => (Object.freeze(d.f).n = 3)).toThrow(TypeError)
      expect([Object.isFrozen(d.f), d.f.n]).toEqual([true, 2])
      d.f.o.p = 2
      expect(() => Object.seal(d.s).push(1)).toThrow(TypeError)
      d.s[0].n = 2
      d.s[0] = { n: 3 }
      expect(() => (Object.preventExtensions(d.e).m = 3)).toThrow(TypeError)
      d.e.n = 2
      expect(Object.getOwnPropertyDescriptor(d.f, 'o')).toEqual({
        value: { p: 2 },
        writable: false,
        enumerable: true,
        configurable: false,
      })
      expect(() => Object.setPrototypeOf(d, {})).toThrow(TypeError)
    })
    expect(changes).toEqual({ f: { n: 2, o: { p: 2 } }, s: [{ n: 3 }], e: { n: 2 } })
    expect(Object.isFrozen((modified as typeof original).f)).toBe(false)
    expect(original).toEqual({ f: { n: 1, o: { p: 1 } }, s: [{ n: 1 }], e: { n: 1 } })
  })

  it('includes properties of every sort', () => {
    expect(
      changes({ a: 1, o: { b: 1 } }, (d) => {
        const constant = { n: 1 }
        Object.defineProperty(d, 'constant', { value: constant, enumerable: true })
        expect(d.constant).toBe(constant)
        Object.defineProperty(d, 'sum', {
          get: () => d.a + 1,
          set: (n) => (d.a = n),
          enumerable: true,
          configurable: true,
        })
        d.sum = 5
        expect(d.sum).toBe(6)
        const child = Object.create(d)
        child.a = 9
        expect([d.a, child.a, child.o]).toEqual([5, 9, d.o])
      }),
    ).toEqual({ a: 5, constant: { n: 1 }, sum: 6 })
  })

  it('includes names that objects have of themselves', () => {
    const proto = '__proto__'
    const original = JSON.parse('{"__proto__":{"n":1},"constructor":{"n":1},"o":{}}')
    const { changes, modified } = track(original, (d) => {
      d[proto].n = 2
      d.constructor.n = 2
      expect(d.o[proto]).toBeUndefined()
      expect('__proto__' in d.o).toBe(false)
      d.o[proto] = { polluted: true }
      d.toString = 'x'
    })
    expect(JSON.stringify(changes)).toBe(
      '{"__proto__":{"n":2},"constructor":{"n":2},"o":{"__proto__":{"polluted":true}},"toString":"x"}',
    )
    expect(Object.getPrototypeOf(modified)).toBe(Object.prototype)
    expect((modified as Row).polluted).toBeUndefined()
    expect(({} as Row).polluted).toBeUndefined()
    expect(JSON.stringify(original)).toBe('{"__proto__":{"n":1},"constructor":{"n":1},"o":{}}')
  })

  it('includes listing, spreading and serialising it, but not structuredClone', () => {
    const original = { a: 1, o: { b: [1, { c: 2 }] }, when: new Date(0) }
    changes(original, (d) => {
      d.o.b[1].c = 3
      const now = { a: 1, o: { b: [1, { c: 3 }] }, when: new Date(0) }
      expect(JSON.stringify(d)).toBe(JSON.stringify(now))
      expect({ ...d }).toEqual(now)
      expect(Object.keys(d)).toEqual(Object.keys(now))
      expect(Object.entries(d)).toEqual(Object.entries(now))
      expect('a' in d && !('b' in d)).toBe(true)
      expect(Array.isArray(d.o.b)).toBe(true)
      const names: string[] = []
      for (const name in d) names.push(name)
      expect(names).toEqual(['a', 'o', 'when'])
      expect(() => structuredClone(d)).toThrow()
      expect(structuredClone(d.when)).toEqual(original.when)
    })
  })
})

describe('the public functions', () => {
  it('tell of changes while a draft is in use and after', () => {
    const original = { a: 1, o: { b: 1 } }
    const { proxy, getChanges } = createChangeProxy(original)
    expect(getChanges()).toEqual({})
    proxy.o.b = 2
    const first = getChanges()
    proxy.o.b = 3
    proxy.a = 5
    expect([first, getChanges()]).toEqual([{ o: { b: 2 } }, { a: 5, o: { b: 3 } }])
    proxy.a = 1
    expect(getChanges()).toEqual({ o: { b: 3 } })
    expect(original).toEqual({ a: 1, o: { b: 1 } })
  })

  it('take several objects, one of them twice, and drafts', () => {
    const [a, b] = [
      { n: 1, m: 1 },
      { n: 2, m: 1 },
    ]
    const { proxies, getChanges } = createArrayChangeProxy([a, b])
    proxies[1]!.n = 5
    expect(getChanges()).toEqual([{}, { n: 5 }])
    expect(
      withArrayChangeTracking([a, a, b], (drafts) => {
        drafts[0]!.n = 7
        drafts[1]!.m = 8
        drafts.pop()
      }),
    ).toEqual([{ n: 7, m: 8 }, { n: 7, m: 8 }, {}])
    expect(withArrayChangeTracking([], () => {})).toEqual([])
    expect(withChangeTracking(proxies[1]!, (draft) => (draft.n += 1))).toEqual({ n: 6 })
    expect(proxies[1]!.n).toBe(5)
    expect(withChangeTracking(a, () => {})).toEqual({})
  })

  it('let through what a callback throws', () => {
    const original = { n: 1 }
    const fail = () =>
      withChangeTracking(original, (draft) => {
        draft.n = 2
        throw new Error('no')
      })
    expect(fail).toThrow('no')
    expect(original).toEqual({ n: 1 })
  })

  it('leave the result alone when a draft is used on', () => {
    const kept: Untyped[] = []
    const original = {
      o: { n: 1 },
      when: new Date(0),
      map: new Map([['k', { n: 1 }]]),
      list: [1],
      set: new Set([1]),
    }
    const { modified } = track(original, (d) => {
      kept.push(d, d.o, d.when, d.map, d.list, d.set)
      for (const name of ['o', 'map', 'list', 'set']) expect(d[name]).toBe(d[name])
      d.o.n = 2
      d.when.setTime(1)
      d.map.get('k').n = 2
      d.list.push(2)
      d.set.add(2)
    })
    const before = structuredClone(modified)
    const [row, o, when, map, list, set] = kept
    row.more = 1
    o.n = 3
    when.setTime(3)
    map.get('k').n = 3
    map.clear()
    list.pop()
    set.clear()
    expect(modified).toEqual(before)
    expect(original.o.n).toBe(1)
  })
})
