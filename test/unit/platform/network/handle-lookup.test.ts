import { afterAll, beforeAll, expect, test } from 'vitest'
import { createHandleResolver } from '../../../../server/identity/did/handle-resolver.ts'
import { OutboundFailed } from '../../../../server/platform/network/client.ts'
import { createHandleLookup } from '../../../../server/platform/network/handle-lookup.ts'
import { TooManyLookups } from '../../../../server/util/shared-lookup.ts'
import { NameServer } from '../../../support/network/dns.ts'

const did = 'did:plc:aaaaaaaaaaaaaaaaaaaaaaaa'
const handle = 'alice.example.com'

let names: NameServer
beforeAll(async () => {
  names = await NameServer.start()
})
afterAll(() => names.close())

type Reply = { status: number; location?: string; body?: string }

/** Looks the handle up on a web that has these replies by URL, and no others. */
async function lookUp(replies: Record<string, Reply>) {
  const requests: string[] = []
  const result = await createHandleLookup({
    nameServers: [names.address],
    allowPrivate: false,
    async fetch(url) {
      requests.push(url)
      const reply = replies[url]
      if (!reply) throw new OutboundFailed('no answer')
      const { status, location, body = '' } = reply
      return { status, headers: { location }, body: Buffer.from(body) }
    },
  })(handle)
  return { result, requests }
}

const file = `https://${handle}/.well-known/atproto-did`

test('the DID is the content of the file, without surrounding space', async () => {
  expect((await lookUp({ [file]: { status: 200, body: `${did}\n` } })).result).toBe(did)
})

test.each([
  ['no DID', { status: 200, body: '<!doctype html>' }],
  ['several lines', { status: 200, body: `${did}\n${did}` }],
  ['an error', { status: 404, body: did }],
  ['a redirect to nowhere', { status: 302 }],
])('a file with %s names none', async (_, reply) => {
  expect((await lookUp({ [file]: reply })).result).toBeUndefined()
})

test('redirects are followed by https, three at most', async () => {
  const there = { status: 200, body: did }
  const www = 'https://www.example.com/did'
  const moved = await lookUp({ [file]: { status: 301, location: www }, [www]: there })
  expect(moved.result).toBe(did)
  const plain = await lookUp({ [file]: { status: 301, location: 'http://www.example.com/did' } })
  expect(plain).toEqual({ result: undefined, requests: [file] })
  const circle = await lookUp({ [file]: { status: 302, location: file } })
  expect(circle.result).toBeUndefined()
  expect(circle.requests).toHaveLength(4)
})

test('DNS comes before the file, and two DIDs there name none', async () => {
  const other = 'did:plc:bbbbbbbbbbbbbbbbbbbbbbbb'
  names.records.set(`_atproto.${handle}`, ['v=spf1 -all', `did=${did}`, 'did=nonsense'])
  expect((await lookUp({ [file]: { status: 200, body: other } })).result).toBe(did)
  names.set(handle, did, other)
  expect((await lookUp({ [file]: { status: 200, body: other } })).result).toBeUndefined()
})

test('a requester looks up 10 handles at once, each once', async () => {
  const done = Promise.withResolvers<undefined>()
  const started: string[] = []
  const resolve = createHandleResolver({
    lookUp: (name) => {
      started.push(name)
      return done.promise
    },
    userDomains: ['.pds.test'],
    allowTest: false,
    now: () => new Date(0),
  })
  const requester = { kind: 'anonymous', key: '192.0.2.1' } as const
  const pending = Array.from({ length: 10 }, (_, n) => resolve(`h${n}.example.com`, { requester }))
  pending.push(resolve('h0.example.com', { requester }))
  await expect(resolve('one-more.example.com', { requester })).rejects.toThrow(TooManyLookups)
  for (const name of ['alice.pds.test', 'alice.test', 'alice.local']) {
    expect(await resolve(name)).toBeUndefined()
  }
  expect(started).toHaveLength(10)
  done.resolve(undefined)
  await Promise.all(pending)
})
