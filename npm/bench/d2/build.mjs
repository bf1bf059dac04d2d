import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildSync } from 'esbuild'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
const PACKAGE = './tests/bench/d2'
/** Opens what package d2 exports for this benchmark alone. */
const TAG = 'd2bench'

/** Files that `build` makes, in the folder of everything that is made and not kept. */
export const NATIVE = path.join(ROOT, 'build', 'd2bench')
export const WASM = path.join(ROOT, 'build', 'd2bench.wasm')
export const HOST = path.join(ROOT, 'build', 'd2bench-host.mjs')

/**
 * Builds the benchmark for this machine and for wasm, and the loader for the latter. The flags of the wasm build are
 * those of the shipped module, because it is the same script with another package in it.
 */
export function build() {
  fs.mkdirSync(path.dirname(NATIVE), { recursive: true })
  execFileSync('go', ['build', '-tags', TAG, '-o', NATIVE, PACKAGE], { cwd: ROOT, stdio: 'inherit' })
  const folder = path.join(ROOT, 'wasm')
  const shipped = fs.readFileSync(path.join(folder, 'build.sh'), 'utf8')
  const script = shipped.replace(/ \.\/wasm\s*$/, ` -tags ${TAG} ${PACKAGE}\n`)
  if (script === shipped) throw new Error('bench: wasm/build.sh does not end in the package it builds')
  execFileSync('sh', ['-s', WASM], { cwd: folder, input: script, stdio: ['pipe', 'inherit', 'inherit'] })
  buildSync({
    entryPoints: [path.join(ROOT, 'npm', 'src', 'engine', 'go-host.ts')],
    format: 'esm',
    target: 'es2022',
    outfile: HOST,
  })
}
