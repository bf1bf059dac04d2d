/**
 * Reads the two files of `vega-datasets` that the demo runs on. Pure functions: text in, rows out.
 *
 * @typedef {object} Airport
 * @property {string} iata code, the key of the collection
 * @property {string} name
 * @property {string} city empty when the file does not know it
 * @property {string} state two-letter code, empty outside the United States
 * @property {string} stateName
 * @property {string} country
 * @property {number} departures flights of the file that start here
 *
 * @typedef {object} Flight
 * @property {number} id position in the file; flights added later continue the count
 * @property {number} date departure in milliseconds, the file's local clock read as if it were UTC
 * @property {number} delay minutes, negative when early
 * @property {number} distance miles
 * @property {string} origin airport code
 * @property {string} destination airport code
 */
import { STATE_NAMES } from './states.mjs'

/** Splits CSV text into records of fields, with quoted fields and doubled quotes. Linear in the text. */
export function parseCsv(text) {
  const records = []
  let fields = []
  let at = 0
  while (at < text.length) {
    let field
    if (text[at] === '"') {
      ;[field, at] = quotedField(text, at)
    } else {
      const start = at
      while (at < text.length && text[at] !== ',' && text[at] !== '\n' && text[at] !== '\r') at++
      field = text.slice(start, at)
    }
    fields.push(field)
    if (text[at] === ',') {
      at++
      if (at === text.length) fields.push('')
      continue
    }
    if (text[at] === '\r') at++
    if (text[at] === '\n') at++
    records.push(fields)
    fields = []
  }
  if (fields.length > 0) records.push(fields)
  return records
}

function quotedField(text, open) {
  let field = ''
  let at = open + 1
  for (;;) {
    const close = text.indexOf('"', at)
    if (close < 0) throw new Error(`CSV: the quote opened at character ${open} is never closed`)
    field += text.slice(at, close)
    if (text[close + 1] !== '"') return [field, close + 1]
    field += '"'
    at = close + 2
  }
}

const known = (text) => (text === 'NA' ? '' : text)

/**
 * Rows of `airports.csv`, with the number of departures counted from the flights.
 * @param {string} csv
 * @param {readonly Flight[]} flights
 * @returns {Airport[]}
 */
export function parseAirports(csv, flights) {
  const departures = new Map()
  for (const { origin } of flights) departures.set(origin, (departures.get(origin) ?? 0) + 1)
  const [header, ...records] = parseCsv(csv)
  if (header?.[0] !== 'iata')
    throw new Error(`airports.csv: expected a header starting with "iata", got "${header}"`)
  return records.map(([iata, name, city, state, country]) => ({
    iata,
    name,
    city: known(city),
    state: known(state),
    stateName: STATE_NAMES.get(state) ?? '',
    country,
    departures: departures.get(iata) ?? 0,
  }))
}

/**
 * Rows of `flights-20k.json`. The file is in departure order and has no key, so the position becomes the id.
 * @param {string} json
 * @returns {Flight[]}
 */
export function parseFlights(json) {
  return JSON.parse(json).map(({ date, delay, distance, origin, destination }, id) => ({
    id,
    date: parseDate(date),
    delay,
    distance,
    origin,
    destination,
  }))
}

function parseDate(text) {
  const parts = /^(\d{4})\/(\d\d)\/(\d\d) (\d\d):(\d\d)$/.exec(text)
  if (parts === null) throw new Error(`flights: expected a date like "2001/01/01 00:47", got "${text}"`)
  const [, year, month, day, hour, minute] = parts.map(Number)
  return Date.UTC(year, month - 1, day, hour, minute)
}
