/**
 * Watches the WebAssembly memories a process makes, from outside: an engine need not offer its memory for measuring.
 * Call it before the engine is imported.
 * @returns {() => number} bytes of all memories exported by instances made since
 */
export function watchWasmMemories() {
  const memories = new Set()
  const note = (instance) => {
    for (const value of Object.values(instance.exports))
      if (value instanceof WebAssembly.Memory) memories.add(value)
  }
  WebAssembly.Instance = new Proxy(WebAssembly.Instance, {
    construct(target, args, newTarget) {
      const instance = Reflect.construct(target, args, newTarget)
      note(instance)
      return instance
    },
  })
  const instantiate = WebAssembly.instantiate
  WebAssembly.instantiate = async (...args) => {
    const made = await instantiate(...args)
    note(made.instance ?? made)
    return made
  }
  return () => [...memories].reduce((bytes, memory) => bytes + memory.buffer.byteLength, 0)
}
