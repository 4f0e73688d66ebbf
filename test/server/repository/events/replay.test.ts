/** Cursors of the event stream: replay, hand-over to new events, retention, restarts, crashes and restores. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import * as events from '../../../../server/repository/tables/events.ts'
import { schema } from '../../../../server/schema/schema.ts'
import { restore } from '../../../../server/store/backups/restore.ts'
import { findByDid } from '../../../../server/store/tables/accounts.ts'
import { ServerProcess } from '../../../crash/process.ts'
import { day, minute } from '../../../support/server/clock.ts'
import { type Frame, type Listener, listen, listening } from '../../../support/server/listener.ts'
import { type Account, TestServer } from '../../../support/server/server.ts'
import { owner as alice, renewSessions, server, setupServer } from '../../../support/server/setup.ts'
import { EventConsumer } from '../../../support/services/event-consumer.ts'

const nsid = 'com.core.sync.subscribeRepos'
const limit = 400_000

setupServer({ config: { eventLimit: limit }, accounts: ['alice'] })

const store = () => server.running.services.store
const lastSeq = () => events.state(store()).lastSeq

const connect = (query = '', headers = {}) => listening(`${server.url}/xrpc/${nsid}${query}`, { headers })

/** Returns the AT URI. */
async function post(text = 'text', by = alice, origin = server.url): Promise<string> {
  const answer = await fetch(`${origin}/xrpc/com.core.repo.createRecord`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${by.accessJwt}` },
    body: JSON.stringify({ repo: by.did, collection: 'org.example.thing', record: { text } }),
  })
  expect(answer.status).toBe(200)
  return ((await answer.json()) as { uri: string }).uri
}

/** Reads frames up to a number. */
async function until(stream: Listener, seq: number): Promise<Frame[]> {
  const frames: Frame[] = []
  while (frames.at(-1)?.payload.seq !== seq) frames.push(await stream.next())
  return frames
}

const seqs = (frames: readonly Frame[]) => frames.map(({ payload }) => payload.seq)
const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, n) => from + n)

test('without a cursor, and with an empty one, only new events are sent', async () => {
  const streams = [await connect(), await connect('?cursor=')]
  await post()
  for (const stream of streams) {
    expect(await stream.next()).toMatchObject({
      header: { op: 1, t: '#commit' },
      payload: { seq: lastSeq() },
    })
    stream.close()
  }
})

test('a past cursor replays what came after it, a negative one everything', async () => {
  for (const [cursor, first] of [
    [2, 3],
    [0, 1],
    [-5, 1],
  ] as const) {
    const stream = await connect(`?cursor=${cursor}`)
    expect(seqs(await until(stream, lastSeq()))).toEqual(range(first, lastSeq()))
    stream.close()
  }
})

test('the last number as a cursor replays nothing', async () => {
  const stream = await connect(`?cursor=${lastSeq()}`)
  await post()
  expect((await stream.next()).payload.seq).toBe(lastSeq())
  stream.close()
})

test.each([
  ['?cursor=1000000000', 'FutureCursor'],
  ['?cursor=soon', 'InvalidRequest'],
  ['?cursor=1.5', 'InvalidRequest'],
  ['?cursor=99999999999999999999', 'InvalidRequest'],
])('%s ends the stream with %s', async (query, error) => {
  const stream = await connect(query)
  const payload = { error, message: expect.any(String) }
  const end = { frames: [{ header: { op: -1 }, payload }], code: 1008, reason: error }
  expect(await stream.ended()).toEqual(end)
})

test('consumers that connect while events arrive get each one once, in order', async () => {
  const from = lastSeq()
  const streams: Promise<Listener>[] = []
  const writes = Array.from({ length: 60 }, async (_, n) => {
    await post()
    if (n % 5 === 0) streams.push(connect(`?cursor=${from}`))
  })
  await Promise.all(writes)
  const replay = await connect(`?cursor=${from}`)
  const frames = await until(replay, lastSeq())
  replay.close()
  expect(seqs(frames)).toEqual(range(from + 1, from + 60))
  expect(streams).toHaveLength(12)
  for (const connecting of streams) {
    const stream = await connecting
    expect(await until(stream, lastSeq())).toEqual(frames)
    stream.close()
  }
})

test('a page of another site is refused while the server has no public address', async () => {
  const page = { origin: 'https://other.example' }
  ;(await connect('', page)).close()
  const local = await TestServer.start({ publicUrl: undefined })
  const refused = await listen(`${local.url}/xrpc/${nsid}?cursor=0`, { headers: page })
  expect(refused).toMatchObject({ status: 403, body: { error: 'Forbidden' } })
  await local.close()
})

test('an address has at most 20 connections', async () => {
  const streams = await Promise.all(range(1, 20).map(() => connect()))
  const refused = { status: 429, body: { error: 'RateLimitExceeded' } }
  expect(await listen(`${server.url}/xrpc/${nsid}`)).toMatchObject(refused)
  for (const stream of streams) {
    stream.close()
    await stream.ended()
  }
})

test('events are deleted when they exceed the limit, and a consumer that misses some is informed', async () => {
  const stream = await connect()
  const before = lastSeq()
  for (let n = 0; n < 8; n++) await post('x'.repeat(80_000))
  await server.running.services.background.idle()
  const { bytes, outdatedSeq } = events.state(store())
  expect(bytes).toBeLessThan(limit)
  expect(bytes).toBeGreaterThan(limit / 2)
  expect(outdatedSeq).toBeGreaterThan(before)
  // It has kept up.
  expect(seqs(await until(stream, lastSeq()))).toEqual(range(before + 1, lastSeq()))
  stream.close()

  const late = await connect('?cursor=1')
  expect(await late.next()).toEqual({
    header: { op: 1, t: '#info' },
    payload: { name: 'OutdatedCursor', message: expect.any(String) },
  })
  expect(seqs(await until(late, lastSeq()))).toEqual(range(outdatedSeq + 1, lastSeq()))
  late.close()
  const intact = await connect(`?cursor=${outdatedSeq}`)
  expect((await intact.next()).payload.seq).toBe(outdatedSeq + 1)
  intact.close()
})

test('events are deleted after three days; the numbers continue, also after a restart', async () => {
  const last = lastSeq()
  server.clock.advance(3 * day)
  await server.restart()
  await server.running.services.background.idle()
  expect(store().all('SELECT seq FROM events')).toEqual([])
  await server.restart()
  await renewSessions()
  const stream = await connect(`?cursor=${last - 1}`)
  await post()
  expect((await stream.next()).header.t).toBe('#info')
  expect((await stream.next()).payload.seq).toBe(last + 1)
  stream.close()
})

test('what a consumer saw before a crash is what a replay sends after it', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'pds-test-'))
  let crashing = new ServerProcess(dir)
  let url = await crashing.serving()
  const bob = await newAccount(url, 'bob')
  const key = await signingKey(url, bob)
  const consumer = new EventConsumer(() => key)
  await consumer.connect(url)
  const writes = Array.from({ length: 30 }, () => post('text', bob, url).catch(() => {}))
  await consumer.until(consumer.seq + 12)
  await crashing.kill()
  await Promise.all(writes)
  // Including messages that were sent and not read yet.
  while (await consumer.next().catch(() => undefined)) {}
  crashing = new ServerProcess(dir)
  url = await crashing.serving()
  await consumer.connect(url)
  const last = await post('the last one', bob, url)
  while (last !== lastRecord(consumer)) await consumer.next()
  const replay = new EventConsumer(() => key)
  await replay.connect(url)
  await replay.until(consumer.seq)
  expect(replay.events).toEqual(consumer.events)
  expect(replay.events.map(({ payload }) => payload.seq)).toEqual(range(1, replay.seq))
  consumer.close()
  replay.close()
  await crashing.kill()
  await rm(dir, { recursive: true })
})

async function newAccount(origin: string, name: string): Promise<Account> {
  const answer = await fetch(`${origin}/xrpc/com.core.server.createAccount`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ handle: `${name}.test`, password: `${name}-password` }),
  })
  return (await answer.json()) as Account
}

async function signingKey(origin: string, { did }: Account): Promise<string> {
  const answer = await fetch(`${origin}/xrpc/com.core.repo.describeRepo?repo=${did}`)
  const { didDoc } = (await answer.json()) as { didDoc: { verificationMethod: Record<string, string>[] } }
  return `did:key:${didDoc.verificationMethod[0]?.publicKeyMultibase}`
}

/** AT URI of the last record that a consumer has seen. */
function lastRecord({ events: seen }: EventConsumer): string {
  const { repo, ops } = seen.at(-1)?.payload ?? {}
  return `at://${repo}/${ops?.[0]?.path}`
}

test('after a restore, a repository without its root block does not stop the start', async () => {
  const restored = await TestServer.start()
  const [gina, hugo] = [await restored.account('gina'), await restored.account('hugo')]
  const { store } = restored.running.services
  await store.transact((tx) =>
    tx.run(
      `DELETE FROM repo_blocks WHERE actor = (SELECT id FROM accounts WHERE did = ?)
       AND cid = (SELECT tree_cid FROM repos r WHERE r.actor = repo_blocks.actor)`,
      [gina.did],
    ),
  )
  const { dataDir: directory } = restored.config
  const file = join(directory, 'outside.zst')
  await store.copyTo(file)
  await restored.running.close()
  await restore({ directory, file, schema, now: restored.clock.now })
  await restored.open()
  expect(await post('after the restore', hugo, restored.url)).toContain(hugo.did)
  await restored.close()
})

test('a backup that is restored again continues beyond the numbers of the first restore', async () => {
  const restored = await TestServer.start()
  const fay = await restored.account('fay')
  const { dataDir: directory } = restored.config
  const file = join(directory, 'outside.zst')
  await restored.running.services.store.copyTo(file)
  const last: number[] = []
  for (let times = 0; times < 2; times++) {
    await restored.running.close()
    restored.clock.advance(minute)
    await restore({ directory, file, schema, now: restored.clock.now })
    await restored.open()
    last.push(events.state(restored.running.services.store).lastSeq)
    await post('lost by the second restore', fay, restored.url)
    last.push(events.state(restored.running.services.store).lastSeq)
  }
  expect(last).toEqual(last.toSorted((a, b) => a - b))
  expect(new Set(last).size).toBe(4)
  await restored.close()
})

test('after a restore, numbers go on far ahead, and every account and repository is reported anew', async () => {
  const restored = await TestServer.start()
  const [carla, dora, emil] = [
    await restored.account('carla'),
    await restored.account('dora'),
    await restored.account('emil'),
  ]
  const keyOf = (did: string) => findByDid(restored.running.services.store, did)?.signingKeyDid ?? ''
  const write = () => post('text', carla, restored.url)
  await write()
  await restored.setStatus(emil.did, { takedown: true })
  const { dataDir: directory } = restored.config
  const file = join(directory, 'outside.zst')
  await restored.running.services.store.copyTo(file)
  // All of this is lost.
  await write()
  await write()
  await restored.setStatus(dora.did, { deactivated: true })
  const consumer = new EventConsumer(keyOf)
  await consumer.connect(restored.url)
  const before = events.state(restored.running.services.store).lastSeq
  await consumer.until(before)
  const { rev } = consumer.repositories.get(carla.did) ?? {}

  await restored.running.close()
  await restore({ directory, file, schema, now: restored.clock.now })
  await restored.open()
  await consumer.connect(restored.url)
  const reported = []
  for (let n = 0; n < 7; n++) reported.push(await consumer.next())
  expect(reported.map(({ type, payload }) => [type, payload.did, payload.active])).toEqual([
    ['#account', carla.did, true],
    ['#identity', carla.did, undefined],
    ['#sync', carla.did, undefined],
    ['#account', dora.did, true],
    ['#identity', dora.did, undefined],
    ['#sync', dora.did, undefined],
    ['#account', emil.did, false],
  ])
  expect(reported[0]?.payload.seq).toBeGreaterThan(999_990)
  expect(reported[2]?.payload.rev > (rev ?? '')).toBe(true)

  // Once, not at every start.
  await restored.restart()
  await consumer.connect(restored.url)
  await write()
  expect((await consumer.next()).type).toBe('#commit')
  consumer.close()
  await restored.close()
})
