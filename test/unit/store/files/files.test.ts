/** The real file system. */
import { existsSync, type PathLike } from 'node:fs'
import { chmod, mkdtemp, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { nodeFiles, renameFile } from '../../../../server/store/files/files.ts'
import { ownerOnly } from '../../../support/store/modes.ts'

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

describe('makeDir', () => {
  test('creates a folder and its parents, for the owner only', async () => {
    const made = join(folder, 'one', 'two')
    await nodeFiles.makeDir(made)
    await nodeFiles.makeDir(made)
    expect((await stat(made)).isDirectory()).toBe(true)
    if (process.platform !== 'win32')
      for (const each of [made, join(folder, 'one')]) expect((await stat(each)).mode & 0o777).toBe(0o700)
  })

  test('fails where a file is in the way', async () => {
    await expect(nodeFiles.makeDir(original)).rejects.toMatchObject({ code: 'EEXIST' })
    await expect(nodeFiles.makeDir(join(original, 'inside'))).rejects.toMatchObject({ code: 'ENOTDIR' })
  })

  test.skipIf(process.platform !== 'linux')('fails in a folder that takes none', async () => {
    await expect(nodeFiles.makeDir('/proc/one/two')).rejects.toMatchObject({
      code: 'ENOENT',
      path: '/proc/one',
    })
  })
})

describe('rename on Windows', () => {
  function refusing(times: number, code: string) {
    let calls = 0
    return async (from: PathLike, to: PathLike) => {
      if (calls++ < times) throw Object.assign(new Error(code), { code })
      await rename(from, to)
    }
  }

  test.each(['EPERM', 'EACCES', 'EBUSY'])('is tried again after %s', async (code) => {
    const renamed = join(folder, 'renamed')
    await renameFile(original, renamed, { platform: 'win32', rename: refusing(2, code) })
    expect(await readFile(renamed, 'utf8')).toBe('content')
  })

  test('of a file that stays open elsewhere says what to do', async () => {
    const target = join(folder, 'target')
    const options = { platform: 'win32', rename: refusing(Number.POSITIVE_INFINITY, 'EBUSY') } as const
    await expect(renameFile(original, target, options)).rejects.toMatchObject({
      name: 'StoreInUse',
      code: 'EBUSY',
      message: `${target} is open in another program or read-only (EBUSY). Close that program, or make the file writable, then try again.`,
    })
  })

  test('fails at once for another reason', async () => {
    const missing = renameFile(join(folder, 'missing'), original, { platform: 'win32' })
    await expect(missing).rejects.toMatchObject({ name: 'Error', code: 'ENOENT' })
  })
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
