/** How long a copy still takes. */
import { expect, test } from 'vitest'
import { secondsLeft } from '../../../renderer/parts/replicas/time-left.ts'

const first = { sent: 1000, at: 0 }

test('the time left follows from the speed since the first observation', () => {
  expect(secondsLeft(first, { sent: 3000, total: 10_000 }, 20_000)).toBe(70)
  expect(secondsLeft(first, { sent: 10_000, total: 10_000 }, 20_000)).toBe(0)
})

test('nothing is known after a few seconds, and while nothing is sent', () => {
  expect(secondsLeft(first, { sent: 3000, total: 10_000 }, 9000)).toBeUndefined()
  expect(secondsLeft(first, { sent: 1000, total: 10_000 }, 60_000)).toBeUndefined()
})
