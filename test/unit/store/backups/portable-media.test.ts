/** Media of one-file backups. */
import { expect, test } from 'vitest'
import { exportBackup } from '../../../../server/store/backups/copy-data.ts'
import { checkBackup } from '../../../../server/store/backups/read-backup.ts'
import { restore } from '../../../../server/store/backups/restore.ts'
import { blobPath } from '../../../../server/store/files/layout.ts'
import { FaultyDisk } from '../../../support/store/faulty-disk.ts'
import {
  at,
  dataDir,
  folder,
  mediaOf,
  one,
  schema,
  setMedia,
  two,
} from '../../operation/replicas/local/media.ts'

const file = '/usb/all.tar.gz'

/** A disk with data that have the media `one` and `two`. */
async function prepared(): Promise<FaultyDisk> {
  const disk = new FaultyDisk()
  for (const dir of [dataDir, '/usb']) await disk.files.makeDir(dir)
  await setMedia(disk, [one, two])
  return disk
}

const exportFrom = ({ files }: FaultyDisk) => exportBackup(dataDir, file, { createdAt: at(3) }, files)
const restoreTo = ({ files }: FaultyDisk) =>
  restore({ directory: dataDir, file, schema, now: () => at(5), files })

test('a one-file backup brings the media to an empty directory', async () => {
  const [disk, elsewhere] = [await prepared(), new FaultyDisk()]
  await exportFrom(disk)
  await elsewhere.files.makeDir('/usb')
  elsewhere.put(file, disk.content(file))
  await restoreTo(elsewhere)
  expect(await mediaOf(elsewhere)).toEqual([one, two].toSorted())
})

test('a one-file backup with a damaged media file is refused, and leaves nothing behind', async () => {
  const disk = await prepared()
  await exportFrom(disk)
  const content = disk.content(file)
  // Media are stored as they are.
  const position = content.indexOf('oneone')
  expect(position).toBeGreaterThan(0)
  content[position] = 0
  await expect(restoreTo(disk)).rejects.toThrow('is damaged or cut short')
  expect(await disk.files.list(dataDir)).not.toContain('blobs.restored')
  expect(await mediaOf(disk)).toEqual([one, two].toSorted())
})

test('a one-file backup leaves out a media file that is damaged here', async () => {
  const disk = await prepared()
  disk.content(blobPath(folder, two))[0] = 0
  await exportFrom(disk)
  expect(await checkBackup(dataDir, file, { files: disk.files })).toMatchObject({ missingBlobs: [two] })
})
