/** Blocks are found in archives that are not verified. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { findBlocks } from '../../../../server/federation/upstreams/unverified.ts'
import { archiveOf, blockOf, carOf } from '../../../support/records/archive.ts'

const blocks = [blockOf({ n: 1 }), blockOf({ text: 'x'.repeat(300) }), blockOf({ n: 3 })]
const car = carOf(blocks)

const find = async (archive: Buffer, cid: Uint8Array) => (await findBlocks(archive, [cid]))(cid)

test('every block of an archive is found, others are not', async () => {
  for (const { cid, bytes } of blocks) expect(await find(car, cid.bytes)).toEqual(Buffer.from(bytes))
  expect(await find(car, blockOf({ n: 4 }).cid.bytes)).toBeUndefined()
  expect(await find(car, new Uint8Array(3))).toBeUndefined()
})

test('a link to a record in the tree is not mistaken for the record', async () => {
  const records = Array.from({ length: 50 }, (_, n) => [`org.example.note/${n}`, { n }] as const)
  const archive = archiveOf({ did: 'did:web:alice.test', records })
  for (const [, record] of records) {
    const { cid, bytes } = blockOf(record)
    expect(await find(archive, cid.bytes)).toEqual(Buffer.from(bytes))
  }
})

test('damaged archives have no block, or one within them', async () => {
  const cid = blocks[2]?.cid.bytes ?? new Uint8Array()
  await fc.assert(
    fc.asyncProperty(fc.nat(car.length - 1), fc.nat(255), fc.nat(car.length), async (at, value, length) => {
      const damaged = Buffer.from(car)
      damaged[at] = value
      const found = await find(damaged.subarray(0, length), cid)
      expect(found?.length ?? 0).toBeLessThanOrEqual(length)
    }),
    { numRuns: 1000 },
  )
})
