/** The events of the stream, verified by a consumer with the network's rules. */
import { verifyRepoCar } from '@atproto/repo'
import type { DidString, NsidString, RecordKeyString } from '@atproto/syntax'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createNames } from '../../../../server/platform/config/aliases.ts'
import { prepareRecord } from '../../../../server/repository/records/prepare.ts'
import * as events from '../../../../server/repository/tables/events.ts'
import { findByDid } from '../../../../server/store/tables/accounts.ts'
import { seededRandom } from '../../../crash/random.ts'
import { startDidHost } from '../../../support/accounts/did-host.ts'
import { arrive, importRepo, movingAccount } from '../../../support/accounts/moving-account.ts'
import { archiveOf } from '../../../support/records/archive.ts'
import { FullDisk } from '../../../support/server/full-disk.ts'
import { type Account, adminAuth, refusal } from '../../../support/server/server.ts'
import { owner as alice, server, setupServer } from '../../../support/server/setup.ts'
import { type Event, EventConsumer } from '../../../support/services/event-consumer.ts'

const things = 'org.example.thing'
const disk = new FullDisk()

let consumer: EventConsumer

setupServer({ config: { allowPrivateTargets: true }, files: disk.files, accounts: ['alice'] })
beforeAll(async () => {
  consumer = new EventConsumer(keyOf)
  await consumer.connect(server.url)
})
afterAll(() => consumer.close())

const store = () => server.running.services.store
const keyOf = (did: string) => findByDid(store(), did)?.signingKeyDid ?? ''

/** Reads the new events. Returns what distinguishes them. */
async function news(): Promise<unknown[]> {
  return (await consumer.until(events.state(store()).lastSeq)).map(summary)
}

function summary({ type, payload }: Event): unknown[] {
  const { repo, did, ops, handle, active, status, rev } = payload
  if (type === '#commit')
    return [type, repo, ...ops.map((op: Record<string, string>) => `${op.action} ${op.path}`)]
  if (type === '#identity') return [type, did, handle]
  if (type === '#account') return [type, did, active ? 'active' : status]
  return [type, did, rev]
}

async function succeed(nsid: string, input: unknown, auth: Account | string) {
  const { status, body } = await server.post(nsid, input, auth)
  expect(status, JSON.stringify(body)).toBe(200)
  return body
}

function put(account: Account, rkey: string, value: unknown, collection = things) {
  const input = { repo: account.did, collection, rkey, record: { value } }
  return succeed('com.core.repo.putRecord', input, account)
}

const remove = (account: Account, rkey: string, collection = things) =>
  succeed('com.core.repo.deleteRecord', { repo: account.did, collection, rkey }, account)

test('a new account emits #identity, #account and a #commit without operations', async () => {
  expect(await news()).toEqual([
    ['#identity', alice.did, 'alice.test'],
    ['#account', alice.did, 'active'],
    ['#commit', alice.did],
  ])
  const { payload } = consumer.events.at(-1) as Event
  expect(payload).toMatchObject({ since: null, ops: [], blobs: [], tooBig: false, rebase: false })
  expect(payload).not.toHaveProperty('prevData')
})

test('creations, updates and deletions are commits; writes that change nothing emit nothing', async () => {
  await put(alice, 'a', 1)
  await put(alice, 'a', 1)
  await put(alice, 'a', 2)
  await remove(alice, 'a')
  await remove(alice, 'a')
  expect(await news()).toEqual([
    ['#commit', alice.did, `create ${things}/a`],
    ['#commit', alice.did, `update ${things}/a`],
    ['#commit', alice.did, `delete ${things}/a`],
  ])
})

