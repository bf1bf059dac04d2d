import { describe, expect, it } from 'vitest'
import { trackChanges } from '../../src/drafts/changes.ts'
import type { Untyped } from '../../src/types/rows.ts'

/** An array of objects that counts how often one of its elements, or a field of one, is looked at. */
function counted(length: number) {
  const work = { items: 0, fields: 0 }
  const item = (i: number) =>
    new Proxy({ i } as { i: number }, {
      get: (target, key, receiver) => {
        if (typeof key === 'string') work.fields++
        return Reflect.get(target, key, receiver) as unknown
      },
    })
  const list = new Proxy(
    Array.from({ length }, (_, i) => item(i)),
    {
      get: (target, key, receiver) => {
        if (typeof key === 'string' && /^\d+$/.test(key)) work.items++
        return Reflect.get(target, key, receiver) as unknown
      },
    },
  )
  return { list, work }
}

const update = (row: object, edit: (draft: Untyped) => void) =>
  trackChanges([row], ([draft]) => edit(draft))[0]!

describe('the work of an update', () => {
  it('does not depend on what the other fields hold', () => {
    const { list, work } = counted(10_000)
    const row = { id: 1, name: 'a', list, meta: { n: 1 } }
    const { changes, modified } = update(row, (d) => (d.name = 'b'))
    expect(changes).toEqual({ name: 'b' })
    expect((modified as typeof row).list).toBe(list)
    update(row, (d) => (d.other = { fresh: [1] }))
    update(row, (d) => delete d.name)
    expect(work).toEqual({ items: 0, fields: 0 })
  })

  it('looks once at the other fields when a nested object changed, as they may refer to it', () => {
    const { list, work } = counted(1000)
    const row = { id: 1, list, meta: { n: 1 } }
    const { modified } = update(row, (d) => (d.meta.n = 2))
    expect((modified as typeof row).list).toBe(list)
    expect(work).toEqual({ items: 1000, fields: 1000 })
  })

  it('copies an array once and none of the elements that were not touched', () => {
    const elements = Array.from({ length: 1000 }, (_, i) => ({ i }))
    const row = { list: elements, other: [1] }
    const { modified } = update(row, (d) => (d.list[500].i = -1))
    const after = modified as typeof row
    expect(after.list.filter((item, i) => item !== elements[i])).toEqual([{ i: -1 }])
    expect(after.other).toBe(row.other)
  })

  it('makes no drafts of elements that are only moved or searched, but of those taken out', () => {
    const { list, work } = counted(1000)
    update({ list: list.slice() }, (d) => {
      work.fields = 0
      d.list.unshift({ i: -1 })
      d.list.splice(3, 1)
      d.list.reverse()
      expect(d.list.includes(5)).toBe(false)
      expect(work.fields).toBe(1)
    })
  })
})
