import { afterEach, describe, expect, it, vi } from 'vitest'
import {
  getLiveQueryStatusFlags,
  hasVirtualProps,
  isSingleResultCollection,
  safeRandomUUID,
} from '../../src/index.ts'

afterEach(() => vi.unstubAllGlobals())

const uuid4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

describe('safeRandomUUID', () => {
  it('gives a UUID of version 4', () => {
    expect(safeRandomUUID()).toMatch(uuid4)
    expect(safeRandomUUID()).not.toBe(safeRandomUUID())
  })

  it('makes do with random bytes, as pages without HTTPS have to', () => {
    const { crypto } = globalThis
    vi.stubGlobal('crypto', { getRandomValues: crypto.getRandomValues.bind(crypto) })
    expect(safeRandomUUID()).toMatch(uuid4)
    vi.stubGlobal('crypto', { getRandomValues: (bytes: Uint8Array) => bytes.fill(255) })
    expect(safeRandomUUID()).toBe('ffffffff-ffff-4fff-bfff-ffffffffffff')
  })

  it('refuses to guess', () => {
    vi.stubGlobal('crypto', undefined)
    expect(() => safeRandomUUID()).toThrow('No secure random number generator')
  })
})

describe('hasVirtualProps', () => {
  const row = { $synced: true, $origin: 'local', $key: 1, $collectionId: 'c' }
  it('wants all four, wherever they come from', () => {
    expect(hasVirtualProps(row)).toBe(true)
    expect(hasVirtualProps(Object.create(row))).toBe(true)
    for (const name of Object.keys(row)) {
      const { [name as '$key']: _, ...rest } = row
      expect(hasVirtualProps(rest)).toBe(false)
    }
    for (const value of [null, undefined, 'text', 1, () => row]) expect(hasVirtualProps(value)).toBe(false)
  })
})

describe('isSingleResultCollection', () => {
  it('reads the configuration', () => {
    expect(isSingleResultCollection({ config: { singleResult: true } })).toBe(true)
    expect(isSingleResultCollection({ config: {} })).toBe(false)
  })
})

describe('getLiveQueryStatusFlags', () => {
  it.each([
    ['loading', 'isLoading'],
    ['ready', 'isReady'],
    ['idle', 'isIdle'],
    ['error', 'isError'],
    ['cleaned-up', 'isCleanedUp'],
  ] as const)('of %s sets %s alone', (status, flag) => {
    const flags = getLiveQueryStatusFlags(status)
    expect(Object.entries(flags).filter(([, set]) => set)).toEqual([[flag, true]])
    expect(Object.keys(flags)).toHaveLength(5)
  })

  it('of a disabled query sets none', () => {
    expect(Object.values(getLiveQueryStatusFlags('disabled'))).toEqual([false, false, false, false, false])
  })
})