test('a batch is one commit; a record that is put under our name has the name of the network', async () => {
  await put(alice, 'self', 1, 'app.bsky.thing')
  await put(alice, 'self', 2, 'app.example.thing')
  const write = (action: string, rkey: string, value?: unknown) => ({
    $type: `com.core.repo.applyWrites#${action}`,
    collection: things,
    rkey,
    ...(value !== undefined && { value: { value } }),
  })
  const writes = [write('create', 'b', 1), write('create', 'c', 1), write('create', 'd', 1)]
  await succeed('com.core.repo.applyWrites', { repo: alice.did, writes }, alice)
  const more = [write('update', 'b', 2), write('create', 'e', 1), write('delete', 'c'), write('delete', 'd')]
  await succeed('com.core.repo.applyWrites', { repo: alice.did, writes: more }, alice)
  expect(await news()).toEqual([
    ['#commit', alice.did, 'create app.bsky.thing/self'],
    ['#commit', alice.did, 'update app.bsky.thing/self'],
    ['#commit', alice.did, ...['b', 'c', 'd'].map((key) => `create ${things}/${key}`)],
    [
      '#commit',
      alice.did,
      ...['delete c', 'delete d', 'update b', 'create e'].map((op) => op.replace(' ', ` ${things}/`)),
    ],
  ])
})

test('many random batches can each be undone, and add up to the repository', async () => {
  const random = seededRandom(7)
  const { repositories } = server.running.services.repository
  const did = alice.did as DidString
  for (let round = 0; round < 60; round++) {
    const records = Array.from({ length: round % 20 === 0 ? 200 : 1 + random(6) }, async () => {
      const address = {
        collection: `org.example.kind${random(3)}` as NsidString,
        rkey: `key-${random(400)}` as RecordKeyString,
      }
      if (random(3) === 0) return address
      const options = { did, names: createNames(new Map()), newKey: () => '' }
      return prepareRecord({ ...address, record: { value: random(5) }, validate: false }, options)
    })
    const changes = await Promise.all(records)
    await repositories.write(did, (draft) => {
      for (const change of changes) {
        if ('cid' in change) draft.put(change)
        else draft.remove(change.collection, change.rkey)
      }
    })
  }
  await news()
  const car = await fetch(`${server.url}/xrpc/com.core.sync.getRepo?did=${did}`)
  const { creates } = await verifyRepoCar(new Uint8Array(await car.arrayBuffer()), did, keyOf(did))
  const exported = creates.map(({ collection, rkey, cid }) => [`${collection}/${rkey}`, String(cid)] as const)
  expect(exported.length).toBeGreaterThan(100)
  expect(consumer.repositories.get(did)?.records).toEqual(new Map(exported))
})

test('more than 200 changes, or more than 2 MB of blocks, are refused and emit nothing', async () => {
  const writes = Array.from({ length: 201 }, (_, n) => ({
    $type: 'com.core.repo.applyWrites#create',
    collection: things,
    rkey: `many-${n}`,
    value: {},
  }))
  const call = (some: unknown[]) =>
    server.post('com.core.repo.applyWrites', { repo: alice.did, writes: some }, alice)
  expect(await call(writes)).toMatchObject(refusal(400, 'InvalidRequest'))
  expect((await call(writes.slice(1))).status).toBe(200)
  expect(await news()).toHaveLength(1)

  const did = alice.did as DidString
  const large = await Promise.all(
    ['x', 'y', 'z'].map((letter) =>
      prepareRecord(
        { collection: things as NsidString, record: { text: letter.repeat(700_000) }, validate: false },
        { did, names: createNames(new Map()), newKey: () => `large-${letter}` },
      ),
    ),
  )
  const write = (records: typeof large) =>
    server.running.services.repository.repositories.write(did, (draft) => {
      for (const record of records) draft.put(record)
    })
  await expect(write(large)).rejects.toMatchObject({ name: 'InvalidRequest', status: 400 })
  await write(large.slice(1))
  expect(await news()).toHaveLength(1)
})

test('status changes emit #account, once each; those to active also #identity and #sync', async () => {
  const bob = await server.account('bob')
  await put(bob, 'a', 1)
  await news()
  await server.setStatus(bob.did, { takedown: true })
  await server.setStatus(bob.did, { takedown: true, suspended: true })
  await server.setStatus(bob.did, { takedown: false })
  await server.setStatus(bob.did, { suspended: false })
  await succeed('com.core.server.deactivateAccount', {}, await signedIn(bob))
  expect(await news()).toEqual([
    ['#account', bob.did, 'takendown'],
    ['#account', bob.did, 'suspended'],
    ['#account', bob.did, 'active'],
    ['#identity', bob.did, 'bob.test'],
    ['#sync', bob.did, expect.any(String)],
    ['#account', bob.did, 'deactivated'],
  ])
  const again = await signedIn(bob)
  await server.post('com.core.server.activateAccount', undefined, again)
  await server.post('com.core.server.activateAccount', undefined, again)
  const rev = consumer.repositories.get(bob.did)?.rev
  expect(await news()).toEqual([
    ['#account', bob.did, 'active'],
    ['#identity', bob.did, 'bob.test'],
    ['#sync', bob.did, rev],
  ])
  await put(again, 'b', 1)
  expect(await news()).toEqual([['#commit', bob.did, `create ${things}/b`]])
})

