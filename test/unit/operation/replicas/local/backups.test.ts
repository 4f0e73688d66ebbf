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
import { localTarget } from '../../../../../server/operation/replicas/local/target.ts'
import { readEnd } from '../../../../../server/operation/replicas/receive.ts'
import { checkBackup } from '../../../../../server/store/backups/read-backup.ts'
import { restore } from '../../../../../server/store/backups/restore.ts'
import { Database } from '../../../../../server/store/database.ts'
import { databaseOf, sourceOf } from '../../../../support/replicas/local-backups.ts'
import { hour } from '../../../../support/server/clock.ts'
import { FaultyDisk } from '../../../../support/store/faulty-disk.ts'
import { schemaOf } from '../../../../support/store/schema-of.ts'

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

/** Data on a simulated disk, and what makes a backup of them. */
async function simulated() {
  const disk = new FaultyDisk()
  const { files } = disk
  const db = await Database.open({ directory: '/data', schema, now, files })
  const make = (at = now()) => makeBackup({ dataDir: '/data', now: () => at, store: db, files })
  return { disk, files, db, make }
}

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
  const child = promisify(execFile)(process.execPath, ['--no-warnings', script, dataDir, '4']).finally(() => {
    done = true
  })
  let written = 0
  for (; !done; written++) {
    await insert(db, `note ${written}`)
    if (written % 50 === 0) await db.checkpoint()
  }
  const counts = (await child).stdout.trim().split('\n').map(Number)
  expect(counts).toHaveLength(4)
  expect(counts).toEqual(counts.toSorted((a, b) => a - b))
  expect(counts.at(-1)).toBeGreaterThan(0)
  expect(counts.at(-1)).toBeLessThanOrEqual(written)
  await db.close()
})

test('a backup that is made while another one waits for its place has a file of its own', async () => {
  const { disk, db } = await simulated()
  await insert(db, 'a')
  const [waiting, copied] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const files = {
    ...disk.files,
    async lock(dir: string) {
      waiting.resolve()
      await copied.promise
      return disk.files.lock(dir)
    },
  }
  const copyTo: typeof db.copyTo = (...args) => db.copyTo(...args).finally(() => copied.resolve())
  const first = makeBackup({ dataDir: '/data', now, store: db, files })
  await waiting.promise
  await insert(db, 'b')
  const second = makeBackup({ dataDir: '/data', now, store: { copyTo }, files })
  for (const backup of await Promise.all([first, second])) {
    const { file, ...source } = await sourceOf('/data', backup, disk.files)
    await checkBackup('/data', file, { ...source, files: disk.files }, (_, { sqlite }) =>
      expect(sqlite.get('SELECT count(*) AS n FROM note')).toEqual({ n: backup.seq }),
    )
  }
  expect((await listBackups('/data', disk.files)).map(({ seq }) => seq)).toEqual([2, 1])
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
  const { disk, files, db, make } = await simulated()
  const { name } = await make()
  await files.rename(`/data/backups/${name}`, '/data/backups/bases/before-the-move')
  for (let i = 0; i < 10; i++) await make()
  expect(await listBackups('/data', files)).toHaveLength(8)
  expect(disk.names('/data/backups/bases/before-the-move')).toHaveLength(3)
  await db.close()
})

test('a backup is due a day after the last one', async () => {
  const { files, db, make } = await simulated()
  expect(await backupIsDue('/data', new Date(0), files)).toBe(true)
  const { at } = await make()
  const later = (hours: number) => new Date(at.getTime() + hours * hour)
  expect(await backupIsDue('/data', later(23.99), files)).toBe(false)
  expect(await backupIsDue('/data', later(24), files)).toBe(true)
  await db.close()
})

test('a backup from the future counts for nothing: others are due once a day', async () => {
  const { files, db, make } = await simulated()
  const { at } = await make()
  const before = new Date(at.getTime() - 48 * hour)
  expect(await backupIsDue('/data', before, files)).toBe(true)
  await make(before)
  expect(await backupIsDue('/data', before, files)).toBe(false)
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

test('backups that another process removes meanwhile are left out of the list', async () => {
  const { disk, db, make } = await simulated()
  await make()
  const files = {
    ...disk.files,
    async list(dir: string) {
      const removed = ['000000000009-20260101T000000000Z-1-000001_00', 'file']
      return [...(await disk.files.list(dir)), ...(dir.endsWith('/bases') ? removed : [])]
    },
  }
  expect(await listBackups('/data', files)).toHaveLength(1)
  await db.close()
})
