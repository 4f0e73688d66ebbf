/** Permissions of the files in a data directory. */
import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeBackup } from '../../../../server/operation/replicas/local/backups.ts'
import { Database } from '../../../../server/store/database.ts'
import { schemaOf } from '../../../support/store/schema-of.ts'

test('only the owner can read the files, also after a start with more open modes', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'pds-modes-'))
  const mode = (path: string) => (statSync(join(directory, path)).mode & 0o777).toString(8)
  const options = {
    directory,
    schema: schemaOf('CREATE TABLE note (id INTEGER) STRICT'),
    now: () => new Date(),
  }
  const db = await Database.open(options)
  await db.transact((tx) => tx.run('INSERT INTO note VALUES (1)'))
  await makeBackup({ dataDir: directory, now: options.now, store: db })
  await db.checkpoint()
  const entries = readdirSync(directory, { recursive: true, withFileTypes: true })
  expect(entries.some(({ name }) => name === 'end')).toBe(true)
  for (const entry of entries) {
    const path = join(entry.parentPath, entry.name).slice(directory.length)
    expect([path, mode(path)]).toEqual([path, entry.isDirectory() ? '700' : '600'])
  }
  await db.close()
  expect(mode('')).toBe('700')
  chmodSync(directory, 0o755)
  chmodSync(join(directory, 'pds.sqlite'), 0o644)
  await (await Database.open(options)).close()
  expect([mode(''), mode('pds.sqlite')]).toEqual(['700', '600'])
  rmSync(directory, { recursive: true })
})