async function signedIn(account: Account): Promise<Account> {
  return { ...account, ...(await server.signIn(account)).body }
}

test('an account that moves here emits nothing before its activation, then #account, #identity and #sync', async () => {
  const host = await startDidHost()
  const erin = await movingAccount(server, host, 'erin')
  const records = Array.from({ length: 50 }, (_, n) => [`${things}/k${n}`, { value: n }] as const)
  const { status } = await importRepo(server, erin, archiveOf({ did: host.did, records }))
  expect(status).toBe(200)
  expect(await news()).toEqual([])
  await arrive(server, host, erin)
  await host.close()
  expect(await news()).toEqual([
    ['#account', erin.did, 'active'],
    ['#identity', erin.did, 'erin.test'],
    ['#sync', erin.did, expect.any(String)],
  ])
  // The consumer compares the revision and the tree with #sync.
  await put(erin, 'new', 1)
  expect(await news()).toEqual([['#commit', erin.did, `create ${things}/new`]])
})

test('a write that was on its way when the account was taken down is refused and emits nothing', async () => {
  const carla = await server.account('carla')
  await news()
  const { repositories } = server.running.services.repository
  const taken = server.setStatus(carla.did, { takedown: true })
  const record = await prepareRecord(
    { collection: things as NsidString, record: {}, validate: false },
    { did: carla.did as DidString, names: createNames(new Map()), newKey: () => 'late' },
  )
  await taken
  const write = repositories.write(carla.did as DidString, (draft) => draft.put(record))
  await expect(write).rejects.toMatchObject({ name: 'AccountTakedown' })
  expect(await news()).toEqual([['#account', carla.did, 'takendown']])
})

test('a handle that is set emits #identity, also if it is the same', async () => {
  const input = { did: alice.did, handle: 'alicia.test' }
  await succeed('com.core.admin.updateAccountHandle', input, adminAuth)
  await succeed('com.core.admin.updateAccountHandle', input, adminAuth)
  const identity = ['#identity', alice.did, 'alicia.test']
  expect(await news()).toEqual([identity, identity])
})

test('a deletion emits #account, and no earlier event of the account is replayed or kept', async () => {
  const dora = await server.account('dora')
  await put(dora, 'a', 1)
  expect(await news()).toHaveLength(4)
  await succeed('com.core.admin.deleteAccount', { did: dora.did }, adminAuth)
  expect(await news()).toEqual([['#account', dora.did, 'deleted']])
  const replay = new EventConsumer(keyOf)
  await replay.connect(server.url)
  await replay.until(consumer.seq)
  const ofDora = replay.events.filter(({ payload }) => payload.did === dora.did || payload.repo === dora.did)
  expect(ofDora.map(summary)).toEqual([['#account', dora.did, 'deleted']])
  replay.close()
  const { background, store } = server.running.services
  await background.idle()
  expect(store.all('SELECT kind FROM events WHERE did = ?', [dora.did])).toEqual([{ kind: 'account' }])
})

test('an event whose write fails is never sent, and its number goes to the next one', async () => {
  const { seq } = consumer
  disk.isFull = true
  try {
    const input = { repo: alice.did, collection: things, rkey: 'unsaved', record: {} }
    expect((await server.post('com.core.repo.putRecord', input, alice)).status).toBe(503)
  } finally {
    disk.isFull = false
  }
  await put(alice, 'saved', 1)
  expect(summary(await consumer.next())).toEqual(['#commit', alice.did, `create ${things}/saved`])
  expect(consumer.seq).toBe(seq + 1)
})
