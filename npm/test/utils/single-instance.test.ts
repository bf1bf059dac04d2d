import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { DuplicateDbInstanceError } from '../../src/errors.ts'

const MARK = Symbol.for('millrace.instance')
const TANSTACK_MARK = Symbol.for('@tanstack/db/instance-marker')
const page = globalThis as { [MARK]?: object; [TANSTACK_MARK]?: boolean }

/** A copy of the module, as a second bundle would bring it along. */
async function copy(): Promise<() => void> {
  vi.resetModules()
  return (await import('../../src/utils/single-instance.ts')).assertOnlyInstance
}

function openWindow(top: 'itself' | 'another' | 'forbidden'): void {
  const window = {
    get top(): unknown {
      if (top === 'forbidden') throw new Error('cross-origin')
      return top === 'itself' ? window : {}
    },
  }
  vi.stubGlobal('window', window)
  vi.stubGlobal('document', {})
}

beforeEach(() => {
  vi.spyOn(console, 'warn').mockImplementation(() => {})
})
afterEach(() => {
  vi.unstubAllGlobals()
  vi.unstubAllEnvs()
  vi.restoreAllMocks()
  delete page[MARK]
  delete page[TANSTACK_MARK]
})

async function secondCopyIsRefused(): Promise<boolean> {
  const [first, second] = [await copy(), await copy()]
  first()
  first()
  try {
    second()
    return false
  } catch (error) {
    expect((error as Error).name).toBe('DuplicateDbInstanceError')
    return true
  }
}

describe('one copy per page', () => {
  it.each(['itself', 'forbidden'] as const)(
    'a second copy is refused where the top window is %s',
    async (top) => {
      openWindow(top)
      expect(await secondCopyIsRefused()).toBe(true)
    },
  )

  it('a second copy is refused again and again', async () => {
    openWindow('itself')
    page[MARK] = {}
    const assertOnlyInstance = await copy()
    expect(assertOnlyInstance).toThrow('loaded twice')
    expect(assertOnlyInstance).toThrow('loaded twice')
  })

  it('frames, workers and servers are not looked at', async () => {
    expect(await secondCopyIsRefused()).toBe(false)
    openWindow('another')
    expect(await secondCopyIsRefused()).toBe(false)
    expect(page[MARK]).toBeUndefined()
  })

  it.each([
    ['NODE_ENV', 'production'],
    ['TANSTACK_DB_DISABLE_DUP_CHECK', '1'],
  ])('nor is anything with %s=%s', async (name, value) => {
    openWindow('itself')
    vi.stubEnv(name, value)
    expect(await secondCopyIsRefused()).toBe(false)
  })

  it('nor where nobody says whether this is development', async () => {
    openWindow('itself')
    const [first, second] = [await copy(), await copy()]
    vi.stubGlobal('process', undefined)
    first()
    second()
    vi.unstubAllGlobals()
  })

  it('loading leaves no mark, and making a collection does', async () => {
    openWindow('itself')
    vi.resetModules()
    const { createCollection, localOnlyCollectionOptions } = await import('../../src/index.ts')
    expect(page[MARK]).toBeUndefined()
    const make = (): unknown => createCollection(localOnlyCollectionOptions({ getKey: () => 1 }))
    make()
    expect(page[MARK]).toBeDefined()
    // A mark of theirs would make a copy of @tanstack/db that is loaded later refuse to load.
    expect(page[TANSTACK_MARK]).toBeUndefined()
    make()
    expect(new DuplicateDbInstanceError().message).toContain('dedupe')
  })

  it('@tanstack/db beside it is allowed, with one warning', async () => {
    openWindow('itself')
    page[TANSTACK_MARK] = true
    const assertOnlyInstance = await copy()
    assertOnlyInstance()
    assertOnlyInstance()
    expect(console.warn).toHaveBeenCalledTimes(1)
  })
})
