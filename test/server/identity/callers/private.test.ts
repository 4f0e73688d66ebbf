/** A page of another site reads nothing of a server without a public address, unless it has signed in. */
import { describe, expect, test } from 'vitest'
import { methods } from '../../../../server/api/index.ts'
import { listen, listening } from '../../../support/server/listener.ts'
import { adminAuth, TestServer } from '../../../support/server/server.ts'
import { owner as alice, server, setupServer } from '../../../support/server/setup.ts'

const named = 'http://localhost:3000'
setupServer({ config: { publicUrl: undefined, trustedOrigins: [named] }, accounts: ['alice'] })

const page = { origin: 'https://evil.example' }
/** Pages that are not those of this server, though they are of this computer. */
const neighbours = [
  'http://localhost:5173',
  'http://127.0.0.1:8080',
  'http://[::1]:8080',
  'chrome-extension://abcdefghijklmnopabcdefghijklmnop',
  'moz-extension://0b5a0d1e-0000-4000-8000-000000000000',
  'app://other',
  'null',
]
const refused = { status: 403, body: { error: 'Forbidden' } }

const anonymous = methods.filter(
  ({ schema, auth }) => schema.type === 'query' && ['none', 'optional', 'reader'].includes(auth),
)

describe('without credentials', () => {
  test.each(anonymous.map(({ nsid }) => nsid).filter((nsid) => nsid !== 'com.core.server.describeServer'))(
    '%s is refused, by its alias too',
    async (nsid) => {
      const alias = nsid.replace('com.core.', 'com.atproto.').replace('app.example.', 'app.bsky.')
      for (const name of [nsid, alias]) {
        expect(await server.fetch(`/xrpc/${name}`, { headers: page })).toMatchObject(refused)
        const crossSite = { 'sec-fetch-site': 'cross-site' }
        const embedded = await server.fetch(`/xrpc/${name}`, { headers: crossSite })
        // Pictures are shown by an element that sends no token: the page cannot read them.
        expect(embedded.status).toBe(nsid === 'com.core.sync.getBlob' ? 400 : 403)
      }
    },
  )

  test('describeServer and _health answer, without names', async () => {
    const described = await server.fetch('/xrpc/com.core.server.describeServer', { headers: page })
    expect(described.status).toBe(200)
    expect(described.body).not.toHaveProperty('unclaimed')
    expect((await server.fetch('/xrpc/_health', { headers: page })).body).toEqual({
      version: expect.any(String),
    })
  })

  test('a made-up token opens nothing', async () => {
    const headers = { ...page, authorization: 'Bearer made.up.token' }
    const path = '/xrpc/com.core.identity.resolveHandle?handle=alice.test'
    expect(await server.fetch(path, { headers })).toMatchObject({
      status: 400,
      body: { error: 'InvalidToken' },
    })
  })

  test('the directory paths are refused, too', async () => {
    expect(await server.fetch(`/${alice.did}`, { headers: page })).toMatchObject(refused)
    expect((await server.fetch(`/${alice.did}`)).status).toBe(200)
  })

  test('no key is reserved', async () => {
    const init = { method: 'POST', headers: { ...page, 'content-type': 'application/json' } }
    const body = JSON.stringify({ did: 'did:web:name.example' })
    const path = '/xrpc/com.core.server.reserveSigningKey'
    expect(await server.fetch(path, { ...init, body })).toMatchObject(refused)
  })
})

const paths = [
  'com.core.identity.resolveHandle?handle=alice.test',
  'com.core.repo.describeRepo?repo=alice.test',
  'com.core.repo.listRecords?repo=alice.test&collection=app.example.graph.block',
  'com.core.sync.getLatestCommit?did=DID',
]

describe.each(paths)('%s', (path) => {
  const url = () => `/xrpc/${path.replace('DID', alice.did)}`

  test('answers a page that signed in', async () => {
    for (const authorization of [`Bearer ${alice.accessJwt}`, adminAuth]) {
      expect((await server.fetch(url(), { headers: { ...page, authorization } })).status).toBe(200)
    }
  })

  test('answers programs, our own page, the app window and pages of an origin that the owner named', async () => {
    for (const headers of [{}, ...[server.url, 'app://pds', named].map((origin) => ({ origin }))]) {
      expect((await server.fetch(url(), { headers })).status).toBe(200)
    }
  })

  test.each(neighbours)('is refused to a page of %s', async (origin) => {
    expect(await server.fetch(url(), { headers: { origin } })).toMatchObject(refused)
    const headers = { origin, authorization: `Bearer ${alice.accessJwt}` }
    expect((await server.fetch(url(), { headers })).status).toBe(200)
  })

  test('is refused to images and extensions, which send no origin', async () => {
    const extension = { 'sec-fetch-site': 'none', 'sec-fetch-mode': 'cors' }
    for (const headers of [{ 'sec-fetch-site': 'same-site' }, extension]) {
      expect(await server.fetch(url(), { headers })).toMatchObject(refused)
    }
  })
})

test('an origin that the owner named may read and nothing more', async () => {
  const headers = { origin: named, 'content-type': 'application/json' }
  const post = (nsid: string, input: object) =>
    server.fetch(`/xrpc/${nsid}`, { method: 'POST', headers, body: JSON.stringify(input) })
  const account = { handle: 'mallory.test', password: 'a good password' }
  expect(await post('com.core.server.createAccount', account)).toMatchObject({
    ...{ status: 400, body: { error: 'InvalidInviteCode' } },
  })
  expect(await post('com.core.server.reserveSigningKey', { did: 'did:web:name.example' })).toMatchObject(
    refused,
  )
  expect((await server.fetch(`/${alice.did}`, { headers })).status).toBe(200)
})

test('a client on another port of this computer signs in as every client does, and then reads', async () => {
  const headers = { origin: 'http://localhost:5173', 'content-type': 'application/json' }
  const { identifier, password } = { identifier: alice.handle, password: alice.password }
  const signedIn = await server.fetch('/xrpc/com.atproto.server.createSession', {
    ...{ method: 'POST', headers, body: JSON.stringify({ identifier, password }) },
  })
  expect(signedIn.status).toBe(200)
  const authorization = `Bearer ${signedIn.body.accessJwt}`
  const path = '/xrpc/com.atproto.identity.resolveHandle?handle=alice.test'
  expect((await server.fetch(path, { headers: { ...headers, authorization } })).status).toBe(200)
})

test('events are sent to a page that signed in until its session ends', async () => {
  const url = `${server.url}/xrpc/com.atproto.sync.subscribeRepos`
  expect(await listen(url, { headers: page })).toMatchObject(refused)
  const { accessJwt, refreshJwt } = (await server.signIn(alice)).body
  const protocols = ['xrpc', `bearer.${accessJwt}`]
  const listener = await listening(url, { headers: page, protocols })
  await server.post('com.core.server.deleteSession', undefined, refreshJwt)
  expect(await listener.ended()).toMatchObject({
    ...{ code: 1008, frames: [{ payload: { error: 'ExpiredToken' } }] },
  })
})

test('a public server answers every page', async () => {
  const open = await TestServer.start()
  await open.account('alice')
  for (const path of paths.slice(0, 3)) {
    expect((await open.fetch(`/xrpc/${path}`, { headers: page })).status).toBe(200)
  }
  await open.close()
})
