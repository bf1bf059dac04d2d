/** Where the demo finds its inputs on disk: the library bundle and the two data files. Node only. */

import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const PACKAGE_ROOT = fileURLToPath(new URL('../../', import.meta.url))

/** File of the library's ES module. `MILLRACE_ENTRY` names another one, for trying a different build. */
export function libraryEntry() {
  const entry = process.env.MILLRACE_ENTRY ?? join(PACKAGE_ROOT, 'dist', 'index.js')
  if (!existsSync(entry)) throw new Error(`no library at ${entry}: run \`make build\` first`)
  return entry
}

/** The library as a module namespace, for running in this process. */
export function loadLibrary() {
  return import(pathToFileURL(libraryEntry()).href)
}

/** Files of `vega-datasets`, found the way Node resolves packages from this folder or from `MILLRACE_DATA`. */
export function dataFiles() {
  const folder = dataFolder()
  return { airports: join(folder, 'airports.csv'), flights: join(folder, 'flights-20k.json') }
}

function dataFolder() {
  if (process.env.MILLRACE_DATA !== undefined) return process.env.MILLRACE_DATA
  try {
    // The package exports its code only; the data lies beside the build folder the entry is in.
    const entry = createRequire(import.meta.url).resolve('vega-datasets')
    return join(dirname(entry), '..', 'data')
  } catch (cause) {
    throw new Error('the package vega-datasets is not installed: run `npm ci` in npm/', { cause })
  }
}
