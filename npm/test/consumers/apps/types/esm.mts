import { createCollection, createLiveQueryCollection, eq, localOnlyCollectionOptions } from 'millrace'

interface Issue {
  id: number
  title: string
  open: boolean
}

const issues = createCollection(
  localOnlyCollectionOptions({ id: 'issues', getKey: (issue: Issue) => issue.id }),
)
const open = createLiveQueryCollection((q) =>
  q.from({ issue: issues }).where(({ issue }) => eq(issue.open, true)),
)
export const titles: string[] = open.toArray.map((issue) => issue.title)
// @ts-expect-error rows are typed: there is no such field
export const wrong = open.toArray.map((issue) => issue.titel)
