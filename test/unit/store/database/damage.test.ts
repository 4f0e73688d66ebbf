/**
 * Damaged files are reported and moved aside, and never read as an empty or shorter store.
 */
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { StoreDamaged } from '../../../../server/store/files/store-errors.ts'
import { FaultyDisk } from '../../../support/store/faulty-disk.ts'
import { directory, TrackedStore } from '../../../support/store/tracked-store.ts'

const snapshot = 'pds.sqlite'
const sidecar = 'pds.sqlite.pages'
const sealed = 'pds.000000000004.journal'
const current = 'pds.000000000006.journal'
const everyId = [1, 2, 3, 4, 5, 6, 7]

/**
 * A store as a killed process leaves it while it checkpoints: items 1–3 in the snapshot, 4 and 5 in a sealed
 * journal, 6 and 7 in the current one.
 */
let disk: FaultyDisk
beforeAll(async () => {
  const store = new TrackedStore(new FaultyDisk(), 20)
  await store.open()
  await store.add(1, 2, 3)
  await store.checkpoint()
  await store.add(4, 5)
  store.disk.failAt(store.disk.operations + 11, 'fails')
  await store.checkpoint()
  await store.add(6)
  await store.add(7)
  await store.kill()
  disk = store.disk
  expect(disk.names(directory)).toEqual([sealed, current, snapshot, sidecar])
})

/** Bytes of a file without the zeros that a journal reserves. */
function writtenBytes(path: string): number {
  return disk.content(path).findLastIndex((byte) => byte !== 0) + 1
}

/** Opens a disk and returns the ids, or the reported damage. */
async function openOn(changed: FaultyDisk): Promise<number[] | StoreDamaged> {
  const store = new TrackedStore(changed)
  try {
    await store.open()
    return store.ids()
  } catch (error) {
    if (error instanceof StoreDamaged) return error
    throw error
  } finally {
    await store.close()
  }
}

test.each([sealed, current])(
  'a damaged sector in %s is reported with the file and a remedy',
  async (name) => {
    const changed = disk.clone()
    const { read } = changed.files
    const fail = async () => {
      throw Object.assign(new Error('EIO: i/o error, read'), { code: 'EIO', syscall: 'read' })
    }
    Object.assign(changed.files, { read: (path: string) => (path.includes(name) ? fail() : read(path)) })
    const damage = await openOn(changed)
    expect(damage).toBeInstanceOf(StoreDamaged)
    const { message } = damage as StoreDamaged
    expect(message).toContain(
      `${join(directory, name)} cannot be read, because the disk failed. Copy the data`,
    )
    expect(message).toContain('npm run restore -- --salvage')
    Object.assign(changed.files, { read })
    expect(await openOn(changed)).toEqual(everyId)
  },
)

test('the undamaged store has every item', async () => {
  expect(await openOn(disk.clone())).toEqual(everyId)
})

describe('a changed byte', { timeout: 300_000 }, () => {
  test.each([
    [snapshot, 41],
    [sealed, 5],
    [current, 5],
  ])('in %s is reported and the file is moved aside', async (name, stride) => {
    const path = join(directory, name)
    for (let at = 0; at < writtenBytes(path); at += stride) {
      for (const mask of [0x01, 0xff]) {
        const changed = disk.clone()
        const content = changed.content(path)
        content[at] = (content[at] ?? 0) ^ mask
        const damage = await openOn(changed)
        expect(damage, `byte ${at}`).toBeInstanceOf(StoreDamaged)
        if (!(damage instanceof StoreDamaged)) continue
        expect(damage.message).toContain('npm run restore')
        expect(changed.content(damage.movedTo ?? '').equals(disk.content(damage.file))).toBe(
          damage.file !== path,
        )
        // A second start reports it again.
        expect(await openOn(changed)).toBeInstanceOf(StoreDamaged)
      }
    }
  })
})

test('a changed byte in the list of checksums loses nothing, and the list is written again', {
  timeout: 120_000,
}, async () => {
  const path = join(directory, sidecar)
  for (let at = 0; at < writtenBytes(path); at++) {
    for (const mask of [0x01, 0xff]) {
      const changed = disk.clone()
      const content = changed.content(path)
      content[at] = (content[at] ?? 0) ^ mask
      expect(await openOn(changed), `byte ${at}`).toEqual(everyId)
      expect(
        changed.content(path).equals(disk.content(path)) || changed.names(directory).includes(sidecar),
      ).toBe(true)
    }
  }
})

test('a changed byte in the reserved space of the journal is reported or loses no transaction', async () => {
  const path = join(directory, current)
  const { length } = disk.content(path)
  expect(length).toBeGreaterThan(writtenBytes(path) + 1000)
  for (let at = writtenBytes(path); at < length; at += 37) {
    const changed = disk.clone()
    changed.content(path)[at] = 0xff
    const found = await openOn(changed)
    if (!(found instanceof StoreDamaged)) expect(found, `byte ${at}`).toEqual(everyId)
  }
})

