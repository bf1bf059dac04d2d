/** The table of departures. Rows are kept by flight and patched; a row that stays in place is not touched. */
import { formatClock, formatDay, formatDelay, placeName } from './words.mjs'

const FLASH = { duration: 1000, easing: 'ease-out' }
const FRESH = 500
/** A delay bar is full at this many minutes. */
const BAR_FULL = 180

export class Board {
  #body
  #airport
  #rows = new Map()

  /**
   * @param {HTMLTableSectionElement} body
   * @param {(code: string) => import('./data.mjs').Airport | undefined} airport
   */
  constructor(body, airport) {
    this.#body = body
    this.#airport = airport
  }

  /**
   * Makes the table show these flights in this order. Cost: one comparison per row, DOM work per difference.
   * @param {readonly import('./data.mjs').Flight[]} flights
   * @param {ReadonlyMap<number, string>} touched kinds of change ("added", "revised") by flight, to be flashed
   */
  show(flights, touched) {
    const wanted = new Set(flights.map((flight) => flight.id))
    for (const [id, row] of this.#rows) {
      if (wanted.has(id)) continue
      row.element.remove()
      this.#rows.delete(id)
    }
    let place = this.#body.firstElementChild
    for (const flight of flights) {
      const row = this.#rows.get(flight.id) ?? this.#create(flight)
      if (row.element === place) place = place.nextElementSibling
      else this.#body.insertBefore(row.element, place)
      row.patch(flight)
      const kind = touched.get(flight.id)
      if (kind !== undefined) row.flash(kind)
    }
  }

  #create(flight) {
    const row = new Row(flight, this.#airport(flight.destination))
    this.#rows.set(flight.id, row)
    return row
  }
}

class Row {
  element = document.createElement('tr')
  #delay = document.createElement('td')
  #delayText = document.createElement('span')
  #bar = document.createElement('span')
  #shownDelay
  #flash

  constructor(flight, destination) {
    const departs = document.createElement('td')
    departs.className = 'departs'
    departs.append(span('time', formatClock(flight.date)), ' ', span('day', formatDay(flight.date)))
    const to = document.createElement('td')
    to.className = 'to'
    to.append(span('iata', flight.destination), ' ', span('city', destination ? placeName(destination) : ''))
    const distance = document.createElement('td')
    distance.className = 'distance'
    distance.textContent = `${flight.distance.toLocaleString('en-US')} mi`
    this.#delay.className = 'delay'
    this.#bar.className = 'bar'
    this.#bar.ariaHidden = 'true'
    this.#delay.append(this.#delayText, this.#bar)
    this.element.dataset.id = String(flight.id)
    this.element.append(departs, to, distance, this.#delay)
  }

  /** Only the delay of a flight ever changes. */
  patch({ delay }) {
    if (delay === this.#shownDelay) return
    this.#shownDelay = delay
    this.#delayText.textContent = formatDelay(delay)
    this.#delay.dataset.level = level(delay)
    this.#bar.style.setProperty('--share', String(Math.min(1, Math.max(0, delay / BAR_FULL))))
  }

  flash(kind) {
    // A row that changes all the time would otherwise flicker: a fresh flash is left to fade first.
    if (this.#flash?.playState === 'running' && this.#flash.currentTime < FRESH) return
    this.#flash?.cancel()
    const color = `var(--flash-${kind})`
    this.#flash = this.element.animate(
      [{ backgroundColor: color }, { backgroundColor: 'transparent' }],
      FLASH,
    )
  }
}

function level(delay) {
  if (delay < 15) return delay < 0 ? 'early' : 'fair'
  return delay < 60 ? 'late' : 'very-late'
}

function span(className, text) {
  const element = document.createElement('span')
  element.className = className
  element.textContent = text
  return element
}
