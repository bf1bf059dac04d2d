import { isDeepStrictEqual, types } from 'node:util'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { trackChanges } from '../../src/drafts/changes.ts'
import { deepEquals } from '../../src/rows/deep-equals.ts'
import { makeRow, run, type Step, stepsArb } from './programs.ts'

type Fields = Record<string, unknown>

const scenario = fc.record({
  picks: fc.array(fc.nat(60), { minLength: 12, maxLength: 40 }),
  loops: fc.boolean(),
  unique: fc.boolean(),
  frozen: fc.boolean(),
  steps: stepsArb,
})

/** The parts of an object, with where they are. */
function* partsOf(value: object): Generator<[string, unknown]> {
  if (value instanceof Map) {
    let i = 0
    for (const [key, item] of value) {
      yield [`k${i}`, key]
      yield [`v${i++}`, item]
    }
  } else if (value instanceof Set) {
    let i = 0
    for (const item of value) yield [`i${i++}`, item]
  } else if (Array.isArray(value)) {
    yield ['length', value.length]
    for (let i = 0; i < value.length; i++) yield [String(i), value[i]]
  } else if (!(value instanceof Date) && !ArrayBuffer.isView(value)) {
    for (const key of Reflect.ownKeys(value)) yield [String(key), (value as Fields)[key as string]]
  }
}

function everything(value: unknown, met = new Set<object>()): Set<object> {
  if (typeof value !== 'object' || value === null || met.has(value)) return met
  met.add(value)
  for (const [, part] of partsOf(value)) everything(part, met)
  return met
}

/** Whether two graphs have the same shape, order and sharing included. Fields may come in another order, holes are undefined. */
function sameShape(a: unknown, b: unknown, pairs = new Map<object, object>()): boolean {
  if (typeof a !== 'object' || a === null || typeof b !== 'object' || b === null) return Object.is(a, b)
  if (pairs.has(a) || [...pairs.values()].includes(b)) return pairs.get(a) === b
  pairs.set(a, b)
  if (Object.getPrototypeOf(a) !== Object.getPrototypeOf(b)) return false
  if (a instanceof Date || ArrayBuffer.isView(a)) return isDeepStrictEqual(a, b)
  const left = new Map(partsOf(a))
  const right = new Map(partsOf(b))
  if (left.size !== right.size) return false
  for (const [name, part] of left)
    if (!right.has(name) || !sameShape(part, right.get(name), pairs)) return false
  return true
}

function freezeAll(row: object): void {
  for (const part of everything(row)) {
    if (Array.isArray(part) || Object.getPrototypeOf(part) === Object.prototype) Object.freeze(part)
  }
}

function readAll(draft: object): void {
  everything(draft)
}

describe('a draft', () => {
  it('becomes what a clone becomes, and says how it differs', () => {
    fc.assert(
      fc.property(scenario, ({ picks, loops, unique, frozen, steps }) => {
        const original = makeRow(picks, loops, unique)
        const before = structuredClone(original)
        const clone = structuredClone(original)
        if (frozen) freezeAll(original)
        run(clone, steps, unique)
        let drafts: object[] = []
        const result = trackChanges([original], ([draft]) => {
          // Only objects that were read lead to the changed row.
          if (loops) readAll(draft as object)
          drafts = run(draft as object, steps, unique)
        })[0]!
        const modified = result.modified as Fields
        const changes = result.changes as Fields

        expect(sameShape(original, before)).toBe(true)
        expect(deepEquals(modified, clone)).toBe(true)
        if (unique) expect(sameShape(modified, clone)).toBe(true)

        const names = [...new Set([...Object.keys(original), ...Object.keys(clone)])]
        const differ = names.filter(
          (name) =>
            Object.hasOwn(original, name) !== Object.hasOwn(clone, name) ||
            !deepEquals(original[name], clone[name]),
        )
        expect(Object.keys(changes).sort()).toEqual(differ.sort())
        expect([...result.removed].sort()).toEqual(
          differ.filter((name) => !Object.hasOwn(clone, name)).sort(),
        )
        for (const name of Object.keys(changes))
          expect(changes[name]).toBe(Object.hasOwn(modified, name) ? modified[name] : undefined)
        for (const name of Object.keys(modified))
          if (!differ.includes(name)) expect(modified[name]).toBe(original[name])

        for (const part of everything([modified, changes])) {
          expect(types.isProxy(part)).toBe(false)
          if (part instanceof Map) expect(Object.getPrototypeOf(part)).toBe(Map.prototype)
          if (part instanceof Set) expect(Object.getPrototypeOf(part)).toBe(Set.prototype)
        }

        const settled = structuredClone(modified)
        run(drafts[0]!, steps, unique, drafts)
        for (const draft of drafts) if (draft instanceof Date) draft.setTime(77)
        expect(sameShape(modified, settled)).toBe(true)
        expect(sameShape(original, before)).toBe(true)
      }),
      { numRuns: 600 },
    )
  })

  it('leaves rows that were given together and share parts apart', () => {
    fc.assert(
      fc.property(scenario, stepsArb, ({ picks, unique, steps }, others: Step[]) => {
        const first = makeRow(picks, false, unique)
        const second = { ...makeRow([...picks].reverse(), false, unique), p: first.p, q: first.q }
        const clones = [structuredClone(first), structuredClone(second)] as const
        run(clones[0], steps, unique)
        run(clones[1], others, unique)
        const results = trackChanges([first, second], ([a, b]) => {
          run(a!, steps, unique)
          run(b!, others, unique)
        })
        expect(deepEquals(results[0]?.modified, clones[0])).toBe(true)
        expect(deepEquals(results[1]?.modified, clones[1])).toBe(true)
      }),
      { numRuns: 600 },
    )
  })
})
