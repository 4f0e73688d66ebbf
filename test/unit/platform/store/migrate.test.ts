/** Upgrades of the schema. */
import { expect, test } from 'vitest'
import { Database, type Schema } from '../../../../server/platform/store/database.ts'
import { schemaOf } from '../../../support/schema-of.ts'
import { FaultyDisk } from './faulty-disk.ts'

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
