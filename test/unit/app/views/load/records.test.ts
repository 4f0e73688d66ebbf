/** Decoded records: the cache that all responses share. */
import { encode } from '@atproto/lex-cbor'
import { cidForCbor } from '@atproto/lex-data'
import { expect, test } from 'vitest'
import { app } from '../../../../../lexicons/generated/index.ts'
import { createRecordReader, jsonOf } from '../../../../../server/app/views/load/records.ts'
import type { RecordRow } from '../../../../../server/federation/tables/graph.ts'
import { createNames } from '../../../../../server/platform/config/aliases.ts'

const { like, post } = app.example.feed
const createdAt = '2030-01-01T00:00:00.000Z'

async function rowOf(collection: RecordRow['collection'], record: object): Promise<RecordRow> {
  const bytes = encode({ ...record })
  const { bytes: cid } = await cidForCbor(bytes)
  const did = 'did:plc:aaaaaaaaaaaaaaaaaaaaaaaa'
  return { id: 1, actor: 1, did, collection, rkey: '3k2222222222a', cid, bytes, indexedAt: 0 }
}

test('a copy of a record in another collection does not hide the record', async () => {
  const row = await rowOf(post.$type, { $type: post.$type, text: 'Original', createdAt })
  const records = createRecordReader(createNames(new Map()))
  expect(records.read(like.main, row)).toBeUndefined()
  expect(records.read(post.main, row)?.value).toMatchObject({ text: 'Original' })
  expect(records.read(like.main, row)).toBeUndefined()
})

test('a record is validated under its alias, and its JSON keeps the alias', async () => {
  const row = await rowOf('app.bsky.feed.post', { $type: 'app.bsky.feed.post', text: 'Theirs', createdAt })
  const found = createRecordReader(createNames(new Map([['app.bsky', 'app.example']]))).read(post.main, row)
  expect(found?.value.$type).toBe('app.example.feed.post')
  expect(found && jsonOf(found)).toEqual({ $type: 'app.bsky.feed.post', text: 'Theirs', createdAt })
  expect(createRecordReader(createNames(new Map())).read(post.main, row)).toBeUndefined()
})
