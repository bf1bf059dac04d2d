import type { Page } from 'playwright-core'

/** A flight as the page's plain copy has it. */
interface Flight {
  readonly id: number
  readonly date: number
  readonly delay: number
  readonly distance: number
  readonly origin: string
  readonly destination: string
}

interface Checks {
  readonly made: number
  readonly differences: number
}

interface Snapshot {
  readonly choice: { readonly code: string; readonly page: number; readonly minDelay: number | null }
  readonly applied: number
  readonly running: boolean
  readonly rate: number
  readonly checks: Checks
  readonly total: number
  readonly rows: readonly Flight[]
}

declare global {
  interface Window {
    readonly flightsDemo: {
      snapshot(): Snapshot
      applied(): number
      checks(): Checks
    }
  }
}

/** A row as it stands on screen. */
export interface Shown {
  readonly id: number
  readonly time: string
  readonly destination: string
  readonly distance: string
  readonly delay: string
}

/** What is on screen, what plain JavaScript says should be, and the state both belong to. */
export interface Sample extends Omit<Snapshot, 'rows'> {
  readonly shown: readonly Shown[]
  readonly expected: readonly Shown[]
  readonly shownTotal: string
  readonly expectedTotal: string
  readonly range: string
  readonly atNewest: boolean
  readonly atOldest: boolean
}

/** Reads screen and plain rows in one go, between two changes of the stream. */
export async function sample(page: Page): Promise<Sample> {
  const { rows, ...seen } = await page.evaluate(() => {
    const snapshot = window.flightsDemo.snapshot()
    const disabled = (id: string) => document.getElementById(id)?.matches(':disabled') ?? false
    const text = (element: Element, selector: string) => element.querySelector(selector)?.textContent ?? ''
    const shown = Array.from(document.querySelectorAll<HTMLElement>('#rows tr'), (row) => ({
      id: Number(row.dataset.id),
      time: text(row, '.time'),
      destination: text(row, '.iata'),
      distance: text(row, '.distance'),
      delay: text(row, '.delay'),
    }))
    return {
      ...snapshot,
      // The other 19,000 flights cannot matter, and would take long to hand over.
      rows: snapshot.rows.filter((flight) => flight.origin === snapshot.choice.code),
      shown,
      shownTotal: text(document.body, '#total'),
      range: text(document.body, '#range'),
      atNewest: disabled('newest') && disabled('previous'),
      atOldest: disabled('next') && disabled('oldest'),
    }
  })
  const matching = departures(rows, seen.choice)
  const first = seen.choice.page * 50
  return {
    ...seen,
    expected: matching.slice(first, first + 50).map(written),
    expectedTotal: matching.length.toLocaleString('en-US'),
  }
}

function departures(rows: readonly Flight[], { code, minDelay }: Snapshot['choice']): Flight[] {
  return rows
    .filter((flight) => flight.origin === code && flight.delay >= (minDelay ?? Number.NEGATIVE_INFINITY))
    .sort((a, b) => b.date - a.date || a.id - b.id)
}

function written({ id, date, destination, distance, delay }: Flight): Shown {
  const sign = delay < 0 ? '−' : '+'
  return {
    id,
    time: new Date(date).toISOString().slice(11, 16),
    destination,
    distance: `${distance.toLocaleString('en-US')} mi`,
    delay: delay === 0 ? 'on time' : `${sign}${Math.abs(delay)} min`,
  }
}

/** Waits until the stream has made so many more changes. */
export async function changesLater(page: Page, changes: number): Promise<void> {
  const before = await page.evaluate(() => window.flightsDemo.applied())
  await page.waitForFunction((target) => window.flightsDemo.applied() >= target, before + changes)
}
