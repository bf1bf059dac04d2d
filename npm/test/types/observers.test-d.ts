import { expectTypeOf, test } from 'vitest'
import {
  type Collection,
  createLiveQueryCollection,
  createLiveQueryObserver,
  createLiveQueryWindowController,
  isLiveQueryWindowCollection,
  type RowChange,
  resolveLiveQueryWindowInput,
} from '../../src/index.ts'

interface Issue {
  readonly id: number
  readonly title: string
}
declare const issues: Collection<Issue, number>

const many = createLiveQueryCollection((q) => q.from({ i: issues }).orderBy(({ i }) => i.title))
const one = createLiveQueryCollection((q) => q.from({ i: issues }).findOne())

test('a snapshot has all rows, or the first of a single result', () => {
  const { data } = createLiveQueryObserver(many).getSnapshot()
  expectTypeOf(data).extract<readonly unknown[]>().items.toHaveProperty('title').toEqualTypeOf<string>()
  const single = createLiveQueryObserver(one).getSnapshot().data
  expectTypeOf(single).extract<object>().toHaveProperty('title').toEqualTypeOf<string>()
  expectTypeOf(single).extract<undefined>().toEqualTypeOf<undefined>()
})

test('listeners are told of changes of rows, or of nothing', () => {
  createLiveQueryObserver(issues).subscribe((changes) => {
    expectTypeOf(changes).toEqualTypeOf<ReadonlyArray<RowChange<Issue, number>> | undefined>()
  })
})

test('a paged list has rows by page', () => {
  const { data, pages, pageParams, error } = createLiveQueryWindowController(many).getSnapshot()
  expectTypeOf(data).items.toHaveProperty('title').toEqualTypeOf<string>()
  expectTypeOf(pages).items.toEqualTypeOf<typeof data>()
  expectTypeOf(pageParams).toEqualTypeOf<readonly number[]>()
  expectTypeOf(error).toEqualTypeOf<Error | undefined>()
})

test('what a list is made from is a collection or a query', () => {
  const made = resolveLiveQueryWindowInput(many)
  if (made.kind === 'collection') expectTypeOf(made.collection).toEqualTypeOf(many)
  if (isLiveQueryWindowCollection(issues)) {
    expectTypeOf(issues.utils.setWindow).returns.toEqualTypeOf<true | Promise<void>>()
  }
})
