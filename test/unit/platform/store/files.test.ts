/** The real file system. */
import { existsSync } from 'node:fs'
import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { nodeFiles } from '../../../../server/platform/store/files.ts'
import { ownerOnly } from '../../../support/modes.ts'

let folder: string
let original: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pds-files-'))
  original = join(folder, 'original')
  await writeFile(original, 'content')
})
afterEach(() => rm(folder, { recursive: true }))

test('list: a directory that does not exist has no names, and a file is an error', async () => {
  expect(await nodeFiles.list(folder)).toEqual(['original'])
  expect(await nodeFiles.list(join(folder, 'missing'))).toEqual([])
  await expect(nodeFiles.list(original)).rejects.toMatchObject({ code: 'ENOTDIR' })
})

describe('link', () => {
  test('gives a file a second name', async () => {
    const linked = join(folder, 'linked')
    await nodeFiles.link(original, linked)
    expect((await stat(linked)).ino).toBe((await stat(original)).ino)
  })

  test('keeps the file that has the name already', async () => {
    const taken = join(folder, 'taken')
    await writeFile(taken, 'other content')
    await nodeFiles.link(original, taken)
    expect(await readFile(taken, 'utf8')).toBe('other content')
  })

  test('fails without the file', async () => {
    const linked = join(folder, 'linked')
    const missing = nodeFiles.link(join(folder, 'missing'), linked)
    await expect(missing).rejects.toMatchObject({ code: 'ENOENT', syscall: 'link' })
    expect(existsSync(linked)).toBe(false)
  })

  test.skipIf(process.platform !== 'linux')('copies to another file system, for the owner only', async () => {
    const elsewhere = await mkdtemp('/dev/shm/pds-files-')
    try {
      expect((await stat(elsewhere)).dev).not.toBe((await stat(folder)).dev)
      await chmod(original, 0o644)
      const copy = join(elsewhere, 'copy')
      await nodeFiles.link(original, copy)
      expect(await readFile(copy, 'utf8')).toBe('content')
      expect((await stat(copy)).mode & 0o777).toBe(ownerOnly)
      expect(await nodeFiles.list(elsewhere)).toEqual(['copy'])
    } finally {
      await rm(elsewhere, { recursive: true })
    }
  })
})
