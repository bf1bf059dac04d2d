/** Puts the demo on screen: loads the files, connects the controls, and draws once per animation frame. */
import { Board } from './board.mjs'
import { FlightsApp, PAGE_SIZE } from './core.mjs'
import { parseAirports, parseFlights } from './data.mjs'
import { Meter, setText } from './meter.mjs'
import { connectPicker } from './picker.mjs'
import { Stream } from './stream.mjs'
import { formatDuration } from './timing.mjs'
import { formatClock, formatDay, placeName } from './words.mjs'

/** Changes a second that the slider offers; evenly spaced ones would make the slow rates hard to hit. */
const RATES = [0, 5, 10, 25, 50, 100, 250, 500, 1000, 2000, 3000, 4000, 5000]
const METER_EVERY = 200
const CHECK_EVERY = 1000
const FIRST_AIRPORT = 'DFW'

const element = (id) => document.getElementById(id)
const count = (number) => Math.round(number).toLocaleString('en-US')

class Page {
  #app
  #board
  #meter = new Meter(element)
  #stream
  #frame = 0
  #touched = new Map()
  #meterDue = 0
  #checkDue = 0
  #checks = { made: 0, differences: 0, recomputing: 0 }

  constructor(app) {
    this.#app = app
    this.#board = new Board(element('rows'), (code) => app.airport(code))
    this.#stream = new Stream(() => this.#step(), { rate: RATES[4], afterTick: () => this.#afterTick() })
    app.onChange = () => this.#invalidate()
    this.#connectControls()
    this.#go(choiceFromAddress(app))
    this.#stream.start()
  }

  #step() {
    const change = this.#app.step()
    if (change.kind === 'added') this.#touched.set(change.flight.id, 'added')
    else if (change.kind === 'revised' && this.#touched.get(change.id) !== 'added')
      this.#touched.set(change.id, 'revised')
  }

