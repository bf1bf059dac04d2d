import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

const quiet = [
  '--no-sandbox',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
]

/** Starts the Chromium that CHROMIUM names, or the one of the system. */
export function launchChromium(): Promise<Browser> {
  const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium'
  if (!existsSync(executablePath)) {
    throw new Error(`no Chromium at ${executablePath}: install it, or set CHROMIUM to its path`)
  }
  return chromium.launch({ executablePath, args: quiet })
}
