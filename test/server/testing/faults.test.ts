/** Faults of a network for tests, as pages of another origin meet them. */
import { once } from 'node:events'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { type Network, startNetwork } from '../../../server/testing/network.ts'

let network: Network

beforeAll(async () => {
  network = await startNetwork()
})
beforeEach(() => network.reset())
afterAll(() => network.stop())

const origin = 'http://localhost:5173'
const describeServer = '/xrpc/com.atproto.server.describeServer'

test('a fault leaves the preflight of a call alone and counts the call', async () => {
  const fault = network.faults.add({ nsid: 'com.atproto.*', status: 503 })
  const headers = {
    origin,
    'access-control-request-method': 'GET',
    'access-control-request-headers': 'authorization',
  }
  const preflight = await fetch(network.url + describeServer, { method: 'OPTIONS', headers })
  expect([preflight.status, preflight.headers.get('access-control-allow-headers')]).toEqual([
    204,
    'authorization',
  ])
  const call = await fetch(network.url + describeServer, { headers: { origin } })
  expect(call.status).toBe(503)
  expect(network.faults.list()).toMatchObject([{ id: fault.id, count: 1 }])
})

test('calls of the network itself have no faults, use none up, and are not among its requests', async () => {
  const fault = network.faults.add({ error: 'ExpiredToken', times: 1 })
  const alice = await network.accounts.create({ handle: 'alice' })
  await network.accounts.appPassword('alice')
  await network.accounts.requireMailedCode('alice')
  await network.world({ accounts: [{ name: 'bob', state: 'takedown' }] })
  expect(network.requests()).toEqual([])
  const headers = { authorization: `Bearer ${alice.session.accessJwt}` }
  const session = await fetch(`${network.url}/xrpc/com.atproto.server.getSession`, { headers })
  expect(await session.json()).toMatchObject({ error: 'ExpiredToken' })
  expect(network.faults.list()).toMatchObject([{ id: fault.id, count: 1 }])
  expect(network.requests()).toMatchObject([{ account: alice.did, isFault: true }])
})

test('calls of the network itself are none of the `fetch` that a test replaces', async () => {
  const replaced = vi.spyOn(globalThis, 'fetch').mockRejectedValue(new Error('replaced'))
  const alice = await network.accounts.create({ handle: 'alice' })
  expect(await network.accounts.get('alice')).toMatchObject({ did: alice.did })
  expect(replaced).not.toHaveBeenCalled()
  replaced.mockRestore()
})

test('pages can read the Retry-After of a fault', async () => {
  network.faults.add({ status: 429, retryAfter: 30 })
  const { headers } = await fetch(network.url + describeServer, { headers: { origin } })
  expect(headers.get('retry-after')).toBe('30')
  expect(headers.get('access-control-allow-origin')).toBe('*')
  expect(headers.get('access-control-expose-headers')).toContain('Retry-After')
})

test('observers of requests get each one once, after its answer, until they end', async () => {
  const seen: string[] = []
  const end = network.onRequest(({ verb, path, status }) => seen.push(`${status} ${verb} ${path}`))
  await (await fetch(network.url + describeServer)).text()
  await expect.poll(() => seen).toEqual([`200 GET ${describeServer}`])
  end()
  await (await fetch(network.url + describeServer)).text()
  await expect.poll(() => network.requests()).toHaveLength(2)
  expect(seen).toHaveLength(1)
})

test('an observer that throws leaves the network as it is, and its error is reported', async () => {
  const others = process.rawListeners('unhandledRejection')
  process.removeAllListeners('unhandledRejection')
  const reported = once(process, 'unhandledRejection')
  const end = network.onRequest(() => {
    throw new Error('of the test')
  })
  network.faults.add({ latencyMs: 60_000 })
  const waiting = fetch(network.url + describeServer).catch(() => 'cut')
  await expect.poll(() => network.faults.list()).toMatchObject([{ count: 1 }])
  // Ends the request that waits.
  await network.reset()
  expect(await waiting).toBe('cut')
  const [error] = await reported
  end()
  for (const other of others) process.on('unhandledRejection', other as () => void)
  expect(error).toMatchObject({ message: 'of the test' })
  expect((await fetch(network.url + describeServer)).status).toBe(200)
})

test('a handle filters the requests as the DID does', async () => {
  const alice = await network.accounts.create({ handle: 'alice' })
  const headers = { authorization: `Bearer ${alice.session.accessJwt}` }
  await (await fetch(`${network.url}/xrpc/com.atproto.server.getSession`, { headers })).text()
  await (await fetch(network.url + describeServer)).text()
  await expect.poll(() => network.requests()).toHaveLength(2)
  for (const account of ['alice', 'alice.test', alice.did])
    expect(network.requests({ account })).toMatchObject([{ account: alice.did }])
})

test('no end of an idle connection is announced or made', async () => {
  for (const url of [network.url + describeServer, `${network.devUrl}/dev/clock`]) {
    const { status, headers } = await fetch(url)
    expect([status, headers.get('keep-alive')], url).toEqual([200, null])
  }
})