  #afterTick() {
    const now = performance.now()
    if (now >= this.#checkDue) this.#check(now)
    if (now >= this.#meterDue) this.#invalidate()
  }

  #invalidate() {
    if (this.#frame === 0) this.#frame = requestAnimationFrame(() => this.draw())
  }

  /** Brings the screen up to date. Runs once per frame when something changed. */
  draw() {
    cancelAnimationFrame(this.#frame)
    this.#frame = 0
    const { page } = this.#app.choice
    if (page >= this.#app.pages) this.#app.show({ ...this.#app.choice, page: this.#app.pages - 1 })
    this.#board.show(this.#app.departures, this.#touched)
    this.#touched.clear()
    this.#drawPager()
    const now = performance.now()
    if (now < this.#meterDue) return
    this.#meterDue = now + METER_EVERY
    this.#drawNumbers()
  }

  #drawPager() {
    const { total, pages, choice, departures } = this.#app
    setText(element('total'), count(total))
    setText(element('total-words'), total === 1 ? 'departure' : 'departures')
    const first = choice.page * PAGE_SIZE
    const last = first + departures.length
    setText(
      element('range'),
      total === 0 ? '0 of 0' : `${count(first + 1)}–${count(last)} of ${count(total)}`,
    )
    const focused = document.activeElement
    for (const id of ['newest', 'previous']) setDisabled(element(id), choice.page === 0)
    for (const id of ['next', 'oldest']) setDisabled(element(id), choice.page >= pages - 1)
    // A button that goes out of use under the keyboard hands the focus on, or it would be lost.
    if (focused?.matches('.pager :disabled')) element(choice.page === 0 ? 'next' : 'previous').focus()
    element('empty').hidden = total > 0
    if (total === 0) setText(element('empty'), emptyWords(choice, this.#app.airport(choice.code)))
  }

  #drawNumbers() {
    const app = this.#app
    this.#meter.show(app)
    setText(element('delivered'), `${count(this.#stream.delivered)}/s`)
    setText(element('applied'), count(app.applied))
    setText(element('flights'), count(app.flightCount))
    setText(element('clock'), `${formatDay(app.clock)} ${formatClock(app.clock)}`)
    const { made, differences, recomputing } = this.#checks
    if (made === 0) return
    element('verdict').dataset.state = differences === 0 ? 'right' : 'wrong'
    const verdict = differences === 0 ? 'all equal' : `${count(differences)} different`
    setText(element('verdict-text'), `${count(made)} ${made === 1 ? 'check' : 'checks'}, ${verdict}`)
    setText(element('scratch'), formatDuration(recomputing))
  }

  #check(now) {
    this.#checkDue = now + CHECK_EVERY
    const { difference, took } = this.#app.check()
    this.#checks.made++
    this.#checks.recomputing = took
    if (difference === undefined) return
    this.#checks.differences++
    console.error(`the live result differs from its recomputation: ${difference}`)
  }

  #go(choice) {
    this.#app.show(choice)
    this.#touched.clear()
    const { code, page, minDelay } = this.#app.choice
    const airport = this.#app.airport(code)
    setText(element('code'), code)
    setText(element('name'), airport.name)
    document.title = `${code} · Live departures · Millrace`
    element('search').value = fieldWords(airport)
    for (const radio of document.getElementsByName('delay'))
      radio.checked = radio.value === String(minDelay ?? '')
    history.replaceState(null, '', addressOf(choice))
    this.#meterDue = 0
    this.draw()
    setText(
      element('announce'),
      `${airport.name}, ${count(this.#app.total)} departures, page ${page + 1} of ${this.#app.pages}`,
    )
  }

  #turn(page) {
    const previous = this.#app.choice.page
    this.#go({ ...this.#app.choice, page: Math.min(this.#app.pages - 1, Math.max(0, page)) })
    if (this.#app.choice.page !== previous && element('board').getBoundingClientRect().top < 0) {
      element('board').scrollIntoView()
    }
  }

  #connectControls() {
    const app = this.#app
    connectPicker(
      { input: element('search'), list: element('airports'), root: element('picker') },
      {
        search: (text, limit) => app.search(text, limit),
        choose: (code) => this.#go({ ...app.choice, code, page: 0 }),
        current: () => fieldWords(app.airport(app.choice.code)),
      },
    )
    element('choose').addEventListener('submit', (event) => event.preventDefault())
    element('delays').addEventListener('change', ({ target }) => {
      this.#go({ ...app.choice, page: 0, minDelay: target.value === '' ? null : Number(target.value) })
    })
    element('newest').addEventListener('click', () => this.#turn(0))
    element('previous').addEventListener('click', () => this.#turn(app.choice.page - 1))
    element('next').addEventListener('click', () => this.#turn(app.choice.page + 1))
    element('oldest').addEventListener('click', () => this.#turn(app.pages - 1))
    element('pause').addEventListener('click', () => this.#pause(this.#stream.running))
    element('rate').addEventListener('input', () => this.#setRate(RATES[Number(element('rate').value)]))
    document.addEventListener('keydown', (event) => {
      const typing = event.target instanceof HTMLInputElement && event.target.type === 'text'
      if (event.key !== '/' || typing || event.ctrlKey || event.metaKey || event.altKey) return
      event.preventDefault()
      element('search').focus()
    })
    for (const id of ['search', 'delays', 'pause', 'rate']) element(id).disabled = false
    this.#setRate(this.#stream.rate)
  }

  #setRate(rate) {
    this.#stream.rate = rate
    element('rate').setAttribute('aria-valuetext', `${count(rate)} changes a second`)
    element('rate').style.setProperty('--filled', `${(RATES.indexOf(rate) / (RATES.length - 1)) * 100}%`)
    setText(element('rate-number'), count(rate))
  }

  #pause(paused) {
    if (paused) this.#stream.stop()
    else this.#stream.start()
    element('pause').ariaPressed = String(paused)
    setText(element('pause-word'), paused ? 'Resume' : 'Pause')
    document.body.classList.toggle('paused', paused)
    this.#meterDue = 0
    this.#invalidate()
  }

  /** What automated tests look at. `snapshot` first draws, so rows and screen belong to the same moment. */
  get inspection() {
    return {
      snapshot: () => {
        this.draw()
        return {
          choice: { ...this.#app.choice },
          applied: this.#app.applied,
          running: this.#stream.running,
          rate: this.#stream.rate,
          checks: { ...this.#checks },
          total: this.#app.total,
          rows: this.#app.plainRows(),
        }
      },
      applied: () => this.#app.applied,
      delivered: () => this.#stream.delivered,
      checks: () => ({ ...this.#checks }),
    }
  }
}

const fieldWords = ({ iata, city, name }) => `${iata} · ${city || name}`

function setDisabled(button, disabled) {
  if (button.disabled !== disabled) button.disabled = disabled
}

function emptyWords({ minDelay }, airport) {
  if (minDelay !== null) return `No departure from ${airport.name} is that late. Choose a smaller delay.`
  return `The file has no departures from ${airport.name}, ${placeName(airport)}.`
}

function addressOf({ code, page, minDelay }) {
  const parameters = new URLSearchParams({ from: code })
  if (page > 0) parameters.set('page', String(page + 1))
  if (minDelay !== null) parameters.set('delay', String(minDelay))
  return `?${parameters}`
}

function choiceFromAddress(app) {
  const parameters = new URLSearchParams(location.search)
  const code = (parameters.get('from') ?? '').toUpperCase()
  const page = Number(parameters.get('page') ?? 1)
  const offered = Array.from(document.getElementsByName('delay'), (radio) => radio.value)
  const delay = parameters.get('delay') ?? ''
  return {
    code: app.airport(code) === undefined ? FIRST_AIRPORT : code,
    page: Number.isInteger(page) && page > 0 ? page - 1 : 0,
    minDelay: delay !== '' && offered.includes(delay) ? Number(delay) : null,
  }
}

async function text(address) {
  const response = await fetch(address)
  if (!response.ok) throw new Error(`${address}: ${response.status} ${response.statusText}`)
  return response.text()
}

try {
  const [db, airportsCsv, flightsJson] = await Promise.all([
    import('millrace'),
    text('/data/airports.csv'),
    text('/data/flights.json'),
  ])
  const flights = parseFlights(flightsJson)
  const app = new FlightsApp(db, { airports: parseAirports(airportsCsv, flights), flights })
  setText(
    element('tagline'),
    `Live queries over ${count(app.flightCount)} flights and ${count(app.airportCount)} airports, answered in this tab.`,
  )
  window.flightsDemo = new Page(app).inspection
} catch (error) {
  element('fault').hidden = false
  setText(element('fault'), `The demo could not start: ${error.message}`)
  throw error
}
