/** Upgrades of the schema. */
import { expect, test } from 'vitest'
import { Database, type Schema } from '../../../../server/store/database.ts'
import { load } from '../../../../server/store/journal/recover.ts'
import { closeFile, schemaVersion } from '../../../../server/store/pages/database-file.ts'
import { FaultyDisk } from '../../../support/store/faulty-disk.ts'
import { schemaOf } from '../../../support/store/schema-of.ts'

const rows = 'CREATE TABLE rows (id INTEGER PRIMARY KEY AUTOINCREMENT, bytes BLOB) STRICT'
const withNotes = schemaOf(rows, 'ALTER TABLE rows ADD COLUMN note TEXT')

test('an upgrade that frees pages leaves a database file that no journal is applied to again', async () => {
  const disk = new FaultyDisk()
  const open = (schema: Schema) =>
    Database.open({ directory: '/data', schema, now: () => new Date(0), files: disk.files })
  const kill = async (db: Database) => {
    disk.kill()
    await db.close().catch(() => {})
    disk.restart()
  }
  const before = await open(schemaOf(rows))
  for (let n = 0; n < 40; n++) {
    await before.transact((tx) => tx.run('INSERT INTO rows (bytes) VALUES (?)', [new Uint8Array(4000)]))
  }
  await before.transact((tx) => tx.run('DELETE FROM rows WHERE id > 2'))
  await kill(before)

  const upgraded = await open(withNotes)
  await upgraded.transact((tx) => tx.run("INSERT INTO rows (note) VALUES ('a')"))
  await upgraded.checkpoint()
  await upgraded.transact((tx) => tx.run("INSERT INTO rows (note) VALUES ('b')"))
  await kill(upgraded)

  const after = await open(withNotes)
  expect(after.all('SELECT note FROM rows')).toEqual([null, null, 'a', 'b'].map((note) => ({ note })))
  await after.close()
})

test('each upgrade is on disk before the next one begins, and a start that was cut goes on with the next one', async () => {
  const copies = ['a', 'b', 'c'].map((name) => `CREATE TABLE ${name} AS SELECT * FROM rows`)
  const schema = schemaOf(rows, ...copies)
  const open = ({ files }: FaultyDisk, to: Schema) =>
    Database.open({ directory: '/data', schema: to, now: () => new Date(0), files })
  const old = new FaultyDisk()
  const before = await open(old, schemaOf(rows))
  await before.transact((tx) => tx.run("INSERT INTO rows (bytes) VALUES (x'01')"))
  await before.close()

  const seen = new Set<unknown>()
  for (let at = 1; ; at++) {
    const disk = old.clone()
    disk.failAt(at, 'kill')
    const store = await open(disk, schema).catch(() => undefined)
    await store?.close().catch(() => {})
    if (!disk.off) break
    disk.restart()
    const { sqlite, file } = await load(disk.files, '/data')
    seen.add(schemaVersion(sqlite))
    await closeFile({ sqlite, file })
    const next = await open(disk, schema)
    for (const name of ['a', 'b', 'c']) expect(next.all(`SELECT id FROM ${name}`)).toEqual([{ id: 1 }])
    await next.close()
  }
  expect([...seen]).toEqual([1, 2, 3, 4])
})
