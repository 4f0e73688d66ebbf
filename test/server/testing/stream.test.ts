/** The event stream of a test network: in process, and as clients of Jetstream read it. */
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { responseTo } from '../../../server/platform/xrpc/upgrade.ts'
import type { NetworkEvent } from '../../../server/testing/stream/network-event.ts'
import {
  createEventStream,
  type EventStream,
  type EventStreamOptions,
} from '../../../server/testing/stream/stream.ts'
import { type Account, TestServer } from '../../support/server/server.ts'

const post = 'app.bsky.feed.post'
const like = 'app.bsky.feed.like'

let server: TestServer
let stream: EventStream
let http: Server
let alice: Account
const clients: Jetstream[] = []
const detach: (() => void)[] = []

async function start(options: Partial<EventStreamOptions> = {}): Promise<void> {
  server = await TestServer.start()
  stream = createEventStream({ now: server.clock.now, ...options })
  detach.push(stream.attach(server.running.services))
  http = createServer().on('upgrade', (req, socket, head) => {
    if (!stream.handle(req, responseTo(req, socket, head))) socket.end('HTTP/1.1 418 Teapot\r\n\r\n')
  })
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  alice = await server.account('alice')
}

beforeEach(() => start())
afterEach(stop)

async function stop(): Promise<void> {
  for (const client of clients.splice(0)) client.close()
  for (const each of detach.splice(0)) each()
  await stream.close(100)
  http.closeAllConnections()
  await new Promise((resolve) => http.close(resolve))
  await server.close()
}

/** A client as the libraries of Jetstream are: it dispatches by kind, and keeps the cursor. */
class Jetstream {
  readonly events: NetworkEvent[] = []
  readonly socket: WebSocket
  readonly ended: Promise<{ code: number; reason: string }>

  constructor(query = '', headers: Record<string, string> = {}) {
    const { port } = http.address() as AddressInfo
    this.socket = new WebSocket(`ws://127.0.0.1:${port}/subscribe${query}`, { headers })
    this.socket.on('message', (data, isBinary) => {
      expect(isBinary).toBe(false)
      this.events.push(JSON.parse(String(data)))
    })
    this.socket.on('error', () => {})
    this.ended = new Promise((resolve) =>
      this.socket.on('close', (code, reason) => resolve({ code, reason: String(reason) })),
    )
    clients.push(this)
  }

  /** Resolves when it is connected, with the status of the response if it is not 101. */
  opened(): Promise<{ status: number; text: string } | undefined> {
    return new Promise((resolve) => {
      this.socket.on('open', () => resolve(undefined))
      this.socket.on('unexpected-response', async (_, res) => {
        resolve({ status: res.statusCode ?? 0, text: Buffer.concat(await res.toArray()).toString() })
      })
    })
  }

  /** The change of each event: the record key of a commit, the kind of others. */
  get summary(): string[] {
    return this.events.map((event) =>
      event.kind === 'commit' ? `${event.commit.operation} ${event.commit.rkey}` : event.kind,
    )
  }

  update(payload: object): void {
    this.socket.send(JSON.stringify({ type: 'options_update', payload }))
  }

  close(): void {
    this.socket.terminate()
  }
}

async function connected(query = ''): Promise<Jetstream> {
  const client = new Jetstream(query)
  expect(await client.opened()).toBeUndefined()
  return client
}

const record = (collection: string) =>
  collection === like
    ? { subject: { uri: `at://${alice.did}/${post}/a`, cid: someCid }, createdAt: '2030-01-01T00:00:00Z' }
    : { text: 'hello', createdAt: '2030-01-01T00:00:00Z' }
const someCid = 'bafyreidfayvfuwqa7qlnopdjiqrxzs6blmoeu4rujcjtnci5beludirz2a'

async function write(rkey: string, collection = post, by = alice, on = server): Promise<void> {
  const input = { repo: by.did, collection, rkey, record: record(collection), validate: false }
  const answer = await on.post('com.atproto.repo.createRecord', input, by)
  expect(answer.status, JSON.stringify(answer.body)).toBe(200)
}

/** The events that are readable now. */
async function readable(since?: number): Promise<NetworkEvent[]> {
  const found: NetworkEvent[] = []
  const ends = new AbortController()
  for await (const event of stream.events({ ...(since !== undefined && { since }), signal: ends.signal })) {
    found.push(event)
    if (event.time_us === lastTime()) ends.abort()
  }
  return found
}
const lastTime = () => stream.snapshot().events.at(-1)?.time

