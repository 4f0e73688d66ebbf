/** Blobs in backups: on a disk that fails, and on the real one. */
import { createHash } from 'node:crypto'
import { cidForRawHash } from '@atproto/lex-data'
import { describe, expect, test } from 'vitest'
import { backup, exportBackup, listBackups } from '../../../../server/platform/store/backups/backup.ts'
import { checkBackup } from '../../../../server/platform/store/backups/read-backup.ts'
import { restore } from '../../../../server/platform/store/backups/restore.ts'
import { isIntact, writeBlob } from '../../../../server/platform/store/blob-files.ts'
import { cidBytes, cidText } from '../../../../server/platform/store/cid.ts'
import { Database } from '../../../../server/platform/store/database.ts'
import { blobPath } from '../../../../server/platform/store/layout.ts'
import { schemaOf } from '../../../support/schema-of.ts'
import { type Fault, FaultyDisk } from './faulty-disk.ts'

const directory = '/data'
const folder = '/data/blobs'
const pool = '/data/backups/blobs'
const schema = schemaOf(`
  CREATE TABLE blobs (cid BLOB NOT NULL) STRICT; CREATE TABLE accounts (id INTEGER, handle TEXT) STRICT;
  CREATE TABLE records (id INTEGER) STRICT; CREATE TABLE notifications (id INTEGER) STRICT`)
const start = Date.UTC(2031, 0, 1)
const at = (minute: number) => new Date(start + minute * 60_000)

const contents = ['one', 'two', 'three'].map((text) => Buffer.from(text.repeat(300)))
const [one = '', two = '', three = ''] = contents.map((content) =>
  cidForRawHash(createHash('sha256').update(content).digest()).toString(),
)
const contentOf = new Map([one, two, three].map((cid, i) => [cid, contents[i] ?? Buffer.alloc(0)]))

async function* chunksOf(cid: string) {
  yield contentOf.get(cid) ?? Buffer.alloc(0)
}

/** Opens the store, sets its blobs, and closes it. The file comes before the row and goes after it. */
async function setBlobs(disk: FaultyDisk, cids: readonly string[]): Promise<void> {
  const { files } = disk
  for (const cid of cids) {
    await writeBlob(files, folder, cid, chunksOf(cid))
    await files.syncDir(`${folder}/${cid.slice(-2)}`)
  }
  const db = await Database.open({ directory, schema, now: () => at(0), files })
  const before = db.all<{ cid: Uint8Array }>('SELECT cid FROM blobs').map(({ cid }) => cidText(cid))
  await db.transact((tx) => {
    tx.run('DELETE FROM blobs')
    for (const cid of cids) tx.run('INSERT INTO blobs VALUES (?)', [cidBytes(cid)])
  })
  await db.close()
  for (const cid of before) if (!cids.includes(cid)) await files.remove(blobPath(folder, cid))
}

/** Opens the store and returns its blobs, each of which must have its file. */
async function blobsOf(disk: FaultyDisk): Promise<string[]> {
  const { files } = disk
  const db = await Database.open({ directory, schema, now: () => at(0), files })
  const cids = db.all<{ cid: Uint8Array }>('SELECT cid FROM blobs').map(({ cid }) => cidText(cid))
  await db.close()
  for (const cid of cids) expect(await isIntact(files, blobPath(folder, cid), cid), cid).toBe(true)
  return cids.toSorted()
}

const poolOf = (disk: FaultyDisk) =>
  [one, two, three].filter((cid) => disk.names(`${pool}/${cid.slice(-2)}`).includes(cid)).toSorted()

/** A disk with data and one backup of the blobs `one` and `two`; the data now has `two` and `three`. */
async function prepared(): Promise<{ disk: FaultyDisk; file: string }> {
  const disk = new FaultyDisk()
  await disk.files.makeDir(directory)
  await setBlobs(disk, [one, two])
  const { file } = await backup(directory, at(1), 'manual', disk.files)
  await setBlobs(disk, [two, three])
  return { disk, file }
}

const faults: Fault[] = ['kill', 'power cut', 'power cut, prefix kept', 'power cut, last kept', 'fails']

