import { existsSync } from 'node:fs'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Spool, spool, spoolFew } from '../../../../server/repository/records/spool.ts'
import { nodeFiles } from '../../../../server/store/files/files.ts'
import { FullDisk } from '../../../support/server/full-disk.ts'

let dir: string
let folder: string
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'pds-spool-'))
  folder = join(dir, 'exports')
})
afterEach(() => rm(dir, { recursive: true }))

function* parts(count: number): Generator<Uint8Array> {
  for (let n = 0; n < count; n++) yield new Uint8Array(1000).fill(n)
}
const whole = (count: number) => Buffer.concat([...parts(count)])
const contentOf = async ({ chunks }: Spool) => Buffer.concat(await Readable.from(chunks()).toArray())

test('few bytes stay in memory, also on a full disk; more go to one file that several readers read', async () => {
  const disk = new FullDisk()
  disk.isFull = true
  const small = await spool(disk.files, folder, parts(1000))
  expect(await contentOf(small)).toEqual(whole(1000))
  expect(existsSync(folder)).toBe(false)
  expect(await spoolFew(parts(3000))).toBeUndefined()

  const large = await spool(nodeFiles, folder, parts(3000))
  for (let reader = 0; reader < 2; reader++) expect(await contentOf(large)).toEqual(whole(3000))
  expect(await readdir(folder)).toHaveLength(1)
  await large.remove()
  expect(await readdir(folder)).toEqual([])
})

test('a full disk and an error of the source leave no file', async () => {
  const disk = new FullDisk()
  const fillsUp = (function* () {
    yield* parts(3000)
    disk.isFull = true
    yield* parts(3000)
  })()
  await expect(spool(disk.files, folder, fillsUp)).rejects.toHaveProperty('name', 'StoreUnavailable')
  const fails = (function* () {
    yield* parts(3000)
    throw new Error('a block is missing')
  })()
  await expect(spool(nodeFiles, folder, fails)).rejects.toThrow('a block is missing')
  expect(await readdir(folder)).toEqual([])
})
