import { describe, expect, it } from 'vitest'
import { Mirror } from '../../src/rows/mirror.ts'

const NONE = 0xffffffff

/** A mirror of n rows, key id k under slot k, and how often it asked for the order. */
function mirrorOf(n: number, positional: boolean) {
  let reads = 0
  let shift = 0
  const pairs = () => Uint32Array.from({ length: 2 * n }, (_, i) => (i % 2 ? (i >> 1) + shift : i >> 1))
  const mirror = new Mirror(
    positional,
    () => {
      reads++
      mirror.rows(pairs(), 0, n)
    },
    () => n,
  )
  mirror.rows(pairs(), 0, n)
  const slots = () => {
    const seen: number[] = []
    mirror.visit((_key, slot) => seen.push(slot))
    return seen
  }
  /** Every row gets a slot of its own, without looking different. */
  const rebindAll = () => {
    shift = n
    const triples = new Uint32Array(3 * n)
    for (let k = 0; k < n; k++) triples.set([k, k, k + n], 3 * k)
    mirror.rebind(triples, 0, n)
  }
  return { mirror, slots, rebindAll, reads: () => reads }
}

describe('slots that take the place of others', () => {
  it.each([
    [4, false],
    [4, true],
    [100, false],
    [100, true],
  ])('are followed without the engine in a list of %d rows, positional: %s', (n, positional) => {
    const { slots, rebindAll, reads } = mirrorOf(n, positional)
    rebindAll()
    expect(slots()).toEqual(Array.from({ length: n }, (_, i) => i + n))
    expect(reads()).toBe(0)
  })

  it.each([
    [false, 0],
    [true, 1],
  ])('in bulk cost one pass over a long list, positional: %s', (positional, expectedReads) => {
    const n = 20_000
    const { slots, rebindAll, reads } = mirrorOf(n, positional)
    rebindAll()
    // A search per row would be 200 million steps; a positional list is read again instead, when somebody looks.
    expect(reads()).toBe(0)
    expect(slots()).toEqual(Array.from({ length: n }, (_, i) => i + n))
    expect(reads()).toBe(expectedReads)
  })

  it('are found where a row of a key-ordered list changed in place', () => {
    const { mirror, slots } = mirrorOf(100, false)
    mirror.install(Uint32Array.of(7, 7, 900), 0, 1)
    expect(slots()[7]).toBe(900)
    mirror.install(Uint32Array.of(8, 8, NONE), 0, 1)
    expect(mirror.size).toBe(99)
  })
})
