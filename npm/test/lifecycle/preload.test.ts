import { describe, expect, it, vi } from 'vitest'
import { CollectionIsInErrorStateError, createCollection } from '../../src/index.ts'
import { type Row, reported, source } from '../shell/source.ts'

const failing = (failure: Error) => {
  let attempts = 0
  const collection = createCollection<Row>({
    getKey: (row) => row.id,
    sync: {
      sync: ({ markReady }) => {
        if (attempts++ === 0) throw failure
        markReady()
      },
    },
  })
  return collection
}

describe('preload', () => {
  it('is one promise until it fails', async () => {
    const { collection, params } = source({ ready: false })
    const first = collection.preload()
    expect(collection.preload()).toBe(first)
    params.markReady()
    await first
    expect(collection.preload()).toBe(first)
    params.markError(new Error('later'))
    const second = collection.preload()
    expect(second).not.toBe(first)
    await expect(second).rejects.toThrow('later')
    params.markReady()
    await expect(collection.preload()).resolves.toBeUndefined()
  })

  it('rejects with the error of a source that does not start, and may be tried again at once', async () => {
    const failure = new Error('down')
    const collection = failing(failure)
    await expect(collection.preload()).rejects.toBe(failure)
    await expect(collection.preload()).rejects.toBe(failure)
    await collection.cleanup()
    await collection.preload()
    expect(collection.status).toBe('ready')
  })

  it('rejects with the cause a source gave, or says that it gave none', async () => {
    for (const cause of [new Error('offline'), undefined]) {
      const { collection, params } = source({ ready: false })
      const waiting = collection.preload()
      params.markError(cause)
      if (cause === undefined) await expect(waiting).rejects.toThrow(CollectionIsInErrorStateError)
      else await expect(waiting).rejects.toBe(cause)
    }
  })

  it('warns once for each promise of a collection that loads on demand', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
    const { collection } = source({
      syncMode: 'on-demand',
      onSync: () => ({ loadSubset: () => true }) as never,
    })
    const first = collection.preload()
    void collection.preload()
    await first
    expect(warn).toHaveBeenCalledTimes(1)
    expect(warn.mock.calls[0]?.[0]).toContain(collection.id)
    await collection.cleanup()
    await collection.preload()
    expect(warn).toHaveBeenCalledTimes(2)
    void source().collection.preload()
    expect(warn).toHaveBeenCalledTimes(2)
    warn.mockRestore()
  })
})

describe('first readiness', () => {
  it('comes once in a session, however often the source recovers', () => {
    const { collection, params } = source({ ready: false })
    const first = vi.fn()
    collection.onFirstReady(first)
    params.markReady()
    params.markError()
    params.markReady()
    expect(first).toHaveBeenCalledTimes(1)
    const late = vi.fn()
    collection.onFirstReady(late)
    expect(late).toHaveBeenCalledTimes(1)
  })

  it('does not come to who took the callback back', () => {
    const { collection, params } = source({ ready: false })
    const first = vi.fn()
    collection.onFirstReady(first)()
    params.markReady()
    expect(first).not.toHaveBeenCalled()
  })

  it('is told to all whoever throws', async () => {
    const { collection, params } = source({ ready: false })
    const failure = new Error('callback')
    const other = vi.fn()
    collection.onFirstReady(() => {
      throw failure
    })
    collection.onFirstReady(other)
    expect(await reported(() => params.markReady())).toEqual([failure])
    expect(other).toHaveBeenCalledTimes(1)
    expect(collection.status).toBe('ready')
  })
})
