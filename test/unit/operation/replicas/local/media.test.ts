/** The media of backups, which share their files. */
import { expect, test } from 'vitest'
import { makeBackup } from '../../../../../server/operation/replicas/local/backups.ts'
import { listBackups } from '../../../../../server/operation/replicas/local/list.ts'
import { checkBackup } from '../../../../../server/store/backups/read-backup.ts'
import { blobPath } from '../../../../../server/store/files/layout.ts'
import { sourceOf } from '../../../../support/replicas/local-backups.ts'
import { FaultyDisk } from '../../../../support/store/faulty-disk.ts'
import { at, dataDir, folder, kept, one, open, setMedia, setMediaOf, three, two } from './media.ts'

const make = ({ files }: FaultyDisk, minute: number) => makeBackup({ dataDir, now: () => at(minute), files })

/** A disk with data and one backup of the media `one` and `two`; the data now has `two` and `three`. */
async function prepared(): Promise<FaultyDisk> {
  const disk = new FaultyDisk()
  await disk.files.makeDir(dataDir)
  await setMedia(disk, [one, two])
  await make(disk, 1)
  await setMedia(disk, [two, three])
  return disk
}

async function checked(disk: FaultyDisk) {
  const [newest] = await listBackups(dataDir, disk.files)
  if (!newest) throw new Error('There is no backup.')
  const { file, ...source } = await sourceOf(dataDir, newest, disk.files)
  return checkBackup(dataDir, file, { ...source, files: disk.files })
}

test('backups share their media, which go with the last backup that contains them', async () => {
  const disk = await prepared()
  expect(kept(disk)).toEqual([one, two].toSorted())
  await make(disk, 2)
  expect(kept(disk)).toEqual([one, two, three].toSorted())
  // The first backup is that of its day, then of its week.
  for (const day of [1, 2, 3, 4, 5, 6, 7]) await make(disk, day * 24 * 60)
  expect(kept(disk)).toEqual([one, two, three].toSorted())
  await setMedia(disk, [three])
  for (let week = 2; week <= 12; week++) await make(disk, week * 7 * 24 * 60)
  expect(kept(disk)).toEqual([three])
})

test('the media of a backup whose folder a person renamed are kept', async () => {
  const disk = await prepared()
  const [{ name } = { name: '' }] = await listBackups(dataDir, disk.files)
  await disk.files.rename(`/data/backups/${name}`, '/data/backups/bases/before')
  await make(disk, 2)
  expect(kept(disk)).toEqual([one, two, three].toSorted())
})

test('a backup is made without media that are lost, and says what it lacks', async () => {
  const disk = await prepared()
  await disk.files.remove(blobPath(folder, three))
  await make(disk, 2)
  expect(await checked(disk)).toMatchObject({ blobs: [two, three].toSorted(), missingBlobs: [three] })
})

test('of media that are deleted while the database is copied, a new copy is made', async () => {
  const disk = await prepared()
  const db = await open(disk)
  let copies = 0
  const copyTo: typeof db.copyTo = async (...args) => {
    const copy = await db.copyTo(...args)
    if (++copies === 1) await setMediaOf(db, disk, [two])
    return copy
  }
  await makeBackup({ dataDir, now: () => at(2), store: { copyTo }, files: disk.files })
  expect(copies).toBe(2)
  expect(await checked(disk)).toMatchObject({ blobs: [two], missingBlobs: [] })
  await db.close()
})
