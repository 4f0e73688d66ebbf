import { expect, test } from 'vitest'
import { createHourCounter } from '../../../server/util/hour-counter.ts'

test('counts of the last 60 minutes are summed, also when the clock is set back', () => {
  let minute = 1000
  const counter = createHourCounter(() => new Date(minute * 60_000))
  const sumAt = (later: number) => {
    minute = later
    return counter.sum()
  }
  counter.add()
  expect(sumAt(1030)).toBe(1)
  counter.add(5)
  expect([sumAt(1020), sumAt(1059), sumAt(1060), sumAt(1089), sumAt(1090)]).toEqual([6, 6, 5, 5, 0])
  counter.add(2)
  expect(sumAt(2000)).toBe(0)
})
