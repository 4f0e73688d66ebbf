/** What a start reports of its files: a disk or a cable that reads wrong bytes once, and a torn end of the journal. */
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { Database } from '../../../../server/store/database.ts'
import type { Files } from '../../../../server/store/files/files.ts'
import { StoreDamaged } from '../../../../server/store/files/store-errors.ts'
import { FaultyDisk } from '../../../support/store/faulty-disk.ts'
import { directory, items, TrackedStore } from '../../../support/store/tracked-store.ts'

const journal = join(directory, 'pds.000000000001.journal')

/** A store with three items in its journal. */
let disk: FaultyDisk
beforeAll(async () => {
  const store = new TrackedStore(new FaultyDisk(), 20)
  await store.open()
  await store.add(1, 2, 3)
  await store.kill()
  disk = store.disk
})

/** Opens a disk whose journal reads wrong so often. Returns the number of items, and the number of events. */
async function openWith(on: FaultyDisk, wrongReads: number): Promise<{ count: number; again: number }> {
  let left = wrongReads
  let again = 0
  const files: Files = {
    ...on.files,
    async read(path) {
      const bytes = await on.files.read(path)
      if (path === journal && left-- > 0) bytes[100] = (bytes[100] ?? 0) ^ 1
      return bytes
    },
  }
  const now = () => new Date('2026-01-01')
  const onReadAgain = () => void again++
  const db = await Database.open({ directory, schema: items, now, files, onReadAgain })
  const { count = 0 } = db.get<{ count: number }>('SELECT count(*) AS count FROM item') ?? {}
  on.kill()
  await db.close()
  on.restart()
  return { count, again }
}

test('one wrong reading at a start moves nothing aside', async () => {
  const copy = disk.clone()
  expect(await openWith(copy, 0)).toEqual({ count: 3, again: 0 })
  expect(await openWith(copy, 1)).toEqual({ count: 3, again: 1 })
  expect(copy.names(directory).filter((name) => name.includes('damaged'))).toEqual([])
})

test('a file that was moved aside is looked at again by the next start', async () => {
  const copy = disk.clone()
  await expect(openWith(copy, 2)).rejects.toThrow(StoreDamaged)
  copy.restart()
  expect(copy.names(directory).filter((name) => name.includes('damaged'))).toHaveLength(1)
  await expect(openWith(copy, 2)).rejects.toThrow('It was kept as')
  copy.restart()
  expect(await openWith(copy, 0)).toEqual({ count: 3, again: 1 })
  expect(copy.names(directory).filter((name) => name.includes('damaged'))).toEqual([])
})

test('a start reports the transactions that it drops at the end of the journal', async () => {
  const tails: unknown[] = []
  const open = async (on: FaultyDisk) => {
    const now = () => new Date('2026-01-01')
    const onDroppedTail = (tail: unknown) => void tails.push(tail)
    const db = await Database.open({ directory, schema: items, now, files: on.files, onDroppedTail })
    const { count } = db.get<{ count: number }>('SELECT count(*) AS count FROM item') ?? {}
    on.kill()
    await db.close()
    return count
  }
  // Item 3 is the third transaction, of the last frame: a sector of it reads as zeros.
  const store = new TrackedStore(disk.clone(), 2000)
  await store.open()
  await store.add(4)
  await store.kill()
  const end = store.disk.content(journal).findLastIndex((byte) => byte !== 0)
  const zeroed = store.disk.clone()
  zeroed.content(journal).fill(0, Math.floor(end / 512) * 512, end + 1)
  expect(await open(zeroed)).toBe(3)
  expect(tails).toEqual([{ after: 3, upTo: 4 }])
  const short = store.disk.clone()
  const content = short.content(journal)
  const start = content.indexOf('frame 4')
  short.put(journal, Buffer.from(content.subarray(0, start + 10)))
  expect(await open(short)).toBe(3)
  expect(tails.slice(1)).toEqual([{ after: 3, upTo: undefined }])
  expect(await open(store.disk.clone())).toBe(4)
  expect(tails).toHaveLength(2)
})
