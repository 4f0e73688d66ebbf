/** Migrations of existing rows. */
import { encode } from '@atproto/lex-cbor'
import type { LexMap } from '@atproto/lex-data'
import { describe, expect, test } from 'vitest'
import type { Reason } from '../../../server/notifications/reasons.ts'
import { migrations } from '../../../server/records/migrations.ts'
import { Database, type Migration } from '../../../server/store/database.ts'
import * as activitySubscriptions from '../../../server/store/tables/activity-subscriptions.ts'
import * as fanOuts from '../../../server/store/tables/fan-outs.ts'
import { search } from '../../../server/store/tables/name-words.ts'
import * as notifications from '../../../server/store/tables/notifications.ts'
import * as records from '../../../server/store/tables/records.ts'
import * as repos from '../../../server/store/tables/repos.ts'
import { someCid } from '../../support/social.ts'
import { FaultyDisk } from './faulty-disk.ts'

const at = '2030-01-01T00:00:00.000Z'

/** Returns a function that opens the store of a disk with the first `version` migrations. */
function opener({ files }: FaultyDisk): (version: number) => Promise<Database> {
  return (version) =>
    Database.open({
      directory: '/data',
      migrations: migrations.slice(0, version),
      now: () => new Date(at),
      files,
    })
}

const emptyDisk = () => opener(new FaultyDisk())

test('an upgrade that frees pages leaves a snapshot that no journal is applied to again', async () => {
  const disk = new FaultyDisk()
  const open = (...more: Migration[]) =>
    Database.open({
      directory: '/data',
      migrations: [rows, ...more],
      now: () => new Date(at),
      files: disk.files,
    })
  const before = await open()
  for (let n = 0; n < 40; n++) {
    await before.transact((tx) => tx.run('INSERT INTO rows (bytes) VALUES (?)', [new Uint8Array(4000)]))
  }
  await before.transact((tx) => tx.run('DELETE FROM rows WHERE id > 2'))
  await kill(disk, before)

  const upgraded = await open({ sql: 'ALTER TABLE rows ADD COLUMN note TEXT' })
  await upgraded.transact((tx) => tx.run("INSERT INTO rows (note) VALUES ('a')"))
  await upgraded.checkpoint()
  await upgraded.transact((tx) => tx.run("INSERT INTO rows (note) VALUES ('b')"))
  await kill(disk, upgraded)

  const after = await open({ sql: 'ALTER TABLE rows ADD COLUMN note TEXT' })
  expect(after.all('SELECT note FROM rows')).toEqual([null, null, 'a', 'b'].map((note) => ({ note })))
  await after.close()
})

const rows = { sql: 'CREATE TABLE rows (id INTEGER PRIMARY KEY AUTOINCREMENT, bytes BLOB) STRICT' }

async function kill(disk: FaultyDisk, db: Database): Promise<void> {
  disk.kill()
  await db.close().catch(() => {})
  disk.restart()
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

test('search: profiles of earlier versions are found by the words of their display names', async () => {
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
    for (const [collection, rkey] of [
      ['app.bsky.actor.profile', 'self'],
      ['app.example.feed.post', 'self'],
    ] as const) {
      tx.run(
        `INSERT INTO records (did, collection, rkey, cid, bytes, indexed_at)
         VALUES ('did:web:alice.test', ?, ?, ?, ?, ?)`,
        [collection, rkey, someCid, encode({ displayName: `Élise ${collection}` }), at],
      )
    }
  })
  await before.close()
  const db = await open(migrations.length)
  const find = (word: string) =>
    search(db, { terms: [{ handle: word, words: [word] }], viewer: undefined, offset: 0, limit: 10 })
  expect([find('eli'), find('profile'), find('post')]).toEqual([[1], [1], []])
  await db.close()
})

test('accounts: the deletion date of an import becomes the date of its activation; one that the holder set stays', async () => {
  const open = emptyDisk()
  const version = migrations.findIndex((step) => 'sql' in step && step.sql.includes('activate_by TEXT'))
  const before = await open(version)
  const threeDaysLater = '2030-01-04T00:00:00.000Z'
  const later = '2030-01-04T00:00:00.001Z'
  await before.transact((tx) => {
    for (const [name, isMinted, deleteAfter] of [
      ['imported', 0, threeDaysLater],
      ['leaving', 0, later],
      ['minted', 1, threeDaysLater],
    ] as const) {
      const did = `did:web:${name}.test`
      tx.run('INSERT INTO actors (did) VALUES (?)', [did])
      tx.run(
        `INSERT INTO accounts (id, did, handle, is_minted, created_at, deactivated_at, delete_after, signing_key, signing_key_did)
         SELECT id, did, ?, ?, ?, ?, ?, x'00', '' FROM actors WHERE did = ?`,
        [`${name}.test`, isMinted, at, at, deleteAfter, did],
      )
    }
  })
  await before.close()
  const db = await open(migrations.length)
  expect(
    db.all(
      'SELECT handle, delete_after AS deleteAfter, activate_by AS activateBy, stream_state AS state FROM accounts ORDER BY id',
    ),
  ).toEqual([
    { handle: 'imported.test', deleteAfter: null, activateBy: threeDaysLater, state: 0 },
    { handle: 'leaving.test', deleteAfter: later, activateBy: null, state: 1 },
    { handle: 'minted.test', deleteAfter: threeDaysLater, activateBy: null, state: 1 },
  ])
  await db.close()
})

