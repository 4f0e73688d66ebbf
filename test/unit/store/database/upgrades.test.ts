/** Upgrades of the data to the schema of the program. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { listReplaced } from '../../../../server/store/backups/replaced.ts'
import { undoRestore } from '../../../../server/store/backups/restore.ts'
import type { Upgrade } from '../../../../server/store/database/open-store.ts'
import { Database } from '../../../../server/store/database.ts'
import { StoreTooNew, StoreTooOld, StoreUnavailable } from '../../../../server/store/files/store-errors.ts'
import { PageChecksums } from '../../../../server/store/pages/page-checksums.ts'
import { unreleased } from '../../../support/store/database-bytes.ts'
import { FaultyDisk } from '../../../support/store/faulty-disk.ts'
import { schemaOf } from '../../../support/store/schema-of.ts'

const first = 'CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT) STRICT'
const second = 'ALTER TABLE note ADD COLUMN more TEXT'
const broken = 'ALTER TABLE note ADD COLUMN even_more TEXT; INSERT INTO nowhere VALUES (1)'

let directory: string
let minute: number
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'pds-upgrade-'))
  minute = 0
})
afterEach(() => rmSync(directory, { recursive: true }))

const now = () => new Date(Date.UTC(2026, 0, 1, 0, minute++))
const open = (...steps: string[]) => Database.open({ directory, schema: schemaOf(...steps), now })
const insert = (db: Database, text: string) =>
  db.transact((tx) => tx.run('INSERT INTO note (text) VALUES (?)', [text]))
/** A simulated disk, and what opens the data on it. */
function simulated() {
  const disk = new FaultyDisk()
  const openOn = (...steps: string[]) =>
    Database.open({ directory: '/data', schema: schemaOf(...steps), now, files: disk.files })
  return { disk, openOn }
}
const contents = () =>
  new Map(
    readdirSync(directory, { withFileTypes: true, recursive: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => [join(parentPath, name), readFileSync(join(parentPath, name))]),
  )

test('upgrades run in order; the database from before is kept, and an undo puts it back', async () => {
  const old = await open(first)
  await insert(old, 'a')
  await old.close()
  const upgrades: Upgrade[] = []
  const options = { directory, schema: schemaOf(first, second), now }
  const db = await Database.open({ ...options, onUpgrade: (upgrade) => upgrades.push(upgrade) })
  expect(upgrades).toEqual([
    { from: 1, to: 2, state: 'started' },
    { from: 1, to: 2, state: 'finished' },
  ])
  expect(db.all('SELECT * FROM note')).toEqual([{ id: 1, text: 'a', more: null }])
  await insert(db, 'b')
  await db.close()
  const [kept] = await listReplaced(directory)
  const present = await undoRestore({ directory, now }, join(directory, kept?.name ?? ''))
  const back = await open(first)
  expect(back.all('SELECT * FROM note')).toEqual([{ id: 1, text: 'a' }])
  await back.close()
  await undoRestore({ directory, now }, present)
  const again = await open(first, second)
  expect(again.all('SELECT text FROM note')).toEqual([{ text: 'a' }, { text: 'b' }])
  await again.close()
})

test('transactions that are only in the journal are in the database that is kept', async () => {
  const { disk, openOn } = simulated()
  const old = await openOn(first)
  await insert(old, 'a')
  disk.kill()
  await old.close()
  disk.restart()
  await (await openOn(first, second)).close()
  const [kept] = await listReplaced('/data', disk.files)
  await undoRestore({ directory: '/data', now, files: disk.files }, join('/data', kept?.name ?? ''))
  const back = await openOn(first)
  expect(back.all('SELECT * FROM note')).toEqual([{ id: 1, text: 'a' }])
  await back.close()
})

test('an upgrade without the disk space to keep the old database is refused, and changes nothing', async () => {
  const { disk, openOn } = simulated()
  await (await openOn(first)).close()
  const before = disk.fingerprint()
  disk.free = disk.content('/data/pds.sqlite').length
  const start = openOn(first, second)
  await expect(start).rejects.toThrow(StoreUnavailable)
  await expect(start).rejects.toThrow(
    'The disk has too little free space to update the data. Free disk space, then start again.',
  )
  expect(disk.fingerprint()).toBe(before)
  disk.free = Number.POSITIVE_INFINITY
  await (await openOn(first, second)).close()
})

test('an upgrade goes on beside a damaged page that it does not need, and keeps all other pages', async () => {
  const { disk, openOn } = simulated()
  const old = await openOn(first)
  for (const letter of 'abc') await insert(old, letter.repeat(9000))
  await old.close()
  const content = disk.content('/data/pds.sqlite')
  const at = content.indexOf('b'.repeat(4000))
  content[at] = 0
  const db = await openOn(first, 'CREATE TABLE later (id INTEGER) STRICT')
  expect(db.get('SELECT count(*) AS n FROM later')).toEqual({ n: 0 })
  await db.close()
  const [kept] = await listReplaced('/data', disk.files)
  const copy = disk.content(`/data/${kept?.name}/pds.sqlite`)
  const page = Math.floor(at / 4096) * 4096
  expect(copy.subarray(page, page + 4096)).toEqual(Buffer.alloc(4096))
  for (const letter of 'ac') expect(copy.indexOf(letter.repeat(4000)), letter).toBeGreaterThan(0)
})

test('a failed upgrade leaves the store unchanged, and keeps nothing', async () => {
  const old = await open(first)
  await insert(old, 'a')
  await old.close()
  for (let attempt = 0; attempt < 2; attempt++) await expect(open(first, broken)).rejects.toThrow('nowhere')
  expect(await listReplaced(directory)).toEqual([])
  const db = await open(first)
  expect(db.all('SELECT * FROM note')).toEqual([{ id: 1, text: 'a' }])
  await db.close()
})

test('a database that a part of an upgrade has changed is kept as it was before', async () => {
  const old = await open(first)
  await insert(old, 'a')
  await old.close()
  await expect(open(first, second, broken)).rejects.toThrow('nowhere')
  const [kept] = await listReplaced(directory)
  await undoRestore({ directory, now }, join(directory, kept?.name ?? ''))
  const back = await open(first)
  expect(back.all('SELECT * FROM note')).toEqual([{ id: 1, text: 'a' }])
  await back.close()
})

test('an upgrade may rebuild a table that others refer to, but not leave rows that refer to missing rows', async () => {
  const parent = 'CREATE TABLE child (note INTEGER REFERENCES note ON DELETE CASCADE) STRICT'
  const db = await open(first, parent)
  await insert(db, 'a')
  await db.transact((tx) => tx.run('INSERT INTO child VALUES (1)'))
  await db.close()
  const rebuild = `
    CREATE TABLE new (id INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT;
    INSERT INTO new SELECT * FROM note; DROP TABLE note; ALTER TABLE new RENAME TO note`
  await expect(open(first, parent, 'DELETE FROM note')).rejects.toThrow('refer to missing rows')
  const rebuilt = await open(first, parent, rebuild)
  expect(rebuilt.all('SELECT * FROM child')).toEqual([{ note: 1 }])
  await rebuilt.close()
})

test('a store of a newer program is refused and left unchanged', async () => {
  await (await open(first, second)).close()
  const before = readFileSync(join(directory, 'pds.sqlite'))
  await expect(open(first)).rejects.toThrow(StoreTooNew)
  await expect(open(first)).rejects.toThrow('has version 2, but this program supports versions up to 1')
  expect(readFileSync(join(directory, 'pds.sqlite')).equals(before)).toBe(true)
  await (await open(first, second)).close()
})

test.each(['without', 'with'])(
  'a store from before the first release (%s checksums) is refused and left unchanged',
  async (checksums) => {
    await (await open(first)).close()
    const path = join(directory, 'pds.sqlite')
    const released = readFileSync(path)
    const old = await unreleased(released)
    writeFileSync(path, old)
    const list = join(directory, 'pds.sqlite.pages')
    const pages = Array.from(
      { length: old.length / 4096 },
      (_, at) => [at + 1, old.subarray(4096 * at, 4096 * (at + 1))] as const,
    )
    if (checksums === 'with') writeFileSync(list, PageChecksums.of(pages).encode())
    else rmSync(list)
    const before = contents()
    const start = open(first)
    await expect(start).rejects.toThrow(StoreTooOld)
    await expect(start).rejects.toThrow(
      `${path} was written by a version of this program from before its first release, which this version cannot open. Nothing was changed.`,
    )
    expect(contents()).toEqual(before)
  },
)
