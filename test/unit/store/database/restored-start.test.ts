/** The first start with a restored database, which has no checksums yet. */
import { randomBytes } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { restore } from '../../../../server/store/backups/restore.ts'
import { Database } from '../../../../server/store/database.ts'
import { StoreDamaged } from '../../../../server/store/files/store-errors.ts'
import { Sqlite } from '../../../../server/store/pages/sqlite.ts'
import { schemaOf } from '../../../support/store/schema-of.ts'

const schema = schemaOf('CREATE TABLE item (data BLOB NOT NULL) STRICT')
const now = () => new Date('2026-01-01')
let directory: string
const open = () => Database.open({ directory, schema, now })
const path = () => join(directory, 'pds.sqlite')
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'pds-test-'))
  const db = await open()
  for (let n = 0; n < 5; n++)
    await db.transact((tx) => tx.run('INSERT INTO item VALUES (?)', [randomBytes(4_000_000)]))
  await db.close()
})
afterAll(() => rm(directory, { recursive: true }))

test('the integrity check of a large database leaves the main thread free', async () => {
  const before = await open()
  const file = join(directory, 'outside.zst')
  await before.copyTo(file)
  await before.close()
  await restore({ directory, file, schema, now })
  const all = vi.spyOn(Sqlite.prototype, 'all')
  const db = await open()
  const checks = all.mock.calls.filter(([sql]) => sql.includes('integrity_check'))
  all.mockRestore()
  expect(checks).toEqual([])
  expect(db.get('SELECT count(*) AS count FROM item')).toEqual({ count: 5 })
  await db.transact((tx) => tx.run('INSERT INTO item VALUES (?)', [new Uint8Array(10)]))
  await db.close()
  // Its checksums were written: a changed byte is found.
  const bytes = await readFile(path())
  bytes[bytes.length - 5000] = (bytes[bytes.length - 5000] ?? 0) ^ 1
  await writeFile(path(), bytes)
  const again = await open()
  expect(() => again.all('SELECT data FROM item')).toThrow(StoreDamaged)
  await again.close()
  bytes[bytes.length - 5000] = (bytes[bytes.length - 5000] ?? 0) ^ 1
  await writeFile(path(), bytes)
})

test('a large database without checksums that is damaged is refused', async () => {
  await rm(join(directory, 'pds.sqlite.pages'))
  const bytes = await readFile(path())
  // The header of a page of the tree of the schema.
  bytes.fill(0xff, 100, 110)
  await writeFile(path(), bytes)
  await expect(open()).rejects.toThrow(StoreDamaged)
})
