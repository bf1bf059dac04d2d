// Vitest's global setup: tests run against the sources, and the sources import the engine's payload.

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildEngine } from './engine.mjs'

/**
 * Brings the payload up to date, unless MILLRACE_NO_BUILD is set (`make test` has built it by then).
 * While the Go sources do not compile, the last payload keeps the TypeScript tests usable.
 */
export function setup() {
  if (process.env.MILLRACE_NO_BUILD) return
  const packageDir = fileURLToPath(new URL('..', import.meta.url))
  const distDir = join(packageDir, 'dist')
  try {
    buildEngine({ repositoryDir: join(packageDir, '..'), distDir })
  } catch (error) {
    const stale = existsSync(join(distDir, 'engine.inline.js'))
    console.warn(
      `engine not rebuilt (${error.message}); ${stale ? 'using the last one' : 'there is none yet'}`,
    )
  }
}