describe('events in process', () => {
  test('are those of identities, accounts and records, in the form of Jetstream', async () => {
    await write('first')
    const { body } = await server.get('com.atproto.repo.getRecord', {
      repo: alice.did,
      collection: post,
      rkey: 'first',
    })
    await server.post(
      'com.atproto.repo.deleteRecord',
      { repo: alice.did, collection: post, rkey: 'first' },
      alice,
    )
    await server.post('com.core.server.deactivateAccount', {}, alice)
    const found = await readable()
    const event = { did: alice.did, time_us: expect.any(Number) }
    const [seq, time, rev] = [expect.any(Number), expect.any(String), expect.any(String)]
    expect(found).toEqual([
      { ...event, kind: 'identity', identity: { did: alice.did, handle: 'alice.test', seq, time } },
      { ...event, kind: 'account', account: { did: alice.did, active: true, seq, time } },
      {
        ...event,
        kind: 'commit',
        commit: {
          ...{ rev, operation: 'create', collection: post, rkey: 'first' },
          ...{ record: body.value, cid: body.cid },
        },
      },
      { ...event, kind: 'commit', commit: { rev, operation: 'delete', collection: post, rkey: 'first' } },
      {
        ...event,
        kind: 'account',
        account: { did: alice.did, active: false, status: 'deactivated', seq, time },
      },
    ])
    const times = found.map(({ time_us }) => time_us)
    expect(times).toEqual([...new Set(times)].toSorted((a, b) => a - b))
    expect(times[0]).toBeGreaterThanOrEqual(Date.parse('2030-01-01') * 1000)
    expect((times.at(-1) ?? 0) / 1000).toBeLessThanOrEqual(server.clock.now().getTime())
  })

  test('are readable when the call that caused them has been answered', async () => {
    for (let n = 0; n < 20; n++) {
      await write(`key${n}`)
      expect((await readable()).at(-1)).toMatchObject({ commit: { rkey: `key${n}` } })
    }
  })

  test('of several servers are one stream, also of those that start again', async () => {
    const other = await TestServer.start({ publicUrl: 'https://other.test' })
    const remove = stream.attach(other.running.services)
    const bob = await other.account('bob')
    await write('one')
    await write('two', post, bob, other)
    const before = await readable()
    const dids = before.map(({ did }) => did)
    expect(dids).toEqual([alice.did, alice.did, bob.did, bob.did, alice.did, bob.did])
    remove()
    await other.restart()
    detach.push(stream.attach(other.running.services))
    await write('three', post, bob, other)
    const found = await readable(before.at(-1)?.time_us)
    expect(found).toMatchObject([{ did: bob.did, commit: { rkey: 'three' } }])
    await other.close()
  })

  test('end with the signal, and when all readers are disconnected', async () => {
    const ends = new AbortController()
    const [first, second] = [{ signal: ends.signal }, {}].map(async (options) => {
      let count = 0
      for await (const _ of stream.events(options)) count++
      return count
    })
    ends.abort()
    await first
    await readable()
    stream.disconnectAll('reset')
    expect(await second).toBe(2)
  })
})

describe('a client of Jetstream', () => {
  test('is sent new events', async () => {
    const client = await connected()
    await write('one')
    await expect.poll(() => client.events).toHaveLength(1)
    expect(client.events).toEqual((await readable()).slice(-1))
  })

  test('replays from its cursor, without a gap to the new ones', async () => {
    await write('one')
    await write('two')
    const found = await readable()
    const client = await connected(`?cursor=${found.at(-2)?.time_us}`)
    await write('three')
    await expect.poll(() => client.summary).toEqual(['create one', 'create two', 'create three'])
    const all = await connected('?cursor=0')
    await expect.poll(() => all.events).toEqual(await readable())
    const ahead = await connected(`?cursor=${Date.parse('2040-01-01') * 1000}`)
    await write('four')
    await expect.poll(() => ahead.summary).toEqual(['create four'])
  })

  test('names collections, prefixes of them, and accounts', async () => {
    const bob = await server.account('bob')
    const both = await connected(`?wantedCollections=${post}&wantedCollections=app.bsky.graph.*`)
    const prefix = await connected('?wantedCollections=app.bsky.feed.*')
    const account = await connected(`?wantedDids=${bob.did}`)
    await write('one', post)
    await write('two', like)
    await write('three', post, bob)
    // Events of accounts pass the filter of collections.
    await server.post('com.core.server.deactivateAccount', {}, bob)
    await expect.poll(() => both.summary).toEqual(['create one', 'create three', 'account'])
    await expect.poll(() => prefix.summary).toEqual(['create one', 'create two', 'create three', 'account'])
    await expect.poll(() => account.summary).toEqual(['create three', 'account'])
  })

  test('changes its wishes, and may send them first', async () => {
    await write('zero', like)
    const client = await connected('?requireHello=true&cursor=1')
    await write('one', post)
    client.socket.send(JSON.stringify({ type: 'other', payload: {} }))
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(client.events).toEqual([])
    client.update({ wantedCollections: [like] })
    await expect.poll(() => client.summary).toEqual(['identity', 'account', 'create zero'])
    client.update({ wantedCollections: [post], wantedDids: [], maxMessageSizeBytes: 0 })
    await new Promise((resolve) => setTimeout(resolve, 50))
    await write('two', like)
    await write('three', post)
    await expect.poll(() => client.summary.at(-1)).toBe('create three')
    expect(client.summary).not.toContain('create two')
  })

  test('gets no event that is larger than it accepts', async () => {
    const client = await connected('?maxMessageSizeBytes=350')
    const input = { repo: alice.did, collection: post, rkey: 'large', validate: false }
    const large = { ...record(post), text: 'x'.repeat(300) }
    await server.post('com.atproto.repo.createRecord', { ...input, record: large }, alice)
    await write('small')
    await expect.poll(() => client.summary).toEqual(['create small'])
  })

  test('is refused with the reason: invalid options, and compression, which is not offered', async () => {
    for (const [query, reason] of [
      ['?compress=true', 'not offered here'],
      ['?cursor=now', 'invalid cursor'],
      ['?wantedCollections=post', 'invalid collection'],
      ['?wantedDids=alice', 'invalid DID'],
      [`?${Array(101).fill(`wantedCollections=${post}`).join('&')}`, 'too many'],
    ] as const)
      expect(await new Jetstream(query).opened()).toEqual({
        status: 400,
        text: expect.stringContaining(reason),
      })
    const compressed = new Jetstream('', { 'Socket-Encoding': 'zstd' })
    expect(await compressed.opened()).toMatchObject({ status: 400 })
    for (const [message, reason] of [
      ['{', 'not a JSON object'],
      [{ type: 'options_update' }, 'needs a payload'],
      [{ type: 'options_update', payload: { wantedDids: ['ä'.repeat(100)] } }, 'invalid DID: ä'],
      [{ type: 'options_update', payload: { wantedCollections: [1] } }, 'list of texts'],
      [{ type: 'options_update', payload: { maxMessageSizeBytes: '1' } }, 'must be a number'],
    ] as const) {
      const client = await connected()
      client.socket.send(typeof message === 'string' ? message : JSON.stringify(message))
      expect(await client.ended).toEqual({ code: 1008, reason: expect.stringContaining(reason) })
    }
  })

  test('is ended with the reason', async () => {
    const client = await connected()
    stream.disconnectAll('The network was reset')
    expect(await client.ended).toEqual({ code: 1001, reason: 'The network was reset' })
  })

  test('asks for another path: the upgrade is left to the caller', async () => {
    const { port } = http.address() as AddressInfo
    const socket = new WebSocket(`ws://127.0.0.1:${port}/other`)
    socket.on('error', () => {})
    const status = await new Promise((resolve) =>
      socket.on('unexpected-response', (_, res) => resolve(res.statusCode)),
    )
    expect(status).toBe(418)
  })
})

