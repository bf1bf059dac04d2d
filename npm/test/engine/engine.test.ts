import { afterEach, describe, expect, it, vi } from 'vitest'
import type { Engine, RootPulls } from '../../src/engine/engine.js'
import { engine } from '../../src/engine/loader.js'
import type { Reader } from '../../src/engine/reader.js'
import type { Writer } from '../../src/engine/writer.js'
import { EngineVersionError } from '../../src/errors/engine.js'

const HANDLE = Symbol.for('millrace/engine')

function send(write: (message: Writer) => void, take: (effects: Reader) => void = () => {}): number {
  const message = engine().begin()
  write(message)
  return engine().command(message, take)
}

/** A root with n rows whose slots and key ids are 0 to n-1. */
function loadedRoot(n: number, pulls: Partial<RootPulls>): number {
  const col = engine().nextId()
  const unasked = (): never => {
    throw new Error('not to be asked')
  }
  engine().attachRoot(col, {
    readColumn: unasked,
    readKeys: numbers,
    compose: unasked,
    equal: unasked,
    ...pulls,
  })
  const items = (message: Writer, ...ints: number[]): void => {
    for (const int of ints) message.int(int)
  }
  const done = [
    send((message) => {
      message.array(4)
      items(message, 1, col)
      message.array(2)
      items(message, 6, 0, 0)
    }),
    send((message) => {
      message.array(2)
      items(message, 2, col)
    }),
    send((message) => {
      message.array(9)
      items(message, 6, col, 0, 0)
      message.words(Array.from({ length: n }, (_, i) => [0, i, i]).flat())
      message.nil()
      message.nil()
      message.array(0)
      message.nil()
    }),
  ]
  expect(done).toEqual([0, 0, 0])
  return col
}

/** Live: root `col` ordered by `rank`, the first ten. Returns the status; `take` gets the effects. */
function order(col: number, take?: (effects: Reader) => void, path = 'rank'): number {
  return send((message) => {
    message.array(6)
    for (const int of [8, engine().nextId(), col]) message.int(int)
    message.array(2)
    message.int(6)
    message.int(0)
    message.array(5)
    message.array(0)
    message.nil()
    message.array(1)
    message.array(4)
    message.array(2)
    message.int(0)
    message.array(1)
    message.str(path)
    for (let i = 0; i < 3; i++) message.int(0)
    message.nil()
    message.int(10)
    message.nil()
  }, take)
}

/** Answers a request with numbers counting down, one per id of the block at the request's end. */
function numbers(request: Reader, answer: Writer): void {
  while (request.kind !== 'block') request.skip()
  const n = request.blockU32()
  answer.array(2)
  answer.array(2)
  answer.int(3)
  answer.doubles(Array.from({ length: n }, (_, i) => -(request.u32[request.at + i] as number)))
  answer.nil()
}

function operations(effects: Reader): number[] {
  const ops: number[] = []
  for (let n = effects.array(); n > 0; n--) {
    const items = effects.array()
    ops.push(effects.int())
    for (let i = 1; i < items; i++) effects.skip()
  }
  expect(effects.done).toBe(true)
  return ops
}

afterEach(() => {
  vi.useRealTimers()
  vi.resetModules()
})

