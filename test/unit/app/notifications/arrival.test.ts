import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { arrivalTime } from '../../../../server/app/notifications/arrival.ts'
import { schema } from '../../../../server/schema/schema.ts'
import { Database } from '../../../../server/store/database.ts'

let dir: string
let db: Database
beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'pds-arrival-'))
  db = await Database.open({ directory: dir, schema, now: () => new Date() })
})
afterEach(async () => {
  await db.close()
  rmSync(dir, { recursive: true })
})

test('arrivalTime: follows the clock, and is unique when the clock stands still or goes back', async () => {
  const clock = [
    '2030-01-01T23:59:59.998Z',
    '2030-01-01T23:59:59.998Z',
    '2030-01-01T12:00:00.000Z',
    '2030-01-02T00:00:00.000Z',
    '2030-01-03T00:00:00.000Z',
  ] as const
  const times: string[] = []
  for (const now of clock) times.push(await db.transact((tx) => arrivalTime(tx, now)))
  expect(times).toEqual([
    '2030-01-01T23:59:59.998Z',
    '2030-01-01T23:59:59.999Z',
    '2030-01-02T00:00:00.000Z',
    '2030-01-02T00:00:00.001Z',
    '2030-01-03T00:00:00.000Z',
  ])
})
