// Builds the package: `node scripts/build.mjs` makes everything, `--engine` only the engine's payload.
//
//   dist/engine.wasm         the engine as compiled, for hosts that load it from a file
//   dist/engine.inline.*     the same module as a JavaScript value, one file per module system
//   dist/index.{js,cjs}      the library; takes the engine from the package import `#engine`
//   dist/index.d.{ts,cts}    its declarations, one file each
//   dist/millrace.browser.js library and engine in one ES module, for a page without a bundler

import { copyFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bundleBrowser, bundleLibrary } from './bundle.mjs'
import { bundleDeclarations } from './declarations.mjs'
import { buildEngine } from './engine.mjs'

const packageDir = fileURLToPath(new URL('..', import.meta.url))
const repositoryDir = join(packageDir, '..')
const distDir = join(packageDir, 'dist')

function step(name, run) {
  const start = performance.now()
  const done = (note) =>
    console.log(`build: ${name}${note ? `: ${note}` : ''} (${Math.round(performance.now() - start)} ms)`)
  const result = run()
  return result instanceof Promise ? result.then(done) : done(result)
}

mkdirSync(distDir, { recursive: true })
await step('engine', () => buildEngine({ repositoryDir, distDir }))
if (!process.argv.includes('--engine')) {
  await step('library', () => bundleLibrary({ packageDir, distDir }))
  await step('single file', () => bundleBrowser({ packageDir, distDir }))
  await step('declarations', () => bundleDeclarations({ packageDir, distDir }))
  // npm packs only what lies inside the package folder.
  for (const name of ['LICENSE', 'NOTICE', 'README.md']) {
    copyFileSync(join(repositoryDir, name), join(packageDir, name))
  }
}
