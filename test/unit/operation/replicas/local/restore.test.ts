/** Backups that are damaged or partial: what a check and a restore say of them. */
import { join } from 'node:path'
import { zstdDecompressSync } from 'node:zlib'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  type BringBackOptions,
  bringBack,
  findChain,
} from '../../../../../server/operation/replicas/bring-back.ts'
import { makeBackup } from '../../../../../server/operation/replicas/local/backups.ts'
import { type Backup, listBackups } from '../../../../../server/operation/replicas/local/list.ts'
import { createBackupProofs } from '../../../../../server/operation/replicas/local/proofs.ts'
import { localTarget } from '../../../../../server/operation/replicas/local/target.ts'
import { backupPages } from '../../../../../server/operation/replicas/replica-pages.ts'
import { backupStatus } from '../../../../../server/operation/replicas/replica-status.ts'
import { schema } from '../../../../../server/schema/schema.ts'
import { Database } from '../../../../../server/store/database.ts'
import { closeFile } from '../../../../../server/store/pages/database-file.ts'
import { databaseOf } from '../../../../support/replicas/local-backups.ts'
import { flipped, pageBytes, path } from '../../../../support/store/damaged-data.ts'
import { FaultyDisk } from '../../../../support/store/faulty-disk.ts'

const dataDir = '/data'
const dayMs = 24 * 60 * 60_000
let day = 0
const now = () => new Date(Date.UTC(2026, 0, 1) + day * dayMs)

/** Data with 40 rows, and a backup of them. */
let base: FaultyDisk
let disk: FaultyDisk
beforeAll(async () => {
  base = new FaultyDisk()
  const db = await open(base)
  await db.transact((tx) => {
    for (let n = 100; n < 140; n++)
      tx.run('INSERT INTO secrets VALUES (?, ?)', [`row ${n}`, Buffer.alloc(1000, `${n} `)])
  })
  await makeBackup({ dataDir, now, store: db, files: base.files })
  await write(db, 'later')
  await db.close()
})
beforeEach(() => {
  day = 1
  disk = base.clone()
})

const open = ({ files }: FaultyDisk) =>
  Database.open({ directory: dataDir, schema, now, files, reserveBytes: pageBytes })
const write = (db: Database, name: string) =>
  db.transact((tx) => tx.run('INSERT INTO secrets VALUES (?, ?)', [name, Buffer.alloc(10)]))
const list = () => listBackups(dataDir, disk.files)
const restore = (options: Partial<BringBackOptions> = {}) =>
  bringBack({ target: localTarget(dataDir, disk.files), dataDir, now, files: disk.files, ...options })
const proofs = () => createBackupProofs({ dataDir, now, files: disk.files })

async function rows(): Promise<{ count: number; hasLater: boolean }> {
  const db = await open(disk)
  const names = db.all<{ name: string }>("SELECT name FROM secrets WHERE name LIKE 'row %' OR name = 'later'")
  await db.close()
  return { count: names.length, hasLater: names.some(({ name }) => name === 'later') }
}

/** Makes a backup of the data as they are now. */
async function make(): Promise<Backup> {
  const db = await open(disk)
  const made = await makeBackup({ dataDir, now, store: db, files: disk.files })
  await db.close()
  return made
}

function flip(name: string, at: number): void {
  const content = disk.content(name)
  content[at] = (content[at] ?? 0) ^ 1
}

describe('a flipped bit', () => {
  test('anywhere in the database of a backup is found by its check, and a restore refuses it and changes nothing', async () => {
    const newest = await make()
    const size = disk.content(databaseOf(dataDir, newest)).length
    const whole = disk.clone()
    for (const at of [0, 5, Math.floor(size / 2), size - 1]) {
      disk = whole.clone()
      flip(databaseOf(dataDir, newest), at)
      const { problem, provenAt } = await proofs().prove(newest)
      expect(problem, `byte ${at}`).toMatch(/damaged|does not match its checksum|not a backup/)
      expect(provenAt).toBeUndefined()
      await expect(restore({ base: newest.name })).rejects.toThrow('damaged')
      expect(await rows()).toEqual({ count: 41, hasLater: true })
    }
  })

  test('in the end of a backup is a problem of it, and keeps no other from being checked', async () => {
    const newest = await make()
    flip(`/data/backups/${newest.name}/end`, 1)
    expect(await proofs().proveDue()).toMatchObject([
      { name: newest.name, problem: expect.stringContaining('damaged') },
    ])
    expect((await list()).map(({ proof }) => proof?.problem === undefined)).toEqual([false, true])
    await expect(restore({ base: newest.name })).rejects.toThrow('damaged')
  })
})

