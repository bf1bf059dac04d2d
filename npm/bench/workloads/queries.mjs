import { makeDataset, NEWEST } from '../dataset.mjs'
import { minimumOf, minimumOfShort, timed } from '../measure.mjs'
import { tablesOf } from '../queries/open.mjs'
import { mustShow, readAll, VIEWS } from '../queries/views.mjs'
import { ZQL_VIEWS } from '../queries/zql.mjs'

const CHECK_EVERY = 16

/**
 * One view over several tables. Hydrate: build the query and read every cell the view has. Pair: a row of one table
 * comes and goes, each delivered to a subscriber. `comment`, where the view counts comments: one comment of the newest
 * issue comes and goes.
 */
export function queryWorkload(name, scale = 1) {
  const engines = ['millrace', 'tanstack', ...(ZQL_VIEWS.includes(name) ? ['zql'] : []), 'js']
  return {
    name: scale === 1 ? name : `${name}-10x`,
    title: `${VIEWS[name].title}${scale === 1 ? '' : ` at ${scale}x the rows`}`,
    engines: scale === 1 ? engines : ['millrace'],
    run: (engine, options) => run(name, scale, engine, options),
  }
}

async function run(name, scale, engine, options) {
  const tables = makeDataset({ scale })
  const open = await tablesOf(engine)
  const db = open(tables)
  const { pair: paired } = VIEWS[name]
  let round = 0
  const hydrate = await minimumOf(async () => {
    let handle
    let rows
    const spent = timed(() => {
      handle = db.mount(name)
      rows = handle.rows()
      readAll(name, engine, rows)
    })
    if (round++ % CHECK_EVERY === 0) mustShow(name, engine, rows, tables, 'after hydrate')
    await handle.close()
    return spent
  }, options)

  const handle = db.mount(name)
  handle.rows()
  let deliveries = 0
  const unsubscribe = handle.subscribe(() => {
    deliveries++
  })
  const measurePair = async (table) => {
    const next = probes(table, tables)
    const check = (present, moment) =>
      mustShow(name, engine, handle.rows(), { ...tables, [table]: present }, moment)
    const first = next()
    db.insert(table, first)
    check([...tables[table], first], `after a row of ${table} came`)
    db.remove(table, first)
    check(tables[table], `after a row of ${table} went`)
    let pairs = 0
    deliveries = 0
    const result = await minimumOfShort(() => {
      const row = next()
      db.insert(table, row)
      db.remove(table, row)
      pairs++
    }, options)
    if (deliveries < pairs) throw new Error(`bench: ${pairs} pairs brought ${deliveries} deliveries`)
    check(tables[table], 'after all pairs')
    return result
  }
  const figures = { hydrate, pair: await measurePair(paired) }
  if (name === 'list-count') figures.comment = await measurePair('comments')
  unsubscribe()
  await handle.close()
  await db.close()
  return figures
}

/** Makes rows that come and go: newer than all others, with keys never used before. */
function probes(table, tables) {
  const first = tables[table].length + 10_000_000
  const newestOpen = tables.issues.find((issue) => issue.open).id
  let made = 0
  return () => {
    made++
    const id = first + made
    const created = NEWEST + made
    if (table === 'comments') {
      return { id, issueId: newestOpen, authorId: 1 + (made % 1000), body: `probe ${made}`, created }
    }
    return {
      id,
      title: `probe ${made}`,
      open: true,
      creatorId: 1 + (made % 1000),
      priority: table === 'issues' ? 5 + made : 0,
      created,
      modified: created,
    }
  }
}

const MOVES = 2_000

/** 2,000 changes, each of which takes one of the newest 50 by `modified` to the top. */
export const movesWorkload = {
  name: 'moves',
  title: '2,000 changes, each moving a row of the newest 50 to the top',
  engines: ['millrace', 'tanstack', 'zql', 'js'],
  async run(engine, options) {
    const tables = makeDataset()
    const db = (await tablesOf(engine))(tables)
    const handle = db.mount('recent-50')
    const order = [...tables.issues].sort((a, b) => b.modified - a.modified || a.id - b.id).slice(0, 50)
    const same = (moment) => {
      const got = handle.rows().map((row) => row.id)
      if (got.join() !== order.map((row) => row.id).join())
        throw new Error(`bench: ${engine} shows a wrong order ${moment}`)
    }
    handle.rows()
    let messages = 0
    const unsubscribe = handle.subscribe((n) => {
      messages += n
    })
    let clock = NEWEST
    let changes = 0
    messages = 0
    const round = () => {
      for (let i = 0; i < MOVES; i++) {
        const at = (i * 7 + 3) % 50
        const row = order[at]
        const next = { ...row, modified: ++clock }
        db.update('issues', row, next)
        order.splice(at, 1)
        order.unshift(next)
      }
      changes += MOVES
    }
    same('before the moves')
    const update = await minimumOf(() => timed(round), options)
    same('after the moves')
    unsubscribe()
    await handle.close()
    await db.close()
    const each = messages / changes
    if (engine === 'millrace' && each > 2) throw new Error(`bench: ${each} messages a change`)
    return { update, messages: each }
  },
}

