/** The measured numbers: text fields and the histogram of time per update, on a logarithmic scale. */
import { formatDuration } from './timing.mjs'

/** Lower edges of the buckets, milliseconds: four to an octave pair from 2 µs to about 16 ms. */
const EDGES = Array.from({ length: 26 }, (_, index) => 0.002 * 2 ** (index / 2))
const WIDTH = 260
const HEIGHT = 72
const SVG = 'http://www.w3.org/2000/svg'

export class Meter {
  #element
  #bars

  /** @param {(id: string) => HTMLElement} element finds an element of the page */
  constructor(element) {
    this.#element = element
    const step = WIDTH / EDGES.length
    this.#bars = EDGES.map((_, index) => {
      const bar = document.createElementNS(SVG, 'rect')
      bar.setAttribute('x', String(index * step + 1))
      bar.setAttribute('width', String(step - 2))
      bar.setAttribute('rx', '1.5')
      return bar
    })
    element('histogram').append(...this.#bars)
    const marks = [0.01, 0.1, 1, 10].map((edge) => {
      const mark = document.createElement('span')
      mark.textContent = formatDuration(edge).replace('.0', '')
      mark.style.setProperty('--at', String((Math.log2(edge / EDGES[0]) * 2) / EDGES.length))
      return mark
    })
    element('histogram-scale').append(...marks)
    this.#draw(
      EDGES.map(() => 0),
      -1,
    )
  }

  /** @param {import('./core.mjs').FlightsApp} app */
  show(app) {
    const all = app.timings.summary()
    const reached = app.reachedTimings.summary()
    const median = all ? formatDuration(all.median) : '–'
    for (const place of document.getElementsByClassName('median')) setText(place, median)
    this.#text('p99', all && formatDuration(all.p99))
    this.#text('reached', reached && formatDuration(reached.median))
    this.#text('built', formatDuration(app.queryTime))
    this.#text('loaded', formatDuration(app.loadTime))
    this.#draw(
      app.timings.histogram(EDGES),
      reached ? EDGES.findLastIndex((edge) => edge <= reached.median) : -1,
    )
  }

  #text(id, text = '–') {
    setText(this.#element(id), text)
  }

  #draw(buckets, marked) {
    const highest = Math.max(1, ...buckets)
    for (const [index, bar] of this.#bars.entries()) {
      // The square root keeps rare slow updates visible beside the common fast ones.
      const height = buckets[index] === 0 ? 1.5 : Math.max(3, HEIGHT * Math.sqrt(buckets[index] / highest))
      bar.setAttribute('y', String(HEIGHT - height))
      bar.setAttribute('height', String(height))
      bar.classList.toggle('empty', buckets[index] === 0)
      bar.classList.toggle('marked', index === marked)
    }
  }
}

/** Writes only what differs, so that an unchanged number costs no layout. */
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text
}
