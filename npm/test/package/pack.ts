import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The folder of the npm package. */
export const packageDir = fileURLToPath(new URL('../..', import.meta.url))

/** The package as `npm publish` would send it. */
export interface Packed {
  /** Path of the archive, in a temporary folder. */
  readonly tarball: string
  /** Paths inside the package, sorted. */
  readonly files: readonly string[]
  /** Removes the temporary folder. */
  remove(): void
}

/** Packs the built package. Fails with a remedy where nothing has been built. */
export function pack(): Packed {
  if (!existsSync(join(packageDir, 'dist/index.js'))) {
    throw new Error('the package is not built: run make build (npm/dist/index.js is missing)')
  }
  const folder = mkdtempSync(join(tmpdir(), 'millrace-pack-'))
  const output = execFileSync('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder], {
    cwd: packageDir,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const [report] = Object.values(JSON.parse(output) as Record<string, PackReport>)
  if (report === undefined) throw new Error('npm pack reported nothing')
  return {
    tarball: join(folder, report.filename),
    files: report.files.map((file) => file.path).sort(),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}

interface PackReport {
  readonly filename: string
  readonly files: readonly { readonly path: string }[]
}
