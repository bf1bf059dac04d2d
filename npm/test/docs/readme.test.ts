import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { packageDir } from '../package/pack.ts'
import { codeBlocks, promisedOutput, runSnippet } from './snippet.ts'

const repositoryDir = join(packageDir, '..')
const readme = readFileSync(join(repositoryDir, 'README.md'), 'utf8')

it("the README's code prints what it says it prints", () => {
  const blocks = codeBlocks(readme, 'ts')
  expect(blocks).toHaveLength(1)
  for (const block of blocks) {
    const promised = promisedOutput(block)
    expect(promised.length).toBeGreaterThan(0)
    expect([...runSnippet(block)].sort()).toEqual([...promised].sort())
  }
})

it("the guide's programs print what they say they print", () => {
  const blocks = codeBlocks(readFileSync(join(repositoryDir, 'docs/guide-writes.md'), 'utf8'), 'ts')
  expect(blocks).toHaveLength(2)
  for (const block of blocks) expect([...runSnippet(block)].sort()).toEqual([...promisedOutput(block)].sort())
})

it.each(['README.md', 'CONTRIBUTING.md'])('%s links to files that exist', (name) => {
  const text = readFileSync(join(repositoryDir, name), 'utf8')
  const targets = [...text.matchAll(/\]\((?!https?:|#)([^)#]+)[^)]*\)/g)].map((match) => match[1] as string)
  expect(targets.filter((target) => !existsSync(join(repositoryDir, target)))).toEqual([])
})
