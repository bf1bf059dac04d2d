import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

const script = fileURLToPath(new URL('../../examples/flights/serve.mjs', import.meta.url))

/** How a run of the demo ended. */
export interface Ended {
  readonly code: number | null
  readonly output: string
  readonly errors: string
}

/** A running demo server. */
export interface Demo {
  /** Address that it printed, with a trailing slash. */
  readonly url: string
  /** Sends the interrupt that Ctrl-C sends and waits for the end. */
  interrupt(): Promise<Ended>
}

function start(args: readonly string[]): { child: ChildProcess; ended: Promise<Ended>; said: () => string } {
  const child = spawn(process.execPath, [script, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  let errors = ''
  child.stdout?.on('data', (chunk) => {
    output += String(chunk)
  })
  child.stderr?.on('data', (chunk) => {
    errors += String(chunk)
  })
  const ended = once(child, 'close').then(([code]) => ({ code: code as number | null, output, errors }))
  return { child, ended, said: () => output }
}

/** Runs the demo to its end. */
export function runDemo(args: readonly string[]): Promise<Ended> {
  return start(args).ended
}

/** Starts the server on a free port and waits for the address. Rejects when it ends before printing one. */
export async function serveDemo(): Promise<Demo> {
  const { child, ended, said } = start(['--port', '0'])
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout?.on('data', () => {
      const address = /http:\/\/127\.0\.0\.1:\d+\//.exec(said())
      if (address !== null) resolve(address[0])
    })
    ended.then(({ errors }) => reject(new Error(`the demo server ended early: ${errors}`)), reject)
  })
  return {
    url,
    interrupt: () => {
      child.kill('SIGINT')
      return ended
    },
  }
}
