import { describe, expect, it, vi } from 'vitest'
import { insideOf } from '../../src/collection/access.ts'
import { theSession } from '../../src/collection/the-session.ts'
import { DuplicateKeySyncError } from '../../src/index.ts'
import type { RootCollection } from '../../src/sync/root-collection.ts'
import { list, type Source, source } from '../shell/source.ts'

const rootOf = ({ collection }: Source) => insideOf(collection) as RootCollection

function seeded(options: Parameters<typeof source>[0] = {}) {
  const feed = source({ startSync: false, rowUpdateMode: 'partial', ...options })
  rootOf(feed).seed([
    { key: 1, value: { id: 1, a: 1, b: 1 }, metadata: { v: 1 } },
    { key: 2, value: { id: 2, a: 1 } },
  ])
  return feed
}

describe('seeds', () => {
  it('show before the source runs, as confirmed rows with their metadata, and do not start it', () => {
    const feed = seeded()
    expect([feed.collection.status, feed.sessions]).toEqual(['idle', 0])
    expect(feed.collection.get(1)).toMatchObject({ a: 1, $synced: true, $origin: 'remote' })
    expect(feed.collection._state.syncedMetadata.get(1)).toEqual({ v: 1 })
    expect(feed.collection._hasHydratedKey(1)).toBe(true)
  })

  it('are updated by the first insert of the source, merged or replaced as it says', () => {
    for (const mode of ['partial', 'full'] as const) {
      const feed = seeded({ rowUpdateMode: mode })
      const changes = vi.fn()
      feed.collection.subscribeChanges(changes, { includeInitialState: false })
      feed.insert({ id: 1, a: 2 })
      expect(list(feed.collection)[0]).toEqual(mode === 'partial' ? { id: 1, a: 2, b: 1 } : { id: 1, a: 2 })
      expect(changes.mock.calls.flat(2).filter(({ type }) => type === 'update')).toHaveLength(1)
      expect(feed.collection._hasHydratedKey(1)).toBe(false)
      expect(feed.collection._state.syncedMetadata.get(1)).toBeUndefined()
    }
  })

  it('count as rows of the source after that', () => {
    const feed = seeded()
    feed.collection.startSyncImmediate()
    feed.insert({ id: 1, a: 2 })
    feed.params.begin()
    expect(() => feed.params.write({ type: 'insert', value: { id: 1, a: 3 } })).toThrow(DuplicateKeySyncError)
  })

  it('are none any more once the source has deleted them or replaced all rows', () => {
    for (const remove of [
      (feed: Source) => feed.remove(1),
      (feed: Source) => feed.commit(({ truncate }) => truncate()),
    ]) {
      const feed = seeded()
      feed.collection.startSyncImmediate()
      remove(feed)
      expect(feed.collection.has(1)).toBe(false)
      expect(feed.collection._hasHydratedKey(1)).toBe(false)
      feed.insert({ id: 1, a: 5 })
      feed.params.begin()
      expect(() => feed.params.write({ type: 'insert', value: { id: 1, a: 6 } })).toThrow(
        DuplicateKeySyncError,
      )
    }
  })

  it('go with a cleanup', async () => {
    const feed = seeded()
    await feed.collection.cleanup()
    expect([feed.collection.size, feed.collection._hasHydratedKey(1)]).toEqual([0, false])
  })

  it('can come while the source runs and lie below local writes', () => {
    const feed = source({ rows: [{ id: 9 }], onInsert: () => new Promise(() => {}) })
    feed.collection.insert({ id: 1, a: 5 })
    rootOf(feed).seed([{ key: 1, value: { id: 1, a: 1 } }])
    expect(feed.collection.get(1)).toMatchObject({ a: 5, $synced: false })
    expect(feed.collection._state.syncedData.get(1)).toEqual({ id: 1, a: 1 })
  })
})

describe('the work of a commit', () => {
  it('is one message, whatever it writes, unless it changes the status', () => {
    const feed = source({ rows: [{ id: 1, a: 1 }], rowUpdateMode: 'partial' })
    const send = vi.spyOn(theSession().engine, 'command')
    const messages = (run: () => void) => {
      send.mockClear()
      run()
      return send.mock.calls.length
    }
    expect(messages(() => feed.insert({ id: 2 }))).toBe(1)
    expect(messages(() => feed.update({ id: 2, a: 1 }, { id: 1, a: 2 }))).toBe(1)
    expect(messages(() => feed.remove(1, 2))).toBe(1)
    expect(messages(() => feed.commit(() => {}))).toBe(0)
    expect(messages(() => feed.commit(({ metadata }) => metadata.collection.set('x', 1)))).toBe(0)
    expect(messages(() => feed.commit(({ truncate }) => truncate()))).toBe(1)
    send.mockRestore()
  })

  it('merges a partial update without asking for it unless local writes are under way', () => {
    const feed = source({
      rows: [{ id: 1, a: 1, b: 1 }],
      rowUpdateMode: 'partial',
      onUpdate: () => new Promise(() => {}),
    })
    const compose = vi.spyOn(rootOf(feed).source, 'compose')
    feed.update({ id: 1, a: 2 })
    expect(compose).not.toHaveBeenCalled()
    const transaction = feed.collection.update(1, (draft) => {
      ;(draft as Record<string, unknown>).b = 2
    })
    // What the write is expected to show is sent with it.
    expect(compose).not.toHaveBeenCalled()
    feed.params.begin({ immediate: true })
    feed.params.write({ type: 'update', value: { id: 1, a: 3 } })
    feed.params.commit()
    expect(compose).toHaveBeenCalled()
    expect(feed.collection.get(1)).toMatchObject({ a: 3, b: 2 })
    transaction.rollback()
    expect(feed.collection.get(1)).toMatchObject({ a: 3, b: 1 })
    compose.mockClear()
    feed.update({ id: 1, a: 4 })
    expect(compose).not.toHaveBeenCalled()
  })
})
