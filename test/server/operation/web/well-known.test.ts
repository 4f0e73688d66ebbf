/** `/.well-known/`: the DID document of the server, and the DID of a handle. */
import { expect, test } from 'vitest'
import { exchange } from '../../../support/server/raw-http.ts'
import { adminAuth, TestServer } from '../../../support/server/server.ts'
import { owner as alice, server, setupServer } from '../../../support/server/setup.ts'

setupServer({
  config: { hostnames: ['my-box.local'], userDomains: ['.test', '.home.example'] },
  accounts: ['alice'],
})

const ask = (host: string, path: string, verb = 'GET') =>
  exchange(server.running.port, `${verb} ${path} HTTP/1.1\r\nHost: ${host}\r\n\r\n`)
const didOf = (host: string) => ask(host, '/.well-known/atproto-did')
const noSuchHandle = { status: 404, body: { error: 'HandleNotFound', message: expect.any(String) } }
const forbidden = { status: 403, body: { error: 'Forbidden' } }

test('did.json names the did:web of the server and its address', async () => {
  const { body: described } = await server.get('com.core.server.describeServer')
  const answer = await server.fetch('/.well-known/did.json')
  expect(answer).toMatchObject({ status: 200 })
  expect(answer.headers.get('content-type')).toMatch(/^application\/json/)
  expect(answer.headers.get('access-control-allow-origin')).toBe('*')
  expect(answer.body).toEqual({
    '@context': ['https://www.w3.org/ns/did/v1'],
    id: described.did,
    service: [{ id: '#atproto_pds', type: 'AtprotoPersonalDataServer', serviceEndpoint: 'https://pds.test' }],
  })
  expect(described.did).toBe('did:web:pds.test')
})

test('atproto-did returns the DID of the handle in Host as plain text', async () => {
  const answer = await didOf('alice.test')
  expect(answer).toMatchObject({ status: 200, text: alice.did })
  expect(answer.headers['content-type']).toBe('text/plain; charset=utf-8')
  expect(answer.headers['access-control-allow-origin']).toBe('*')
})

test.each(['ALICE.Test', 'alice.test:2583', 'alice.test.'])(
  'Host %s names the handle alice.test',
  async (host) => {
    expect(await didOf(host)).toMatchObject({ status: 200, text: alice.did })
  },
)

test('the host of a target in absolute form takes precedence over Host', async () => {
  const request = 'GET http://alice.test/.well-known/atproto-did HTTP/1.1\r\nHost: localhost\r\n\r\n'
  expect(await exchange(server.running.port, request)).toMatchObject({ status: 200, text: alice.did })
})

test.each(['unknown.test', 'unknown.home.example', 'localhost', '127.0.0.1', 'my-box.local', 'pds.test'])(
  'Host %s fails with HandleNotFound',
  async (host) => {
    expect(await didOf(host)).toMatchObject(noSuchHandle)
  },
)

test.each(['evil.example', 'alice.test.evil.example', 'home.example', 'test'])(
  'Host %s, which is neither a name nor a handle domain of this server, is refused',
  async (host) => {
    expect(await didOf(host)).toMatchObject(forbidden)
  },
)

test.each([
  '/.well-known/did.json',
  '/.well-known/atproto-did/',
  '/.well-known/../.well-known/atproto-did',
  '//.well-known/atproto-did',
  '/xrpc/com.core.server.describeServer',
  '/xrpc/_health',
  '/',
])('a handle as Host is refused for every other path: %s', async (path) => {
  expect(await ask('alice.test', path)).toMatchObject(forbidden)
})

test('only GET and HEAD are accepted', async () => {
  expect(await ask('alice.test', '/.well-known/atproto-did', 'POST')).toMatchObject({ status: 404 })
  expect(await ask('localhost', '/.well-known/did.json', 'DELETE')).toMatchObject({ status: 404 })
  expect(await ask('localhost', '/.well-known/anything-else')).toMatchObject({ status: 404 })
})

test('an inactive account is not found until it is active again', async () => {
  const bob = await server.account('bob')
  const subject = { $type: 'com.core.admin.defs#repoRef', did: bob.did }
  const setTakedown = (applied: boolean) =>
    server.post('com.core.admin.updateSubjectStatus', { subject, takedown: { applied } }, adminAuth)
  await setTakedown(true)
  expect(await didOf('bob.test')).toMatchObject(noSuchHandle)
  await setTakedown(false)
  expect(await didOf('bob.test')).toMatchObject({ status: 200, text: bob.did })
})

test('a handle under a domain that is no longer offered is still found', async () => {
  const before = await TestServer.start({ userDomains: ['.old.example'] })
  const carol = await before.account('carol', { handle: 'carol.old.example' })
  Object.assign(before.config, { userDomains: ['.new.example'] })
  await before.restart()
  const asked = (host: string) =>
    exchange(before.running.port, `GET /.well-known/atproto-did HTTP/1.1\r\nHost: ${host}\r\n\r\n`)
  expect(await asked('carol.old.example')).toMatchObject({ status: 200, text: carol.did })
  expect(await asked('dave.old.example')).toMatchObject(forbidden)
  await before.close()
})

test('resolveHandle returns the DID of a handle, case-insensitively', async () => {
  for (const handle of [alice.handle, alice.handle.toUpperCase()]) {
    const { body } = await server.get('com.core.identity.resolveHandle', { handle })
    expect(body).toEqual({ did: alice.did })
  }
})
