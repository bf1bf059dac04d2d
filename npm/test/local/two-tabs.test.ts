import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createCollection, localStorageCollectionOptions } from '../../src/index.ts'
import { plain } from '../shell/source.ts'
import { FakeStorage, type FakeTab } from './fake-storage.ts'

interface Row {
  id: number
  a?: number
  b?: number
}

/** A collection of one tab; it writes under `name` in handlers that take a microtask or more. */
const open = (tab: FakeTab, name: string, slow: boolean) => {
  const handler = async () => {
    for (let i = 0; i < 3; i++) await null
  }
  return createCollection(
    localStorageCollectionOptions<Row, number>({
      id: name,
      storageKey: 'rows',
      storage: tab,
      storageEventApi: tab,
      getKey: (row) => row.id,
      startSync: true,
      ...(slow ? { onInsert: handler, onUpdate: handler, onDelete: handler } : {}),
    }),
  )
}

type Tab = ReturnType<typeof open>

const tab = fc.nat(1)
const key = fc.integer({ min: 1, max: 3 })
const value = fc.nat(9)
const write = fc.oneof(
  fc.record({ op: fc.constant('insert' as const), tab, key, a: value, b: value }),
  fc.record({ op: fc.constant('update' as const), tab, key, a: value }),
  fc.record({ op: fc.constant('update' as const), tab, key, b: value }),
  fc.record({ op: fc.constant('delete' as const), tab, key }),
)
const step = fc.oneof(
  { weight: 6, arbitrary: write },
  { weight: 2, arbitrary: fc.record({ op: fc.constant('deliver' as const), tab }) },
  { weight: 1, arbitrary: fc.record({ op: fc.constant('restart' as const), tab }) },
  { weight: 1, arbitrary: fc.record({ op: fc.constant('fill' as const) }) },
  { weight: 2, arbitrary: fc.record({ op: fc.constant('wait' as const) }) },
)

async function microtasks(): Promise<void> {
  for (let i = 0; i < 30; i++) await null
}

const sorted = (rows: Iterable<Row>) => [...rows].sort((x, y) => x.id - y.id)
const rowsOf = (collection: Tab) => sorted(plain(collection.toArray) as Row[])
const storedIn = (storage: FakeStorage) => {
  const stored = JSON.parse(storage.items.get('rows') ?? '{}') as Record<string, { data: Row }>
  return sorted(Object.values(stored).map(({ data }) => data))
}

beforeEach(() => {
  vi.spyOn(console, 'error').mockImplementation(() => {})
})
afterEach(() => {
  vi.restoreAllMocks()
})

describe('two tabs over one storage', () => {
  let names = 0

  it('come to what is stored once all events have arrived, and lose nothing of each other', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 20 }), async (steps) => {
        const storage = new FakeStorage()
        const views = [storage.tab(), storage.tab()]
        const tabs = views.map((view) => open(view, `tab ${++names}`, false))
        /** What is stored, if each write is made on it when it is made. */
        const model = new Map<number, Row>()
        for (const given of steps) {
          if (given.op === 'fill') storage.full = 1
          else if (given.op === 'wait') await microtasks()
          else if (given.op === 'deliver') views[given.tab]!.deliver()
          else if (given.op === 'restart') {
            await microtasks()
            await tabs[given.tab]!.cleanup()
            await tabs[given.tab]!.preload()
          } else {
            const rows = tabs[given.tab]!
            if ((given.op === 'insert') === rows.has(given.key)) continue
            const refused = storage.full > 0
            const seen = plain(rows.get(given.key)) as Row | undefined
            if (given.op === 'delete') {
              rows.delete(given.key)
              if (!refused) model.delete(given.key)
            } else if (given.op === 'insert') {
              const row = { id: given.key, a: given.a, b: given.b }
              rows.insert(row)
              if (!refused) model.set(given.key, row)
            } else {
              const { op: _op, tab: _tab, key: id, ...fields } = given
              const changes = Object.entries(fields).filter(([name, v]) => seen?.[name as 'a'] !== v)
              rows.update(id, (draft) => {
                Object.assign(draft, fields)
              })
              if (changes.length === 0) continue
              if (!refused) model.set(id, { ...(model.get(id) ?? seen!), ...fields })
            }
            expect(storedIn(storage)).toEqual(sorted(model.values()))
          }
        }
        await microtasks()
        storage.deliver()
        await microtasks()
        for (const rows of tabs) {
          expect(rowsOf(rows)).toEqual(sorted(model.values()))
          expect(rows.toArray.every(({ $synced }) => $synced)).toBe(true)
        }
      }),
      { numRuns: 150 },
    )
  })

  it('agree with the storage whatever their handlers wait for', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 20 }), async (steps) => {
        const storage = new FakeStorage()
        const views = [storage.tab(), storage.tab()]
        const tabs = views.map((view, i) => open(view, `tab ${++names}`, i === 0))
        for (const given of steps) {
          if (given.op === 'fill') storage.full = 1
          else if (given.op === 'wait') await microtasks()
          else if (given.op === 'deliver') views[given.tab]!.deliver()
          else if (given.op === 'restart') {
            await microtasks()
            await tabs[given.tab]!.cleanup()
            await tabs[given.tab]!.preload()
          } else {
            const rows = tabs[given.tab]!
            if ((given.op === 'insert') === rows.has(given.key)) continue
            if (given.op === 'delete') rows.delete(given.key)
            else if (given.op === 'insert') rows.insert({ id: given.key, a: given.a, b: given.b })
            else {
              const { op: _op, tab: _tab, key: id, ...fields } = given
              rows.update(id, (draft) => {
                Object.assign(draft, fields)
              })
            }
          }
        }
        await microtasks()
        storage.deliver()
        await microtasks()
        for (const rows of tabs) expect(rowsOf(rows)).toEqual(storedIn(storage))
      }),
      { numRuns: 150 },
    )
  })
})
