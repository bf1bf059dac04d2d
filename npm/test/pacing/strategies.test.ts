import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import {
  type BaseStrategy,
  debounceStrategy,
  queueStrategy,
  type Transaction,
  throttleStrategy,
} from '../../src/index.ts'

beforeEach(() => {
  vi.useFakeTimers({ now: 0 })
})
afterEach(() => {
  vi.useRealTimers()
})

/** A transaction that settles `ms` after it is sent. */
function sending(ms: number, fails = false): Transaction<object> {
  const promise = new Promise<void>((resolve, reject) =>
    setTimeout(() => (fails ? reject(new Error('refused')) : resolve()), ms),
  )
  return { isPersisted: { promise } } as unknown as Transaction<object>
}

/** Calls a strategy at the given times and gives "call@time" of what it sends, or drops. */
async function timeline(strategy: BaseStrategy, calls: readonly number[], takes = 0): Promise<string[]> {
  const log: string[] = []
  for (const [i, at] of calls.entries()) {
    if (at > Date.now()) await vi.advanceTimersByTimeAsync(at - Date.now())
    strategy.execute(
      () => {
        log.push(`${i + 1}@${Date.now()}`)
        return sending(takes)
      },
      () => log.push(`${i + 1} dropped`),
    )
  }
  await vi.advanceTimersByTimeAsync(10_000)
  return log
}

const burst = [0, 20, 40, 140]
const stream = [0, 10, 20, 120, 130]

describe('debounceStrategy', () => {
  const cases: [string, Parameters<typeof debounceStrategy>[0], string[]][] = [
    ['sends at the end of a burst', { wait: 50 }, ['3@90', '4@190']],
    [
      'sends the first call and the rest of a burst',
      { wait: 50, leading: true, trailing: true },
      ['1@0', '3@90', '4@140'],
    ],
    [
      'sends only the first call of a burst when only leading is given',
      { wait: 50, leading: true },
      ['1@0', '4@140'],
    ],
    ['sends only the first call of a burst', { wait: 50, leading: true, trailing: false }, ['1@0', '4@140']],
    ['sends at the end when leading is refused', { wait: 50, leading: false }, ['3@90', '4@190']],
    ['sends at the start when trailing is refused', { wait: 50, trailing: false }, ['1@0', '4@140']],
  ]
  it.each(cases)('%s', async (_, options, sent) => {
    expect(await timeline(debounceStrategy(options), burst)).toEqual(sent)
  })

  it('agrees with the definition of a burst', async () => {
    const flags = fc.constantFrom([true, true], [true, false], [false, true])
    const gaps = fc.array(fc.integer({ min: 0, max: 12 }), { minLength: 1, maxLength: 12 })
    await fc.assert(
      fc.asyncProperty(
        gaps,
        fc.integer({ min: 1, max: 8 }),
        flags,
        async (distances, wait, [leading, trailing]) => {
          vi.setSystemTime(0)
          let at = 0
          const calls = distances.map((gap) => (at += gap))
          const expected: string[] = []
          let first = 0
          for (let i = 0; i < calls.length; i++) {
            const over = i === calls.length - 1 || calls[i + 1]! - calls[i]! >= wait
            if (i === first && leading) expected.push(`${i + 1}@${calls[i]}`)
            if (over && trailing && !(leading && i === first)) expected.push(`${i + 1}@${calls[i]! + wait}`)
            if (over) first = i + 1
          }
          const strategy = debounceStrategy({ wait, leading: leading!, trailing: trailing! })
          expect(await timeline(strategy, calls)).toEqual(expected)
        },
      ),
      { numRuns: 200 },
    )
  })
})

describe('throttleStrategy', () => {
  const cases: [string, Parameters<typeof throttleStrategy>[0], string[]][] = [
    ['sends at once and what comes meanwhile at the end', { wait: 50 }, ['1@0', '3@50', '4@120', '5@170']],
    ['sends only at once', { wait: 50, leading: true }, ['1@0', '4@120']],
    ['sends only at once when trailing is refused', { wait: 50, trailing: false }, ['1@0', '4@120']],
    [
      'sends only after the turn or at the end',
      { wait: 50, trailing: true },
      ['1@0', '3@50', '4@120', '5@170'],
    ],
    [
      'sends only after the turn when leading is refused',
      { wait: 50, leading: false },
      ['1@0', '3@50', '4@120', '5@170'],
    ],
  ]
  it.each(cases)('%s', async (_, options, sent) => {
    expect(await timeline(throttleStrategy(options), stream)).toEqual(sent)
  })

  it('sends calls of one turn together when only trailing is wanted', async () => {
    expect(await timeline(throttleStrategy({ wait: 50, trailing: true }), [0, 0, 0])).toEqual(['3@0'])
  })

  it('never sends twice within the time and sends the last call when trailing is wanted', async () => {
    const gaps = fc.array(fc.integer({ min: 0, max: 12 }), { minLength: 1, maxLength: 12 })
    await fc.assert(
      fc.asyncProperty(
        gaps,
        fc.integer({ min: 1, max: 8 }),
        fc.boolean(),
        async (distances, wait, trailing) => {
          vi.setSystemTime(0)
          let at = 0
          const calls = distances.map((gap) => (at += gap))
          const expected: string[] = []
          let free = 0
          let waiting: number | undefined
          const endBefore = (time: number) => {
            if (waiting !== undefined && free <= time) {
              expected.push(`${waiting + 1}@${free}`)
              free += wait
              waiting = undefined
            }
          }
          for (const [i, time] of calls.entries()) {
            endBefore(time)
            if (time >= free) {
              expected.push(`${i + 1}@${time}`)
              free = time + wait
            } else if (trailing) waiting = i
          }
          endBefore(Number.POSITIVE_INFINITY)
          expect(await timeline(throttleStrategy({ wait, leading: true, trailing }), calls)).toEqual(expected)
        },
      ),
      { numRuns: 200 },
    )
  })
})

