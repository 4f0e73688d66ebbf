/** Addresses that people type, counts of an hour, and when an upstream is cut off. */
import { expect, test } from 'vitest'
import {
  createUpstreamLimits,
  type UpstreamLimits,
} from '../../../../server/federation/remote/limits/upstream.ts'
import { originsOf } from '../../../../server/federation/upstreams/find-server.ts'
import { createHourCounter } from '../../../../server/util/hour-counter.ts'
import { hour, minute, TestClock } from '../../../support/server/clock.ts'

test.each([
  ['https://pds.example/', ['https://pds.example']],
  ['http://192.168.1.20:2583', ['http://192.168.1.20:2583']],
  ['wss://relay.example', ['https://relay.example']],
  [' pds.example ', ['https://pds.example']],
  ['192.168.1.20:2583', ['https://192.168.1.20:2583', 'http://192.168.1.20:2583']],
  [
    'bobs-laptop.local',
    ['https://bobs-laptop.local', 'http://bobs-laptop.local', 'http://bobs-laptop.local:2583'],
  ],
  ['laptop', ['https://laptop', 'http://laptop', 'http://laptop:2583']],
  ['[fd00::1]:2583', ['https://[fd00::1]:2583', 'http://[fd00::1]:2583']],
  ['ftp://pds.example', []],
  ['https://user:secret@pds.example', []],
  ['https://pds.example/path', []],
  ['two words', []],
  ['', []],
])('the address %j means %j', (address, origins) => {
  expect(originsOf(address)).toEqual(origins)
})

test('an hour counter forgets what is older than an hour', () => {
  const clock = new TestClock()
  const counter = createHourCounter(clock.now)
  counter.add(3)
  clock.advance(30 * minute)
  counter.add(4)
  expect(counter.sum()).toBe(7)
  clock.advance(30 * minute)
  expect(counter.sum()).toBe(4)
  clock.advance(48 * hour)
  expect(counter.sum()).toBe(0)
})

test('20 invalid events among 1,000 cut an upstream off, 19 do not', () => {
  const clock = new TestClock()
  const limits = createUpstreamLimits(clock.now)
  for (let n = 1; n <= 5000; n++) limits.examined(n % 53 !== 0)
  expect(limits.breach).toBeUndefined()
  for (let n = 1; n <= 1000; n++) limits.examined(n % 50 !== 0)
  expect(limits.breach).toContain('not validly signed')
})

test('a flood of new events cuts an upstream off, a replay of old ones does not', () => {
  const clock = new TestClock()
  const limits = createUpstreamLimits(clock.now)
  const old = new Date(clock.now().getTime() - hour).toISOString()
  for (let n = 0; n < 10_000; n++) limits.received(old)
  for (let n = 0; n < 10_000; n++) limits.received('never')
  expect(limits.breach).toBeUndefined()
  for (let n = 0; n < 10_000; n++) limits.received(clock.now().toISOString())
  expect(limits.breach).toContain('2000 events a second')
})

/** How an upstream that sends `count` messages is read: milliseconds to wait before the next one, and the breach. */
function read(limits: UpstreamLimits, count: number, bytes: number, at: string | undefined) {
  let waitMs = 0
  for (let n = 0; n < count; n++) waitMs = limits.read(bytes, at)
  return { waitMs, breach: limits.breach }
}

test('the burst of a relay is read at once, and what goes on has to wait', () => {
  const clock = new TestClock()
  let ms = 0
  const limits = createUpstreamLimits(clock.now, () => ms)
  const old = new Date(clock.now().getTime() - hour).toISOString()
  expect(read(limits, 200_000, 4000, old)).toEqual({ waitMs: 0, breach: undefined })
  expect(read(limits, 20_000, 4000, old)).toEqual({ waitMs: 1000, breach: undefined })
  ms += 1000
  expect(read(limits, 1, 4000, old)).toMatchObject({ waitMs: 1 / 20 })
  ms += 10_000
  expect(read(limits, 200, 5_000_000, old)).toEqual({ waitMs: 0, breach: undefined })
  expect(read(limits, 20, 5_000_000, old).waitMs).toBeGreaterThan(0)
  expect(limits.breach).toBeUndefined()
})

test.each<[string, number, number, boolean]>([
  ['events', 300_001, 200, true],
  ['megabytes', 241, 5_000_000, true],
  ['repeated events', 300_001, 200, false],
])(
  'more %s of the present than any relay sends in a minute cut an upstream off',
  (_, count, bytes, isNext) => {
    const now = () => new Date('2030-01-01')
    let ms = 0
    const limits = createUpstreamLimits(now, () => ms)
    const at = isNext ? now().toISOString() : undefined
    expect(read(limits, count - 1, bytes, at).breach).toBeUndefined()
    ms += 60_000
    expect(read(limits, count - 1, bytes, at).breach).toBeUndefined()
    expect(read(limits, 1, bytes, at).breach).toMatch(/^It sent more than \d+ (events|MB) a second$/)
  },
)
