import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import { fileURLToPath } from 'node:url'

const FOLDER = new URL('./peers/', import.meta.url)
const LOCK = new URL('package-lock.json', FOLDER)
const INSTALLED = new URL('node_modules/.package-lock.json', FOLDER)

function isCurrent() {
  if (!fs.existsSync(INSTALLED)) return false
  const versions = (file) => {
    const { packages } = JSON.parse(fs.readFileSync(file, 'utf8'))
    return JSON.stringify(
      ['@tanstack/db', '@rocicorp/zero', '@electric-sql/d2ts'].map(
        (n) => packages[`node_modules/${n}`]?.version,
      ),
    )
  }
  return versions(INSTALLED) === versions(LOCK)
}

/**
 * Installs the peers the lock file names, unless they are there. They are installed apart from the package's own
 * dependencies and without their install scripts: nothing measured here needs any.
 */
export function ensurePeers() {
  if (isCurrent()) return
  process.stderr.write('installing the engines to compare with (once, about 400 MB) ...\n')
  execFileSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: fileURLToPath(FOLDER),
    stdio: ['ignore', 'ignore', 'inherit'],
    shell: process.platform === 'win32',
  })
}