describe('a slow reader', () => {
  test('that does not read is ended as too slow', async () => {
    await stop()
    await start({ drainMs: 200 })
    // 12 MB: more than the buffers of the system hold.
    const events = Array.from({ length: 60 }, (_, index) => ({
      ...{ time: index + 1, did: alice.did, collection: post },
      json: JSON.stringify({ text: 'x'.repeat(200_000) }),
    }))
    stream.restore({ events, positions: new Map() })
    const client = await connected('?cursor=0')
    client.socket.pause()
    // More than it may take to read, and less than to answer the close.
    await new Promise((resolve) => setTimeout(resolve, 2000))
    client.socket.resume()
    expect(await client.ended).toEqual({ code: 1008, reason: expect.stringContaining('ConsumerTooSlow') })
  })

  test('that has fallen behind what is kept gets an error', async () => {
    await stop()
    await start({ limit: 5 })
    const reader = stream.events()[Symbol.asyncIterator]()
    await reader.next()
    const writes = Array.from({ length: 200 }, (_, n) => ({
      $type: 'com.atproto.repo.applyWrites#create',
      ...{ collection: 'org.example.thing', rkey: `key${n}`, value: {} },
    }))
    for (let n = 0; n < 6; n++) {
      const renamed = writes.map((each) => ({ ...each, rkey: `${each.rkey}-${n}` }))
      const input = { repo: alice.did, writes: renamed }
      const answer = await server.post('com.atproto.repo.applyWrites', input, alice)
      expect(answer.status, JSON.stringify(answer.body)).toBe(200)
    }
    await readable()
    await expect(reader.next()).rejects.toThrow('Behind by more than the 5 events')
    expect(stream.snapshot().events.length).toBeLessThan(1010)
  })
})

test('a snapshot stays as it is; a restore goes back to it, and reads what came later again', async () => {
  await write('one')
  await readable()
  const before = stream.snapshot()
  await write('two')
  const all = await readable()
  const client = await connected()
  stream.restore(before)
  expect(await client.ended).toEqual({ code: 1001, reason: 'The network was restored' })
  await write('three')
  expect(stream.snapshot()).toEqual(before)
  stream.attach(server.running.services)
  expect(await readable()).toEqual([...all, expect.objectContaining({ kind: 'commit' })])
  stream.clear()
  detach.push(stream.attach(server.running.services))
  expect((await readable()).slice(0, -1)).toEqual(all)
})

test('a server whose store was set back further than the stream is read from there', async () => {
  await write('one')
  await readable()
  const { events, positions } = stream.snapshot()
  stream.restore({ events, positions: new Map([...positions].map(([origin]) => [origin, 1_000_000])) })
  detach.push(stream.attach(server.running.services))
  await write('two')
  expect((await readable()).slice(events.length)).toMatchObject([{ commit: { rkey: 'two' } }])
})
