import { importPeer, peerVersion } from '../engines/peer-files.mjs'
import { checksumOf, Dice, fold } from './numbers.mjs'

/**
 * @tanstack/db-ivm, the dataflow that @tanstack/db runs its queries on: the same graphs over the same rows. Where it
 * says a thing otherwise, the remark tells how.
 */

const TOP = 'the operator of @tanstack/db for ordered queries keeps every row and needs no index'
const EXISTS = 'it has no semi-join: inner joins, then distinct'

const remarks = {
  wide: 'every branch has an output of its own, for a union of so many is a chain of as many operators',
  'top 50': TOP,
  exists: EXISTS,
}

/** Why a workload is left out, or undefined. */
export function cannot({ name, group }) {
  if (name.startsWith('loop')) return 'left out, it has no loops'
  if (name.startsWith('diamonds')) return 'left out, it sends two messages for one through every fork'
  if (name.includes('retained')) return 'left out, it keeps every row in the same workload above'
  if (group === 'crossover' || group === 'hydrate') return 'left out, it has no windows over an index'
  return undefined
}

/** What the report says about a workload. */
export const remarkOn = ({ name }) => Object.entries(remarks).find(([prefix]) => name.startsWith(prefix))?.[1]

/** A graph under construction and what becomes of its output. */
class Scene {
  sum = 0

  constructor(api) {
    this.api = api
    this.graph = new api.D2()
  }

  /** A sink: the checksum of what arrives is that of each row by its weight. */
  output(of) {
    return this.api.output((batch) => {
      for (const [row, weight] of batch.getInner()) this.sum = (this.sum + Math.imul(weight, of(row))) | 0
    })
  }

  input() {
    return this.graph.newInput()
  }

  load(input, rows) {
    input.sendData(new this.api.MultiSet(rows.map((row) => [row, 1])))
    this.graph.run()
  }

  /** Runs one change of a row. */
  replace(input, before, after) {
    const batch = []
    if (before !== undefined) batch.push([before, -1])
    if (after !== undefined) batch.push([after, 1])
    input.sendData(new this.api.MultiSet(batch))
    this.graph.run()
  }
}

const number = (row) => fold(0, row)

function pushing(scene, input, rows) {
  const batch = new scene.api.MultiSet(rows.map((row) => [row, 1]))
  return () => {
    input.sendData(batch)
    scene.graph.run()
  }
}

function chain(scene, length) {
  const input = scene.input()
  let stream = input
  for (let i = 0; i < length; i++) stream = stream.pipe(scene.api.map((x) => x + 1))
  stream.pipe(scene.output(number))
  scene.graph.finalize()
  return pushing(scene, input, [3])
}

function wide(scene, branches) {
  const { map, filter } = scene.api
  const runs = []
  for (let i = 0; i < branches; i++) {
    const input = scene.input()
    input.pipe(
      filter((x) => x > 0),
      map((x) => x + 1),
      map((x) => 2 * x),
      scene.output(number),
    )
    runs.push(pushing(scene, input, [3]))
  }
  scene.graph.finalize()
  let next = 0
  return () => {
    runs[next]()
    next = (next + 1) % branches
  }
}

const JOIN_ROWS = 10_000
const FAN_OUT = 10

function joined(scene, replacesRight) {
  const { map, join } = scene.api
  const left = Array.from({ length: JOIN_ROWS }, (_, key) => ({
    key,
    a: key % (JOIN_ROWS / FAN_OUT),
    b: key,
  }))
  const right = Array.from({ length: JOIN_ROWS }, (_, key) => ({ key, a: 0, b: key }))
  const lefts = scene.input()
  const rights = scene.input()
  const byKey = rights.pipe(map((row) => [row.key, row]))
  lefts.pipe(
    map((row) => [row.a, row]),
    join(byKey, 'inner'),
    scene.output(([, [l, r]]) => fold(checksumOf(l), checksumOf(r))),
  )
  scene.graph.finalize()
  scene.load(lefts, left)
  scene.load(rights, right)
  const [table, input, below] = replacesRight
    ? [right, rights, JOIN_ROWS / FAN_OUT]
    : [left, lefts, JOIN_ROWS]
  const pick = new Dice(1)
  return () => {
    const key = pick.below(below)
    const before = table[key]
    table[key] = { ...before, b: before.b + 1 }
    scene.replace(input, before, table[key])
  }
}

const REDUCE_ROWS = 10_000
const REDUCE_GROUPS = 100
const REDUCE_VALUES = 1_000_000

function reduced(scene) {
  const { groupBy, groupByOperators } = scene.api
  const { count, sum, min, max } = groupByOperators
  const fill = new Dice(2)
  const rows = Array.from({ length: REDUCE_ROWS }, (_, key) => ({
    key,
    a: key % REDUCE_GROUPS,
    b: fill.below(REDUCE_VALUES),
  }))
  const input = scene.input()
  input.pipe(
    groupBy((row) => ({ group: row.a }), {
      count: count(),
      sum: sum((row) => row.b),
      least: min((row) => row.b),
      most: max((row) => row.b),
    }),
    scene.output(([, g]) => [g.count, g.sum, g.least, g.most].reduce(fold, fold(0, g.group))),
  )
  scene.graph.finalize()
  scene.load(input, rows)
  const pick = new Dice(3)
  return () => {
    const key = pick.below(REDUCE_ROWS)
    const before = rows[key]
    rows[key] = { ...before, b: pick.below(REDUCE_VALUES) }
    scene.replace(input, before, rows[key])
  }
}

