/**
 * The tables every engine is fed with: users, issues and comments, the same rows on every run.
 *
 * At scale 1: 1,000 users, 10,000 issues, 50,000 comments. Keys are integers from 1. About a third of the
 * issues is closed. `created` falls as the id rises, so the newest issue is the one with the smallest id and
 * an engine cannot serve "newest first" by reading its primary order.
 */

const SIZES = { users: 1_000, issues: 10_000, comments: 50_000 }

/** Newest `created` in the table, milliseconds since the epoch. */
export const NEWEST = Date.UTC(2025, 0, 1)

/** Columns of an issue in a fixed order; checksums and cell reads go through all of them. */
export const ISSUE_COLUMNS = ['id', 'title', 'open', 'creatorId', 'priority', 'created', 'modified']

const WORDS = [
  'anchor',
  'basin',
  'cable',
  'drift',
  'ember',
  'field',
  'gauge',
  'harbor',
  'inlet',
  'joint',
  'keel',
  'ledger',
  'meadow',
  'notch',
  'orbit',
  'paddle',
  'quarry',
  'ridge',
  'sluice',
  'tide',
  'usher',
  'valley',
  'weir',
  'yard',
]

/** Mulberry32: a small seeded generator, so that two runs measure the same rows. */
function randomFrom(seed) {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}

function sentence(random, words) {
  let text = WORDS[Math.floor(random() * WORDS.length)]
  for (let i = 1; i < words; i++) text += ` ${WORDS[Math.floor(random() * WORDS.length)]}`
  return text
}

/**
 * Builds the tables.
 * @param {{ scale?: number, only?: readonly string[] }} options `scale` multiplies the row counts; `only` names the
 *   tables to fill, the others stay empty.
 */
export function makeDataset({ scale = 1, only = ['users', 'issues', 'comments'] } = {}) {
  const count = (table) => (only.includes(table) ? SIZES[table] * scale : 0)
  const people = SIZES.users * scale
  const issues = makeIssues(count('issues'), people)
  return {
    users: makeUsers(count('users')),
    issues,
    comments: makeComments(count('comments'), SIZES.issues * scale, people),
  }
}

function makeUsers(count) {
  const random = randomFrom(11)
  const users = []
  for (let id = 1; id <= count; id++) {
    users.push({
      id,
      name: `${sentence(random, 2)} ${id}`,
      active: random() < 0.9,
      joined: NEWEST - id * 977_000,
    })
  }
  return users
}

function makeIssues(count, people) {
  const random = randomFrom(23)
  const issues = []
  for (let id = 1; id <= count; id++) {
    const created = NEWEST - id * 60_000
    issues.push({
      id,
      title: `${sentence(random, 4)} ${id}`,
      open: random() >= 1 / 3,
      creatorId: 1 + Math.floor(random() * people),
      priority: Math.floor(random() * 5),
      created,
      modified: created + Math.floor(random() * 50_000),
    })
  }
  return issues
}

function makeComments(count, issues, people) {
  const random = randomFrom(37)
  const comments = []
  for (let id = 1; id <= count; id++) {
    comments.push({
      id,
      issueId: 1 + Math.floor(random() * issues),
      authorId: 1 + Math.floor(random() * people),
      body: `${sentence(random, 8)} ${id}`,
      created: NEWEST - id * 11_000,
    })
  }
  return comments
}

/**
 * Rows that come and go during a measurement: open, newer than every loaded issue, with keys never used before.
 * A key that returns again and again would measure how the hash table of the language treats tombstones.
 */
export function probeMaker(dataset) {
  const first = dataset.issues.length
  let made = 0
  return () => {
    made++
    return {
      id: first + made,
      title: `probe ${made}`,
      open: true,
      creatorId: 1 + (made % 1000),
      priority: made % 5,
      created: NEWEST + made,
      modified: NEWEST + made,
    }
  }
}
