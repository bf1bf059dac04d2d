import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { pack } from '../package/pack.ts'

/** A folder outside the repository with all applications in it and the packed package installed. */
export interface Installed {
  readonly folder: string
  remove(): void
}

/** Packs, copies `apps/`, installs. Needs no network: the package has no dependencies. */
export function install(): Installed {
  const packed = pack()
  const folder = mkdtempSync(join(tmpdir(), 'millrace-apps-'))
  try {
    cpSync(fileURLToPath(new URL('./apps', import.meta.url)), folder, { recursive: true })
    writeFileSync(join(folder, 'package.json'), '{ "name": "apps", "private": true }\n')
    execFileSync(
      'npm',
      ['install', '--offline', '--no-audit', '--no-fund', '--no-package-lock', packed.tarball],
      {
        cwd: folder,
        stdio: ['ignore', 'ignore', 'inherit'],
      },
    )
  } finally {
    packed.remove()
  }
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) }
}