test('a restore needs no other file of the folder than those of the backup', async () => {
  await disk.files.remove('/data/backups/pds-replica')
  await restore({ confirmLoss: async () => true })
  expect(await rows()).toEqual({ count: 40, hasLater: false })
})

test('after a restore, the backup that was made last is the newest, although it has fewer transactions', async () => {
  const lost = await make()
  const [, first] = await list()
  await restore({ base: first?.name })
  day = 2
  const made = await make()
  expect(made.seq).toBeLessThan(lost.seq)
  expect((await findChain(localTarget(dataDir, disk.files))).base.name).toBe(made.name)
  const opened = await backupPages(dataDir, disk.files).newest?.('/data/scratch')
  expect(opened?.name).toBe(made.name)
  if (opened) await closeFile(opened)
})

describe('a backup that was made while the clock was a year ahead', () => {
  beforeEach(async () => {
    day = 366
    await proofs().prove(await make())
    day = 1
    await proofs().prove(await make())
  })

  test('is not the last one in the state for scripts', async () => {
    expect(await backupStatus(dataDir, now(), disk.files)).toMatchObject({
      lastCopiedAt: '2026-01-02T00:00:00.000Z',
      lastProvenAt: '2026-01-02T00:00:00.000Z',
    })
  })

  test('does not keep the newest of the present from being checked after a week', async () => {
    const [, newest] = await list()
    if (newest) flip(databaseOf(dataDir, newest), 100)
    day = 9
    expect(await proofs().proveDue()).toMatchObject([{ at: new Date('2026-01-02T00:00:00.000Z') }])
  })
})

describe('a partial backup', () => {
  let page: number
  beforeEach(() => {
    const at = disk.content(path).indexOf('120 120 ')
    page = Math.floor(at / pageBytes) + 1
    disk = flipped(disk, at)
  })
  const problem = () => `It is incomplete: damaged pages of the database are left out (${page}).`

  test('is made with a damaged page, and has all others', async () => {
    const made = await make()
    expect(made).toMatchObject({ isPartial: true, proof: { problem: problem(), provenAt: undefined } })
    const content = zstdDecompressSync(disk.content(databaseOf(dataDir, made)))
    const original = disk.content(path)
    expect(content.length).toBe(original.length)
    expect(content.subarray((page - 1) * pageBytes, page * pageBytes)).toEqual(Buffer.alloc(pageBytes))
    for (const other of [page - 1, page + 1])
      expect(content.subarray((other - 1) * pageBytes, other * pageBytes)).toEqual(
        original.subarray((other - 1) * pageBytes, other * pageBytes),
      )
  })

  test('never counts as restorable, and replaces no complete one', async () => {
    for (day = 1; day < 10; day++) {
      const made = await make()
      expect(await proofs().prove(made)).toMatchObject({ problem: problem(), provenAt: undefined })
    }
    expect((await list()).map(({ isPartial }) => isPartial)).toEqual([true, true, true, false])
    expect(await proofs().proveDue()).toEqual([])
  })

  test('is never the default of a restore, which says that something newer exists', async () => {
    await make()
    expect((await findChain(localTarget(dataDir, disk.files))).base.isPartial).toBe(false)
    await expect(restore()).rejects.toThrow('1 object with later changes cannot be used')
    await restore({ confirmLoss: async () => true })
    expect(await rows()).toEqual({ count: 40, hasLater: false })
  })

  test('is not restored, even if there is no other', async () => {
    const [complete] = await list()
    await disk.files.removeDir(join('/data/backups', complete?.name ?? ''))
    const { name } = await make()
    for (const options of [{}, { base: name }])
      await expect(restore(options)).rejects.toThrow(/damaged|no complete/)
    expect(disk.names('/data').filter((each) => each.startsWith('replaced'))).toEqual([])
  })

  test('has no form in one file', async () => {
    const db = await open(disk)
    await expect(db.export('/data/all.tar.gz')).rejects.toThrow(`has a damaged page (${page})`)
    await db.close()
  })
})
