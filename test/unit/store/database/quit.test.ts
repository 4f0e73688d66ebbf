/** A quit while a long task runs: the system kills a program that does not end within seconds. */
import { randomBytes } from 'node:crypto'
import { watch } from 'node:fs'
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeBackup } from '../../../../server/operation/replicas/local/backups.ts'
import { Database } from '../../../../server/store/database.ts'
import { schemaOf } from '../../../support/store/schema-of.ts'

const schema = schemaOf('CREATE TABLE item (data BLOB NOT NULL) STRICT')
const now = () => new Date('2026-01-01')
const open = () => Database.open({ directory, schema, now })
const backUp = (store: Database) => makeBackup({ dataDir: directory, now, store })
let directory: string
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'pds-test-'))
  await Promise.all(['backups', 'out'].map((name) => mkdir(join(directory, name))))
  const db = await open()
  for (let n = 0; n < 10; n++)
    await db.transact((tx) => tx.run('INSERT INTO item VALUES (?)', [randomBytes(4_000_000)]))
  await db.close()
})
afterAll(() => rm(directory, { recursive: true }))

/** Resolves when a temporary file is written in a folder. */
function partIn(folder: string): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const watcher = watch(folder, (_, name) => {
    if (!name?.endsWith('.tmp')) return
    watcher.close()
    resolve()
  })
  return promise
}

test.each([
  ['backup', 'backups', backUp],
  ['export', 'out', (db: Database) => db.export(join(directory, 'out', 'all.tar.gz'))],
])('a close ends a running %s, of which nothing stays', async (_, folder, run) => {
  const db = await open()
  const begun = partIn(join(directory, folder))
  const result = run(db).then(
    () => 'done',
    (error: Error) => error.message,
  )
  await begun
  await db.close()
  expect(await result).toBe('This was ended because the server stops.')
  const left = (await readdir(join(directory, folder))).filter((name) => name !== 'pds.lock')
  expect(left.filter((name) => !name.startsWith('blobs'))).toEqual([])
  await expect(backUp(db)).rejects.toThrow('closed')
  // The data are whole, and the next one can be made.
  const again = await open()
  expect(again.get('SELECT count(*) AS count FROM item')).toEqual({ count: 10 })
  await again.close()
})
