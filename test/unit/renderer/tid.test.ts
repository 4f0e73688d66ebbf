import { isValidTid } from '@atproto/syntax'
import { expect, test } from 'vitest'
import { newTid } from '../../../renderer/api/tid.ts'

test('keys are valid, differ, and sort by time', () => {
  const times = Array.from({ length: 100 }, (_, index) => 1_700_000_000_000 + index)
  const keys = times.map((now) => newTid(now))
  expect(keys.every(isValidTid)).toBe(true)
  expect(keys.toSorted()).toEqual(keys)
  expect(new Set(Array.from({ length: 100 }, () => newTid(0))).size).toBeGreaterThan(90)
})
