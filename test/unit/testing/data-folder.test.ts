import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { nodeFiles } from '../../../server/store/files/files.ts'
import { openDataFolder } from '../../../server/testing/data-folder.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pds-dev-'))
})
afterEach(async () => {
  vi.restoreAllMocks()
  await rm(folder, { recursive: true })
})

test.skipIf(process.platform !== 'linux')('a folder that cannot be created is named', async () => {
  await expect(openDataFolder('/proc/network')).rejects.toThrow(
    /^\/proc\/network cannot be created \(ENOENT.*\): name another folder with --data-dir\.$/,
  )
})

test('states that are cut short by the end of a process are removed by the next one', async () => {
  const [named, other] = ['a', 'b'].map((letter) => `state-${letter.repeat(24)}`)
  for (const name of [named, other]) await mkdir(join(folder, name ?? ''))
  await writeFile(join(folder, 'network-for-tests.json'), JSON.stringify({ about: '', state: named }))
  const opened = await openDataFolder(folder)
  await opened.close()
  expect((await readdir(folder)).toSorted()).toEqual(['network-for-tests.json', named])
})

test('a network that ends before the lock is taken leaves its state, which is continued', async () => {
  const mark = join(folder, 'network-for-tests.json')
  const [earlier, later] = ['a', 'b'].map((letter) => `state-${letter.repeat(24)}`)
  const write = (state = '') => writeFile(mark, JSON.stringify({ about: '', state }))
  await write(earlier)
  await mkdir(join(folder, later ?? ''))
  const { lock } = nodeFiles
  vi.spyOn(nodeFiles, 'lock').mockImplementation(async (path) => {
    await write(later)
    return lock(path)
  })
  const opened = await openDataFolder(folder)
  expect(JSON.parse(await readFile(mark, 'utf8')).state).toBe(later)
  await expect(opened.load(undefined, undefined)).rejects.toThrow(
    `${join(folder, later ?? '')} is incomplete`,
  )
  await opened.close()
})