describe('a command', () => {
  it('is refused with an error when its bytes mean nothing', () => {
    const ops: number[] = []
    expect(
      send(
        (message) => message.str('nonsense'),
        (effects) => ops.push(...operations(effects)),
      ),
    ).toBe(1)
    expect(ops).toEqual([1])
  })

  it('gets its pulls answered by whoever attached the root', () => {
    const readColumn = vi.fn(numbers)
    const col = loadedRoot(100, { readColumn })
    const ops: number[] = []
    expect(order(col, (effects) => ops.push(...operations(effects)))).toBe(0)
    expect(readColumn).toHaveBeenCalledTimes(1)
    expect(ops).toContain(7)
  })

  it('throws what a pull threw, once the effects are taken', () => {
    const mine = new TypeError('a getter of a row')
    const col = loadedRoot(100, {
      readColumn() {
        throw mine
      },
    })
    const take = vi.fn(operations)
    expect(() => order(col, take)).toThrow(mine)
    expect(take).toHaveBeenCalledOnce()
    expect(engine().busy).toBe(false)
    engine().attachRoot(col, { readColumn: numbers, readKeys: numbers, compose: numbers, equal: () => false })
    expect(order(col)).toBe(0)
  })

  it('cannot be issued from inside a pull or while effects are taken', () => {
    const refused = 'cannot be changed while the engine'
    const col = loadedRoot(3, {
      readColumn(request, answer) {
        expect(engine().busy).toBe(true)
        expect(() => send((message) => message.nil())).toThrow(refused)
        numbers(request, answer)
      },
    })
    expect(order(col, () => expect(() => send((message) => message.nil())).toThrow(refused))).toBe(0)
  })

  it('may be issued while another is written', () => {
    const outer = engine().begin()
    outer.array(1)
    expect(send((message) => message.nil())).toBe(1)
    outer.int(13)
    const ops: number[] = []
    expect(engine().command(outer, (effects) => ops.push(...operations(effects)))).toBe(0)
    expect(ops).toEqual([12])
  })

  it('and its answers may be large: memory grows while it runs', () => {
    const before = engine().u8.length
    const col = loadedRoot(200_000, { readColumn: numbers })
    const ops: number[] = []
    expect(order(col, (effects) => ops.push(...operations(effects)))).toBe(0)
    expect(ops).toContain(7)
    expect(engine().u8.length).toBeGreaterThan(before)
    engine().collectGarbage()
  })

  it('that asks about a root nobody attached fails as a pull', () => {
    const col = loadedRoot(3, {})
    engine().detachRoot(col)
    expect(() => order(col)).toThrow(`root collection ${col}, which nobody attached`)
  })
})

describe('the engine', () => {
  it('is one for all copies of the library', async () => {
    const first = engine()
    vi.resetModules()
    const copy = await import('../../src/engine/loader.js')
    expect(copy.engine).not.toBe(engine)
    expect(copy.engine()).toBe(first)
    const texts = first.shared('test', () => ({}))
    expect(copy.engine().shared('test', () => ({}))).toBe(texts)
    expect(copy.engine().nextId()).toBeGreaterThan(1)
  })

  it('is not shared with a copy that speaks another protocol', async () => {
    const first = engine()
    const restore = Object.getOwnPropertyDescriptor(globalThis, HANDLE) as PropertyDescriptor
    Object.defineProperty(globalThis, HANDLE, { ...restore, value: { protocol: 99 } })
    try {
      vi.resetModules()
      const copy = await import('../../src/engine/loader.js')
      expect(() => copy.engine()).toThrow(/protocol version 99/)
      expect(() => copy.engine()).toThrow(expect.objectContaining({ name: EngineVersionError.name }))
    } finally {
      Object.defineProperty(globalThis, HANDLE, { ...restore, value: first })
    }
  })

  it('leaves nothing behind that can be enumerated', () => {
    expect(engine().protocol).toBe(2)
    expect(Object.keys(globalThis)).not.toContain('Go')
    expect(Object.prototype.propertyIsEnumerable.call(globalThis, HANDLE)).toBe(false)
    expect(Object.values(engine() as Engine & Record<string, unknown>)).toEqual([2])
  })

  it('starts and runs under a clock that stands still, and sets no timer', async () => {
    const restore = Object.getOwnPropertyDescriptor(globalThis, HANDLE) as PropertyDescriptor
    vi.useFakeTimers()
    Reflect.deleteProperty(globalThis, HANDLE)
    try {
      vi.resetModules()
      const copy = (await import('../../src/engine/loader.js')).engine()
      const message = copy.begin()
      message.nil()
      expect(copy.command(message, () => {})).toBe(1)
      copy.collectGarbage()
      expect(vi.getTimerCount()).toBe(0)
    } finally {
      Object.defineProperty(globalThis, HANDLE, restore)
    }
  })
})