test.each([[snapshot], [sealed], [sealed, current], [snapshot, sealed, current]])(
  'without %s the store does not start',
  async (...names) => {
    const changed = disk.clone()
    for (const name of names) await changed.files.remove(join(directory, name))
    const before = changed.names(directory)
    const damage = await openOn(changed)
    expect(damage).toMatchObject({ message: expect.stringMatching(/is missing.*npm run restore/) })
    expect(changed.names(directory)).toEqual(before)
  },
)

test('a directory with only backups does not start as an empty store', async () => {
  const store = new TrackedStore(disk.clone())
  await store.open()
  await store.backup()
  await store.close()
  for (const name of store.disk.names(directory)) await store.disk.files.remove(join(directory, name))
  expect(await openOn(store.disk)).toMatchObject({
    message: expect.stringContaining('pds.sqlite is missing'),
  })
})

test('a current journal that is cut at any length loses only its tail', async () => {
  const path = join(directory, current)
  const content = disk.content(path)
  for (let length = 0; length <= writtenBytes(path); length += 3) {
    const changed = disk.clone()
    changed.put(path, content.subarray(0, length))
    const store = new TrackedStore(changed)
    await store.open()
    const ids = store.ids()
    expect(everyId.slice(0, ids.length)).toEqual(ids)
    expect(ids.length).toBeGreaterThanOrEqual(5)
    await store.add(100)
    await store.kill()
    expect(await openOn(changed), `${length} bytes`).toEqual([...ids, 100])
  }
})

test('a sealed journal that is cut is damaged', async () => {
  const path = join(directory, sealed)
  const changed = disk.clone()
  changed.put(path, changed.content(path).subarray(0, -1))
  expect(await openOn(changed)).toMatchObject({ file: path })
})

test('a checkpointed journal that reappears after a crash is ignored and removed', async () => {
  const store = new TrackedStore(disk.clone())
  await store.open()
  await store.checkpoint()
  await store.kill()
  expect(store.disk.names(directory)).not.toContain(sealed)
  store.disk.put(join(directory, sealed), disk.content(join(directory, sealed)))
  expect(await openOn(store.disk)).toEqual(everyId)
  expect(store.disk.names(directory)).not.toContain(sealed)
})

test('a snapshot may end within a frame: the rest of the frame follows it', async () => {
  const [ahead, store] = [new TrackedStore(new FaultyDisk()), new TrackedStore(new FaultyDisk())]
  await ahead.open()
  await ahead.add(1)
  await ahead.add(2)
  await ahead.checkpoint()
  await store.open()
  await store.add(1)
  await store.add(2, 3)
  await store.kill()
  for (const name of [snapshot, sidecar]) {
    store.disk.put(join(directory, name), ahead.disk.content(join(directory, name)))
  }
  await store.open()
  expect(store.ids()).toEqual([1, 2, 3])
  await store.close()
  await ahead.close()
})

test('a snapshot without a checksum is accepted after an integrity check, and gets one', async () => {
  const changed = disk.clone()
  await changed.files.remove(join(directory, sidecar))
  expect(await openOn(changed)).toEqual(everyId)
  expect(changed.names(directory)).toContain(sidecar)
})

test('a snapshot copied into an empty directory is opened as a store', async () => {
  const store = new TrackedStore(disk.clone())
  await store.open()
  await store.close()
  const fresh = new FaultyDisk()
  await fresh.files.makeDir(directory)
  fresh.put(join(directory, snapshot), store.disk.content(join(directory, snapshot)))
  expect(await openOn(fresh)).toEqual(everyId)
})

test('a newer snapshot copied beside older journals replaces them', async () => {
  const newer = new TrackedStore(disk.clone())
  await newer.open()
  await newer.add(8, 9)
  await newer.close()
  const store = new TrackedStore(disk.clone())
  store.disk.put(join(directory, snapshot), newer.disk.content(join(directory, snapshot)))
  await store.disk.files.remove(join(directory, sidecar))
  await store.open()
  expect(store.ids()).toEqual([...everyId, 8, 9])
  await store.add(10)
  await store.kill()
  expect(await openOn(store.disk)).toEqual([...everyId, 8, 9, 10])
})

test('a file of another program is rejected', async () => {
  const fresh = new FaultyDisk()
  await fresh.files.makeDir(directory)
  fresh.put(join(directory, snapshot), Buffer.from('hello, this is no database at all'))
  expect(await openOn(fresh)).toMatchObject({ message: expect.stringContaining('is not a') })
})
