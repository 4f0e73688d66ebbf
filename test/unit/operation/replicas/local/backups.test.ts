/** Backups of a data directory: what they have, when one is due, and a full disk. */
import { execFile, execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { zstdDecompressSync } from 'node:zlib'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { makeBackup } from '../../../../../server/operation/replicas/local/backups.ts'
import { backupIsDue, listBackups } from '../../../../../server/operation/replicas/local/list.ts'
import { backupFolder, localTarget } from '../../../../../server/operation/replicas/local/target.ts'
import { readEnd } from '../../../../../server/operation/replicas/receive.ts'
import { checkBackup } from '../../../../../server/platform/store/backups/read-backup.ts'
import { restore } from '../../../../../server/platform/store/backups/restore.ts'
import { Database } from '../../../../../server/platform/store/database.ts'
import { hour } from '../../../../support/clock.ts'
import { openBytes } from '../../../../support/database-bytes.ts'
import { databaseOf, sourceOf } from '../../../../support/local-backups.ts'
import { schemaOf } from '../../../../support/schema-of.ts'
import { FaultyDisk } from '../../../platform/store/faulty-disk.ts'

const schema = schemaOf('CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT) STRICT')
let dataDir: string
let minute: number
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'pds-backup-'))
  minute = 0
})
afterEach(() => rmSync(dataDir, { recursive: true }))

const now = () => new Date(Date.UTC(2026, 0, 1, 0, minute++))
const open = () => Database.open({ directory: dataDir, schema, now })
const insert = (db: Database, text: string) =>
  db.transact((tx) => tx.run('INSERT INTO note (text) VALUES (?)', [text]))
const texts = (db: Database) =>
  db.all<{ text: string }>('SELECT text FROM note ORDER BY id').map(({ text }) => text)

test('a backup contains the database and the journal, and passes its check', async () => {
  const db = await open()
  await insert(db, 'a')
  await db.checkpoint()
  await insert(db, 'b')
  const made = await makeBackup({ dataDir, now, store: db })
  await insert(db, 'c')
  expect(await listBackups(dataDir)).toEqual([made])
  expect(made).toMatchObject({ isPartial: false, proof: undefined, seq: 2 })
  expect(made.bytes).toBe(readFileSync(databaseOf(dataDir, made)).length)
  const { file, ...source } = await sourceOf(dataDir, made)
  await checkBackup(dataDir, file, source)
  await db.close()
  await restore({ directory: dataDir, schema, now, file, ...source })
  const back = await open()
  expect(texts(back)).toEqual(['a', 'b'])
  await back.close()
})

test('zstd opens a backup, and its checksum is that of sha256sum', async () => {
  const db = await open()
  await insert(db, 'a')
  const made = await makeBackup({ dataDir, now, store: db })
  await db.close()
  const file = databaseOf(dataDir, made)
  const { sha256 } = await readEnd(localTarget(dataDir), made.name)
  expect(execFileSync('sha256sum', [file], { encoding: 'utf8' })).toBe(`${sha256}  ${file}\n`)
  const database = execFileSync('zstd', ['-d', '-c', file])
  expect(database.equals(zstdDecompressSync(readFileSync(file)))).toBe(true)
})

test('another process can make a backup while this one writes and checkpoints', async () => {
  const db = await open()
  const script = fileURLToPath(new URL('./backup-maker.ts', import.meta.url))
  let done = false
  const child = promisify(execFile)(process.execPath, ['--no-warnings', script, dataDir, '10']).finally(
    () => {
      done = true
    },
  )
  let written = 0
  for (; !done; written++) {
    await insert(db, `note ${written}`)
    if (written % 50 === 0) await db.checkpoint()
  }
  const counts = (await child).stdout.trim().split('\n').map(Number)
  expect(counts).toHaveLength(10)
  expect(counts).toEqual(counts.toSorted((a, b) => a - b))
  expect(counts.at(-1)).toBeGreaterThan(0)
  expect(counts.at(-1)).toBeLessThanOrEqual(written)
  await db.close()
})

test('backups that are made at the same time, beside transactions and checkpoints, are whole', async () => {
  const db = await open()
  const work = async () => {
    for (let round = 0; round < 12; round++) {
      await insert(db, `note ${round}`)
      await db.checkpoint()
    }
  }
  const made = await Promise.all(
    [1, 2, 3].map(() => makeBackup({ dataDir, now, store: db })).concat(work() as never),
  )
  expect((await listBackups(dataDir)).map(({ name }) => name)).toEqual(
    expect.arrayContaining(made.slice(0, 3).map(({ name }) => name)),
  )
  for (const backup of await listBackups(dataDir)) {
    const { file, ...source } = await sourceOf(dataDir, backup)
    await checkBackup(dataDir, file, source)
    const sqlite = await openBytes(file)
    expect(sqlite.get('SELECT count(*) AS n FROM note')).toEqual({ n: backup.seq })
    sqlite.close()
  }
  await db.close()
})

