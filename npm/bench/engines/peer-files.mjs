import fs from 'node:fs'

const PEERS = new URL('../peers/node_modules/', import.meta.url)

/** Imports a file of an installed peer by its path; the peers sit apart from the package's own dependencies. */
export const importPeer = (path) => import(new URL(path, PEERS).href)

/** Version of an installed peer, as its own package.json states it. */
export function peerVersion(name) {
  return JSON.parse(fs.readFileSync(new URL(`${name}/package.json`, PEERS), 'utf8')).version
}