const TOP_ROWS = 1_000_000
const TOP_LIMIT = 50
const GAP = 1 << 10
const FLOOR = 2 ** 30

const spaced = (n) => Array.from({ length: n }, (_, key) => ({ key, a: FLOOR + key * GAP, b: 1 }))

function topStream(scene, limit) {
  const input = scene.input()
  input.pipe(
    scene.api.map((row) => [row.key, row]),
    scene.api.topKWithFractionalIndex((x, y) => x.a - y.a, { limit }),
    scene.output(([, [row]]) => checksumOf(row)),
  )
  scene.graph.finalize()
  return input
}

function top(scene, near) {
  const input = topStream(scene, TOP_LIMIT)
  scene.load(input, spaced(TOP_ROWS))
  const within = near ? TOP_LIMIT : TOP_ROWS
  const pick = new Dice(4)
  let extra
  return () => {
    const before = extra
    extra =
      before === undefined ? { key: TOP_ROWS, a: FLOOR + pick.below(within) * GAP + 1, b: 1 } : undefined
    scene.replace(input, before, extra)
  }
}

function topHydrate(scene) {
  const rows = spaced(TOP_ROWS)
  return () => {
    const fresh = new Scene(scene.api)
    fresh.load(topStream(fresh, TOP_LIMIT), rows)
  }
}

const ISSUES = 2000
const SURVIVORS = 50
const EXISTS_LIMIT = 10
const OTHER = 0
const BOT = 1

function exists(scene, depth) {
  const { map, filter, join, distinct } = scene.api
  const total = ISSUES + SURVIVORS
  const of = (key) => (key < ISSUES ? 0 : 1)
  const keys = Array.from({ length: total }, (_, key) => key)
  const issues = keys.map((key) => ({ key, a: key, b: 0 }))
  const comments = keys.map((key) => ({ key, a: key, b: depth === 2 ? of(key) : key }))
  const authors = keys.map((key) => ({ key, a: of(key), b: 0 }))
  const last = [0, 1].map((key) => ({ key, a: 0, b: BOT }))

  // The distinct keys of a stream of [key, anything] pairs.
  const keysOf = (stream) =>
    stream.pipe(
      map(([key]) => [key, key]),
      distinct(([key]) => key),
      map(([, key]) => [key, key]),
    )
  const issueRows = scene.input()
  const commentRows = scene.input()
  const authorRows = scene.input()
  const lastRows = scene.input()
  let bots = lastRows.pipe(
    filter((row) => row.b === BOT),
    map((row) => [row.key, row]),
  )
  if (depth === 3) {
    bots = keysOf(
      authorRows.pipe(
        map((row) => [row.a, row]),
        join(keysOf(bots), 'inner'),
        map(([, [author]]) => [author.key, author]),
      ),
    )
  } else {
    bots = keysOf(bots)
  }
  const commented = keysOf(
    commentRows.pipe(
      map((row) => [row.b, row]),
      join(bots, 'inner'),
      map(([, [comment]]) => [comment.a, comment]),
    ),
  )
  issueRows.pipe(
    map((row) => [row.key, row]),
    join(commented, 'inner'),
    map(([, [issue]]) => [issue.key, issue]),
    scene.api.topKWithFractionalIndex((x, y) => x.a - y.a, { limit: EXISTS_LIMIT }),
    scene.output(([, [issue]]) => checksumOf(issue)),
  )
  scene.graph.finalize()
  scene.load(issueRows, issues)
  scene.load(commentRows, comments)
  if (depth === 3) scene.load(authorRows, authors)
  scene.load(lastRows, last)
  let name = OTHER
  return () => {
    const before = last[0]
    last[0] = { ...before, b: name }
    name = BOT - name
    scene.replace(lastRows, before, last[0])
  }
}

const builders = {
  chain: (scene, size) => chain(scene, size),
  wide: (scene, size) => wide(scene, size),
  'join, left row': (scene) => joined(scene, false),
  'join, right row of': (scene) => joined(scene, true),
  reduce: (scene) => reduced(scene),
  'exists, depth': (scene, size) => exists(scene, size),
  'top 50 of 1,000,000, near the top': (scene) => top(scene, true),
  'top 50 of 1,000,000, anywhere': (scene) => top(scene, false),
  'top 50 of 1,000,000, hydrate': (scene) => topHydrate(scene),
}

/** The builder of a workload, found by its name, which may end in a size. */
function builderOf(name) {
  if (builders[name]) return (scene) => builders[name](scene)
  const [, shape, size] = /^(.*?) ([\d,]+)$/.exec(name) ?? []
  return (scene) => builders[shape](scene, Number(size.replaceAll(',', '')))
}

export async function open(workload) {
  const api = await importPeer('@tanstack/db-ivm/dist/esm/index.js')
  const scene = new Scene(api)
  const run = builderOf(workload.name)(scene)
  scene.sum = 0
  return {
    version: peerVersion('@tanstack/db-ivm'),
    runs: (n) => {
      for (let i = 0; i < n; i++) run()
    },
    checksum: () => scene.sum >>> 0,
  }
}
