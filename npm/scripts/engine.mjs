// Compiles the Go engine and wraps it as the modules behind the package import `#engine`.

import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'

/**
 * Compiles `./wasm` and writes the payload modules. Nothing is rewritten when the module is the one
 * that `distDir` already holds, so a repeated call costs what `go build` costs on unchanged sources.
 * Throws if the Go toolchain fails; its messages go to the terminal.
 */
export function buildEngine({ repositoryDir, distDir }) {
  mkdirSync(distDir, { recursive: true })
  mkdirSync(join(repositoryDir, 'build'), { recursive: true })
  const staged = join(repositoryDir, 'build', 'engine.wasm')
  execFileSync('sh', [join(repositoryDir, 'wasm', 'build.sh'), staged], { stdio: 'inherit' })
  const wasm = readFileSync(staged)
  const sha256 = createHash('sha256').update(wasm).digest('hex')
  const outputs = ['engine.inline.js', 'engine.inline.cjs', 'engine.wasm'].map((name) => join(distDir, name))
  const [esm, cjs, raw] = outputs
  if (outputs.every((path) => existsSync(path)) && readFileSync(esm, 'utf8').includes(sha256)) {
    return `unchanged, ${wasm.length} bytes`
  }
  const gzipped = gzipSync(wasm, { level: 9 })
  const literal =
    `{ byteLength: ${wasm.length}, sha256: "${sha256}", ` + `gzipBase64: "${gzipped.toString('base64')}" }`
  replaceFile(raw, wasm)
  replaceFile(cjs, `'use strict'\nexports.payload = ${literal}\n`)
  // Last, because its text decides above whether the others are current.
  replaceFile(esm, `export const payload = ${literal}\n`)
  return `${wasm.length} bytes, ${gzipped.length} gzipped`
}

/** Test runs read these files while a build replaces them: a reader sees the old or the new, never half. */
function replaceFile(path, content) {
  const partial = `${path}.${process.pid}`
  writeFileSync(partial, content)
  renameSync(partial, path)
}
