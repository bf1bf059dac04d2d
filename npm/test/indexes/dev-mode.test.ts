import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import {
  clearQueryPatterns,
  configureIndexDevMode,
  getIndexDevModeConfig,
  getQueryPatterns,
  type IndexSuggestion,
  isDevModeEnabled,
  trackQuery,
} from '../../src/index.ts'
import { noteCollectionSize } from '../../src/indexes/dev-mode.ts'

const initial = getIndexDevModeConfig()
let suggestions: IndexSuggestion[]
beforeEach(() => {
  suggestions = []
  vi.spyOn(console, 'warn').mockImplementation(() => {})
})
afterEach(() => {
  configureIndexDevMode(initial)
  clearQueryPatterns()
  vi.unstubAllEnvs()
  vi.restoreAllMocks()
})
const listen = (): void => configureIndexDevMode({ onSuggestion: (one) => suggestions.push(one) })

describe('advice on indexes', () => {
  it('is on at first, with moderate thresholds', () => {
    expect(initial).toEqual({
      enabled: true,
      collectionSizeThreshold: 1000,
      slowQueryThresholdMs: 10,
      onSuggestion: null,
    })
    expect(isDevModeEnabled()).toBe(true)
  })

  it('settings change one by one', () => {
    configureIndexDevMode({ slowQueryThresholdMs: 3 })
    configureIndexDevMode({ enabled: false })
    expect(getIndexDevModeConfig()).toEqual({ ...initial, slowQueryThresholdMs: 3, enabled: false })
    expect(isDevModeEnabled()).toBe(false)
  })

  it('averages the queries on a field, by collection', () => {
    trackQuery('todos', ['author', 'name'], 1)
    trackQuery('todos', ['author', 'name'], 3)
    trackQuery('lists', ['author', 'name'], 5)
    expect([...getQueryPatterns()]).toEqual([
      ['todos:author.name', { fieldPath: ['author', 'name'], queryCount: 2, totalTimeMs: 4, avgTimeMs: 2 }],
      ['lists:author.name', { fieldPath: ['author', 'name'], queryCount: 1, totalTimeMs: 5, avgTimeMs: 5 }],
    ])
    getQueryPatterns().clear()
    expect(getQueryPatterns().size).toBe(2)
    clearQueryPatterns()
    expect(getQueryPatterns().size).toBe(0)
  })

  it('suggests an index where queries are slow on average', () => {
    listen()
    trackQuery('todos', ['a'], 10)
    trackQuery('todos', ['a'], 9)
    expect(suggestions).toEqual([])
    trackQuery('todos', ['a'], 41)
    expect(suggestions).toEqual([
      {
        type: 'slow-query',
        collectionId: 'todos',
        fieldPath: ['a'],
        message: expect.stringContaining('"a" take 20.0 ms'),
        queryTimeMs: 20,
        queryCount: 3,
      },
    ])
  })

  it('suggests an index where there are many rows', () => {
    listen()
    noteCollectionSize('todos', ['a'], 1000)
    noteCollectionSize('todos', ['a'], 1001)
    expect(suggestions).toEqual([
      {
        type: 'collection-size',
        collectionId: 'todos',
        fieldPath: ['a'],
        message: expect.stringContaining('1001 rows'),
        collectionSize: 1001,
      },
    ])
  })

  it('a listener that throws harms nobody', () => {
    configureIndexDevMode({
      onSuggestion: () => {
        throw new Error('listener')
      },
    })
    expect(() => trackQuery('todos', ['a'], 100)).not.toThrow()
    expect(console.warn).not.toHaveBeenCalled()
  })

  it('the console hears of each field once, with the call to make', () => {
    for (let i = 0; i < 3; i++) trackQuery('todos', ['author', 'first name'], 100)
    noteCollectionSize('todos', ['author', 'first name'], 5000)
    expect(vi.mocked(console.warn).mock.calls.map(([text]) => text as string)).toEqual([
      expect.stringContaining('createIndex((row) => row.author["first name"])'),
      expect.stringContaining('5000 rows'),
    ])
    clearQueryPatterns()
    trackQuery('todos', ['author', 'first name'], 100)
    expect(console.warn).toHaveBeenCalledTimes(3)
  })

  it.each(['turned off', 'in production'])('does nothing %s', (how) => {
    listen()
    if (how === 'in production') vi.stubEnv('NODE_ENV', 'production')
    else configureIndexDevMode({ enabled: false })
    trackQuery('todos', ['a'], 100)
    noteCollectionSize('todos', ['a'], 5000)
    expect(isDevModeEnabled()).toBe(false)
    expect(suggestions).toEqual([])
    expect(getQueryPatterns().size).toBe(0)
  })
})
