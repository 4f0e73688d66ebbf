/** What two clean-ups in a row confirm, and leaps of the clock. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createCleanUps } from '../../../../server/operation/replicas/clean-ups.ts'
import { nodeFiles } from '../../../../server/store/files/files.ts'
import { day, hour } from '../../../support/server/clock.ts'

let root: string
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'pds-clean-ups-'))
})
afterAll(() => rm(root, { recursive: true }))

test.each([
  ['is set back by an hour', -hour],
  ['leaps by more than a month', 32 * day],
])('nothing is removed for a week after the clock %s', async (name, leap) => {
  const cleanUps = createCleanUps(nodeFiles, join(root, name))
  let at = Date.parse('2030-01-01T00:00:00Z')
  const confirmAfter = async (ms: number) => {
    at += ms
    const confirmed = await cleanUps.confirm(new Set(['surplus']), ['surplus'], new Date(at))
    return [...confirmed]
  }
  expect(await confirmAfter(0)).toEqual([])
  expect(await confirmAfter(hour)).toEqual(['surplus'])
  expect(await confirmAfter(leap)).toEqual([])
  expect(cleanUps.isSteady).toBe(false)
  expect(await confirmAfter(6 * day)).toEqual([])
  expect(await confirmAfter(day)).toEqual(['surplus'])
  expect(cleanUps.isSteady).toBe(true)
})
