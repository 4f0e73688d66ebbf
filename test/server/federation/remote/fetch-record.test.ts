/** Records that are fetched from the hosts of their authors, which may lie. */
import type { LexMap } from '@atproto/lex-data'
import type { DidString, NsidString, RecordKeyString } from '@atproto/syntax'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createFetchRecord } from '../../../../server/federation/remote/fetch-record.ts'
import { createHosts } from '../../../../server/federation/remote/hosts.ts'
import type { Identify, Origin } from '../../../../server/federation/remote/repository-origin.ts'
import { findByDid } from '../../../../server/store/tables/accounts.ts'
import { createSigningKey, loadSigningKey, type SigningKey, sign } from '../../../../server/util/keys.ts'
import { archiveOf, blocksOf, carOf } from '../../../support/records/archive.ts'
import { server, setupServer } from '../../../support/server/setup.ts'
import { json, StubService } from '../../../support/services/stub-service.ts'

setupServer({ accounts: ['alice'] })

const did = 'did:plc:carlacarlacarlacarlacarl' as DidString
const collection = 'app.bsky.feed.post' as NsidString
const rkey = '3kaaaaaaaaa2a' as RecordKeyString
const record: LexMap = { $type: collection, text: 'from elsewhere' }

let host: StubService
let key: SigningKey
let otherKey: SigningKey
/** The identity of every DID. */
let origin: Origin
const abort = new AbortController()

beforeAll(async () => {
  host = await StubService.start()
  key = await createSigningKey()
  otherKey = await createSigningKey()
})
beforeEach(() => {
  host.reset()
  origin = { host: host.url, signingKey: key.did }
})
afterAll(async () => {
  abort.abort()
  await host.close()
})

interface FetcherOptions {
  readonly named?: () => string[]
  readonly identify?: Identify
  readonly timeoutMs?: number
}

function fetcher(options: FetcherOptions = {}) {
  const { named = () => [host.url, server.url], identify = async () => origin, timeoutMs = 20_000 } = options
  const { config } = server
  const { names, store } = server.running.services
  const hosts = createHosts({ config, names, named, signal: abort.signal })
  const deps = { store, hosts, actors: { identify } }
  return createFetchRecord({ ...deps, timeoutMs })
}

const signedBy = (signer: SigningKey) => (bytes: Uint8Array) => sign(signer.privateKey, bytes)
const archive = (more: Partial<Parameters<typeof archiveOf>[0]> = {}) => ({
  did,
  records: [[`${collection}/${rkey}`, record] as const],
  sign: signedBy(key),
  ...more,
})

/** The host answers with these bytes. */
const respondWith = (body: Buffer) => {
  host.respond = (res) => void res.writeHead(200, { 'content-type': 'application/vnd.ipld.car' }).end(body)
}

describe('a real server as the host', () => {
  test('proves a record, and that a record does not exist', async () => {
    const bob = await server.account('bob')
    const stored = findByDid(server.running.services.store, bob.did)?.signingKey ?? new Uint8Array()
    origin = { host: server.url, signingKey: (await loadSigningKey(stored)).did }
    const input = { repo: bob.did, collection, record: { $type: collection, text: 'hi', createdAt: 'now' } }
    const { body } = await server.post('com.core.repo.createRecord', { ...input, validate: false }, bob)
    const written = body.uri.split('/').at(-1)
    const fetched = await fetcher()(bob.did as DidString, collection, written)
    expect(fetched).toMatchObject({ did: bob.did, collection, rkey: written, rev: body.commit.rev })
    expect(fetched.content?.cid).toBe(body.cid)
    const absent = await fetcher()(bob.did as DidString, collection, 'missing' as RecordKeyString)
    expect(absent).toMatchObject({ rkey: 'missing', rev: body.commit.rev, content: undefined })
  })
})

