/** Values of days as shapes of a drawing. */
import { expect, test } from 'vitest'
import { areaPath, barsPath, lastDates, valuesOn } from '../../../renderer/ui/day-values.ts'

const dates = lastDates(Date.parse('2030-03-01T00:30:00Z'), 4)
const bytesOf = ({ bytes }: { bytes: number }) => bytes

test('the last dates end with today, over the end of a month', () => {
  expect(dates).toEqual(['2030-02-26', '2030-02-27', '2030-02-28', '2030-03-01'])
})

test('days without a value have 0, and older days are left out', () => {
  const days = [
    { day: '2030-03-01', bytes: 5 },
    { day: '2030-02-27', bytes: 2 },
    { day: '2030-01-01', bytes: 9 },
  ]
  expect(valuesOn(dates, days, bytesOf)).toEqual([0, 2, 0, 5])
})

test('bars are as high as their share of the greatest value', () => {
  expect(barsPath([0, 2, 0, 4], 30)).toBe('M1.5 30v-15M3.5 30v-30')
  expect(barsPath([0, 0], 30)).toBe('')
})

test('an area joins the known days, each at its date', () => {
  const days = [
    { day: '2030-02-26', bytes: 1 },
    { day: '2030-03-01', bytes: 4 },
  ]
  expect(areaPath(dates, days, bytesOf, 60)).toBe('M0.5 60L0.5 45L3.5 0L3.5 60Z')
})

test('one known day makes no area, nor do days that are not shown', () => {
  expect(areaPath(dates, [{ day: '2030-03-01', bytes: 4 }], bytesOf, 60)).toBe('')
  const old = ['2029-01-01', '2029-01-02'].map((day) => ({ day, bytes: 1 }))
  expect(areaPath(dates, old, bytesOf, 60)).toBe('')
})
