/** Replacing a media file that is being read, as Windows has it: a rename over an open file is refused. */
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { blobCid, newBlobHash, placeBlob } from '../../../../server/store/files/blob-files.ts'
import { type Files, nodeFiles } from '../../../../server/store/files/files.ts'

const content = Buffer.from('a picture')
const cid = blobCid(newBlobHash().update(content))
let folder: string
let upload: string
let target: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pds-open-'))
  upload = join(folder, 'upload.tmp')
  target = join(folder, cid)
  await writeFile(upload, content)
})
afterEach(() => rm(folder, { recursive: true }))

/** A file system on which the target is open. */
const windows: Files = {
  ...nodeFiles,
  async rename(from, to) {
    const isTaken = (await readdir(folder)).some((name) => join(folder, name) === to)
    if (isTaken && to === target) throw Object.assign(new Error('in use'), { code: 'EPERM' })
    await nodeFiles.rename(from, to)
  },
}

test('a damaged file is moved aside, and the upload takes its name', async () => {
  await writeFile(target, 'a piCture')
  await placeBlob(windows, upload, target, cid)
  expect(await readFile(target, 'utf8')).toBe('a picture')
  expect(await readdir(folder)).toEqual([cid])
})

test('an intact file stays, and the upload is removed', async () => {
  await writeFile(target, content)
  const { ino } = await stat(target)
  await placeBlob(windows, upload, target, cid)
  expect((await stat(target)).ino).toBe(ino)
  expect(await readdir(folder)).toEqual([cid])
})

test('another refusal of the rename is an error', async () => {
  const refusing: Files = {
    ...nodeFiles,
    rename: async () => {
      throw Object.assign(new Error('no permission'), { code: 'EACCES' })
    },
  }
  await expect(placeBlob(refusing, upload, target, cid)).rejects.toThrow('no permission')
})
