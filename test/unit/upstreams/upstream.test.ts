/** Addresses that people type, counts of an hour, and when an upstream is cut off. */
import { expect, test } from 'vitest'
import { originsOf } from '../../../server/upstreams/find-server.ts'
import { createTrust } from '../../../server/upstreams/trust.ts'
import { createHourCounter } from '../../../server/util/hour-counter.ts'
import { hour, minute, TestClock } from '../../support/clock.ts'

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
  const trust = createTrust(clock.now)
  for (let n = 1; n <= 5000; n++) trust.examined(n % 53 !== 0)
  expect(trust.breach).toBeUndefined()
  for (let n = 1; n <= 1000; n++) trust.examined(n % 50 !== 0)
  expect(trust.breach).toContain('not validly signed')
})

test('a flood of new events cuts an upstream off, a replay of old ones does not', () => {
  const clock = new TestClock()
  const trust = createTrust(clock.now)
  const old = new Date(clock.now().getTime() - hour).toISOString()
  for (let n = 0; n < 10_000; n++) trust.received(old)
  for (let n = 0; n < 10_000; n++) trust.received('never')
  expect(trust.breach).toBeUndefined()
  for (let n = 0; n < 10_000; n++) trust.received(clock.now().toISOString())
  expect(trust.breach).toContain('2000 events a second')
})
