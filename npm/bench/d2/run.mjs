import { execFile, execFileSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs, promisify } from 'node:util'
import { ensurePeers } from '../peers.mjs'
import { inProcess } from '../process.mjs'
import { judge } from './aims.mjs'
import { build, NATIVE } from './build.mjs'
import { cannot, remarkOn } from './ivm.mjs'
import { markdownReport, textReport } from './report.mjs'

/**
 * node npm/bench/d2/run.mjs [--only part-of-a-name]... [--engine name]... [--json file]
 *
 * The dataflow engine by itself: native, as wasm, and @tanstack/db-ivm. One process per engine and workload, one after
 * the other. Prints the report, and writes the figures to npm/bench/results/d2-latest.json (or `--json`) with the same
 * report as markdown beside it. Ends with code 1 if an engine failed or two of them put out different rows; a missed
 * aim is a finding, not a failure.
 */

const ENGINES = ['native', 'wasm', 'db-ivm']
const CHILD = fileURLToPath(new URL('./child.mjs', import.meta.url))
const DEFAULT_JSON = fileURLToPath(new URL('../results/d2-latest.json', import.meta.url))
const LONGEST_MS = 300_000

function readArguments() {
  const { values } = parseArgs({
    options: {
      only: { type: 'string', multiple: true },
      engine: { type: 'string', multiple: true, default: ENGINES },
      json: { type: 'string', default: DEFAULT_JSON },
    },
  })
  for (const engine of values.engine) {
    if (!ENGINES.includes(engine))
      throw new Error(`bench: no engine ${engine}; there are ${ENGINES.join(', ')}`)
  }
  return { only: values.only, engines: values.engine, json: path.resolve(values.json) }
}

/** What the native program prints when it is asked. */
const asked = (...question) => JSON.parse(execFileSync(NATIVE, question, { maxBuffer: 1 << 26 }).toString())

async function natively(workload) {
  try {
    const { stdout } = await promisify(execFile)(NATIVE, ['-measure', String(workload.number)], {
      timeout: LONGEST_MS,
    })
    return JSON.parse(stdout)
  } catch (error) {
    return { failed: String(error.stderr || error) }
  }
}

const inNode = (engine, workload) =>
  inProcess(CHILD, [engine, JSON.stringify(workload)], {
    longestMs: LONGEST_MS,
    nodeArgs: ['--max-old-space-size=8192'],
  })

/** Engines a workload is measured with; tables of many cells keep to what they show. */
function enginesOf(workload, engines) {
  return engines.filter(
    (engine) =>
      (engine !== 'db-ivm' || cannot(workload) === undefined) &&
      !(engine === 'wasm' && workload.name.startsWith('crossover R=10,000 ')),
  )
}

function disagreement(byEngine) {
  const sums = Object.entries(byEngine).flatMap(([engine, { checksum }]) =>
    checksum === undefined ? [] : [[engine, checksum]],
  )
  return sums.some(([, sum]) => sum !== sums[0][1])
    ? `different rows were put out: ${sums.map(([engine, sum]) => `${engine} ${sum}`).join(', ')}`
    : undefined
}

async function main() {
  const { only, engines, json } = readArguments()
  if (engines.includes('db-ivm')) ensurePeers()
  build()
  const wanted = ({ name }) => only === undefined || only.some((part) => name.includes(part))
  const workloads = asked('-list')
    .map((workload, number) => ({ ...workload, number }))
    .filter(wanted)
  const run = {
    machine: {
      cpu: os.cpus()[0]?.model ?? 'unknown processor',
      cpus: os.cpus().length,
      os: `${os.platform()} ${os.release()}`,
      node: process.version,
      load: os.loadavg(),
    },
    clocks: {},
    versions: {},
    workloads: [],
    counted: only === undefined ? asked('-tables') : {},
    aims: [],
  }
  let failures = 0
  for (const workload of workloads) {
    const results = {}
    for (const engine of enginesOf(workload, engines)) {
      process.stderr.write(`${workload.name}: ${engine} ...\n`)
      const answer = engine === 'native' ? await natively(workload) : await inNode(engine, workload)
      const { version, clock, ...figures } = answer
      if (figures.failed) {
        failures++
        process.stderr.write(`${figures.failed}\n`)
      }
      if (version) run.versions[engine] = version
      if (clock && !workload.steps) run.clocks[engine] = clock
      results[engine] = figures
    }
    const wrong = disagreement(results)
    if (wrong !== undefined) {
      failures++
      process.stderr.write(`${workload.name}: ${wrong}\n`)
    }
    run.workloads.push({
      ...workload,
      results,
      wrong,
      remark: engines.includes('db-ivm') ? (cannot(workload) ?? remarkOn(workload)) : undefined,
    })
  }
  run.aims = judge(run.workloads)
  fs.mkdirSync(path.dirname(json), { recursive: true })
  fs.writeFileSync(json, `${JSON.stringify(run, null, 2)}\n`)
  const markdown = json.replace(/(\.json)?$/, '.md')
  fs.writeFileSync(markdown, `${markdownReport(run)}\n`)
  process.stdout.write(`${textReport(run)}\n\nfigures: ${json}\nmarkdown: ${markdown}\n`)
  if (failures > 0) process.exitCode = 1
}

await main()
