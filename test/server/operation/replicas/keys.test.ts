/** A restore from the place of another server, its undo, and their end at each operation: data and key of the copies always fit. */
import { mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { listTimelines } from '../../../../server/operation/replicas/catalog.ts'
import {
  type CredentialsKeeper,
  chooseKeyOfData,
  credentialsName,
  forgetLostKey,
  KeyMissing,
  keyOfData,
  loadCredentials,
  nameKey,
  readCredentials,
} from '../../../../server/operation/replicas/credentials.ts'
import { withPlace } from '../../../../server/operation/replicas/from-place.ts'
import { findElsewhere, keepLease } from '../../../../server/operation/replicas/lease.ts'
import { openPlace } from '../../../../server/operation/replicas/places/open.ts'
import { ReplicaKey } from '../../../../server/operation/replicas/replica-key.ts'
import { createSealer } from '../../../../server/operation/replicas/sealer.ts'
import { beginTimeline } from '../../../../server/operation/replicas/timeline.ts'
import { schema } from '../../../../server/schema/schema.ts'
import { listReplaced } from '../../../../server/store/backups/replaced.ts'
import { restore, undoRestore } from '../../../../server/store/backups/restore.ts'
import { Database } from '../../../../server/store/database.ts'
import { type Files, readIfThere, replaceFile } from '../../../../server/store/files/files.ts'
import { replicaKeyName } from '../../../../server/store/files/layout.ts'
import { readReplicaKey } from '../../../../server/store/files/replica-key-file.ts'
import { runCommand } from '../../../support/replicas/copies.ts'
import { MemoryPlace } from '../../../support/replicas/memory-place.ts'
import { insert, replicatorOf, setupStore } from '../../../support/replicas/replicator.ts'
import { TestServer } from '../../../support/server/server.ts'
import { FaultyDisk, isPossible } from '../../../support/store/faulty-disk.ts'

const dataDir = '/data'
let ms = Date.UTC(2026, 0, 1)
/** Folders of replaced data have names of different times. */
function now(): Date {
  ms += 1000
  return new Date(ms)
}

const theirStore = setupStore(now)
let ours: ReplicaKey
let theirs: ReplicaKey
let url: string

beforeAll(async () => {
  ours = await ReplicaKey.generate()
  theirs = await ReplicaKey.generate()
})

beforeEach(async () => {
  const { root, dataDir, store } = theirStore
  const folder = await mkdtemp(join(root, 'place-'))
  url = pathToFileURL(folder).href
  await insert(store, 'theirs')
  const sealer = createSealer(theirs)
  const replicator = await replicatorOf({ store, dataDir, now, place: await openPlace(url), sealer })
  await replicator.step()
  expect(replicator.state.problem).toBeUndefined()
  await sealer.end()
})

function keeperOn({ files }: Pick<FaultyDisk, 'files'>): CredentialsKeeper {
  const path = join(dataDir, credentialsName)
  return {
    async read() {
      const bytes = await readIfThere(files, path)
      return bytes && Buffer.from(bytes).toString()
    },
    write: (text) => replaceFile(files, path, Buffer.from(text)),
  }
}

/** A computer with data and a key of its own. */
async function ourDisk(isNamed: boolean): Promise<FaultyDisk> {
  const disk = new FaultyDisk()
  const store = await Database.open({ directory: dataDir, schema, now, files: disk.files })
  await insert(store, 'ours')
  await store.close()
  await keeperOn(disk).write(JSON.stringify({ key: ours.identity }))
  if (isNamed) await nameKey(dataDir, ours, disk.files)
  return disk
}

/** Returns the number of operations before the first one on keys: those before it only fetch. */
async function bringTheirs(disk: FaultyDisk): Promise<number | undefined> {
  let fetched: number | undefined
  const kept = keeperOn(disk)
  const keeper: CredentialsKeeper = {
    ...kept,
    read() {
      fetched ??= disk.operations
      return kept.read()
    },
  }
  await withPlace({ url, key: theirs, keeper }, ({ bringBack }) =>
    bringBack({ dataDir, now, files: disk.files }),
  )
  return fetched
}

const undo = ({ files }: FaultyDisk, name = '') =>
  undoRestore({ directory: dataDir, now, files }, join(dataDir, name))

async function rowsOn(files: Files): Promise<string> {
  const store = await Database.open({ directory: dataDir, schema, now, files })
  const rows = store.all<{ name: string }>("SELECT name FROM secrets WHERE name IN ('ours', 'theirs')")
  await store.close()
  return rows.map(({ name }) => name).join()
}

/** Starts there, and returns whose data it has. Their key is in use. */
async function startedOn(disk: FaultyDisk, where: string): Promise<string> {
  const rows = await rowsOn(disk.files)
  const key = await keyOfData(keeperOn(disk), dataDir, disk.files)
  const of = new Map([
    [ours.fingerprint, 'ours'],
    [theirs.fingerprint, 'theirs'],
  ])
  expect(of.get(key?.fingerprint ?? ''), where).toBe(rows)
  return rows
}

/** Puts each folder of replaced data back. Returns whose data were there. */
async function undoAll(disk: FaultyDisk, where: string): Promise<string[]> {
  const seen = []
  for (const { name } of await listReplaced(dataDir, disk.files)) {
    await undo(disk, name)
    seen.push(await startedOn(disk, where))
  }
  return seen
}

/** Runs `work` with a fault at each operation from the number that it returns, and calls `verify` with each state that it leaves. */
async function cutEach(
  fault: keyof typeof strides,
  from: FaultyDisk,
  work: (disk: FaultyDisk) => Promise<number | undefined>,
  verify: (disk: FaultyDisk, where: string) => Promise<void>,
): Promise<void> {
  const whole = from.clone()
  const start = (await work(whole)) ?? 0
  const verified = new Set<string>()
  for (const [index, operation] of whole.history.entries()) {
    if (index < start || (index - start) % strides[fault] > 0 || !isPossible(fault, operation)) continue
    const disk = from.clone()
    disk.failAt(index + 1, fault)
    await work(disk).catch(() => {})
    if (!disk.off && fault !== 'fails') disk.cutPower()
    disk.restart()
    const state = disk.fingerprint()
    if (verified.has(state)) continue
    verified.add(state)
    await verify(disk, `operation ${index + 1}`)
  }
}

/** One of so many operations is cut, because each takes two restores. */
const strides = { kill: 2, fails: 7, 'power cut, last kept': 7 } as const

describe.each(Object.keys(strides) as (keyof typeof strides)[])('%s', { timeout: 120_000 }, (fault) => {
  test.each(fault === 'kill' ? [true, false] : [false])(
    'at any operation of a restore: run again and undone, data and key fit, theirs begin a generation (named before: %s)',
    async (isNamed) => {
      const seen = new Set<string>()
      await cutEach(fault, await ourDisk(isNamed), bringTheirs, async (disk, where) => {
        const again = disk.clone()
        const rows = await startedOn(disk, where)
        seen.add(rows)
        // Otherwise the first computer would stop this one, should it come back.
        const { generation } = (await beginTimeline(disk.files, dataDir, { seq: 0, now })).current
        expect(generation, where).toBe(rows === 'theirs' ? 2 : 1)
        await bringTheirs(again)
        expect(await startedOn(again, where)).toBe('theirs')
        await chooseKeyOfData(keeperOn(again), dataDir, again.files)
        expect(await undoAll(again, where)).toContain('ours')
      })
      expect([...seen].toSorted()).toEqual(['ours', 'theirs'])
    },
  )

  test('at any operation of an undo, data and key fit', async () => {
    const disk = await ourDisk(false)
    await bringTheirs(disk)
    const seen = new Set<string>()
    const undoNewest = async (on: FaultyDisk) => {
      await undo(on, (await listReplaced(dataDir, on.files))[0]?.name)
      return undefined
    }
    await cutEach(fault, disk, undoNewest, async (cut, where) => {
      seen.add(await startedOn(cut, where))
    })
    expect([...seen].toSorted()).toEqual(['ours', 'theirs'])
  })
})

test('a restore that the owner refuses leaves the keys and the name of the key', async () => {
  const disk = await ourDisk(true)
  const before = await keeperOn(disk).read()
  const onOpened = () => {
    throw new Error('Nothing was changed.')
  }
  await expect(
    withPlace({ url, key: theirs, keeper: keeperOn(disk) }, ({ bringBack }) =>
      bringBack({ dataDir, now, files: disk.files, onOpened }),
    ),
  ).rejects.toThrow('Nothing was changed')
  expect(await keeperOn(disk).read()).toBe(before)
  expect(await startedOn(disk, '')).toBe('ours')
})

test('the key is kept before the data change: a keyring that refuses it ends the restore', async () => {
  const disk = await ourDisk(true)
  const keeper = { ...keeperOn(disk), write: () => Promise.reject(new Error('no keyring')) }
  await expect(
    withPlace({ url, key: theirs, keeper }, ({ bringBack }) =>
      bringBack({ dataDir, now, files: disk.files }),
    ),
  ).rejects.toThrow('no keyring')
  expect(await startedOn(disk, '')).toBe('ours')
})

test('after an undo the data do not take their own timelines for those of another computer', async () => {
  const disk = await ourDisk(true)
  const begin = () => beginTimeline(disk.files, dataDir, { seq: 1, now })
  await (await begin()).takeOver(4, 1)
  const ourPlace = { place: new MemoryPlace(), sealer: createSealer(ours) }
  const before = await begin()
  await keepLease(ourPlace, before.at([]), { at: now().toISOString(), lacks: false, seen: [] })
  await bringTheirs(disk)
  expect(await undoAll(disk, '')).toEqual(['ours'])
  const listed = await listTimelines(ourPlace.place)
  expect(await findElsewhere(ourPlace, listed, await begin(), false)).toBeUndefined()
  await ourPlace.sealer.end()
})

test('a computer that another one continues goes on after a restore, and is stopped again after its undo', async () => {
  const disk = await ourDisk(true)
  const begin = () => beginTimeline(disk.files, dataDir, { seq: 1, now })
  const elsewhere = { timeline: '000003_abc', at: now().toISOString() }
  const timelines = await begin()
  await timelines.keep()
  await timelines.yieldTo(elsewhere)
  await bringTheirs(disk)
  expect((await begin()).elsewhere).toBeUndefined()
  expect(await undoAll(disk, '')).toEqual(['ours'])
  expect((await begin()).elsewhere).toEqual(elsewhere)
})

test('a damaged name of the key is written again: an undo finds the key', async () => {
  const disk = await ourDisk(true)
  disk.put(join(dataDir, replicaKeyName), Buffer.alloc(100))
  await bringTheirs(disk)
  await chooseKeyOfData(keeperOn(disk), dataDir, disk.files)
  expect(await undoAll(disk, '')).toEqual(['ours'])
})

test('a restored file continues the copies of the data that it replaces', async () => {
  const disk = await ourDisk(true)
  await bringTheirs(disk)
  const [folder] = await listReplaced(dataDir, disk.files)
  // A database without its journals, as that of a backup.
  const file = join(dataDir, 'outside.sqlite')
  disk.put(file, disk.content(join(dataDir, folder?.name ?? '', 'pds.sqlite')))
  await restore({ directory: dataDir, file, schema, now, files: disk.files })
  expect(await rowsOn(disk.files)).toBe('ours')
  expect(await readReplicaKey(dataDir, disk.files)).toBe(theirs.fingerprint)
})

test('data of which no key is known are not copied with another one, and none is made', async () => {
  const { dataDir: dir } = theirStore
  await nameKey(dir, theirs)
  let text: string | undefined
  const keeper: CredentialsKeeper = {
    read: async () => text,
    async write(changed) {
      text = changed
    },
  }
  await expect(loadCredentials(keeper, dir)).rejects.toThrow(KeyMissing)
  expect(text).toBeUndefined()
  text = JSON.stringify({ key: ours.identity })
  await expect(loadCredentials(keeper, dir)).rejects.toThrow('is not on this computer')
  text = JSON.stringify({ key: ours.identity, earlierKeys: [theirs.identity] })
  expect((await loadCredentials(keeper, dir)).replicaKey.identity).toBe(theirs.identity)
  await forgetLostKey(keeper, dir)
  expect(await chooseKeyOfData(keeper, dir)).toBe(true)
  expect(await chooseKeyOfData(keeper, dir)).toBe(false)
  expect(await readCredentials(keeper)).toEqual({ key: theirs.identity, earlierKeys: [ours.identity] })
  text = JSON.stringify({ key: ours.identity })
  await forgetLostKey(keeper, dir)
  expect((await loadCredentials(keeper, dir)).replicaKey.identity).toBe(ours.identity)
})

test('a server whose data have another key runs, copies nothing and says why', {
  timeout: 60_000,
}, async () => {
  const place = await mkdtemp(join(theirStore.root, 'ours-'))
  const server = await TestServer.start({ copies: [pathToFileURL(place).href] })
  try {
    const { dataDir } = server.config
    const path = join(dataDir, credentialsName)
    const { key } = JSON.parse(await readFile(path, 'utf8'))
    const { fingerprint } = await ReplicaKey.parse(key)
    expect(await readReplicaKey(dataDir)).toBe(fingerprint)
    expect(await readFile(join(dataDir, 'pds.replica-key'), 'utf8')).not.toContain(key)
    await server.running.close()
    const copied = await readdir(place, { recursive: true })
    await writeFile(path, JSON.stringify({ key: theirs.identity }), { mode: 0o600 })
    await server.open()
    const { services } = server.running
    const message = expect.stringContaining('is not on this computer, so nothing is copied')
    expect(services.operation.copies.status()).toMatchObject([{ problem: { kind: 'local', message } }])
    await insert(services.store, 'new')
    await services.operation.copies.flush(5000)
    const sheet = runCommand('backup', ['--sheet', join(place, 'sheet.txt'), '--data-dir', dataDir])
    await expect(sheet).rejects.toThrow('is not on this computer')
    expect(await readdir(place, { recursive: true })).toEqual(copied)
    expect(await readReplicaKey(dataDir)).toBe(fingerprint)
    // Known again, it is used and the chosen one.
    await writeFile(path, JSON.stringify({ key: theirs.identity, earlierKeys: [key] }), { mode: 0o600 })
    await server.restart()
    await server.running.services.operation.copies.flush(20_000)
    expect(server.running.services.operation.copies.status()[0]?.problem).toBeUndefined()
    expect(JSON.parse(await readFile(path, 'utf8'))).toEqual({ key, earlierKeys: [theirs.identity] })
  } finally {
    await server.close()
  }
})
