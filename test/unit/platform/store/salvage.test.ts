/** Salvage: opens what verifies of damaged data, states the loss before it is accepted, and keeps the damaged files. */
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { StoreDamaged, StoreTooOld } from '../../../../server/platform/store/errors.ts'
import { type SalvagePlan, salvage } from '../../../../server/platform/store/salvage.ts'
import { bytesOf, openBytes } from '../../../support/database-bytes.ts'
import { FaultyDisk } from './faulty-disk.ts'
import { directory, items, TrackedStore } from './tracked-store.ts'

const snapshot = 'pds.sqlite'
let store: TrackedStore
let disk: FaultyDisk

beforeEach(async () => {
  disk = new FaultyDisk()
  store = new TrackedStore(disk, 20)
  await store.open()
  await store.add(1)
  await store.checkpoint()
  for (const id of [2, 3, 4, 5]) await store.add(id)
})

const journal = () => disk.names(directory).findLast((name) => name.endsWith('.journal')) ?? ''

/** Flips a bit of the frame of a transaction. */
function flip(name: string, text: string): void {
  const content = disk.content(join(directory, name))
  const at = content.indexOf(text)
  expect(at).toBeGreaterThan(0)
  content[at + 70] = (content[at + 70] ?? 0) ^ 1
}

async function run(
  isAccepted = true,
  schema = items,
): Promise<{ plan: SalvagePlan; ids: number[]; kept: string[] }> {
  let plan: SalvagePlan | undefined
  const before = disk.names(directory)
  const result = await salvage({
    ...{ directory, schema, now: store.now, files: disk.files },
    async confirm(stated) {
      expect(disk.names(directory).filter((name) => name.startsWith('pds.'))).toEqual(
        before.filter((name) => name.startsWith('pds.')),
      )
      plan = stated
      return isAccepted
    },
  })
  if (!plan) throw new Error('nothing was asked')
  if (!result) return { plan, ids: [], kept: [] }
  const again = new TrackedStore(disk, 20)
  await again.open()
  const ids = again.ids()
  await again.add(100)
  await again.close()
  return { plan, ids, kept: disk.names(result.keptIn) }
}

async function start(): Promise<void> {
  await expect(new TrackedStore(disk, 20).open()).rejects.toBeInstanceOf(StoreDamaged)
}

test.each([
  ['last', 5, [1, 2, 3, 4], 1],
  ['middle', 3, [1, 2], 3],
])('a bit in the %s frame of the journal loses it and what follows', async (_, id, ids, lost) => {
  await store.kill()
  const name = journal()
  flip(name, `frame ${id} 1`)
  await start()
  const found = await run()
  expect(found.ids).toEqual(ids)
  expect(found.plan).toMatchObject({
    from: 'database',
    damaged: [name],
    lostTransactions: lost,
    isExact: true,
  })
  expect(found.kept.some((kept) => kept.startsWith(`${name}.damaged-`))).toBe(true)
})

test('nothing changes unless the loss is accepted', async () => {
  await store.kill()
  flip(journal(), 'frame 5 1')
  await start()
  const before = disk.names(directory)
  await run(false)
  expect(disk.names(directory)).toEqual(before)
})

test('data that are too old to be opened are not salvaged', async () => {
  await store.kill()
  const before = disk.fingerprint()
  await expect(run(true, { ...items, oldest: 2 })).rejects.toBeInstanceOf(StoreTooOld)
  expect(disk.fingerprint()).toBe(before)
})

test('a damaged older journal loses what the newer ones have', async () => {
  disk.failAt(disk.operations + 11, 'fails')
  await store.checkpoint()
  await store.add(6)
  await store.kill()
  const journals = disk.names(directory).filter((name) => name.endsWith('.journal'))
  expect(journals).toHaveLength(2)
  flip(journals[0] ?? '', 'frame 4 1')
  await start()
  const found = await run()
  expect(found.ids).toEqual([1, 2, 3])
  expect(found.plan).toMatchObject({ lostTransactions: 3, damaged: [journals[0]] })
})

test('with a damaged snapshot, the newest backup and the journal after it lose nothing', async () => {
  await store.backup()
  await store.add(6)
  await store.kill()
  const content = disk.content(join(directory, snapshot))
  content[content.length - 10] = (content[content.length - 10] ?? 0) ^ 1
  await start()
  const found = await run()
  expect(found.ids).toEqual([1, 2, 3, 4, 5, 6])
  expect(found.plan).toMatchObject({ from: 'backup', lostTransactions: 0, isExact: true })
})

test('a damaged page that a backup has is replaced: nothing is lost', async () => {
  await store.checkpoint()
  await store.backup()
  await store.add(6)
  await store.kill()
  const content = disk.content(join(directory, snapshot))
  for (let at = 4096 + 10; at < content.length; at += 4096) content[at] = (content[at] ?? 0) ^ 1
  await start()
  const found = await run()
  expect(found.ids).toEqual([1, 2, 3, 4, 5, 6])
  expect(found.plan).toMatchObject({
    from: 'database',
    damaged: [snapshot],
    lostTransactions: 0,
    isExact: true,
  })
})

test('with a damaged snapshot and no backup, nothing can be salvaged', async () => {
  await store.kill()
  disk.content(join(directory, snapshot)).fill(7, 0, 200)
  await start()
  await expect(run()).rejects.toThrow('no intact backup')
})

test('a database that another program changed is accepted after the question', async () => {
  await store.close()
  const bytes = disk.content(join(directory, snapshot))
  const sqlite = await openBytes(bytes)
  sqlite.exec('VACUUM; PRAGMA user_version = 1; CREATE TABLE other (id INTEGER)')
  disk.put(join(directory, snapshot), bytesOf(sqlite))
  sqlite.close()
  await start()
  const found = await run()
  expect(found.plan).toMatchObject({ from: 'changed', lostTransactions: 0 })
  expect(found.ids).toEqual([1, 2, 3, 4, 5])
})
