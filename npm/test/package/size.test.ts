import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliCompressSync, gunzipSync, gzipSync, constants as zlib } from 'node:zlib'
import { transformSync } from 'esbuild'
import { expect, it } from 'vitest'
import { packageDir } from './pack.ts'

const dist = (name: string): string => join(packageDir, 'dist', name)

// Chromium compiles at most 8 MB synchronously on the main thread; this leaves room to grow.
const rawBudget = 5_200_000
const brotliBudget = 1_000_000
// What an application does not import is left out of its bundle; this is everything there is.
const scriptBudget = 90_000

it('the engine stays within its size budget', () => {
  const raw = readFileSync(dist('engine.wasm'))
  const brotli = brotliCompressSync(raw, { params: { [zlib.BROTLI_PARAM_QUALITY]: 11 } })
  console.log(
    `engine.wasm: raw ${raw.length}, gzip ${gzipSync(raw, { level: 9 }).length}, brotli ${brotli.length}`,
  )
  expect(raw.length).toBeLessThan(rawBudget)
  expect(brotli.length).toBeLessThan(brotliBudget)
})

it('the library without the engine stays within its size budget', () => {
  const { code } = transformSync(readFileSync(dist('index.js'), 'utf8'), { minify: true, format: 'esm' })
  const bytes = gzipSync(code, { level: 9 }).length
  console.log(`index.js: minified ${code.length}, gzip ${bytes}`)
  expect(bytes).toBeLessThan(scriptBudget)
})

it('both payload modules hold the compiled engine', async () => {
  const raw = readFileSync(dist('engine.wasm'))
  const modules = [await import(dist('engine.inline.js')), await import(dist('engine.inline.cjs'))]
  for (const { payload } of modules) {
    expect(payload.byteLength).toBe(raw.length)
    expect(gunzipSync(Buffer.from(payload.gzipBase64, 'base64')).equals(raw)).toBe(true)
  }
})

it('the engine is what the sources compile to, wherever they are compiled', () => {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-engine-'))
  try {
    const again = join(folder, 'again.wasm')
    execFileSync('sh', [join(packageDir, '..', 'wasm', 'build.sh'), again])
    expect(readFileSync(again).equals(readFileSync(dist('engine.wasm')))).toBe(true)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
