import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { build as esbuild } from 'esbuild'
import type { Browser } from 'playwright-core'
import { build as vite } from 'vite'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expected } from './apps/scenario.mjs'
import { launch, outcomeOf, type Served, serve } from './chromium.ts'
import { type Installed, install } from './installed.ts'

describe('the packed package in Chromium', () => {
  let installed: Installed
  let served: Served
  let browser: Browser
  beforeAll(async () => {
    installed = install()
    served = await serve(installed.folder)
    browser = await launch()
  })
  afterAll(async () => {
    await browser?.close()
    await served?.close()
    installed?.remove()
  })
  const app = (path: string): string => join(installed.folder, path)

  it('works in a Vite build', async () => {
    await vite({
      root: app('vite'),
      base: './',
      configFile: false,
      logLevel: 'warn',
      build: { chunkSizeWarningLimit: 2_000 },
    })
    expect(await outcomeOf(browser, `${served.url}vite/dist/`)).toEqual({
      seen: expect.objectContaining(expected),
    })
  })

  it('works in a classic script made by esbuild', async () => {
    const outfile = app('iife/bundle.js')
    await esbuild({
      entryPoints: [app('iife/main.js')],
      bundle: true,
      format: 'iife',
      outfile,
      logLevel: 'warning',
    })
    expect(await outcomeOf(browser, `${served.url}iife/`)).toEqual({
      seen: expect.objectContaining(expected),
    })
  })

  it('works in a page without a bundler', async () => {
    copyFileSync(app('node_modules/millrace/dist/millrace.browser.js'), app('page/millrace.browser.js'))
    copyFileSync(app('scenario.mjs'), app('page/scenario.mjs'))
    expect(await outcomeOf(browser, `${served.url}page/`)).toEqual({
      seen: expect.objectContaining(expected),
    })
  })
})
