/** What a reset, a restore and a kill leave of the calls before them: nothing. */
import { once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { WebSocket } from 'ws'
import { headersOfNetwork } from '../../../server/platform/network/names.ts'
import type { NetworkAccount } from '../../../server/testing/accounts.ts'
import { call } from '../../../server/testing/call.ts'
import { type Network, startNetwork } from '../../../server/testing/network.ts'

const collection = 'app.bsky.feed.post'

let network: Network

beforeEach(async () => {
  network = await startNetwork({ seed: 5 })
})
afterEach(() => network.stop())

/** As an app does: calls of the network itself have no faults. */
async function post({ did, session }: NetworkAccount, text: string): Promise<{ uri: string }> {
  const record = { $type: collection, text, createdAt: '2026-01-01T00:00:00.000Z' }
  const input = { repo: did, collection, record }
  const response = await fetch(`${network.url}/xrpc/com.atproto.repo.createRecord`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${session.accessJwt}` },
    body: JSON.stringify(input),
  })
  return response.json() as Promise<{ uri: string }>
}

async function posts({ did }: NetworkAccount): Promise<unknown[]> {
  const query = { repo: did, collection }
  return (await call(network.url, 'com.atproto.repo.listRecords', { query })).records
}

test('the calls after a reset leave the bytes that they left after the start', async () => {
  const left = async () => {
    const alice = await network.accounts.create({ handle: 'alice' })
    const password = await network.accounts.appPassword('alice')
    return { did: alice.did, password, post: await post(alice, 'hello'), at: network.clock.now() }
  }
  const first = await left()
  await network.reset()
  expect(await left()).toEqual(first)
  await network.reset()
  expect(await left()).toEqual(first)
})

test('a snapshot after a reset or a restore has no password of an account before it', async () => {
  const passwords = async () => [...(await network.snapshot()).accounts.passwords.values()]
  await network.accounts.create({ handle: 'alice' })
  const first = await network.snapshot()
  await network.accounts.create({ handle: 'bob' })
  expect(await passwords()).toEqual(['alice-password', 'bob-password'])
  await network.restore(first)
  expect(await passwords()).toEqual(['alice-password'])
  await network.reset()
  expect(await passwords()).toEqual([])
})

test('a restore ends the calls that wait: they change nothing and are in no list', async () => {
  const alice = await network.accounts.create({ handle: 'alice' })
  const before = await network.snapshot()
  const at = network.clock.now()
  for (const hold of [() => network.servers[0]?.pause(), () => network.faults.add({ latencyMs: 500 })]) {
    hold()
    const failed = post(alice, 'before').catch((error: unknown) => error)
    await wait(200)
    await network.restore(before)
    expect(await failed).toMatchObject({ message: 'fetch failed' })
    await wait(500)
    expect(network.requests()).toEqual([])
    expect(network.clock.now()).toEqual(at)
    expect(await posts(alice)).toEqual([])
  }
})

test('a restore ends the calls of the network that are under way: none of them changes the state after it', async () => {
  const state = async () => ({
    at: network.clock.now(),
    accounts: network.accounts.list(),
    operations: await (await fetch(`${network.plc.url}/export`)).text(),
  })
  const first = await network.snapshot()
  const begin = await state()
  const calls: (() => Promise<unknown>)[] = [
    () => network.accounts.create({ handle: 'carol' }),
    () => network.accounts.get('alice'),
    () => network.world('friends'),
    () => network.clock.advance('1d'),
  ]
  for (const start of calls) {
    await network.accounts.create({ handle: 'alice' })
    const ended = Promise.allSettled([start(), start()])
    await network.restore(first)
    expect(await ended, String(start)).toMatchObject(Array(2).fill({ reason: { name: 'NetworkRestored' } }))
    expect(await state()).toEqual(begin)
  }
})

test('a request that a server has sent before a restore is refused after it', async () => {
  const first = await network.snapshot()
  const sent = headersOfNetwork()
  const urls = [`${network.url}/xrpc/com.atproto.server.describeServer`, `${network.plc.url}/export`]
  for (const url of urls) expect((await fetch(url, { headers: sent })).status).toBe(200)
  await network.restore(first)
  for (const url of urls) {
    await expect(fetch(url, { headers: sent })).rejects.toThrow('fetch failed')
    expect((await fetch(url, { headers: headersOfNetwork() })).status).toBe(200)
  }
})

test('a restore ends the timers of calls that a fault delays', async () => {
  const first = await network.snapshot()
  const count = 20
  const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
  const before = timers()
  network.faults.add({ latencyMs: 600_000 })
  const url = `${network.url}/xrpc/com.atproto.server.describeServer`
  const failed = Promise.allSettled(Array.from({ length: count }, () => fetch(url)))
  await vi.waitFor(() => expect(timers()).toBeGreaterThanOrEqual(before + count), 10_000)
  await network.restore(first)
  expect(await failed).toMatchObject(Array(count).fill({ status: 'rejected' }))
  await vi.waitFor(() => expect(timers()).toBeLessThan(before + count), 10_000)
})

test('a call that waited at a kill is not made by the next process', async () => {
  const alice = await network.accounts.create({ handle: 'alice' })
  const [server] = network.servers
  server?.pause()
  const failed = post(alice, 'before').catch((error: unknown) => error)
  await wait(200)
  server?.kill()
  expect(await failed).toMatchObject({ message: 'fetch failed' })
  await server?.restart()
  server?.resume()
  await wait(100)
  expect(await posts(alice)).toEqual([])
})

test('a server that is paused refuses connections after a kill, and answers after a restart', async () => {
  const [server] = network.servers
  const url = `${network.url}/xrpc/com.atproto.server.describeServer`
  server?.pause()
  server?.kill()
  await expect(fetch(url)).rejects.toThrow('fetch failed')
  expect(() => server?.pause()).toThrow('Server 1 of the network does not run')
  await server?.restart()
  server?.pause()
  await server?.restart()
  expect([server?.isPaused, (await fetch(url)).status]).toEqual([false, 200])
})

test('a pause lets the calls of the network itself through', async () => {
  network.servers[0]?.pause()
  const { did } = await network.accounts.create({ handle: 'alice' })
  expect((await network.accounts.get('alice')).did).toBe(did)
  network.servers[0]?.resume()
})

test('a kill cuts the event streams of the server, without a close frame', async () => {
  const [server] = network.servers
  const url = `${network.url.replace('http', 'ws')}/xrpc/com.atproto.sync.subscribeRepos`
  const consumer = new WebSocket(url)
  await once(consumer, 'open')
  server?.kill()
  const [code] = await once(consumer, 'close')
  expect(code).toBe(1006)
  await server?.restart()
})

test('restarts and resets at the same time follow each other, and a kill ends a start', async () => {
  const [server] = network.servers
  await Promise.all([server?.restart(), network.reset(), server?.restart(), server?.restart()])
  const restart = server?.restart().catch(() => {})
  await wait(1)
  server?.kill()
  await restart
  expect(server?.isRunning).toBe(false)
  await server?.restart()
  expect((await network.accounts.create({ handle: 'alice' })).handle).toBe('alice.test')
})

test('a network that was stopped refuses to start again', async () => {
  await network.stop()
  for (const work of [network.reset(), network.snapshot(), network.servers[0]?.restart()])
    await expect(work).rejects.toThrow('was stopped')
})

test('the clock: moves at the same time follow each other, and end with the year 9999', async () => {
  const { clock } = network
  const next = '2026-01-02T00:00:00.000Z'
  await Promise.all([clock.set(next), clock.set(next)])
  expect(clock.now().toISOString()).toBe(next)
  const earlier = await Promise.allSettled([clock.advance('1h'), clock.set(next)])
  expect(earlier).toMatchObject([{ status: 'fulfilled' }, { reason: { name: 'RangeError' } }])
  await expect(clock.advance(-1)).rejects.toThrow('forwards only')
  await expect(clock.advance('9999y')).rejects.toThrow('The clock ends')
  await expect(clock.set('+012026-01-01T00:00:00Z')).rejects.toThrow('The clock ends')
})
