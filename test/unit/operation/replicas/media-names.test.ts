/** The names of media at places. */
import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { createMediaNames } from '../../../../server/operation/replicas/media-names.ts'
import { schema } from '../../../../server/schema/schema.ts'
import type { Writer } from '../../../../server/store/database/transaction.ts'
import { Database } from '../../../../server/store/database.ts'
import { cidText } from '../../../../server/util/cid.ts'
import { FaultyDisk } from '../../../support/store/faulty-disk.ts'

const count = 2000
const bytesOf = (n: number) =>
  Buffer.concat([Buffer.from([1, 0x55, 0x12, 0x20]), createHash('sha256').update(`file ${n}`).digest()])

function addAccount(tx: Writer, id: number): void {
  const did = `did:web:${id}.example`
  tx.run('INSERT INTO actors (id, did) VALUES (?, ?)', [id, did])
  tx.run(
    `INSERT INTO accounts (id, did, handle, is_minted, created_at, signing_key, signing_key_did)
     VALUES (?1, ?2, ?1 || '.example', 0, '2030-01-01T00:00:00Z', x'00', ?2 || '#key')`,
    [id, did],
  )
}

function add(tx: Writer, n: number, account = 1): void {
  const cid = bytesOf(n)
  tx.run("INSERT INTO blobs (account, cid, mime_type, size) VALUES (?, ?, 'image/png', 1)", [account, cid])
}

test('an upload derives one name and changes one group; a removal and a mark take the name away', async () => {
  const { files } = new FaultyDisk()
  const store = await Database.open({ directory: '/data', schema, now: () => new Date(), files })
  await store.transact((tx) => {
    for (const account of [1, 2]) addAccount(tx, account)
    for (let n = 0; n < count; n++) add(tx, n)
    add(tx, 7, 2)
  })
  let derived = 0
  const hiddenName = (cid: string) => `hidden ${cid} ${++derived}`
  const names = createMediaNames(store, { hiddenName })
  const cids = async () => (await names.read()).flatMap((group) => [...group.values()]).toSorted()
  const expected = (numbers: readonly number[]) => numbers.map((n) => cidText(bytesOf(n))).toSorted()
  const all = Array.from({ length: count }, (_, n) => n)

  const first = await names.read()
  expect(await cids()).toEqual(expected(all))
  expect(derived).toBe(count)
  expect(await names.read()).toBe(first)

  await store.transact((tx) => add(tx, count))
  let turns = 0
  const counting = setInterval(() => turns++, 0)
  const second = await names.read()
  clearInterval(counting)
  expect(await cids()).toEqual(expected([...all, count]))
  expect(derived).toBe(count + 1)
  expect(second.filter((group, at) => group !== first[at])).toHaveLength(1)
  // Other work goes on meanwhile.
  expect(turns).toBeGreaterThan(0)

  await store.transact((tx) => {
    tx.run('DELETE FROM blobs WHERE account = 1 AND cid IN (?, ?)', [bytesOf(7), bytesOf(8)])
    tx.run('INSERT INTO damaged_blobs (cid, found_at) VALUES (?, 0)', [bytesOf(9)])
  })
  expect(await cids()).toEqual(expected([...all, count].filter((n) => n !== 8 && n !== 9)))
  expect(names.has(cidText(bytesOf(7)))).toBe(true)
  expect(names.has(cidText(bytesOf(9)))).toBe(false)
  await store.close()
})
