import { fork } from 'node:child_process'

/** Runs a module in a Node process of its own and resolves with the message it sends, or `{ failed }`. */
export function inProcess(module, args, { longestMs, nodeArgs }) {
  return new Promise((resolve) => {
    const child = fork(module, args, { execArgv: nodeArgs, env: { ...process.env, NODE_ENV: 'production' } })
    let answer
    const timer = setTimeout(() => {
      answer ??= { failed: `no answer within ${longestMs / 1000} s` }
      child.kill('SIGKILL')
    }, longestMs)
    child.on('message', (message) => {
      answer = message
    })
    child.on('exit', (code, signal) => {
      clearTimeout(timer)
      resolve(answer ?? { failed: `the process ended early (${signal ?? `code ${code}`})` })
    })
  })
}