test('a database that a person moved out of its backup is not listed, and can be restored', async () => {
  const db = await open()
  await insert(db, 'a')
  const made = await makeBackup({ dataDir, now, store: db })
  const named = join(dataDir, 'before-the-move.sqlite.zst')
  renameSync(databaseOf(dataDir, made), named)
  expect(await listBackups(dataDir)).toEqual([])
  await insert(db, 'b')
  await db.close()
  await restore({ directory: dataDir, file: named, schema, now })
  const back = await open()
  expect(texts(back)).toEqual(['a'])
  await back.close()
})

test('a folder that a person renamed is neither listed nor removed', async () => {
  const db = await open()
  const { name } = await makeBackup({ dataDir, now, store: db })
  const named = join(backupFolder(dataDir), 'bases', 'before-the-move')
  renameSync(join(backupFolder(dataDir), name), named)
  for (let i = 0; i < 10; i++) await makeBackup({ dataDir, now, store: db })
  expect(await listBackups(dataDir)).toHaveLength(8)
  expect(readdirSync(named)).toHaveLength(3)
  await db.close()
})

test('a backup is due a day after the last one', async () => {
  const db = await open()
  expect(await backupIsDue(dataDir, new Date(0))).toBe(true)
  const { at } = await makeBackup({ dataDir, now, store: db })
  const later = (hours: number) => new Date(at.getTime() + hours * hour)
  expect(await backupIsDue(dataDir, later(23.99))).toBe(false)
  expect(await backupIsDue(dataDir, later(24))).toBe(true)
  await db.close()
})

test('a backup from the future counts for nothing: others are due once a day', async () => {
  const db = await open()
  const { at } = await makeBackup({ dataDir, now, store: db })
  const before = new Date(at.getTime() - 48 * hour)
  expect(await backupIsDue(dataDir, before)).toBe(true)
  await makeBackup({ dataDir, now: () => before, store: db })
  expect(await backupIsDue(dataDir, before)).toBe(false)
  await db.close()
})

test('on a full disk the oldest backups are removed if the next one fits then, all but two and weekly ones', async () => {
  const disk = new FaultyDisk()
  const sizes = async () =>
    (await listBackups('/data', disk.files)).reduce((sum, { bytes }) => sum + bytes, 0)
  let free = Number.POSITIVE_INFINITY
  const files = { ...disk.files, freeBytes: async () => free - (await sizes()) }
  const db = await Database.open({ directory: '/data', schema, now, files })
  const make = (mayMakeSpace: boolean) =>
    makeBackup({ dataDir: '/data', now, store: db, files, mayMakeSpace })
  const names = async () => (await listBackups('/data', files)).map(({ name }) => name)
  for (let i = 0; i < 6; i++) await make(true)
  const [newest, second, third, fourth, , weekly] = await names()
  const needed = 2 * 0.6 * (await files.size('/data/pds.sqlite'))
  // As much as the oldest one takes is missing.
  free = (await sizes()) + needed - 1
  const { name } = await make(true)
  expect(await names()).toEqual([name, newest, second, third, fourth, weekly])
  // Removals do not suffice: none is made.
  free = needed
  const before = await names()
  await expect(make(true)).rejects.toThrow('too little free space')
  // A person who makes a backup has not asked for removals.
  free = (await sizes()) + needed - 1
  await expect(make(false)).rejects.toThrow('too little free space')
  expect(await names()).toEqual(before)
  await db.close()
})

test('a directory without a store is refused, and nothing is written there', async () => {
  await expect(makeBackup({ dataDir, now })).rejects.toThrow('pds.sqlite is missing')
  expect(readdirSync(dataDir)).toEqual([])
})

test('a backup that another process removes meanwhile is left out of the list', async () => {
  const disk = new FaultyDisk()
  const db = await Database.open({ directory: '/data', schema, now, files: disk.files })
  const [, kept] = [
    await makeBackup({ dataDir: '/data', now, store: db, files: disk.files }),
    await makeBackup({ dataDir: '/data', now, store: db, files: disk.files }),
  ]
  const files = {
    ...disk.files,
    async list(dir: string) {
      const names = await disk.files.list(dir)
      return dir.endsWith('/bases') ? ['000000000009-20260101T000000000Z-1-000001_00', 'x', ...names] : names
    },
  }
  expect(await listBackups('/data', files)).toHaveLength(2)
  expect(kept.proof).toBeUndefined()
  await db.close()
})
