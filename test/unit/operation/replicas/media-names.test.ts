/** The names of media at places. */
import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { createMediaNames } from '../../../../server/operation/replicas/media-names.ts'
import type { Database } from '../../../../server/platform/store/database.ts'

const bytesOf = (n: number) =>
  Buffer.concat([Buffer.from([1, 0x55, 0x12, 0x20]), createHash('sha256').update(`file ${n}`).digest()])

/** A table of blobs that counts what is read at once. */
class Blobs {
  rows = Array.from({ length: 20_000 }, (_, n) => bytesOf(n)).sort(Buffer.compare)
  tableVersion = 1
  mostRows = 0

  version() {
    return this.tableVersion
  }

  all(_: string, [after, limit]: [Uint8Array, number]) {
    const start = this.rows.findIndex((row) => Buffer.compare(row, after) > 0)
    const found = start < 0 ? [] : this.rows.slice(start, start + limit)
    this.mostRows = Math.max(this.mostRows, found.length)
    return found.map((cid) => ({ cid }))
  }
}

test('20,000 media: names are derived once, rows are read in slices, and an upload derives one name', async () => {
  const blobs = new Blobs()
  let derived = 0
  const hiddenName = (cid: string) => `${++derived} ${cid}`
  const names = createMediaNames(blobs as unknown as Database, { hiddenName })
  const first = await names.read()
  expect([first.size, derived]).toEqual([20_000, 20_000])
  expect(await names.read()).toBe(first)

  blobs.rows = [...blobs.rows, bytesOf(20_000)].sort(Buffer.compare)
  blobs.tableVersion++
  let turns = 0
  const counting = setInterval(() => turns++, 0)
  const second = await names.read()
  clearInterval(counting)
  expect([second.size, derived]).toEqual([20_001, 20_001])
  expect(turns).toBeGreaterThan(0)
  expect(blobs.mostRows).toBeLessThanOrEqual(500)

  blobs.rows = blobs.rows.slice(0, 10)
  blobs.tableVersion++
  expect((await names.read()).size).toBe(10)
})
