import { describe, expect, it } from 'vitest'
import {
  createLiveQueryCollection,
  createLiveQueryObserver,
  DbClient,
  type DehydratedLiveQueryResult,
} from '../../src/index.ts'
import { source } from '../shell/source.ts'
import { recorder, rows } from './fixture.ts'

const result = (...ids: number[]): DehydratedLiveQueryResult => ({
  rows: rows(...ids).map((value) => ({ key: value.id, value })),
})

/** A query that is loading, and a client that may know its result. */
function page(snapshot?: DehydratedLiveQueryResult) {
  const made = source({ ready: false })
  const live = createLiveQueryCollection((q) => q.from({ r: made.collection }))
  const client = new DbClient()
  let now = 0
  const arrive = (arrived: DehydratedLiveQueryResult) =>
    client.hydrate({
      collections: [],
      liveQueries: [{ queryHash: 'list', dehydratedAt: ++now, status: 'success', snapshot: arrived }],
    })
  if (snapshot !== undefined) arrive(snapshot)
  return { ...made, live, client, arrive }
}

const ids = (data: readonly { id: unknown }[] | undefined) => data?.map(({ id }) => id)

describe('a result from a server', () => {
  it('is shown as ready until the query is, and what differs is told in one batch', () => {
    const { live, client, insert, params } = page(result(1, 7))
    const observer = createLiveQueryObserver(live, { client, queryHash: 'list' })
    expect([observer.getSnapshot().isReady, live.status]).toEqual([true, 'idle'])
    const { log, listener } = recorder()
    observer.subscribe(listener)
    expect(log).toEqual(['+1 +7'])
    const shown = observer.getSnapshot()
    insert(...rows(1, 2))
    expect([log.length, observer.getSnapshot() === shown, ids(shown.data)]).toEqual([1, true, [1, 7]])
    params.markReady()
    expect(log.slice(1)).toEqual(['-7 ~1 +2'])
    expect(ids(observer.getSnapshot().data)).toEqual([1, 2])
    insert(...rows(3))
    expect(log.slice(2)).toEqual(['+3'])
  })

  it('that the query agrees with changes nothing', () => {
    const server = source({ rows: rows(1, 2) })
    const query = createLiveQueryCollection({ id: 'list', query: (q) => q.from({ r: server.collection }) })
    const there = createLiveQueryObserver(query)
    there.subscribe(() => {})
    const { collection, params, insert } = source({ id: server.collection.id, ready: false })
    const { client } = page(there.dehydrate())
    const live = createLiveQueryCollection({ id: 'list', query: (q) => q.from({ r: collection }) })
    const observer = createLiveQueryObserver(live, { client, queryHash: 'list' })
    const { log, listener } = recorder()
    observer.subscribe(listener)
    insert(...rows(1, 2))
    params.markReady()
    expect([log, observer.getSnapshot().isReady]).toEqual([['+1 +2'], true])
  })

  it('is told to wholesale listeners as far as it can be seen', () => {
    const { live, client, insert, params, arrive } = page(result(1))
    insert(...rows(1))
    const observer = createLiveQueryObserver(live, { client, queryHash: 'list', mode: 'wholesale' })
    const { log, listener } = recorder()
    observer.subscribe(listener)
    expect([log, ids(observer.getSnapshot().data)]).toEqual([[], [1]])
    arrive(result(1, 7))
    expect([log, ids(observer.getSnapshot().data)]).toEqual([['+7'], [1, 7]])
    params.markReady()
    expect(ids(observer.getSnapshot().data)).toEqual([1])
    expect(log).toEqual(['+7', '-7 ~1'])
  })

  it('may come while the query loads, and again', () => {
    const { live, client, insert, params, arrive } = page()
    const observer = createLiveQueryObserver(live, { client, queryHash: 'list' })
    const { log, listener } = recorder()
    observer.subscribe(listener)
    insert(...rows(1))
    expect(log).toEqual(['status', '+1'])
    arrive(result(7))
    expect([log[2], observer.getSnapshot().isReady]).toEqual(['-1 +7', true])
    const late = recorder()
    observer.subscribe(late.listener)
    arrive(result(7, 8))
    insert(...rows(2))
    params.markReady()
    expect(log.slice(3)).toEqual(['+8', '-7 -8 +1 +2'])
    expect(late.log).toEqual(['+7', '+8', '-7 -8 +1 +2'])
    arrive(result(9))
    expect(ids(observer.getSnapshot().data)).toEqual([1, 2])
  })

  it('gives way to an error', () => {
    const { live, client, params } = page(result(1))
    const observer = createLiveQueryObserver(live, { client, queryHash: 'list' })
    const { log, listener } = recorder()
    observer.subscribe(listener)
    const error = console.error
    console.error = () => {}
    params.markError?.(new Error('gone'))
    console.error = error
    expect([log, observer.getSnapshot().isError, observer.getSnapshot().data]).toEqual([
      ['+1', '-1', 'status'],
      true,
      [],
    ])
  })

  it('is what dehydrate gives while it is shown', () => {
    const { live, client } = page(result(1, 7))
    const observer = createLiveQueryObserver(live, { client, queryHash: 'list' })
    expect(observer.dehydrate().rows.map(({ key }) => key)).toEqual([1, 7])
  })
})
