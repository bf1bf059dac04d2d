/** The demo's job without a browser: load, query, stream changes, check, print. Used by `serve.mjs --terminal`. */
import { readFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { FlightsApp, PAGE_SIZE } from './core.mjs'
import { parseAirports, parseFlights } from './data.mjs'
import { dataFiles, loadLibrary } from './sources.mjs'
import { formatDuration } from './timing.mjs'
import { formatClock, formatDay, formatDelay, placeName } from './words.mjs'

const USAGE = `Live departures over vega-datasets, kept up to date by a live query.

  node serve.mjs [--port N]                 serve the page on 127.0.0.1
  node serve.mjs --terminal [choices]       run the same job here and exit

  --airport CODE    departures from (DFW)     --changes N    changes to stream (5000)
  --min-delay N     at least N minutes late   --checks N     recomputations on the way (50)
  --page N          page, counted from 1 (1)  --rows N       rows to print (20)
  --seed N          seed of the changes`

const OPTIONS = {
  terminal: { type: 'boolean' },
  help: { type: 'boolean' },
  airport: { type: 'string', default: 'DFW' },
  'min-delay': { type: 'string' },
  page: { type: 'string', default: '1' },
  changes: { type: 'string', default: '5000' },
  checks: { type: 'string', default: '50' },
  rows: { type: 'string', default: '20' },
  seed: { type: 'string', default: '20010401' },
}

/**
 * @param {string[]} args command line after the script
 * @returns {Promise<number>} exit code: 0, or 1 when a live result differed from its recomputation
 */
export async function runTerminal(args) {
  const { values } = parseArgs({ args, options: OPTIONS })
  if (values.help) {
    console.log(USAGE)
    return 0
  }
  const whole = (name, least) => wholeNumber(name, values[name], least)
  const files = dataFiles()
  const flights = parseFlights(await readFile(files.flights, 'utf8'))
  const airports = parseAirports(await readFile(files.airports, 'utf8'), flights)
  const app = new FlightsApp(await loadLibrary(), { airports, flights, seed: whole('seed', 0) })
  console.log(
    `loaded    ${count(app.airportCount)} airports and ${count(app.flightCount)} flights in ${formatDuration(app.loadTime)}`,
  )

  const airport = app.airport(values.airport.toUpperCase())
  if (airport === undefined) throw new Error(`no airport with the code "${values.airport}"`)
  const minDelay = values['min-delay'] === undefined ? null : whole('min-delay', -1440)
  app.show({ code: airport.iata, page: whole('page', 1) - 1, minDelay })
  console.log(
    `query     ${count(app.total)} departures match, page built in ${formatDuration(app.queryTime)}`,
  )

  const outcome = stream(app, whole('changes', 0), whole('checks', 1))
  report(app, outcome)
  console.log(`\n${departuresTable(app, airport, whole('rows', 0))}`)
  await app.close()
  if (outcome.difference === undefined) return 0
  console.error(`\nthe live result differs from its recomputation: ${outcome.difference}`)
  return 1
}

function wholeNumber(name, text, least) {
  const number = Number(text)
  if (!Number.isInteger(number) || number < least) {
    throw new Error(`--${name}: expected a whole number of at least ${least}, got "${text}"`)
  }
  return number
}

function stream(app, changes, wantedChecks) {
  const every = Math.max(1, Math.floor(changes / wantedChecks))
  const kinds = { revised: 0, added: 0, cancelled: 0 }
  const recomputing = []
  const check = () => {
    const { difference, took } = app.check()
    recomputing.push(took)
    return difference
  }
  let difference = check()
  for (let made = 1; made <= changes && difference === undefined; made++) {
    kinds[app.step().kind]++
    if (made % every === 0 || made === changes) difference = check()
  }
  return { kinds, difference, checks: recomputing.length, recomputing: median(recomputing) }
}

const median = (numbers) => numbers.sort((a, b) => a - b)[numbers.length >> 1]

function report(app, { kinds, difference, checks, recomputing }) {
  console.log(
    `stream    ${count(app.applied)} changes: ${count(kinds.revised)} delays revised, ` +
      `${count(kinds.added)} flights added, ${count(kinds.cancelled)} cancelled`,
  )
  const line = (label, summary) =>
    summary &&
    console.log(`${label}median ${formatDuration(summary.median)}, p99 ${formatDuration(summary.p99)}`)
  line('update    ', app.timings.summary())
  line('on page   ', app.reachedTimings.summary())
  const verdict = difference === undefined ? 'no difference' : 'a DIFFERENCE'
  console.log(`check     ${checks} recomputations, ${verdict}; one takes ${formatDuration(recomputing)}`)
}

function departuresTable(app, airport, rows) {
  const { page } = app.choice
  const shown = app.departures.slice(0, rows)
  const lines = shown.map((flight) => {
    const to = app.airport(flight.destination)
    return [
      formatDay(flight.date),
      formatClock(flight.date),
      flight.destination,
      clip(to === undefined ? '' : placeName(to), 28).padEnd(28),
      `${count(flight.distance)} mi`.padStart(8),
      formatDelay(flight.delay).padStart(9),
    ].join('  ')
  })
  const first = page * PAGE_SIZE + (shown.length > 0 ? 1 : 0)
  const title = `${airport.iata}  ${airport.name}, ${placeName(airport)}`
  const range = `${count(first)}–${count(page * PAGE_SIZE + shown.length)} of ${count(app.total)}, newest first`
  return [title, range, '', ...lines].join('\n')
}

const clip = (text, length) => (text.length > length ? `${text.slice(0, length - 1)}…` : text)
const count = (number) => number.toLocaleString('en-US')