describe('backups', () => {
  test('share their blobs, which go with the last backup that contains them', async () => {
    const { disk } = await prepared()
    expect(poolOf(disk)).toEqual([one, two].toSorted())
    for (let minute = 2; minute <= 7; minute++) await backup(directory, at(minute), 'manual', disk.files)
    expect(poolOf(disk)).toEqual([one, two, three].toSorted())
    await backup(directory, at(8), 'manual', disk.files)
    expect(poolOf(disk)).toEqual([two, three].toSorted())
  })

  test('keep the blobs of a backup that a person renamed, with or without its checksums', async () => {
    const { disk, file } = await prepared()
    await disk.files.rename(file, '/data/backups/before.sqlite.zst')
    for (let minute = 2; minute <= 9; minute++) await backup(directory, at(minute), 'manual', disk.files)
    expect(poolOf(disk)).toContain(one)
    expect(
      await checkBackup(directory, '/data/backups/before.sqlite.zst', { files: disk.files }),
    ).toMatchObject({
      missingBlobs: [],
    })
  })

  test('are made without a blob that is lost, and say what they lack', async () => {
    const { disk } = await prepared()
    await disk.files.remove(blobPath(folder, three))
    const { file } = await backup(directory, at(2), 'manual', disk.files)
    const checked = await checkBackup(directory, file, { files: disk.files })
    expect(checked).toMatchObject({ blobs: [two, three].toSorted(), missingBlobs: [three] })
  })

  test.each(faults)('are complete after an interruption at any file operation: %s', async (fault) => {
    const { disk: healthy } = await prepared()
    const before = healthy.operations
    await backup(directory, at(2), 'manual', healthy.files)
    for (let operation = before + 1; operation <= healthy.operations; operation++) {
      const { disk } = await prepared()
      disk.failAt(operation, fault)
      await backup(directory, at(2), 'manual', disk.files).catch(() => {})
      disk.restart()
      for (const { file } of await listBackups(directory, disk.files)) {
        const checked = await checkBackup(directory, file, { files: disk.files }).catch(() => undefined)
        // A crash between the backup and its checksums leaves both or only the first.
        if (checked) expect(checked.missingBlobs).toEqual([])
      }
      await backup(directory, at(3), 'manual', disk.files)
      expect(poolOf(disk)).toEqual([one, two, three].toSorted())
    }
  })
})

describe('a restore', () => {
  const restoreOn = (disk: FaultyDisk, file: string) =>
    restore({ directory, file, schema, now: () => at(5), files: disk.files })

  test('brings the blobs of the backup back, and keeps the replaced ones', async () => {
    const { disk, file } = await prepared()
    const replaced = await restoreOn(disk, file)
    expect(await blobsOf(disk)).toEqual([one, two].toSorted())
    expect(await isIntact(disk.files, blobPath(`${replaced}/blobs`, three), three)).toBe(true)
    expect(disk.names(`${folder}/${three.slice(-2)}`)).not.toContain(three)
  })

  test('takes a blob that the backup lacks from the replaced data, and forgets one that is lost', async () => {
    const { disk, file } = await prepared()
    for (const cid of [one, two]) disk.content(blobPath(pool, cid))[0] = 0
    // The data has its own copy of `two`.
    await disk.files.remove(blobPath(folder, two))
    await writeBlob(disk.files, folder, two, chunksOf(two))
    await restoreOn(disk, file)
    expect(await blobsOf(disk)).toEqual([two])
  })

  test.each(faults)('leaves the old or the new data after an interruption: %s', async (fault) => {
    const { disk: healthy, file } = await prepared()
    const before = healthy.operations
    await restoreOn(healthy, file)
    const seen = new Set<string>()
    for (let operation = before + 1; operation <= healthy.operations; operation++) {
      const { disk, file } = await prepared()
      disk.failAt(operation, fault)
      await restoreOn(disk, file).catch(() => {})
      disk.restart()
      const there = await blobsOf(disk)
      expect([[two, three].toSorted(), [one, two].toSorted()]).toContainEqual(there)
      seen.add(there.join())
      // Either way the next restore works.
      await restoreOn(disk, file)
      expect(await blobsOf(disk)).toEqual([one, two].toSorted())
    }
    expect(seen.size).toBe(2)
  })
})

describe('one-file backups', () => {
  async function exported(passphrase?: string) {
    const { disk } = await prepared()
    await disk.files.makeDir('/usb')
    const options = { createdAt: at(3), passphrase, workFactor: 6 }
    await exportBackup(directory, '/usb/all.tar.gz', options, disk.files)
    return disk
  }

  test.each([undefined, 'a passphrase'])('contain the blobs, with the passphrase %s', async (passphrase) => {
    const disk = await exported(passphrase)
    const elsewhere = new FaultyDisk()
    await elsewhere.files.makeDir('/usb')
    elsewhere.put('/usb/all.tar.gz', disk.content('/usb/all.tar.gz'))
    const { files } = elsewhere
    await restore({ directory, file: '/usb/all.tar.gz', passphrase, schema, now: () => at(5), files })
    expect(await blobsOf(elsewhere)).toEqual([two, three].toSorted())
  })

  test('are refused when a blob in them is damaged, and leave nothing behind', async () => {
    const disk = await exported()
    const content = disk.content('/usb/all.tar.gz')
    // Blobs are stored as they are.
    const position = content.indexOf('threethree')
    expect(position).toBeGreaterThan(0)
    content[position] = 0
    const damaged = restore({
      directory,
      file: '/usb/all.tar.gz',
      schema,
      now: () => at(5),
      files: disk.files,
    })
    await expect(damaged).rejects.toThrow('is damaged or cut short')
    expect(disk.names(`/data/blobs.restored/${three.slice(-2)}`)).toEqual([])
    expect(await blobsOf(disk)).toEqual([two, three].toSorted())
  })

  test('leave out a blob whose file is damaged', async () => {
    const { disk } = await prepared()
    await disk.files.makeDir('/usb')
    disk.content(blobPath(folder, three))[0] = 0
    await exportBackup(directory, '/usb/all.tar.gz', { createdAt: at(3) }, disk.files)
    expect(await checkBackup(directory, '/usb/all.tar.gz', { files: disk.files })).toMatchObject({
      missingBlobs: [three],
    })
  })
})
