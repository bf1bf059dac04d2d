import * as millrace from 'millrace'
import { expected, scenario } from '../scenario.mjs'

it('runs under jsdom', async () => {
  expect(typeof document).toBe('object')
  expect(await scenario(millrace)).toMatchObject(expected)
})

it('runs in the realm of jsdom with fake timers', async () => {
  vi.useFakeTimers()
  try {
    expect(await scenario(millrace)).toMatchObject(expected)
    expect(vi.getTimerCount()).toBeLessThanOrEqual(1)
  } finally {
    vi.useRealTimers()
  }
})