describe('queueStrategy', () => {
  const cases: [string, Parameters<typeof queueStrategy>[0], number, string[]][] = [
    ['sends each when the one before has settled', undefined, 20, ['1@0', '2@20', '3@40', '4@60']],
    ['lets time pass between starts', { wait: 50 }, 5, ['1@0', '2@50', '3@100', '4@150']],
    ['counts that time from the start', { wait: 50 }, 80, ['1@0', '2@80', '3@160', '4@240']],
    ['drops what exceeds its size at once', { maxSize: 1 }, 20, ['3 dropped', '4 dropped', '1@0', '2@20']],
    [
      'drops nothing that can start at once',
      { maxSize: 0 },
      20,
      ['2 dropped', '3 dropped', '4 dropped', '1@0'],
    ],
    ['takes from the back', { getItemsFrom: 'back' }, 20, ['1@0', '4@20', '3@40', '2@60']],
    ['adds to the front', { addItemsTo: 'front' }, 20, ['1@0', '4@20', '3@40', '2@60']],
  ]
  it.each(cases)('%s', async (_, options, takes, sent) => {
    expect(await timeline(queueStrategy(options), [0, 0, 0, 0], takes)).toEqual(sent)
  })

  it('starts nothing before the caller has its transaction', () => {
    const sent = vi.fn(() => sending(0))
    queueStrategy().execute(sent)
    expect(sent).not.toHaveBeenCalled()
  })

  it('works everything off one at a time, in order, whatever fails', async () => {
    const item = fc.record({ gap: fc.nat(6), takes: fc.nat(9), fails: fc.boolean(), throws: fc.boolean() })
    await fc.assert(
      fc.asyncProperty(fc.array(item, { maxLength: 10 }), fc.nat(6), async (items, wait) => {
        vi.setSystemTime(0)
        const strategy = queueStrategy({ wait })
        const started: number[] = []
        const at: number[] = []
        let running = 0
        for (const [i, { gap, takes, fails }] of items.entries()) {
          await vi.advanceTimersByTimeAsync(gap)
          strategy.execute(() => {
            started.push(i)
            at.push(Date.now())
            expect(++running).toBe(1)
            const transaction = sending(takes, fails)
            const end = () => {
              running--
            }
            transaction.isPersisted.promise.then(end, end)
            return transaction as never
          })
        }
        await vi.advanceTimersByTimeAsync(1000)
        expect(started).toEqual(items.map((_, i) => i))
        for (let i = 1; i < at.length; i++) expect(at[i]! - at[i - 1]!).toBeGreaterThanOrEqual(wait)
      }),
      { numRuns: 200 },
    )
  })
})

describe('a strategy', () => {
  const all: [string, () => BaseStrategy][] = [
    ['debounce', () => debounceStrategy({ wait: 10 })],
    ['throttle', () => throttleStrategy({ wait: 10 })],
    ['queue', () => queueStrategy({ wait: 10 })],
  ]
  it.each(all)(
    'of the kind %s drops what waits when it is cleaned up, and can be used again',
    async (kind, make) => {
      const strategy = make()
      const { cleanup } = strategy
      const log: string[] = []
      const call = (name: string) =>
        strategy.execute(
          () => {
            log.push(name)
            return sending(0)
          },
          (reason) => log.push(`${name} dropped: ${reason.message.includes('cleaned up')}`),
        )
      call('a')
      await vi.advanceTimersByTimeAsync(1)
      call('b')
      cleanup()
      await vi.advanceTimersByTimeAsync(100)
      const before = kind === 'debounce' ? [] : ['a']
      // The calls of a debounced burst are one, of which the latest is kept.
      expect(log).toEqual([...before, 'b dropped: true'])
      call('c')
      await vi.advanceTimersByTimeAsync(100)
      expect(log).toEqual([...before, 'b dropped: true', 'c'])
      cleanup()
      expect(vi.getTimerCount()).toBe(0)
    },
  )

  it.each([debounceStrategy, throttleStrategy])('that would never send is refused', (make) => {
    expect(() => make({ wait: 1, leading: false, trailing: false })).toThrow('would never send anything')
  })

  it('has a type and its options', () => {
    expect(debounceStrategy({ wait: 1 })).toMatchObject({
      _type: 'debounce',
      options: { wait: 1, trailing: true },
    })
    expect(throttleStrategy({ wait: 1 })).toMatchObject({
      _type: 'throttle',
      options: { wait: 1, leading: true, trailing: true },
    })
    expect(queueStrategy({ wait: 1 })).toMatchObject({ _type: 'queue', options: { wait: 1 } })
    expect(queueStrategy().options).toBeUndefined()
  })
})
