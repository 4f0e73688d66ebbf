/** Live notifications on a failing disk, and with many subscribers. */

import { encode } from '@atproto/lex-cbor'
import { afterEach, beforeEach, expect, test } from 'vitest'
import {
  createNotificationEvents,
  type NotificationEvents,
} from '../../../../server/app/notifications/arrivals.ts'
import { createLive, type LiveNotifications } from '../../../../server/app/notifications/live-stream.ts'
import * as notifications from '../../../../server/app/tables/notifications.ts'
import { createViewContexts } from '../../../../server/app/views/load/context.ts'
import { createNames } from '../../../../server/platform/config/aliases.ts'
import { schema } from '../../../../server/schema/schema.ts'
import { Database } from '../../../../server/store/database.ts'
import { StoreUnavailable } from '../../../../server/store/files/store-errors.ts'
import * as actors from '../../../../server/store/tables/actors.ts'
import { iso } from '../../../../server/util/time.ts'
import { someCid } from '../../../support/server/social.ts'
import { FaultyDisk } from '../../../support/store/faulty-disk.ts'
import { Gate } from '../../../support/store/gate.ts'

let disk: FaultyDisk
/** Blocks syncs of the disk. */
let gate: Gate
let db: Database
let events: NotificationEvents
let live: LiveNotifications
let faults: unknown[]

beforeEach(async () => {
  disk = new FaultyDisk()
  gate = new Gate(disk.files)
  db = await Database.open({ directory: '/data', schema, now: () => new Date(0), files: gate.files })
  events = createNotificationEvents()
  faults = []
  const contexts = createViewContexts({
    store: db,
    names: createNames(new Map()),
    now: () => new Date(0),
    hashVideo: () => new Uint8Array(),
    refreshSoon: () => {},
    transient: { find: () => undefined, get: () => undefined },
  })
  live = createLive({
    store: db,
    viewContext: (did) => contexts('https://pds.test', did),
    events,
    onFault: (error) => faults.push(error),
  })
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
        `INSERT INTO accounts (id, did, handle, is_minted, created_at, signing_key, signing_key_did)
         VALUES (?, ?, ?, 0, '', x'00', '')`,
        [actors.ensure(tx, did), did, did.slice('did:web:'.length)],
      )
    }
  })
}

let arrivals = 0

/** Inserts a like of bob and publishes its arrival. */
async function like(): Promise<void> {
  const at = iso(new Date(++arrivals))
  const record = { $type: 'app.example.feed.like', number: arrivals }
  const arrived = await db.transact((tx) => {
    const after = notifications.lastId(tx)
    const source = {
      did: 'did:web:bob.test',
      collection: 'app.example.feed.like',
      rkey: `like-${arrivals}`,
    }
    const deleted = { cid: someCid, bytes: encode(record) }
    notifications.insert(tx, source, [{ to: 'did:web:alice.test', reason: 'like' }], at, deleted)
    return { after, upTo: notifications.lastId(tx) }
  })
  events.publish(arrived)
}

/** Subscribes to alice and collects the messages in short. */
function subscribe() {
  const received: (string | number)[] = []
  const messages = new EventTarget()
  const end = live.subscribe('did:web:alice.test', (message) => {
    if ('count' in message) received.push(message.count)
    else if ('notification' in message) received.push(`like-${message.notification.record.number}`)
    messages.dispatchEvent(new Event('message'))
  })
  const until = async (length: number) => {
    while (received.length < length) {
      await new Promise((resolve) => messages.addEventListener('message', resolve, { once: true }))
    }
    return received
  }
  return { until, end }
}

/** Lets everything run that does not wait for the disk. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate)
}

test('live: a notification whose transaction fails is never sent', async () => {
  const { until, end } = subscribe()
  await until(1)
  gate.close()
  const lost = like()
  await gate.reached
  await settle()
  expect(await until(1)).toEqual([0])
  disk.failAt(disk.operations + 1, 'fails')
  gate.open()
  await expect(lost).rejects.toThrow(StoreUnavailable)
  await like()
  expect(await until(3)).toEqual([0, `like-${arrivals}`, 1])
  end()
})

test('live: a subscriber during a failed write receives the count after the rollback', async () => {
  gate.close()
  const lost = like()
  await gate.reached
  const { until, end } = subscribe()
  await settle()
  disk.failAt(disk.operations + 1, 'fails')
  gate.open()
  await expect(lost).rejects.toThrow(StoreUnavailable)
  expect(await until(1)).toEqual([0])
  end()
})

test('live: no message is sent after unsubscribing', async () => {
  const stopped = subscribe()
  await stopped.until(1)
  stopped.end()
  const { until, end } = subscribe()
  await until(1)
  await like()
  await until(3)
  expect(await stopped.until(1)).toHaveLength(1)
  end()
})

test('live: a round with many subscribers yields to the event loop', async () => {
  const dids = Array.from({ length: 3000 }, (_, i) => `did:web:subscriber${i}.test`)
  await addAccounts(dids)
  let received = 0
  for (const did of dids) live.subscribe(did, () => received++)
  let turns = 0
  while (received < dids.length) {
    await new Promise(setImmediate)
    turns++
  }
  expect(turns).toBeGreaterThan(5)
})