describe('actors and links', () => {
  const [alice, bob] = ['did:web:alice.test', 'did:web:bob.test'] as const
  const post = `at://${alice}/app.example.feed.post/1`
  const subject = { uri: post, cid: someCid }
  /** Of bob, oldest first. Their keys sort otherwise. */
  const bobs: readonly (readonly [collection: string, rkey: string, content: LexMap])[] = [
    ['app.example.graph.follow', 'z', { subject: alice }],
    [
      'app.bsky.feed.like',
      'y',
      { subject, via: { uri: `at://bob.test/app.bsky.feed.repost/x`, cid: someCid } },
    ],
    ['app.example.feed.repost', 'x', { subject }],
    ['app.example.feed.post', 'w', { text: '', reply: { parent: subject, root: subject }, createdAt: at }],
    ['app.example.graph.verification', 'v', { subject: alice }],
    ['app.example.feed.like', 'u', { subject: { uri: 'malformed' } }],
  ]
  const time = (n: number) => `2029-01-01T00:00:00.00${n}Z`
  const reasons = ['follow', 'like', 'repost', 'reply', 'verified']

  /** A disk with the rows of version 7. */
  async function oldDisk(): Promise<FaultyDisk> {
    const disk = new FaultyDisk()
    const db = await opener(disk)(7)
    await db.transact((tx) => {
      for (const did of [alice, bob]) {
        tx.run(
          `INSERT INTO accounts (did, handle, is_minted, created_at, signing_key, signing_key_did) VALUES (?, ?, 0, ?, x'00', '')`,
          [did, did.slice('did:web:'.length), at],
        )
        tx.run(`INSERT INTO repos (did, commit_cid, rev, tree_cid) VALUES (?, ?, '3k', ?)`, [
          did,
          someCid,
          someCid,
        ])
        tx.run(`INSERT INTO repo_blocks (did, cid, bytes) VALUES (?, ?, x'01')`, [did, someCid])
      }
      const addRecord = (did: string, collection: string, rkey: string, content: LexMap, indexedAt: string) =>
        tx.run(
          'INSERT INTO records (did, collection, rkey, cid, bytes, indexed_at) VALUES (?, ?, ?, ?, ?, ?)',
          [...[did, collection, rkey, someCid, encode({ $type: collection, ...content }), indexedAt]],
        )
      addRecord(alice, 'app.example.feed.post', '1', { text: 'a post', createdAt: time(0) }, at)
      tx.run('INSERT INTO record_blobs (did, collection, rkey, blob_cid) VALUES (?, ?, ?, ?)', [
        ...[alice, 'app.example.feed.post', '1', someCid],
      ])
      for (const [i, [collection, rkey, content]] of bobs.entries()) {
        addRecord(bob, collection, rkey, content, time(i))
        const reason = reasons[i]
        if (reason === undefined) continue
        const own = `at://${bob}/${collection}/${rkey}`
        tx.run(
          `INSERT INTO notifications (account, author, hidden, followed, reason, indexed_at, collection, rkey, reason_subject)
           VALUES (1, 2, 0, 0, ?, ?, ?, ?, ?)`,
          [
            reason,
            time(i),
            collection,
            rkey,
            reason === 'follow' ? null : reason === 'verified' ? own : post,
          ],
        )
      }
      tx.run(
        `INSERT INTO notifications (account, author, hidden, followed, reason, indexed_at, collection, rkey, cid, bytes)
         VALUES (1, 2, 0, 0, 'unverified', ?, 'app.example.graph.verification', 't', ?, ?)`,
        [time(6), someCid, encode({ subject: alice })],
      )
      tx.run('DELETE FROM notifications WHERE id = 6')
      tx.run(
        `INSERT INTO notifications (account, author, hidden, followed, reason, indexed_at, collection, rkey, cid, bytes)
         VALUES (1, 2, 0, 0, 'unverified', ?, 'app.example.graph.verification', 't', ?, ?)`,
        [time(7), someCid, encode({ subject: alice })],
      )
      tx.run('INSERT INTO seen_markers (account, seen_at) VALUES (1, ?)', [time(1)])
      tx.run('UPDATE notification_kinds SET unread = 0 WHERE reason IN (?, ?)', ['follow', 'like'])
      tx.run('UPDATE notification_clock SET last = ?', [time(7)])
      tx.run(
        `INSERT INTO follows (did, collection, rkey, subject) VALUES (?, 'app.example.graph.follow', 'z', ?)`,
        [bob, alice],
      )
      tx.run(
        'INSERT INTO activity_subscriptions (did, subject, post, reply, created_at) VALUES (?, ?, 1, 0, ?)',
        [...[alice, 'did:web:far.test', at]],
      )
    })
    await db.close()
    return disk
  }

  const all: Reason[] = ['follow', 'like', 'repost', 'reply', 'verified', 'unverified']
  const wanted = { followed: all, others: all }

  function expectMigrated(db: Database): void {
    const listed = notifications.page(db, { did: alice, wanted, limit: 50 })
    expect(
      listed.map(({ id, reason, rkey, cid, indexedAt, reasonSubject: about }) => [
        id,
        reason,
        rkey,
        cid,
        indexedAt,
        about,
      ]),
    ).toEqual([
      [7, 'unverified', 't', someCid, time(7), `at://${bob}/app.example.graph.verification/t`],
      [5, 'verified', 'v', someCid, time(4), `at://${bob}/app.example.graph.verification/v`],
      [4, 'reply', 'w', someCid, time(3), post],
      [3, 'repost', 'x', someCid, time(2), post],
      [2, 'like', 'y', someCid, time(1), post],
      [1, 'follow', 'z', someCid, time(0), null],
    ])
    expect(notifications.countUnread(db, alice, wanted)).toBe(4)
    expect(notifications.seenAt(db, alice)).toBe(time(1))
    expect(notifications.lastArrival(db)).toBe(Date.parse(time(7)))
    // In the order of their writes.
    expect(db.all('SELECT rkey FROM records ORDER BY id')).toEqual([...'zyxwvu1'].map((rkey) => ({ rkey })))
    expect(records.find(db, alice, 'app.example.feed.post', '1')).toMatchObject({
      cid: someCid,
      indexedAt: at,
    })
    expect(records.countBlobs(db, alice)).toBe(1)
    expect(records.count(db, bob)).toBe(6)
    expect(repos.findHead(db, bob)).toEqual({ commit: someCid, rev: '3k', tree: someCid })
    expect(repos.findBlock(db, bob, someCid)).toEqual(new Uint8Array([1]))
    expect(activitySubscriptions.page(db, alice, undefined, 9)).toMatchObject([
      { subject: 'did:web:far.test', createdAt: at },
    ])
    const links = db.all<{ path: number }>('SELECT path FROM links ORDER BY path').map(({ path }) => path)
    expect(links).toEqual([1, 2, 3, 5, 6, 9, 14])
    expect(db.all('SELECT kind, sort_at AS sortAt FROM posts ORDER BY record')).toEqual([
      { kind: 2, sortAt: Date.parse(time(2)) },
      { kind: 1, sortAt: Date.parse(time(3)) },
      { kind: 0, sortAt: Date.parse(time(0)) },
    ])
    expect(db.all('SELECT count FROM link_counts')).toHaveLength(7)
  }

  test('keep every notification, record and subscription of an earlier version', async () => {
    const db = await opener(await oldDisk())(migrations.length)
    expectMigrated(db)
    // Ids of arrivals are never used again.
    const like = { did: bob, collection: 'app.bsky.feed.like', rkey: 'y' }
    await db.transact((tx) => notifications.insert(tx, like, [{ to: alice, reason: 'like' }], at))
    expect(notifications.lastId(db)).toBe(8)
    await db.close()
  })

  test('a start that was killed during the upgrade is completed by the next one', async () => {
    const old = await oldDisk()
    const upgraded = old.clone()
    const before = upgraded.operations
    await (await opener(upgraded)(migrations.length)).close()
    const operations = upgraded.operations - before
    expect(operations).toBeGreaterThan(20)
    // faults.test.ts tests each operation of an upgrade, with a smaller one.
    for (let at = 1; at <= operations; at += 5) {
      const disk = old.clone()
      disk.failAt(before + at, 'kill')
      const start = opener(disk)(migrations.length)
      await start.then((db) => db.close()).catch(() => {})
      expect(disk.off).toBe(true)
      disk.restart()
      const db = await opener(disk)(migrations.length)
      expectMigrated(db)
      await db.close()
    }
  })
})
