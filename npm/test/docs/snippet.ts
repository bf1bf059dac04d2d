import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { transformSync } from 'esbuild'
import { packageDir } from '../package/pack.ts'

/** The fenced blocks of a language in a Markdown text, in order. */
export function codeBlocks(markdown: string, language: string): readonly string[] {
  const fence = new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm')
  return [...markdown.matchAll(fence)].map((match) => match[1] as string)
}

/** What a snippet says it prints: the comments that follow `console.log` on its line, in their order. */
export function promisedOutput(code: string): readonly string[] {
  return [...code.matchAll(/console\.log\(.*\),? \/\/ (.*)$/gm)].map((match) => match[1] as string)
}

/**
 * Type-checks a snippet as a strict program that has the built package installed, runs it in Node, and
 * returns the lines it prints. Throws with the compiler's or the program's output.
 */
export function runSnippet(code: string): readonly string[] {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-snippet-'))
  const run = (args: readonly string[]): string => {
    try {
      return execFileSync(process.execPath, args, { cwd: folder, encoding: 'utf8', timeout: 60_000 })
    } catch (error) {
      const { stdout, stderr } = error as { stdout: string; stderr: string }
      throw new Error(`${stdout}\n${stderr}`)
    }
  }
  try {
    mkdirSync(join(folder, 'node_modules'))
    symlinkSync(packageDir, join(folder, 'node_modules/millrace'))
    writeFileSync(join(folder, 'snippet.mts'), code)
    writeFileSync(join(folder, 'snippet.mjs'), transformSync(code, { loader: 'ts' }).code)
    const tsc = join(packageDir, 'node_modules/typescript/bin/tsc')
    run([tsc, '--noEmit', '--strict', '--target', 'es2022', '--module', 'nodenext', 'snippet.mts'])
    return run(['snippet.mjs']).trimEnd().split('\n')
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
