/** Nothing in a simulated process depends on how fast the machine is: logical time waits for threads, and libraries have its timers. */
import { generateKeyPair, pbkdf2 } from 'node:crypto'
import { lookup } from 'node:dns'
import { readFile } from 'node:fs'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { beginTime, type Time } from './world/time.ts'
import { Wire } from './world/wire.ts'

let time: Time
beforeEach(() => {
  time = beginTime(1, new Date('2030-01-01T00:00:00Z'), new Wire(), () => 0)
})
afterEach(() => time.end())

/** Takes a tenth of a second, which is many turns of the event loop. */
const slowly = (done: () => void) => pbkdf2('password', 'salt', 100_000, 32, 'sha512', done)

test.each<[string, (done: () => void) => void]>([
  ['the hash of a password', slowly],
  ['a hash after another', (done) => slowly(() => slowly(done))],
  ['the generation of keys', (done) => generateKeyPair('rsa', { modulusLength: 2048 }, done)],
  ['a call of Web Crypto', (done) => void crypto.subtle.generateKey('Ed25519', true, ['sign']).then(done)],
  ['the reading of a file', (done) => readFile(import.meta.filename, done)],
  ['the look-up of a name', (done) => lookup('localhost', done)],
])('logical time stands still until %s has ended', async (_, begin) => {
  let isDone = false
  begin(() => {
    isDone = true
  })
  await time.settle()
  expect(isDone).toBe(true)
})

test('a timer of a library falls due by logical time alone', async () => {
  const rung: string[] = []
  setTimeout((word) => rung.push(word), 10, 'first')
  const second = setTimeout(() => rung.push('second'), 1000)
  const third = setTimeout(() => rung.push('third'), 1000)
  clearTimeout(third)
  second.unref()
  await new Promise((resolve) => slowly(() => resolve(undefined)))
  expect(rung).toEqual([])
  await time.clock.advance(999)
  expect(rung).toEqual(['first'])
  await time.clock.advance(1)
  expect(rung).toEqual(['first', 'second'])
})

test('the timers of the system are back when the simulated time ends', async () => {
  time.end()
  await new Promise((resolve) => setTimeout(resolve, 1))
})
