/** Telling those who follow an account, over a disk that fails and for many at once. */
import { encode } from '@atproto/lex-cbor'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createNotificationEvents, type NotificationEvents } from '../../../server/notifications/events.ts'
import { createLive, type LiveNotifications } from '../../../server/notifications/live.ts'
import { Database } from '../../../server/store/database.ts'
import { StoreUnavailable } from '../../../server/store/errors.ts'
import { migrations } from '../../../server/store/migrations.ts'
import * as notifications from '../../../server/store/tables/notifications.ts'
import { someCid } from '../../support/social.ts'
import { FaultyDisk } from '../store/faulty-disk.ts'
import { Gate } from '../store/gate.ts'

let disk: FaultyDisk
/** Before what the disk is asked to sync. */
let gate: Gate
let db: Database
let events: NotificationEvents
let live: LiveNotifications
let faults: unknown[]

beforeEach(async () => {
  disk = new FaultyDisk()
  gate = new Gate(disk.files)
  db = await Database.open({ directory: '/data', migrations, now: () => new Date(0), files: gate.files })
  events = createNotificationEvents()
  faults = []
  live = createLive({ store: db, aliases: new Map(), events, onFault: (error) => faults.push(error) })
  await addAccounts(['did:web:alice.test', 'did:web:bob.test'])
})

afterEach(async () => {
  expect(faults).toEqual([])
  await db.close()
})

function addAccounts(dids: readonly string[]): Promise<void> {
  return db.transact((tx) => {
    for (const did of dids) {
      tx.run(
        `INSERT INTO accounts (did, handle, is_minted, created_at, signing_key, signing_key_did)
         VALUES (?, ?, 0, '', x'00', '')`,
        [did, did.slice('did:web:'.length)],
      )
    }
  })
}

let arrivals = 0

/** Bob likes something of Alice's. */
async function like(): Promise<void> {
  const at = new Date(++arrivals).toISOString()
  const record = { $type: 'app.example.feed.like', number: arrivals }
  const told = await db.transact((tx) => {
    const after = notifications.lastId(tx)
    const source = {
      did: 'did:web:bob.test',
      collection: 'app.example.feed.like',
      rkey: `like-${arrivals}`,
    }
    const gone = { cid: someCid, bytes: encode(record) }
    notifications.insert(tx, source, [{ to: 'did:web:alice.test', reason: 'like' }], at, gone)
    return { after, upTo: notifications.lastId(tx) }
  })
  events.publish(told)
}

/** What somebody who follows Alice is sent, in short. */
function followed() {
  const told: (string | number)[] = []
  const news = new EventTarget()
  const end = live.subscribe('did:web:alice.test', (message) => {
    if ('count' in message) told.push(message.count)
    else if ('notification' in message) told.push(`like-${message.notification.record.number}`)
    news.dispatchEvent(new Event('news'))
  })
  const until = async (length: number) => {
    while (told.length < length) {
      await new Promise((resolve) => news.addEventListener('news', resolve, { once: true }))
    }
    return told
  }
  return { until, end }
}

/** Whatever could be told without the disk has been told then. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate)
}

test('what does not reach the disk is never told', async () => {
  const { until, end } = followed()
  await until(1)
  gate.close()
  const lost = like()
  await gate.reached
  await turns()
  expect(await until(1)).toEqual([0])
  disk.failAt(disk.operations + 1, 'fails')
  gate.open()
  await expect(lost).rejects.toThrow(StoreUnavailable)
  await like()
  expect(await until(3)).toEqual([0, `like-${arrivals}`, 1])
  end()
})

test('somebody who begins to follow while the disk fails is told what is so', async () => {
  gate.close()
  const lost = like()
  await gate.reached
  const { until, end } = followed()
  await turns()
  disk.failAt(disk.operations + 1, 'fails')
  gate.open()
  await expect(lost).rejects.toThrow(StoreUnavailable)
  expect(await until(1)).toEqual([0])
  end()
})

test('who has stopped to follow is told nothing', async () => {
  const stopped = followed()
  await stopped.until(1)
  stopped.end()
  const { until, end } = followed()
  await until(1)
  await like()
  await until(3)
  expect(await stopped.until(1)).toHaveLength(1)
  end()
})

test('many are told a few at a time, so that nobody else waits', async () => {
  const dids = Array.from({ length: 3000 }, (_, i) => `did:web:follower${i}.test`)
  await addAccounts(dids)
  let told = 0
  for (const did of dids) live.subscribe(did, () => told++)
  let turns = 0
  while (told < dids.length) {
    await new Promise(setImmediate)
    turns++
  }
  expect(turns).toBeGreaterThan(5)
})
