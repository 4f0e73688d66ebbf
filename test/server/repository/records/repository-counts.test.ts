/** What a repository has is counted once per commit of it, a page at a time. */
import { expect, test } from 'vitest'
import { createRepositoryCounts } from '../../../../server/repository/records/repository-counts.ts'
import type { Database } from '../../../../server/store/database.ts'
import { blobOf, png } from '../../../support/records/blobs.ts'
import type { Account } from '../../../support/server/server.ts'
import { owner as alice, other as bob, server, setupServer } from '../../../support/server/setup.ts'
import { body } from '../../../support/server/social.ts'

setupServer({ accounts: ['alice', 'bob'] })

const collection = 'com.example.note'
const write = async (who: Account, values: readonly object[]) => {
  const writes = values.map((value) => ({ $type: 'com.core.repo.applyWrites#create', collection, value }))
  body(await server.post('com.core.repo.applyWrites', { repo: who.did, writes }, who))
}

/** Counts with a store that notes how many rows each statement returns. */
function counted() {
  const rows: number[] = []
  const { store } = server.running.services
  const noting: Pick<Database, 'get' | 'all'> = {
    get: (sql, params) => store.get(sql, params),
    all: <Row>(sql: string, params?: Parameters<Database['all']>[1]) => {
      const found = store.all<Row>(sql, params)
      rows.push(found.length)
      return found
    },
  }
  return { rows, counts: createRepositoryCounts(noting) }
}

test('records are counted in pages, equal ones and their blobs once', async () => {
  const picture = await blobOf(server, alice, png('picture'))
  await write(alice, [{ picture }, { picture }, { same: true }, { same: true }])
  for (let call = 0; call < 6; call++) {
    await write(
      alice,
      Array.from({ length: 200 }, (_, index) => ({ text: `${call} ${index}` })),
    )
  }
  const { counts, rows } = counted()
  const { blocks, blobs } = await counts.of(alice.did)
  const nodes = server.running.services.store.get<{ n: number }>(
    'SELECT count(*) AS n FROM repo_blocks b JOIN accounts a ON a.id = b.actor WHERE a.did = ?',
    [alice.did],
  )
  expect([blocks - (nodes?.n ?? 0), blobs]).toEqual([1202, 1])
  expect(Math.max(...rows)).toBe(1000)
})

test('writes of other accounts do not cause another count, an own one does', async () => {
  const { counts, rows } = counted()
  const [before, same] = await Promise.all([counts.of(alice.did), counts.of(alice.did)])
  expect(same).toEqual(before)
  const read = rows.length
  await write(bob, [{ text: 'Elsewhere' }])
  expect(await counts.of(alice.did)).toEqual(before)
  expect(rows).toHaveLength(read)
  await write(alice, [{ text: 'Here' }])
  expect((await counts.of(alice.did)).blocks).toBeGreaterThan(before.blocks)
  expect(rows).toHaveLength(2 * read)
})

test('a count during which records are written is not kept', async () => {
  const { counts, rows } = counted()
  const counting = counts.of(alice.did)
  await write(alice, [{ text: 'Meanwhile' }])
  await counting
  const { length } = rows
  const { blocks } = await counts.of(alice.did)
  expect(rows.length).toBeGreaterThan(length)
  const answer = body(await server.get('com.core.server.checkAccountStatus', {}, alice))
  expect(answer.repoBlocks).toBe(blocks)
})

test('blobs that records refer to are counted in pages, without damaged and unreferenced ones', async () => {
  await write(bob, [{ text: 'With many pictures' }])
  await server.running.services.store.transact((tx) => {
    const cid = (index: number) => Buffer.from(`blob ${String(index).padStart(5, '0')}`)
    const record = tx.get<{ id: number; actor: number }>(
      'SELECT r.id, r.actor FROM records r JOIN actors a ON a.id = r.actor WHERE a.did = ? LIMIT 1',
      [bob.did],
    ) ?? { id: 0, actor: 0 }
    for (let index = 0; index < 2500; index++) {
      tx.run('INSERT INTO blobs (account, cid, mime_type, size) VALUES (?, ?, ?, 10)', [
        ...[record.actor, cid(index), 'image/png'],
      ])
      if (index > 0) tx.run('INSERT INTO record_blobs (record, cid) VALUES (?, ?)', [record.id, cid(index)])
    }
    tx.run('INSERT INTO damaged_blobs (cid, found_at) VALUES (?, 0)', [cid(1)])
  })
  const { counts, rows } = counted()
  expect(await counts.referencedBlobs(bob.did)).toEqual({ count: 2498, bytes: 24_980 })
  expect(rows).toEqual([1000, 1000, 500])
})
