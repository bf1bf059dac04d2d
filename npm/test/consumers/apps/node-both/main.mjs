// Both module systems in one process: two copies of the library, one engine.
import { createRequire } from 'node:module'
import * as esm from 'millrace'
import { scenario } from '../scenario.mjs'

const cjs = createRequire(import.meta.url)('millrace')
const engine = () => globalThis[Symbol.for('millrace/engine')]

const before = engine()
const first = await scenario(esm)
const started = engine()
const second = await scenario(cjs)
console.log(
  JSON.stringify({
    copies: esm.createCollection === cjs.createCollection ? 1 : 2,
    startedOnlyWhenUsed: before === undefined && started !== undefined,
    sharedEngine: engine() === started,
    first,
    second,
  }),
)