describe('a host is not believed when it sends', () => {
  const failures: readonly (readonly [string, string, () => void])[] = [
    [
      'a commit that another key signed',
      'InvalidProof',
      () => respondWith(archiveOf(archive({ sign: signedBy(otherKey) }))),
    ],
    [
      'the repository of another actor',
      'InvalidProof',
      () => respondWith(archiveOf(archive({ did: 'did:web:x.example' }))),
    ],
    ['half of a proof', 'InvalidProof', () => respondWith(archiveOf(archive()).subarray(0, 200))],
    [
      'a tree without the block of the record',
      'InvalidProof',
      () => respondWith(carOf(blocksOf(archive()).slice(0, -1))),
    ],
    ['a commit without its tree', 'InvalidProof', () => respondWith(carOf(blocksOf(archive()).slice(0, 1)))],
    ['nothing', 'InvalidProof', () => respondWith(Buffer.alloc(0))],
    ['too much', 'OutboundFailed', () => respondWith(Buffer.alloc(1_200_000))],
    [
      'a redirect',
      'OutboundFailed',
      () => {
        host.respond = (res) => void res.writeHead(302, { location: `${server.url}/health` }).end()
      },
    ],
    [
      'an error',
      'OutboundFailed',
      () => {
        host.respond = json({ error: 'RepoTakendown' }, 400)
      },
    ],
  ]
  test.each(failures)('%s', async (_, name, prepare) => {
    prepare()
    await expect(fetcher()(did, collection, rkey)).rejects.toMatchObject({ name })
    respondWith(archiveOf(archive()))
    expect((await fetcher()(did, collection, rkey)).content).toBeDefined()
  })

  test.each<[string, (typeof host)['respond']]>([
    ['nothing before the deadline', () => {}],
    ['a response that never ends', (res) => void res.writeHead(200).write('x')],
  ])('%s', async (_, respond) => {
    host.respond = respond
    const fetch = fetcher({ timeoutMs: 300 })
    await expect(fetch(did, collection, rkey)).rejects.toMatchObject({ name: 'OutboundFailed' })
  })

  test('an older revision than the stored record has', async () => {
    const bob = await server.account('bob2')
    const input = { repo: bob.did, collection, rkey, record: { $type: collection }, validate: false }
    await server.post('com.core.repo.putRecord', input, bob)
    respondWith(archiveOf(archive({ did: bob.did })))
    await expect(fetcher()(bob.did as DidString, collection, rkey)).rejects.toThrow('older revision')
  })
})

test('hosts that no setting names must have public addresses', async () => {
  respondWith(archiveOf(archive()))
  const fetch = fetcher({ named: () => [] })
  await expect(fetch(did, collection, rkey)).rejects.toMatchObject({ name: 'OutboundRefused' })
  expect(host.calls).toEqual([])
})

test('a key that has changed is looked up again', async () => {
  respondWith(archiveOf(archive()))
  const asked: unknown[] = []
  const identify = async (_: string, options?: { maxAgeMs?: number }) => {
    asked.push(options?.maxAgeMs)
    return { ...origin, signingKey: options ? key.did : otherKey.did }
  }
  expect((await fetcher({ identify })(did, collection, rkey)).content).toBeDefined()
  expect(asked).toEqual([undefined, 60_000])
})

test('one host gets two requests at once, and one for each record', async () => {
  const waiting: (() => void)[] = []
  const proof = archiveOf(archive())
  host.respond = (res) => void waiting.push(() => res.end(proof))
  const fetch = fetcher()
  const keys = ['a', 'b', 'c', 'a', rkey] as RecordKeyString[]
  const fetched = keys.map((one) => fetch(did, collection, one))
  for (let done = 0; done < 4; done++) {
    await expect.poll(() => waiting.length).toBeGreaterThan(0)
    expect(waiting.length).toBeLessThanOrEqual(2)
    waiting.shift()?.()
  }
  const changes = await Promise.all(fetched)
  expect(host.calls.length).toBe(new Set(host.calls.map(({ path }) => path)).size)
  expect(changes.map(({ content }) => content !== undefined)).toEqual([false, false, false, false, true])
})
