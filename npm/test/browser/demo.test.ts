import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { launchChromium } from './chromium.ts'
import { type Demo, runDemo, serveDemo } from './demo-process.ts'
import { changesLater, type Sample, sample } from './departures.ts'

const FASTEST = '12'

let browser: Browser
let demo: Demo
let page: Page
let complaints: string[]

beforeAll(async () => {
  ;[browser, demo] = await Promise.all([launchChromium(), serveDemo()])
})

afterAll(async () => {
  await browser?.close()
  await demo?.interrupt()
})

beforeEach(async () => {
  complaints = []
  page = await browser.newPage({ viewport: { width: 1280, height: 800 } })
  page.setDefaultTimeout(60_000)
  page.on('pageerror', (error) => complaints.push(error.stack ?? error.message))
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text())
  })
})

afterEach(async () => {
  const checks = page.url().startsWith('http')
    ? await page.evaluate(() => window.flightsDemo.checks())
    : undefined
  await page.close()
  expect(complaints).toEqual([])
  expect(checks?.differences ?? 0).toBe(0)
})

async function open(query = ''): Promise<void> {
  await page.goto(demo.url + query)
  await page.waitForFunction(() => window.flightsDemo !== undefined)
}

async function choose(text: string): Promise<void> {
  await page.fill('#search', text)
  await page.keyboard.press('Enter')
}

/** Samples, and expects the screen to say what the recomputation says. */
async function checked(): Promise<Sample> {
  const seen = await sample(page)
  expect(seen.shown).toEqual(seen.expected)
  expect(seen.shownTotal).toBe(seen.expectedTotal)
  return seen
}

describe('departures on screen', () => {
  test('equal a recomputation while changes stream in as fast as the slider goes', async () => {
    await open()
    await choose('atlanta')
    await page.fill('#rate', FASTEST)
    let before = await checked()
    expect(before.choice.code).toBe('ATL')
    expect(before.rate).toBe(5000)
    expect(before.shown).toHaveLength(50)
    for (let round = 0; round < 6; round++) {
      await changesLater(page, 250)
      const after = await checked()
      expect(after.running).toBe(true)
      expect(after.shown).not.toEqual(before.shown)
      before = after
    }
    await page.waitForFunction(() => window.flightsDemo.checks().made >= 2)
    expect(await page.textContent('#median')).toMatch(/^[\d.]+ (µs|ms)$/)
    expect(await page.textContent('#verdict-text')).toContain('all equal')
  })

  test('turn page by page under the stream, to the oldest and back', async () => {
    await open('?from=ORD')
    await page.fill('#rate', FASTEST)
    await page.click('#next')
    const second = await checked()
    expect(second.choice.page).toBe(1)
    expect(second.range).toBe(`51–100 of ${second.expectedTotal}`)
    await changesLater(page, 250)
    await checked()
    await page.click('#oldest')
    const last = await checked()
    expect(last.choice.page).toBeGreaterThan(10)
    expect(last.atOldest).toBe(last.choice.page === Math.ceil(last.total / 50) - 1)
    await page.click('#previous')
    const beforeLast = await checked()
    expect(beforeLast.choice.page).toBe(last.choice.page - 1)
    expect(beforeLast.atOldest).toBe(false)
    await page.focus('#newest')
    await page.keyboard.press('Enter')
    const first = await checked()
    expect(first.choice.page).toBe(0)
    expect(first.atNewest).toBe(true)
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('next')
  })

  test('keep to the chosen delay under the stream', async () => {
    await open('?from=DFW')
    const all = await checked()
    await page.fill('#rate', FASTEST)
    await page.check('input[name=delay][value="60"]', { force: true })
    await changesLater(page, 250)
    const late = await checked()
    expect(late.choice.minDelay).toBe(60)
    expect(late.total).toBeLessThan(all.total / 2)
    expect(late.shown.every(({ delay }) => Number.parseInt(delay, 10) >= 60)).toBe(true)
    await page.check('input[name=delay][value=""]', { force: true })
    expect((await checked()).total).toBeGreaterThan(all.total / 2)
  })

  test('stand still while paused and move on afterwards', async () => {
    await open()
    await changesLater(page, 5)
    await page.click('#pause')
    const paused = await checked()
    expect(paused.running).toBe(false)
    await page.evaluate(async () => {
      for (let frame = 0; frame < 5; frame++) await new Promise(requestAnimationFrame)
    })
    const still = await checked()
    expect(still.applied).toBe(paused.applied)
    expect(still.shown).toEqual(paused.shown)
    expect(await page.getAttribute('#pause', 'aria-pressed')).toBe('true')
    await page.click('#next')
    expect((await checked()).range).toMatch(/^51–100 of /)
    await page.click('#pause')
    await changesLater(page, 5)
    await checked()
  })

  test('are patched: a flight that stays keeps its row', async () => {
    await open()
    const rowsById = () =>
      new Map(Array.from(document.querySelectorAll<HTMLElement>('#rows tr'), (row) => [row.dataset.id, row]))
    const before = await page.evaluateHandle(rowsById)
    await changesLater(page, 50)
    await checked()
    const now = await page.evaluateHandle(rowsById)
    const { kept, replaced } = await page.evaluate(
      ([earlier, later]) => {
        const stayed = Array.from(later).filter(([id]) => earlier.has(id))
        return { kept: stayed.length, replaced: stayed.filter(([id, row]) => earlier.get(id) !== row).length }
      },
      [before, now] as const,
    )
    expect(kept).toBeGreaterThan(10)
    expect(replaced).toBe(0)
  })
})

