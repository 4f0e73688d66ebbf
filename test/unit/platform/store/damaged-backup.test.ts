/** Backups and upgrades of a database with a damaged page that is rarely read. */
import { join } from 'node:path'
import { zstdDecompressSync } from 'node:zlib'
import { beforeAll, expect, test } from 'vitest'
import { createBackupProofs } from '../../../../server/operation/backups/proofs.ts'
import { listBackups } from '../../../../server/platform/store/backups/backup.ts'
import { Database } from '../../../../server/platform/store/database.ts'
import { schemaOf } from '../../../support/schema-of.ts'
import { flipped, pageBytes, path } from './damaged-data.ts'
import { FaultyDisk } from './faulty-disk.ts'
import { pagesByKind } from './page-kinds.ts'

const tables = `
  CREATE TABLE item (id INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT;
  CREATE TABLE child (id INTEGER PRIMARY KEY REFERENCES item, text TEXT NOT NULL) STRICT;`
const schema = schemaOf(tables)
const upgraded = schemaOf(tables, 'CREATE TABLE later (id INTEGER) STRICT')
let minute = 0
const now = () => new Date(Date.UTC(2026, 0, 1, 0, minute++))
const problems: unknown[] = []
const open = (disk: FaultyDisk, as = schema) =>
  Database.open({
    ...{ directory: '/data', schema: as, now, files: disk.files, reserveBytes: pageBytes },
    onDamagedPage: (error) => problems.push(error),
  })

let disk: FaultyDisk
let page: number
beforeAll(async () => {
  const intact = new FaultyDisk()
  const db = await open(intact)
  await db.transact((tx) => {
    for (let id = 1; id <= 40; id++) {
      tx.run('INSERT INTO item VALUES (?, ?)', [id, 'i'.repeat(1000)])
      tx.run('INSERT INTO child VALUES (?, ?)', [id, 'c'.repeat(1000)])
    }
  })
  await db.close()
  const leaves = (await pagesByKind(intact.content(path))).get('table leaf') ?? []
  page = leaves.at(-2) ?? 0
  disk = flipped(intact, (page - 1) * pageBytes + 2000)
})

const made = (of: FaultyDisk) => listBackups('/data', of.files)
const problemOf = (number: number) =>
  `It is incomplete: damaged pages of the database are left out (${number}).`

test('an upgrade goes on beside a damaged page that it does not need, after a backup of everything else', async () => {
  const copy = disk.clone()
  problems.length = 0
  const db = await open(copy, upgraded)
  expect(db.get('SELECT count(*) AS n FROM later')).toEqual({ n: 0 })
  expect(db.damagedPages).toEqual([page])
  expect(problems).toHaveLength(1)
  await db.close()
  const [backup, ...others] = await made(copy)
  expect(others).toEqual([])
  expect(backup).toMatchObject({
    kind: 'incomplete',
    proof: { problem: problemOf(page), provenAt: undefined },
  })
  const content = zstdDecompressSync(copy.content(backup?.file ?? ''))
  const original = copy.clone()
  expect(content.subarray((page - 1) * pageBytes, page * pageBytes)).toEqual(Buffer.alloc(pageBytes))
  expect(content.length).toBeGreaterThan(page * pageBytes)
  expect(original.names(join('/data', 'backups'))).toHaveLength(3)
})

test('each daily backup is made without the damaged page, and removes no complete one', async () => {
  const copy = disk.clone()
  copy.content(path).set(new Uint8Array(0))
  const db = await open(copy)
  const proofs = createBackupProofs({ dataDir: '/data', now, files: copy.files })
  for (let day = 0; day < 9; day++) {
    const { kind, proof, file } = await db.backup('daily')
    expect({ kind, problem: proof?.problem }).toEqual({ kind: 'incomplete', problem: problemOf(page) })
    expect(await proofs.prove(file)).toMatchObject({ problem: problemOf(page), provenAt: undefined })
  }
  expect(await made(copy)).toHaveLength(3)
  // Reads do not need the page.
  expect(db.get('SELECT text FROM item WHERE id = 1')).toEqual({ text: 'i'.repeat(1000) })
  await db.close()
})

test('a one-file backup of damaged data is refused', async () => {
  const db = await open(disk.clone())
  await expect(db.export('/data/all.tar.gz')).rejects.toThrow(`has a damaged page (${page})`)
  await db.close()
})
