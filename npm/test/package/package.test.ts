import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Packed, pack, packageDir } from './pack.ts'

const manifest = JSON.parse(readFileSync(join(packageDir, 'package.json'), 'utf8'))

describe('the packed package', () => {
  let packed: Packed
  beforeAll(() => {
    packed = pack()
  })
  afterAll(() => packed?.remove())

  it('holds the files that its manifest names, and the licence texts', () => {
    const named = JSON.stringify([
      manifest.main,
      manifest.module,
      manifest.types,
      manifest.exports,
      manifest.imports,
    ])
    const targets = [...named.matchAll(/"\.\/([^"]+)"/g)].map((match) => match[1] as string)
    const wanted = [...new Set(targets), 'dist/millrace.browser.js', 'LICENSE', 'NOTICE', 'README.md']
    expect(packed.files).toEqual(expect.arrayContaining(wanted.filter((path) => path.includes('.'))))
  })

  it('holds nothing but the build, the sources and the texts', () => {
    const texts = ['LICENSE', 'NOTICE', 'README.md', 'package.json']
    const others = packed.files.filter((path) => !/^(dist|src)\//.test(path) && !texts.includes(path))
    expect(others).toEqual([])
  })

  it('carries the engine in the forms that are imported, not as a bare module besides', () => {
    expect(packed.files.filter((path) => path.includes('engine.') && path.startsWith('dist/'))).toEqual([
      'dist/engine.inline.cjs',
      'dist/engine.inline.js',
    ])
  })

  it('needs no other package at run time', () => {
    expect(Object.keys(manifest)).not.toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^(dependencies|peerDependencies|optionalDependencies)$/),
      ]),
    )
  })

  it('passes publint', async () => {
    const { messages } = await publint({ pkgDir: packageDir, strict: true, pack: 'npm' })
    expect(messages.map((message) => formatMessage(message, manifest))).toEqual([])
  })

  it('resolves with its types for every module system (attw)', () => {
    const attw = join(packageDir, 'node_modules/@arethetypeswrong/cli/dist/index.js')
    let report: string
    try {
      report = execFileSync(
        'node',
        [attw, packed.tarball, '--format', 'table-flipped', '--no-color', '--no-emoji'],
        {
          encoding: 'utf8',
        },
      )
    } catch (error) {
      throw new Error((error as { stdout: string }).stdout)
    }
    expect(report).toContain('No problems found')
  })
})
