import { execFileSync } from 'node:child_process'
import { readFileSync, statSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname, join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Browser, chromium } from 'playwright-core'

/** Starts the Chromium that CHROMIUM names or that the machine has. */
export function launch(): Promise<Browser> {
  const finder = fileURLToPath(new URL('../../../.ci/chromium.sh', import.meta.url))
  const executablePath = execFileSync(finder, { encoding: 'utf8' }).trim()
  return chromium.launch({ executablePath, args: ['--no-sandbox'] })
}

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
}

/** A file server on a free port of 127.0.0.1. */
export interface Served {
  /** Address of the folder, with a trailing slash. */
  readonly url: string
  close(): Promise<void>
}

/**
 * Serves a folder under the strictest policy that the package promises to work with: own scripts only,
 * WebAssembly allowed, no `eval`.
 */
export async function serve(folder: string): Promise<Served> {
  const server: Server = createServer((request, response) => {
    if (request.url === '/favicon.ico') {
      response.writeHead(204).end()
      return
    }
    const path = join(folder, normalize(decodeURIComponent((request.url ?? '/').split('?')[0] ?? '/')))
    const file = path.endsWith('/') ? join(path, 'index.html') : path
    if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true) {
      response.writeHead(404).end()
      return
    }
    response.writeHead(200, {
      'content-type': types[extname(file)] ?? 'application/octet-stream',
      'content-security-policy': "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'",
    })
    response.end(readFileSync(file))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
}

/** What a page of `apps/` leaves in `window.outcome`. */
export interface Outcome {
  readonly seen?: unknown
  readonly error?: string
}

/** Opens a page and waits for its outcome. Errors that the page reports elsewhere are part of it. */
export async function outcomeOf(browser: Browser, url: string): Promise<Outcome> {
  const page = await browser.newPage()
  const errors: string[] = []
  page.on('pageerror', (error) => errors.push(error.stack ?? error.message))
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(message.text())
  })
  try {
    await page.goto(url)
    await page.waitForFunction(() => 'outcome' in window, undefined, { timeout: 30_000 })
    const outcome = await page.evaluate(() => (window as unknown as { outcome: Outcome }).outcome)
    return errors.length === 0 ? outcome : { ...outcome, error: errors.join('\n') }
  } catch (error) {
    throw new Error(`${url}: ${String(error)}\n${errors.join('\n')}`)
  } finally {
    await page.close()
  }
}
