// node replay.mjs engine.wasm log…: replays recorded sessions against the module and compares pulls, statuses and
// effects byte for byte. A host of its own, written from docs/protocol.md and sharing nothing with the package's.
import { readFileSync } from 'node:fs'

const [wasmFile, ...logFiles] = process.argv.slice(2)
const module = new WebAssembly.Module(readFileSync(wasmFile))
let failed = false
for (const file of logFiles) {
  try {
    replay(decodeAll(readFileSync(file)))
  } catch (error) {
    failed = true
    console.error(`${file}: ${error.stack}`)
  }
}
process.exit(failed ? 1 : 0)

function replay(entries) {
  let next = 0
  let commands = 0
  let problem
  const expect = (kind, ...fields) => {
    const entry = entries[next++]
    const same = entry?.[0] === kind && fields.every((field, i) => equal(field, entry[i + 1]))
    if (!same) problem ??= new Error(`command ${commands}: the log has ${show(entry)}, the engine ${show([kind, ...fields])}`)
    return problem ? undefined : entry
  }
  const engine = start({
    ask(n) {
      const [, , , , at] = engine.header()
      const answer = expect(2, engine.bytes(at, n))?.[2]
      if (answer == null) return -1
      engine.write(engine.exports.mr_answer(answer.length), answer)
      return answer.length
    },
    equal: (...ids) => expect(3, ...ids.map(u32))?.[5] ?? -1,
    compare: (...ids) => expect(4, ...ids.map(u32))?.[4] ?? -1,
  })
  while (next < entries.length) {
    const [kind, message] = entries[next++]
    if (kind !== 1) throw new Error(`command ${commands}: a pull the engine did not make`)
    engine.write(engine.exports.mr_reserve(message.length), message)
    const status = engine.exports.mr_command(message.length)
    const [, , at, length] = engine.header()
    expect(5, status, engine.bytes(at, length))
    if (problem) throw problem
    commands++
  }
}

// The eight functions of the Go runtime; see the runtime's sys_wasm.go for the frames.
function start(pulls) {
  let memory
  const view = () => new DataView(memory.buffer)
  const dead = () => {
    throw new Error('the module exited')
  }
  const gojs = {
    'runtime.wasmExit': dead,
    'runtime.wasmWrite': (sp) => {
      const frame = view()
      const text = new Uint8Array(memory.buffer, frame.getUint32(sp + 16, true), frame.getInt32(sp + 24, true))
      process.stderr.write(text)
    },
    'runtime.resetMemoryDataView': () => {},
    'runtime.nanotime1': (sp) => view().setBigInt64(sp + 8, process.hrtime.bigint(), true),
    'runtime.walltime': (sp) => {
      view().setBigInt64(sp + 8, BigInt(Math.floor(Date.now() / 1000)), true)
      view().setInt32(sp + 16, 0, true)
    },
    'runtime.scheduleTimeoutEvent': (sp) => view().setInt32(sp + 16, 1, true),
    'runtime.clearTimeoutEvent': () => {},
    'runtime.getRandomData': (sp) => {
      const frame = view()
      crypto.getRandomValues(new Uint8Array(memory.buffer, frame.getUint32(sp + 8, true), frame.getUint32(sp + 16, true)))
    },
  }
  const { exports } = new WebAssembly.Instance(module, { gojs, millrace: pulls })
  memory = exports.mem
  // One argument, "js", and an empty environment.
  view().setUint32(4096, 0x736a, true)
  for (const [i, pointer] of [4096n, 0n, 0n].entries()) view().setBigInt64(4104 + 8 * i, pointer, true)
  exports.run(1, 4104)
  return {
    exports,
    header: () => new Uint32Array(memory.buffer, exports.mr_header(), 8).slice(),
    bytes: (at, n) => new Uint8Array(memory.buffer, at >>> 0, n).slice(),
    write: (at, bytes) => new Uint8Array(memory.buffer).set(bytes, at >>> 0),
  }
}

function u32(n) {
  return n >>> 0
}

function equal(a, b) {
  return a instanceof Uint8Array ? b instanceof Uint8Array && Buffer.compare(a, b) === 0 : a === b
}

function show(entry) {
  return JSON.stringify(entry?.map((x) => (x instanceof Uint8Array ? Buffer.from(x).toString('hex') : x)))
}

// The MessagePack of logs: arrays, integers, byte strings and nil.
function decodeAll(data) {
  const view = new DataView(data.buffer, data.byteOffset, data.length)
  const items = []
  let at = 0
  const binary = (n) => {
    at += n
    return new Uint8Array(data.subarray(at - n, at))
  }
  const sized = (width, value) => {
    at += width
    return value
  }
  const item = () => {
    const tag = data[at++]
    if (tag < 0x80) return tag
    if (tag >= 0xe0) return tag - 256
    if (tag >= 0x90 && tag <= 0x9f) return Array.from({ length: tag & 15 }, item)
    switch (tag) {
      case 0xc0:
        return null
      case 0xc4:
        return binary(sized(1, view.getUint8(at)))
      case 0xc5:
        return binary(sized(2, view.getUint16(at)))
      case 0xc6:
        return binary(sized(4, view.getUint32(at)))
      case 0xcc:
        return sized(1, view.getUint8(at))
      case 0xcd:
        return sized(2, view.getUint16(at))
      case 0xce:
        return sized(4, view.getUint32(at))
    }
    throw new Error(`byte ${at - 1} of the log: a tag ${tag} that logs do not have`)
  }
  while (at < data.length) items.push(item())
  return items
}
