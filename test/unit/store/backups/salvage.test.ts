/** Salvage: opens what verifies of damaged data, states the loss before it is accepted, and keeps the damaged files. */
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { backupPages } from '../../../../server/operation/replicas/replica-pages.ts'
import { type SalvagePlan, salvage } from '../../../../server/store/backups/salvage.ts'
import { StoreDamaged, StoreTooOld } from '../../../../server/store/files/store-errors.ts'
import { dataOf, pageBytes, path } from '../../../support/store/damaged-data.ts'
import { bytesOf, openBytes, unreleased } from '../../../support/store/database-bytes.ts'
import { FaultyDisk } from '../../../support/store/faulty-disk.ts'
import { schemaOf } from '../../../support/store/schema-of.ts'
import { directory, items, TrackedStore } from '../../../support/store/tracked-store.ts'

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

async function run(isAccepted = true): Promise<{ plan: SalvagePlan; ids: number[]; kept: string[] }> {
  let plan: SalvagePlan | undefined
  const before = disk.names(directory)
  const result = await salvage({
    ...{ directory, schema: items, now: store.now, files: disk.files },
    sources: [backupPages(directory, disk.files)],
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

test('a damaged sector of the journal loses what it has and what follows', async () => {
  await store.kill()
  const name = journal()
  const { chunks, read } = disk.files
  const at = disk.content(join(directory, name)).indexOf('frame 4 1')
  const isBad = (path: string) => path.includes(name)
  const failure = Object.assign(new Error('EIO: i/o error, read'), { code: 'EIO', syscall: 'read' })
  Object.assign(disk.files, {
    read: (path: string) => (isBad(path) ? Promise.reject(failure) : read(path)),
    async *chunks(path: string, from?: number, to?: number) {
      yield* chunks(path, from, isBad(path) ? at : to)
      if (isBad(path)) throw failure
    },
  })
  await start()
  const found = await run()
  expect(found.ids).toEqual([1, 2, 3])
  expect(found.plan).toMatchObject({ from: 'database', damaged: [name], isExact: false })
})

test('nothing changes unless the loss is accepted', async () => {
  await store.kill()
  flip(journal(), 'frame 5 1')
  await start()
  const before = disk.names(directory)
  await run(false)
  expect(disk.names(directory)).toEqual(before)
})

test('data from before the first release are not salvaged', async () => {
  await store.kill()
  disk.put(path, await unreleased(disk.content(path)))
  await disk.files.remove(`${path}.pages`)
  await disk.files.syncDir(directory)
  const before = disk.fingerprint()
  await expect(run()).rejects.toBeInstanceOf(StoreTooOld)
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

/** A store that was killed at an operation of its second checkpoint; undefined if that has fewer operations. */
async function killedAt(operation: number): Promise<FaultyDisk | undefined> {
  const killed = new TrackedStore(new FaultyDisk())
  await killed.open()
  await killed.add(1, 2, 3, 4, 5, 6)
  await killed.checkpoint()
  await killed.backup()
  await killed.add(7, 8, 9)
  killed.disk.failAt(killed.disk.operations + operation, 'kill')
  await killed.checkpoint()
  const { off } = killed.disk
  await killed.close()
  killed.disk.restart()
  return off ? killed.disk : undefined
}

test('a damaged checkpoint loses nothing, however far it was: pages from before it and after it are not mixed', {
  timeout: 120_000,
}, async () => {
  const from: string[] = []
  const checkpoint = join(directory, 'pds.checkpoint')
  for (let operation = 1; ; operation++) {
    const killed = await killedAt(operation)
    if (!killed) break
    if (!killed.names(directory).includes('pds.checkpoint')) continue
    const content = killed.content(checkpoint)
    const pages = content.readUInt32LE(16)
    expect(pages).toBeGreaterThan(3)
    const start = 24 + 8 * pages
    const places = Array.from({ length: pages }, (_, page) => start + page * 4096 + 4000)
    for (const at of [3, 15, 17, 22, 24, start - 1, ...places]) {
      disk = killed.clone()
      const changed = disk.content(checkpoint)
      changed[at] = (changed[at] ?? 0) ^ 2
      await expect(new TrackedStore(disk).open()).rejects.toThrow('pds.checkpoint is damaged or cut short')
      const found = await run()
      expect(found.ids, `operation ${operation}, byte ${at}`).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9])
      expect(found.plan.lostTransactions).toBe(0)
      from.push(found.plan.from)
    }
  }
  expect(from.length).toBeGreaterThan(30)
  expect(from.filter((each) => each === 'database').length).toBeGreaterThan(from.length / 2)
})

test('a flipped bit in the only page that differs is damage, not the change of another program', async () => {
  await store.close()
  const content = disk.content(join(directory, snapshot))
  for (let at = 0; at < content.length; at += 4096) {
    const last = content.subarray(at, at + 4096).findLastIndex((byte) => byte !== 0)
    content[at + last] = (content[at + last] ?? 0) ^ 1
    const found = run(false).then(
      ({ plan }) => plan.from,
      (error: Error) => error.message,
    )
    expect(await found, `page ${at / 4096 + 1}`).toMatch('no intact backup')
    content[at + last] = (content[at + last] ?? 0) ^ 1
  }
})

test('a page whose checksum is damaged, too, is not taken from a backup that has another version of it', async () => {
  const { open, backUp, salvage } = dataOf(
    schemaOf('CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT)'),
    store.now,
  )
  const other = new FaultyDisk()
  const db = await open(other)
  const write = (text: string) =>
    db.transact((tx) => {
      for (let id = 1; id <= 20; id++)
        tx.run('INSERT OR REPLACE INTO note VALUES (?, ?)', [id, text.repeat(900)])
    })
  await write('old ')
  await db.checkpoint()
  await backUp(db, other)
  await write('new ')
  await db.close()
  const content = other.content(path)
  other.put(path, content.subarray(0, -pageBytes / 2))
  const checksums = other.content(`${path}.pages`)
  checksums[9] = (checksums[9] ?? 0) ^ 1
  expect(await salvage(other)).toMatchObject({ from: 'backup', damaged: expect.arrayContaining([snapshot]) })
  const again = await open(other)
  expect(again.all('SELECT DISTINCT substr(text, 1, 4) AS text FROM note')).toEqual([{ text: 'old ' }])
  await again.close()
})
