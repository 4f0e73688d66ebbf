/** Files of backups that a disk has cut, emptied, exchanged or can no longer read: nothing is removed for it, and the other backups stay usable. */
import { expect, test } from 'vitest'
import { makeBackup } from '../../../../../server/operation/replicas/local/backups.ts'
import { removeLeftovers } from '../../../../../server/operation/replicas/local/leftovers.ts'
import { listBackups } from '../../../../../server/operation/replicas/local/list.ts'
import { writeProof } from '../../../../../server/operation/replicas/local/proof.ts'
import { createBackupProofs } from '../../../../../server/operation/replicas/local/proofs.ts'
import { backupPages } from '../../../../../server/operation/replicas/replica-pages.ts'
import type { Files } from '../../../../../server/store/files/files.ts'
import { FaultyDisk } from '../../../../support/store/faulty-disk.ts'
import { at, dataDir, kept, one, open, setMedia, three, two } from './media.ts'

const make = ({ files }: { files: Files }, minute: number) =>
  makeBackup({ dataDir, now: () => at(minute), files })
const list = ({ files }: { files: Files }) => listBackups(dataDir, files)

/** A disk with a backup of the media `one`, another one of `two`, and now `three`. */
async function prepared(): Promise<FaultyDisk> {
  const disk = new FaultyDisk()
  await disk.files.makeDir(dataDir)
  await setMedia(disk, [one])
  await make(disk, 1)
  await setMedia(disk, [two])
  await make(disk, 2)
  await setMedia(disk, [three])
  return disk
}

const proofsOf = ({ files }: { files: Files }) => createBackupProofs({ dataDir, now: () => at(3), files })
const empty = Buffer.alloc(0)

test.each(['end', 'part'])('a backup whose %s was cut is neither listed nor removed', async (kind) => {
  const disk = await prepared()
  const [, older] = await list(disk)
  const { name, parts: [part = ''] = [] } = older ?? { name: '' }
  const end = disk.content(`/data/backups/${name}/end`)
  const database = disk.content(`/data/backups/${part}`)
  disk.put(`/data/backups/${kind === 'end' ? `${name}/end` : part}`, empty)
  await removeLeftovers(disk.files, dataDir)
  for (let minute = 3; minute < 6; minute++) await make(disk, minute)
  expect((await list(disk)).map(({ at }) => at.getUTCMinutes())).toEqual([5, 4, 3, 2])
  expect(kept(disk)).toEqual([one, two, three].toSorted())
  disk.put(`/data/backups/${name}/end`, end)
  disk.put(`/data/backups/${part}`, database)
  expect((await list(disk)).at(-1)?.name).toBe(name)
})

test('a damaged backup goes when it would go if it were whole', async () => {
  const disk = await prepared()
  const [, older] = await list(disk)
  disk.put(`/data/backups/${older?.name}/end`, empty)
  for (let day = 1; day <= 60; day++) await make(disk, day * 24 * 60)
  expect(disk.names(`/data/backups/${older?.name}`)).toEqual([])
})

test.each([
  ['empty', () => empty],
  ['cut', (list: Buffer) => list.subarray(0, 10)],
  ['that of another backup', () => Buffer.from(`${two}\n`)],
])('media stay while the list of a backup is %s', async (_, change) => {
  const disk = await prepared()
  const [, older] = await list(disk)
  const path = `/data/backups/${older?.name}/media`
  disk.put(path, change(disk.content(path)))
  await make(disk, 3)
  expect(kept(disk)).toEqual([one, two, three].toSorted())
})

test('a proof of another backup counts as none', async () => {
  const disk = await prepared()
  const [newer, older] = await list(disk)
  if (!newer || !older) throw new Error('There are no backups.')
  const proof = { checkedAt: at(3), problem: undefined, missing: undefined }
  await writeProof(disk.files, `/data/backups/${newer.name}`, proof)
  disk.put(`/data/backups/${older.name}/proof`, disk.content(`/data/backups/${newer.name}/proof`))
  expect((await list(disk)).map((backup) => backup.proof?.provenAt)).toEqual([at(3), undefined])
})

test('two backups whose files were exchanged are not proven', async () => {
  const disk = await prepared()
  const [newer, older] = await list(disk)
  if (!newer || !older) throw new Error('There are no backups.')
  await disk.files.rename(`/data/backups/${newer.name}`, '/data/backups/bases/x')
  await disk.files.rename(`/data/backups/${older.name}`, `/data/backups/${newer.name}`)
  await disk.files.rename('/data/backups/bases/x', `/data/backups/${older.name}`)
  for (const backup of await list(disk))
    expect((await proofsOf(disk).prove(backup)).problem).toContain('another backup')
})

test('a file with a damaged sector leaves the other backups usable', async () => {
  const disk = await prepared()
  const [newer, older] = await list(disk)
  const whole = await make(disk, 3)
  const bad = new Set(
    [`${newer?.name}/proof`, `${older?.name}/media`, newer?.parts[0]].map((name) => `/data/backups/${name}`),
  )
  const fail = (path: string) => {
    if (bad.has(path)) throw Object.assign(new Error('EIO: i/o error'), { code: 'EIO', syscall: 'read' })
  }
  disk.put(`/data/backups/${newer?.name}/proof`, empty)
  const files: Files = {
    ...disk.files,
    async read(path) {
      fail(path)
      return disk.files.read(path)
    },
    async *chunks(path, ...range) {
      fail(path)
      yield* disk.files.chunks(path, ...range)
    },
    async link(from, to) {
      if (bad.has(from)) bad.add(to)
      await disk.files.link(from, to)
    },
  }
  expect((await list({ files })).map(({ name }) => name)).toEqual([whole.name, newer?.name, older?.name])
  await make({ files }, 4)
  expect(kept(disk)).toEqual([one, two, three].toSorted())
  const pages: number[] = []
  for await (const [number] of backupPages(dataDir, files).pages([1], '/data/backups/check-x'))
    pages.push(number)
  expect(pages).toHaveLength(3)
  await (await open(disk)).close()
})
