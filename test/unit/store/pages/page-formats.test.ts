/** The formats of `pds.sqlite.pages` and `pds.checkpoint`: round trips, damage, and newer versions. */

import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { StoreTooNew } from '../../../../server/store/files/store-errors.ts'
import { readCheckpoint, scanCheckpoint, writeCheckpoint } from '../../../../server/store/pages/checkpoint.ts'
import { pageBytes, pageChecksum } from '../../../../server/store/pages/page.ts'
import { PageChecksums } from '../../../../server/store/pages/page-checksums.ts'
import { bytesOf, openBytes } from '../../../support/store/database-bytes.ts'
import { FaultyDisk } from '../../../support/store/faulty-disk.ts'
import { directory, TrackedStore } from '../../../support/store/tracked-store.ts'

const pageOf = (seed: number) => Buffer.alloc(pageBytes, `${seed} `)
const numbers = (max: number) => fc.uniqueArray(fc.integer({ min: 1, max }), { minLength: 1, maxLength: 150 })
const path = join(directory, 'pds.checkpoint')

async function diskWith(pages: ReadonlyMap<number, Buffer>): Promise<FaultyDisk> {
  const disk = new FaultyDisk()
  await disk.files.makeDir(directory)
  await writeCheckpoint(disk.files, directory, pages)
  return disk
}

test('checksums: what was encoded is decoded, and every other page differs', () => {
  fc.assert(
    fc.property(numbers(5000), (pages) => {
      const checksums = PageChecksums.of(pages.map((number) => [number, pageOf(number)]))
      const decoded = PageChecksums.decode('file', checksums.encode())
      expect(decoded.hasUnknown).toBe(false)
      expect(decoded.lastPage).toBe(Math.max(...pages))
      expect(decoded.encode().equals(checksums.encode())).toBe(true)
      for (const number of pages) {
        expect(decoded.differs(number, pageOf(number))).toBe(false)
        expect(decoded.differs(number, pageOf(number + 1))).toBe(true)
        // In the place of another page.
        expect(decoded.differs(number + 1, pageOf(number))).toBe(true)
      }
    }),
  )
})

test('checksums: a flipped bit makes one block unknown, whose pages are accepted until they are learnt', () => {
  const pages = Array.from({ length: 2500 }, (_, index) => index + 1)
  const bytes = PageChecksums.of(pages.map((number) => [number, pageOf(number)])).encode()
  fc.assert(
    fc.property(fc.nat(bytes.length * 8 - 1), (bit) => {
      const changed = Buffer.from(bytes)
      changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7))
      const decoded = PageChecksums.decode('file', changed)
      expect(decoded.hasUnknown).toBe(true)
      const accepted = pages.filter((number) => !decoded.differs(number, pageOf(0)))
      expect(accepted.length).toBeGreaterThan(0)
      expect(accepted.length).toBeLessThanOrEqual(1023)
      expect(pages.filter((number) => decoded.differs(number, pageOf(number)))).toEqual([])
      decoded.learn(pages.map((number) => [number, pageOf(number)]))
      expect(decoded.encode().equals(bytes)).toBe(true)
    }),
    { numRuns: 30 },
  )
})

test('checksums: a file of any bytes is decoded as checksums or as unknown', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 10_000 }), (bytes) => {
      expect(PageChecksums.decode('file', bytes).hasUnknown).toBe(bytes.length > 0)
    }),
  )
})

test('checkpoint: what was written is read', async () => {
  await fc.assert(
    fc.asyncProperty(numbers(2 ** 32 - 1), async (list) => {
      const pages = new Map(list.map((number) => [number, pageOf(number)]))
      const { files } = await diskWith(pages)
      const found = await readCheckpoint(files, directory)
      expect([...(found ?? [])]).toEqual([...pages].toSorted(([a], [b]) => a - b))
    }),
    { numRuns: 20 },
  )
})

test('checkpoint: with a flipped bit, or cut, it is not whole, and has no page that is another one', async () => {
  const pages = new Map([3, 1, 9].map((number) => [number, pageOf(number)]))
  const bytes = (await diskWith(pages)).content(path)
  const check = (changed: Buffer) => {
    const scanned = scanCheckpoint(changed)
    expect(scanned.isWhole).toBe(false)
    for (const [number, page] of scanned.pages) expect(pages.get(number)?.equals(page)).toBe(true)
    for (const [number, checksum] of scanned.checksums)
      expect(checksum).toBe(pageChecksum(pages.get(number) ?? new Uint8Array(), number))
  }
  fc.assert(
    fc.property(fc.oneof(fc.nat(8 * 60), fc.nat(bytes.length * 8 - 1)), (bit) => {
      const changed = Buffer.from(bytes)
      changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7))
      check(changed)
    }),
    { numRuns: 500 },
  )
  fc.assert(fc.property(fc.nat(bytes.length - 1), (length) => check(bytes.subarray(0, length))))
})

/** A closed store. */
async function closedStore(): Promise<FaultyDisk> {
  const store = new TrackedStore(new FaultyDisk())
  await store.open()
  await store.add(1)
  await store.close()
  return store.disk
}

async function refuses(disk: FaultyDisk): Promise<void> {
  const before = disk.fingerprint()
  await expect(new TrackedStore(disk).open()).rejects.toThrow(StoreTooNew)
  expect(disk.fingerprint()).toBe(before)
}

test('a store with newer checksums is refused, and nothing changes', async () => {
  const disk = await closedStore()
  const content = disk.content(join(directory, 'pds.sqlite.pages'))
  content.writeUInt32LE(2, 4)
  content.writeUInt32LE(crc32(content.subarray(4, 4096), 0), 0)
  await refuses(disk)
})

test('a store with a newer checkpoint is refused, and nothing changes', async () => {
  const disk = await closedStore()
  await writeCheckpoint(disk.files, directory, new Map([[1, pageOf(1)]]))
  await disk.files.syncDir(directory)
  const content = disk.content(path)
  content.write('2', 15)
  content.writeUInt32LE(crc32(content.subarray(24, 32), crc32(content.subarray(0, 20))), 20)
  await refuses(disk)
})

test('a store with a newer database is refused, and nothing changes', async () => {
  const disk = await closedStore()
  const database = join(directory, 'pds.sqlite')
  const sqlite = await openBytes(disk.content(database))
  sqlite.exec('UPDATE store_meta SET format = 3')
  disk.put(database, bytesOf(sqlite))
  sqlite.close()
  await disk.files.remove(join(directory, 'pds.sqlite.pages'))
  await disk.files.syncDir(directory)
  await refuses(disk)
})