describe('the choice', () => {
  test('is in the address', async () => {
    await open('?from=ord&page=2&delay=15')
    const opened = await checked()
    expect(opened.choice).toEqual({ code: 'ORD', page: 1, minDelay: 15 })
    await choose('sea')
    await page.waitForFunction(() => location.search === '?from=SEA&delay=15')
    await page.reload()
    await page.waitForFunction(() => window.flightsDemo !== undefined)
    expect((await checked()).choice).toEqual({ code: 'SEA', page: 0, minDelay: 15 })
  })

  test('falls back when the address makes no sense', async () => {
    await open('?from=nowhere&page=-3&delay=soon')
    expect((await checked()).choice).toEqual({ code: 'DFW', page: 0, minDelay: null })
    await open('?from=DFW&page=999')
    const last = await checked()
    expect(last.choice.page).toBe(Math.ceil(last.total / 50) - 1)
  })

  test('finds airports by code, city and state, with the keyboard alone', async () => {
    await open()
    await page.focus('#pause')
    await page.keyboard.press('/')
    const found = () => page.locator('#airports [role=option] .iata').allTextContents()
    expect((await found()).slice(0, 2)).toEqual(['DFW', 'ORD'])
    await page.keyboard.type('den')
    expect((await found())[0]).toBe('DEN')
    await page.fill('#search', 'honolulu')
    expect((await found())[0]).toBe('HNL')
    await page.fill('#search', 'texas')
    expect((await found()).slice(0, 2)).toEqual(['DFW', 'IAH'])
    await page.keyboard.press('ArrowDown')
    const active = page.locator('#airports [aria-selected=true] .iata')
    expect(await active.allTextContents()).toEqual(['IAH'])
    await page.keyboard.press('Enter')
    expect((await checked()).choice.code).toBe('IAH')
    await page.keyboard.type('100% nowhere_')
    expect(await page.textContent('#airports')).toContain('No airport matches')
    await page.keyboard.press('Escape')
    expect(await page.isHidden('#airports')).toBe(true)
    expect(await page.inputValue('#search')).toBe('IAH · Houston')
  })

  test('of an airport without departures says so', async () => {
    await open()
    await choose('00M')
    expect((await checked()).shown).toEqual([])
    expect(await page.textContent('#empty')).toContain('no departures from Thigpen')
  })
})

describe('on a phone', () => {
  test.each([
    [390, 844],
    [360, 740],
  ])('of %i by %i nothing scrolls sideways and the controls are at hand', async (width, height) => {
    await page.setViewportSize({ width, height })
    await open()
    const overflow = () => page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
    expect(await overflow()).toBeLessThanOrEqual(0)
    await page.fill('#search', 'international')
    expect(await overflow()).toBeLessThanOrEqual(0)
    await page.keyboard.press('Escape')
    await page.fill('#rate', FASTEST)
    await changesLater(page, 100)
    expect(await overflow()).toBeLessThanOrEqual(0)
    for (const id of ['pause', 'rate', 'search']) {
      const box = await page.locator(`#${id}`).boundingBox()
      expect(box?.x).toBeGreaterThanOrEqual(0)
      expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(width)
      expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(height)
    }
    await page.click('#next')
    await checked()
  })
})

describe('the process', () => {
  test('hands out only its own files', async () => {
    for (const path of [
      '..%2f..%2fpackage.json',
      'millrace/..%2f..%2fpackage.json',
      'nothing.mjs',
      '%ff',
      'data/',
    ]) {
      const response = await fetch(demo.url + path)
      expect([path, response.status]).toEqual([path, 404])
    }
    expect((await fetch(demo.url, { method: 'POST' })).status).toBe(405)
  })

  test('ends cleanly when interrupted, open connections included', async () => {
    const other = await serveDemo()
    expect((await fetch(other.url)).ok).toBe(true)
    expect(await other.interrupt()).toMatchObject({ code: 0, errors: '' })
  })

  test('does the same job in the terminal', async () => {
    const { code, output } = await runDemo([
      '--terminal',
      '--changes',
      '2000',
      '--airport',
      'jfk',
      '--rows',
      '5',
    ])
    expect(output).toContain('3,376 airports and 20,000 flights')
    expect(output).toContain('51 recomputations, no difference')
    expect(output).toMatch(/JFK {2}John F Kennedy Intl.*\n1–5 of/)
    expect(code).toBe(0)
  })

  test('refuses choices that make no sense', async () => {
    expect(await runDemo(['--terminal', '--airport', 'nope'])).toMatchObject({
      code: 1,
      errors: 'no airport with the code "nope"\n',
    })
    const negative = await runDemo(['--terminal', '--changes=-1'])
    expect(negative.code).toBe(1)
    expect(negative.errors).toContain('--changes: expected a whole number of at least 0, got "-1"')
    expect((await runDemo(['--port', 'http'])).code).toBe(1)
  })
})