const CHAIN = 2_000

/** An exists chain of two levels of which 2,000 rows are doomed by one change, and saved by the next. */
export function chainWorkload(direction) {
  return {
    name: `exists-${direction}`,
    title: `exists of depth 2, ${CHAIN} rows doomed by one change and saved by the next, ${direction}`,
    engines: ['millrace', 'tanstack', 'zql'],
    async run(engine, options) {
      const users = [1, 2, 3].map((id) => ({ id, name: id < 3 ? 'bot' : 'x', active: true, joined: 1 }))
      const total = CHAIN + 20
      const issues = Array.from({ length: total }, (_, i) => ({
        id: i + 1,
        title: `t${i}`,
        open: true,
        creatorId: 1,
        priority: 0,
        created: i,
        modified: i,
      }))
      const comments = Array.from({ length: total }, (_, i) => ({
        id: i + 1,
        issueId: direction === 'aligned' ? i + 1 : total - i,
        authorId: 0,
        body: 'b',
        created: i,
      }))
      for (const comment of comments) comment.authorId = comment.issueId <= CHAIN ? 1 : 2
      const db = (await tablesOf(engine))({ users, issues, comments })
      const handle = db.mount('exists-chain')
      const ids = () =>
        handle
          .rows()
          .map((row) => row.id)
          .join()
      const want = (from) => Array.from({ length: 10 }, (_, i) => from + i).join()
      const expect = (from) => {
        if (ids() !== want(from)) throw new Error(`bench: ${engine} shows ${ids()} instead of ${want(from)}`)
      }
      expect(1)
      let messages = 0
      const unsubscribe = handle.subscribe((n) => {
        messages += n
      })
      const [bot] = users
      const away = { ...bot, name: 'gone' }
      const run = { away: [], back: [] }
      messages = 0
      db.update('users', bot, away)
      run.away = messages
      expect(CHAIN + 1)
      messages = 0
      db.update('users', away, bot)
      run.back = messages
      expect(1)
      const update = await minimumOf(
        () =>
          timed(() => {
            db.update('users', bot, away)
            db.update('users', away, bot)
          }),
        options,
      )
      unsubscribe()
      await handle.close()
      await db.close()
      return { update, away: run.away, back: run.back }
    },
  }
}

const NODES = 100_000

/** A tree of 100,000 nodes under one: all of them, a subtree of about 100 moved, one leaf taken off and put back. */
export const treeWorkload = {
  name: 'tree',
  title: `all nodes under a root, ${NODES} of them (recursive)`,
  engines: ['millrace', 'js'],
  async run(engine, options) {
    const nodes = Array.from({ length: NODES }, (_, i) => ({
      id: i + 1,
      parent: i === 0 ? 0 : Math.ceil(i / 10),
    }))
    const db = (await tablesOf(engine))({ nodes })
    const hydrate = await minimumOf(
      async () => {
        let handle
        const spent = timed(() => {
          handle = db.mount('tree')
          if (handle.rows().length !== NODES)
            throw new Error(`bench: ${engine} shows ${handle.rows().length} nodes`)
        })
        await handle.close()
        return spent
      },
      { rounds: 8, ...options },
    )
    const handle = db.mount('tree')
    handle.rows()
    let messages = 0
    const unsubscribe = handle.subscribe((n) => {
      messages += n
    })
    const branch = nodes[998]
    const moved = { ...branch, parent: 50 }
    const detached = { ...branch, parent: 0 }
    const leaf = nodes[NODES - 1]
    const pairOf = (from, to) => () => {
      db.update('nodes', from, to)
      db.update('nodes', to, from)
    }
    db.update('nodes', branch, detached)
    const gone = NODES - handle.rows().length
    if (gone < 50) throw new Error(`bench: ${engine} lost ${gone} nodes`)
    db.update('nodes', detached, branch)
    if (handle.rows().length !== NODES) throw new Error(`bench: ${engine} did not get the nodes back`)
    const move = await minimumOfShort(pairOf(branch, moved), options)
    const cut = await minimumOfShort(pairOf(branch, detached), options)
    const one = await minimumOfShort(pairOf(leaf, { ...leaf, parent: 0 }), options)
    unsubscribe()
    await handle.close()
    await db.close()
    return { hydrate, move, cut, leaf: one, messages }
  },
}
