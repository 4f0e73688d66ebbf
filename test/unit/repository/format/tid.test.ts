import { isValidTid } from '@atproto/syntax'
import { expect, test } from 'vitest'
import { createTidClock } from '../../../../server/repository/format/tid.ts'

const at = (iso: string) => () => new Date(iso)

test('a TID encodes its time in microseconds', () => {
  const nextTid = createTidClock(at('2023-07-19T21:58:56.340Z'))
  expect(nextTid().slice(0, 11)).toBe('3k2vslpva32')
})

test('TIDs grow, also within a millisecond and when the clock goes back', () => {
  let now = Date.parse('2030-01-01T00:00:00.000Z')
  const nextTid = createTidClock(() => new Date(now))
  const tids = Array.from({ length: 3000 }, (_, n) => {
    if (n === 1000) now += 1
    if (n === 2000) now -= 60_000
    return nextTid()
  })
  expect(tids.every((tid) => isValidTid(tid))).toBe(true)
  expect(tids.toSorted()).toEqual(tids)
  expect(new Set(tids).size).toBe(tids.length)
})

test('a TID sorts after the given one, which does not affect later TIDs', () => {
  const ahead = createTidClock(at('2040-01-01T00:00:00.000Z'))()
  const nextTid = createTidClock(at('2030-01-01T00:00:00.000Z'))
  const next = nextTid(ahead)
  expect(next > ahead).toBe(true)
  expect(nextTid(next) > next).toBe(true)
  expect(nextTid() < ahead).toBe(true)
})
