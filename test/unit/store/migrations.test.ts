/** Migrations of existing rows. */
import { encode } from '@atproto/lex-cbor'
import { expect, test } from 'vitest'
import { migrations } from '../../../server/records/migrations.ts'
import { Database } from '../../../server/store/database.ts'
import * as fanOuts from '../../../server/store/tables/fan-outs.ts'
import { someCid } from '../../support/social.ts'
import { FaultyDisk } from './faulty-disk.ts'

const at = '2030-01-01T00:00:00.000Z'

/** Returns a function that opens the store of one new disk with the first `version` migrations. */
function emptyDisk(): (version: number) => Promise<Database> {
  const { files } = new FaultyDisk()
  return (version) =>
    Database.open({
      directory: '/data',
      migrations: migrations.slice(0, version),
      now: () => new Date(at),
      files,
    })
}

test('push queue: devices that were registered before its migration receive later notifications', async () => {
  const open = emptyDisk()
  const before = await open(3)
  await before.transact((tx) => {
    for (const name of ['alice', 'bob']) {
      tx.run(
        `INSERT INTO accounts (did, handle, is_minted, created_at, signing_key, signing_key_did) VALUES (?, ?, 0, ?, x'00', '')`,
        [`did:web:${name}.test`, `${name}.test`, at],
      )
    }
    tx.run(
      `INSERT INTO push_registrations (did, service_did, token, platform, app_id, created_at)
       VALUES ('did:web:alice.test', 'did:web:push.test', 'device', 'ios', 'app', ?)`,
      [at],
    )
  })
  await before.close()

  const db = await open(4)
  await db.transact((tx) =>
    tx.run(
      `INSERT INTO notifications (account, author, hidden, followed, collection, rkey, reason, indexed_at)
       VALUES (1, 2, 0, 0, 'app.example.graph.follow', 'self', 'follow', ?)`,
      [at],
    ),
  )
  expect(db.all('SELECT token, platform, app_id, created_at FROM push_registrations')).toEqual([
    { token: 'device', platform: 'ios', app_id: 'app', created_at: at },
  ])
  expect(db.all('SELECT notification, target, tries, due_at FROM push_queue')).toEqual([
    { notification: 1, target: 'did:web:push.test', tries: 0, due_at: at },
  ])
  await db.close()
})

test('fan-outs: an unfinished one starts again, because subscribers are notified in another order', async () => {
  const open = emptyDisk()
  const before = await open(4)
  await before.transact((tx) => {
    tx.run(
      `INSERT INTO accounts (did, handle, is_minted, created_at, signing_key, signing_key_did)
       VALUES ('did:web:alice.test', 'alice.test', 0, ?, x'00', '')`,
      [at],
    )
    tx.run(`INSERT INTO repos (did, commit_cid, rev, tree_cid) VALUES ('did:web:alice.test', ?, '', ?)`, [
      someCid,
      someCid,
    ])
    tx.run(
      `INSERT INTO records (did, collection, rkey, cid, bytes, indexed_at)
       VALUES ('did:web:alice.test', 'app.example.feed.post', '1', ?, ?, ?)`,
      [someCid, encode({ text: '' }), at],
    )
    tx.run(
      `INSERT INTO fan_outs (did, collection, rkey, is_reply, told_up_to)
       VALUES ('did:web:alice.test', 'app.example.feed.post', '1', 0, 'did:web:bob.test')`,
    )
  })
  await before.close()
  const db = await open(migrations.length)
  expect(fanOuts.first(db)).toMatchObject({ rkey: '1', lastRecipient: 0 })
  await db.close()
})
