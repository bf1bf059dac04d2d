/**
 * Serves the demo on 127.0.0.1 and prints the address; with `--terminal` runs the same job here and exits.
 *
 *   node serve.mjs [--port 8080]        PORT in the environment does the same; 0 or none takes a free port
 *   node serve.mjs --terminal [...]     `--help` lists the choices
 */

import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { dirname, extname, join, normalize, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { dataFiles, libraryEntry } from './sources.mjs'

const HERE = fileURLToPath(new URL('.', import.meta.url))
const TYPES = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.csv': 'text/csv; charset=utf-8',
  '.wasm': 'application/wasm',
  '.map': 'application/json; charset=utf-8',
}
const HEADERS = {
  // An isolated page gets a clock of 5 µs instead of 100 µs, which the measured times need.
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-embedder-policy': 'require-corp',
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-cache',
}

/** Maps a request path to a file, or undefined when there is none to give. */
function fileFor(path, entry, data) {
  if (path === '/') return join(HERE, 'index.html')
  if (path === '/data/airports.csv') return data.airports
  if (path === '/data/flights.json') return data.flights
  if (path === '/millrace/index.js') return entry
  if (path.startsWith('/millrace/')) return within(dirname(entry), path.slice('/millrace/'.length))
  return within(HERE, path.slice(1))
}

function within(folder, path) {
  const file = normalize(join(folder, path))
  const inside = file.startsWith(folder.endsWith(sep) ? folder : folder + sep)
  return inside && extname(file) in TYPES ? file : undefined
}

async function answer(request, response, entry, data) {
  const { method, url } = request
  if (method !== 'GET' && method !== 'HEAD') return void response.writeHead(405, { allow: 'GET, HEAD' }).end()
  try {
    const file = fileFor(decodeURIComponent(new URL(url, 'http://localhost').pathname), entry, data)
    if (file === undefined) return void response.writeHead(404).end('not found')
    const body = await readFile(file)
    response.writeHead(200, {
      ...HEADERS,
      'content-type': TYPES[extname(file)],
      'content-length': body.length,
    })
    response.end(method === 'HEAD' ? undefined : body)
  } catch (error) {
    const missing = error.code === 'ENOENT' || error.code === 'EISDIR' || error instanceof URIError
    if (!missing) console.error(error)
    response.writeHead(missing ? 404 : 500).end(missing ? 'not found' : 'the file could not be read')
  }
}

function serve(port) {
  const entry = libraryEntry()
  const data = dataFiles()
  const server = createServer((request, response) => void answer(request, response, entry, data))
  server.on('error', (error) => {
    console.error(`could not listen on 127.0.0.1:${port}: ${error.message}`)
    process.exitCode = 1
  })
  server.listen(port, '127.0.0.1', () => {
    console.log(`Live departures at http://127.0.0.1:${server.address().port}/ (Ctrl-C ends)`)
  })
  const stop = () => {
    server.close()
    server.closeAllConnections()
  }
  process.once('SIGINT', stop)
  process.once('SIGTERM', stop)
}

async function main() {
  const terminal = process.argv.includes('--terminal')
  if (terminal || process.argv.includes('--help')) {
    const { runTerminal } = await import('./terminal.mjs')
    process.exitCode = await runTerminal(process.argv.slice(2))
    return
  }
  const { values } = parseArgs({ options: { port: { type: 'string' } } })
  const port = Number(values.port ?? process.env.PORT ?? 0)
  if (!Number.isInteger(port) || port < 0 || port > 65535)
    throw new Error(`not a port: ${values.port ?? process.env.PORT}`)
  serve(port)
}

try {
  await main()
} catch (error) {
  console.error(error.message)
  process.exitCode = 1
}
