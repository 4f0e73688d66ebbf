/** The space of deleted data: used again at once, and given back to the disk by the next start. */
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { Database } from '../../../../server/store/database.ts'
import { StoreFull } from '../../../../server/store/files/store-errors.ts'
import { FaultyDisk } from '../../../support/store/faulty-disk.ts'
import { schemaOf } from '../../../support/store/schema-of.ts'

const directory = '/data'
const path = join(directory, 'pds.sqlite')
const schema = schemaOf('CREATE TABLE item (data BLOB NOT NULL) STRICT')
const sizes: number[] = []
const open = (disk: FaultyDisk, reserve = 0) =>
  Database.open({
    ...{ directory, schema, files: disk.files, now: () => new Date('2026-01-01') },
    diskReserve: reserve,
    onCompacted: (bytes) => sizes.push(bytes),
  })
const rows = (db: Database) => db.all('SELECT rowid, length(data) AS bytes FROM item ORDER BY rowid')

/** A store of which 20 MB were deleted, closed. */
let disk: FaultyDisk
let kept: unknown[]
let seq: number
beforeAll(async () => {
  disk = new FaultyDisk()
  const db = await open(disk)
  const add = (bytes: number) =>
    db.transact((tx) => tx.run('INSERT INTO item VALUES (?)', [new Uint8Array(bytes)]))
  for (let n = 0; n < 5; n++) await add(4_000_000)
  for (let n = 0; n < 3; n++) await add(10_000)
  await db.transact((tx) => tx.run('DELETE FROM item WHERE length(data) > 1000000'))
  kept = rows(db)
  await db.close()
  seq = db.seq
  expect(disk.content(path).length).toBeGreaterThan(20_000_000)
})

test('free pages of the database count fully as free space', async () => {
  const copy = disk.clone()
  // No space for a copy of the database: it stays large.
  copy.free = 1_000_000
  const db = await open(copy, 12_000_000)
  expect(() => db.assertRoom()).not.toThrow()
  await db.close()
  const full = disk.clone()
  full.free = 100_000
  const none = await open(full, 12_000_000)
  expect(() => none.assertRoom()).toThrow(StoreFull)
  await none.close()
})

test('a start gives the space back when more than half of the database is free', async () => {
  const copy = disk.clone()
  sizes.length = 0
  const db = await open(copy)
  expect(sizes).toEqual([copy.content(path).length])
  expect(copy.content(path).length).toBeLessThan(100_000)
  expect(rows(db)).toEqual(kept)
  expect(db.seq).toBe(seq)
  expect(db.get('PRAGMA integrity_check')).toEqual({ integrity_check: 'ok' })
  await db.transact((tx) => tx.run('INSERT INTO item VALUES (?)', [new Uint8Array(10)]))
  await db.close()
  await (await open(copy)).close()
  expect(sizes).toHaveLength(1)
})

test('a start that is killed or loses power meanwhile loses nothing', { timeout: 120_000 }, async () => {
  const whole = disk.clone()
  await (await open(whole)).close()
  const { operations } = whole
  for (const fault of ['kill', 'power cut', 'power cut, sectors kept'] as const) {
    for (let at = 1; at <= operations; at++) {
      const copy = disk.clone()
      copy.failAt(at, fault)
      await open(copy)
        .then((db) => db.close())
        .catch(() => {})
      copy.restart()
      const db = await open(copy)
      expect(rows(db), `${fault} at ${at}`).toEqual(kept)
      expect(db.seq).toBe(seq)
      await db.close()
    }
  }
})
