import fs from 'node:fs'
import { collectionEngine } from './collection-api.mjs'

const ENTRY = new URL('../../dist/index.js', import.meta.url)
const MANIFEST = new URL('../../package.json', import.meta.url)

/** Our own package as built, through its public entry. It keeps its indexes itself. */
export async function open() {
  if (!fs.existsSync(ENTRY)) {
    throw new Error('bench: npm/dist/index.js is missing; build the package first (make build)')
  }
  const api = await import(ENTRY.href)
  const version = JSON.parse(fs.readFileSync(MANIFEST, 'utf8')).version
  return collectionEngine('millrace', api, { version })
}
