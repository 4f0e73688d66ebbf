/** Media of a restore from a backup, on a disk that fails. */
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeBackup } from '../../../../../server/operation/replicas/local/backups.ts'
import { listBackups } from '../../../../../server/operation/replicas/local/list.ts'
import { restore } from '../../../../../server/store/backups/restore.ts'
import { isIntact, writeBlob } from '../../../../../server/store/files/blob-files.ts'
import { blobPath } from '../../../../../server/store/files/layout.ts'
import { sourceOf } from '../../../../support/replicas/local-backups.ts'
import { type Fault, FaultyDisk } from '../../../../support/store/faulty-disk.ts'
import { at, chunksOf, dataDir, folder, mediaOf, one, pool, schema, setMedia, three, two } from './media.ts'

/** A disk with data and one backup of the media `one` and `two`; the data now has `two` and `three`. */
async function prepared(): Promise<FaultyDisk> {
  const disk = new FaultyDisk()
  await disk.files.makeDir(dataDir)
  await setMedia(disk, [one, two])
  await makeBackup({ dataDir, now: () => at(1), files: disk.files })
  await setMedia(disk, [two, three])
  return disk
}

async function restoreOn({ files }: FaultyDisk): Promise<string | undefined> {
  const [backup] = await listBackups(dataDir, files)
  if (!backup) throw new Error('There is no backup.')
  const source = await sourceOf(dataDir, backup, files)
  return restore({ directory: dataDir, ...source, schema, now: () => at(5), files })
}

test('a restore brings the media of the backup back, and keeps the replaced ones', async () => {
  const disk = await prepared()
  const replaced = await restoreOn(disk)
  expect(await mediaOf(disk)).toEqual([one, two].toSorted())
  expect(await isIntact(disk.files, blobPath(`${replaced}/blobs`, three), three)).toBe(true)
  expect(disk.names(`${folder}/${three.slice(-2)}`)).not.toContain(three)
})

test('a restore takes media that the backup lacks from the replaced data, and marks those that are lost', async () => {
  const disk = await prepared()
  for (const cid of [one, two]) disk.content(blobPath(pool, cid))[0] = 0
  // The data has its own copy of `two`.
  await disk.files.remove(blobPath(folder, two))
  await writeBlob(disk.files, folder, two, chunksOf(two))
  await restoreOn(disk)
  expect(await mediaOf(disk)).toEqual([two])
})

test('the file of a backup has its media in the folder of backups around it, whatever data folder it is restored to', async () => {
  const disk = await prepared()
  const [backup] = await listBackups(dataDir, disk.files)
  const file = join('/data/backups', backup?.parts[0] ?? '')
  let lost: readonly string[] | undefined
  const onMissingBlobs = (cids: readonly string[]) => {
    lost = cids
  }
  await restore({ directory: '/other', file, schema, now: () => at(5), files: disk.files, onMissingBlobs })
  expect(lost).toEqual([])
})

test('a file without media takes them from the backups of the data folder, too', async () => {
  const disk = await prepared()
  const [backup] = await listBackups(dataDir, disk.files)
  await disk.files.rename(join('/data/backups', backup?.parts[0] ?? ''), '/data/alone.zst')
  await restore({ directory: dataDir, file: '/data/alone.zst', schema, now: () => at(5), files: disk.files })
  expect(await mediaOf(disk)).toEqual([one, two].toSorted())
})

const faults: Fault[] = ['kill', 'power cut', 'power cut, prefix kept', 'power cut, last kept', 'fails']

test.each(faults)('a restore leaves the old or the new data after an interruption: %s', async (fault) => {
  const base = (await prepared()).clone()
  const healthy = base.clone()
  await restoreOn(healthy)
  const seen = new Set<string>()
  for (let operation = 1; operation <= healthy.operations; operation++) {
    const disk = base.clone()
    disk.failAt(operation, fault)
    await restoreOn(disk).catch(() => {})
    disk.restart()
    const there = await mediaOf(disk)
    expect([[two, three].toSorted(), [one, two].toSorted()]).toContainEqual(there)
    seen.add(there.join())
    // Either way the next restore works.
    await restoreOn(disk)
    expect(await mediaOf(disk)).toEqual([one, two].toSorted())
  }
  expect(seen.size).toBe(2)
})
