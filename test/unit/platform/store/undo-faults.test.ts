/** A restore that was cut anywhere, and finished by the next start, can be undone: the replaced data come back whole. So does an undo that was cut. */
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import type { Backup } from '../../../../server/operation/replicas/local/list.ts'
import { restore, undoRestore } from '../../../../server/platform/store/backups/restore.ts'
import { listReplaced } from '../../../../server/platform/store/replaced.ts'
import { sourceOf } from '../../../support/local-backups.ts'
import { type Fault, FaultyDisk, isPossible } from './faulty-disk.ts'
import { directory, items, TrackedStore } from './tracked-store.ts'

const faults: Fault[] = [
  ...(['fails', 'works but fails', 'disk full', 'kill', 'power cut'] as const),
  ...(['power cut, prefix kept', 'power cut, last kept', 'power cut, sectors kept'] as const),
]
const now = () => new Date(Date.UTC(2026, 0, 2))

/** Items 1 to 3 in the backup, 4 to 6 only in the data, of which 5 and 6 are in a journal. */
let base: FaultyDisk
let backup: Backup
beforeAll(async () => {
  const store = new TrackedStore(new FaultyDisk())
  await store.open()
  await store.add(1, 2, 3)
  const made = await store.backup()
  if (!made) throw new Error('There is no backup.')
  backup = made
  await store.add(4)
  await store.checkpoint()
  await store.add(5, 6)
  await store.kill()
  base = store.disk.clone()
})

async function idsOf(disk: FaultyDisk): Promise<string> {
  const store = new TrackedStore(disk)
  await store.open()
  const ids = store.ids()
  await store.kill()
  return ids.join()
}

test.each(faults)('%s at any operation of a restore', { timeout: 120_000 }, async (fault) => {
  const work = async ({ files }: FaultyDisk) =>
    restore({ directory, ...(await sourceOf(directory, backup, files)), schema: items, now, files })
  const whole = base.clone()
  await work(whole)
  let undone = 0
  for (const [index, operation] of whole.history.entries()) {
    if (!isPossible(fault, operation)) continue
    const disk = base.clone()
    disk.failAt(index + 1, fault)
    await work(disk).catch(() => {})
    if (!disk.off) disk.cutPower()
    disk.restart()
    const where = `operation ${index + 1}`
    if ((await idsOf(disk)) !== '1,2,3') continue
    disk.restart()
    const [newest, ...others] = await listReplaced(directory, disk.files)
    expect(others, where).toEqual([])
    await undoRestore({ directory, now, files: disk.files }, join(directory, newest?.name ?? ''))
    expect(await idsOf(disk), where).toBe('1,2,3,4,5,6')
    undone++
  }
  expect(undone).toBeGreaterThan(0)
})

/** Without a power cut that keeps one half of a rename between folders: a file system with a journal keeps both or none. */
const wholeRenames = faults.filter((fault) => fault !== 'power cut, sectors kept')

test.each(wholeRenames)('%s at any operation of an undo', { timeout: 120_000 }, async (fault) => {
  const restored = base.clone()
  const { files } = restored
  await restore({ directory, ...(await sourceOf(directory, backup, files)), schema: items, now, files })
  const undo = async (disk: FaultyDisk) => {
    const folders = await listReplaced(directory, disk.files)
    const oldest = folders.at(-1)?.name ?? ''
    await undoRestore({ directory, now, files: disk.files }, join(directory, oldest))
  }
  const whole = restored.clone()
  await undo(whole)
  const seen = new Set<string>()
  for (const [index, operation] of whole.history.entries()) {
    if (!isPossible(fault, operation)) continue
    const disk = restored.clone()
    disk.failAt(index + 1, fault)
    await undo(disk).catch(() => {})
    if (!disk.off) disk.cutPower()
    disk.restart()
    const where = `operation ${index + 1}`
    const ids = await idsOf(disk)
    expect(['1,2,3', '1,2,3,4,5,6'], where).toContain(ids)
    seen.add(ids)
    disk.restart()
    await undo(disk)
    expect(await idsOf(disk), where).toBe(ids === '1,2,3' ? '1,2,3,4,5,6' : '1,2,3')
  }
  expect(seen).toContain('1,2,3,4,5,6')
})
