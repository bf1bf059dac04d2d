import { execFileSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expected } from './apps/scenario.mjs'
import { type Installed, install } from './installed.ts'

const require = createRequire(import.meta.url)

describe('the packed package in Node', () => {
  let installed: Installed
  beforeAll(() => {
    installed = install()
  })
  afterAll(() => installed?.remove())

  /** Runs a program in the folder; it must end by itself, which also shows that nothing keeps the process. */
  function run(program: string, ...args: string[]): string {
    try {
      return execFileSync(process.execPath, [program, ...args], {
        cwd: installed.folder,
        encoding: 'utf8',
        timeout: 60_000,
        env: { PATH: process.env.PATH ?? '', HOME: installed.folder, NO_COLOR: '1' },
      })
    } catch (error) {
      const { stdout, stderr, message } = error as { stdout: string; stderr: string; message: string }
      throw new Error([message, stdout, stderr].join('\n'))
    }
  }
  const tool = (name: string, bin: string): string =>
    join(dirname(require.resolve(`${name}/package.json`)), bin)

  it('works as an ES module', () => {
    expect(JSON.parse(run('node-esm/main.mjs'))).toMatchObject(expected)
  })

  it('works as a CommonJS module', () => {
    expect(JSON.parse(run('node-cjs/main.cjs'))).toMatchObject(expected)
  })

  it('starts one engine at first use where both module systems meet', () => {
    expect(JSON.parse(run('node-both/main.mjs'))).toMatchObject({
      copies: 2,
      startedOnlyWhenUsed: true,
      sharedEngine: true,
      first: expected,
      second: expected,
    })
  })

  it('works under Vitest with jsdom', () => {
    const output = run(
      tool('vitest', 'vitest.mjs'),
      'run',
      '--root',
      'vitest',
      '--environment',
      'jsdom',
      '--globals',
    )
    expect(output).toMatch(/Tests\s+2 passed/)
  })

  it.each([
    ['node16', 'node16'],
    ['nodenext', 'nodenext'],
    ['preserve', 'bundler'],
  ])('type-checks with module %s, resolution %s', (module, resolution) => {
    const files = resolution === 'bundler' ? ['types/esm.mts'] : ['types/esm.mts', 'types/cjs.cts']
    const options = ['--noEmit', '--strict', '--exactOptionalPropertyTypes', '--target', 'es2022']
    run(
      tool('typescript', 'bin/tsc'),
      ...options,
      '--module',
      module,
      '--moduleResolution',
      resolution,
      ...files,
    )
  })
})
