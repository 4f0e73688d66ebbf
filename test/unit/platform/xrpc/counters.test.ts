import { afterEach, expect, test, vi } from 'vitest'
import { Counters, maxEntries } from '../../../../server/platform/xrpc/counters.ts'
import { limiter } from '../../../../server/platform/xrpc/rate-limit.ts'

afterEach(() => void vi.useRealTimers())

const res = { setHeader: () => res as never }
const day = 24 * 60 * 60

test('a limit keeps no timer per caller, and stays exceeded while others call', async () => {
  vi.useFakeTimers()
  const check = limiter([{ points: 2, seconds: day, per: 'address' }], undefined)
  const call = (address: string) => check({ input: undefined, address, account: undefined }, res)
  for (let n = 0; n < 2; n++) call('guesser')
  expect(() => call('guesser')).toThrow('Too many calls')
  for (let n = 0; n < 3 * maxEntries; n++) call(`name ${n}`)
  expect(vi.getTimerCount()).toBe(0)
  expect(() => call('guesser')).toThrow('Too many calls')
})

test('counters are bounded: new keys evict the lowest count, not the highest', () => {
  const counters = new Counters(day)
  for (let n = 0; n < 5; n++) counters.add('guesser')
  counters.add('once')
  for (let n = 0; n < 3 * maxEntries; n++) counters.add(`name ${n}`)
  expect(counters.size).toBe(maxEntries)
  expect(counters.get('guesser')).toMatchObject({ count: 5 })
  expect(counters.get('once')).toBeUndefined()
})

test('counters of windows that have ended are deleted when others are added', () => {
  const counters = new Counters(60)
  for (let n = 0; n < 1000; n++) counters.add(`early ${n}`, 0)
  expect(counters.get('early 0', 59_999)).toEqual({ count: 1, msLeft: 1 })
  expect(counters.get('early 0', 60_000)).toBeUndefined()
  for (let n = 0; n < 100; n++) counters.add(`late ${n}`, 60_000)
  expect(counters.size).toBe(100)
})

test('a window lasts no longer when the clock is set back', () => {
  const counters = new Counters(60)
  counters.add('caller', 1_000_000)
  expect(counters.add('caller', 0)).toEqual({ count: 1, msLeft: 60_000 })
})
