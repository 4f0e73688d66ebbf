/** A reset of several servers, which read each other's event streams, and of a clock that runs. */
import { afterEach, expect, test, vi } from 'vitest'
import type { NetworkAccount } from '../../../server/testing/accounts.ts'
import { call } from '../../../server/testing/call.ts'
import { type Network, type NetworkOptions, startNetwork } from '../../../server/testing/network.ts'

let network: Network

async function start(options: NetworkOptions): Promise<void> {
  network = await startNetwork({ seed: 5, ...options })
}
afterEach(() => network.stop())

function create({ did, service, session }: NetworkAccount, collection: string, content: object) {
  const record = { $type: collection, createdAt: '2026-01-01T00:00:00.000Z', ...content }
  const input = { repo: did, collection, record }
  return call(service, 'com.atproto.repo.createRecord', { input, token: session.accessJwt })
}

async function notifications({ service, session }: NetworkAccount): Promise<string[]> {
  const answer = await call(service, 'app.bsky.notification.listNotifications', { token: session.accessJwt })
  return answer.notifications.map(({ uri }: { uri: string }) => uri)
}

/** Returns the upstreams of a server. */
async function upstreams(server: number) {
  const { url, adminPassword } = network.servers[server] ?? {}
  const authorization = `Basic ${Buffer.from(`admin:${adminPassword}`).toString('base64')}`
  const response = await fetch(`${url}/xrpc/com.core.admin.listUpstreams`, { headers: { authorization } })
  const body = (await response.json()) as { upstreams: { state: string; eventsLastHour: number }[] }
  return body.upstreams
}

test('the calls after each reset leave the same bytes on both servers, and both read each other', async () => {
  await start({ servers: 2 })
  const left = async () => {
    const alice = await network.accounts.create({ handle: 'alice' })
    const bob = await network.accounts.create({ handle: 'bob', server: 1 })
    const follows = [
      await create(alice, 'app.bsky.graph.follow', { subject: bob.did }),
      await create(bob, 'app.bsky.graph.follow', { subject: alice.did }),
    ]
    const at = network.clock.now()
    // Servers have read each other meanwhile, which changes no value that a later call draws.
    await vi.waitFor(async () => expect(await notifications(bob)).toEqual([follows[0].uri]), 10_000)
    await vi.waitFor(async () => expect(await notifications(alice)).toEqual([follows[1].uri]), 10_000)
    const { token } = await call(alice.service, 'com.atproto.server.getServiceAuth', {
      query: { aud: 'did:web:example.test', lxm: 'app.bsky.feed.getTimeline' },
      token: alice.session.accessJwt,
    })
    return { alice, bob, follows, at, token }
  }
  const first = await left()
  for (const round of [1, 2, 3]) {
    await network.reset()
    expect(await left(), String(round)).toEqual(first)
  }
})

test('no server has read events of before the reset', async () => {
  await start({ servers: 2 })
  // The servers of the second reset start during the calls after the first.
  await network.reset()
  const alice = await network.accounts.create({ handle: 'alice' })
  const bob = await network.accounts.create({ handle: 'bob', server: 1 })
  await create(bob, 'app.bsky.graph.follow', { subject: alice.did })
  for (let index = 0; index < 50; index++) await create(alice, 'app.bsky.feed.post', { text: `${index}` })
  await vi.waitFor(async () => expect((await upstreams(1))[0]?.eventsLastHour).toBeGreaterThan(50), 10_000)
  await network.reset()
  for (const server of [0, 1]) {
    await vi.waitFor(async () => expect((await upstreams(server))[0]?.state).toBe('live'), 10_000)
    expect(await upstreams(server)).toMatchObject([{ eventsLastHour: 0 }])
  }
})

test('a clock that runs begins at its first time after each reset', async () => {
  await start({ clock: 'real' })
  await network.reset()
  const begin = network.clock.now().getTime()
  for (const round of [1, 2]) {
    await network.accounts.create({ handle: 'alice' })
    await network.clock.advance('1h')
    await network.reset()
    const at = network.clock.now().getTime()
    expect(Math.abs(at - begin), String(round)).toBeLessThan(60_000)
    await vi.waitFor(() => expect(network.clock.now().getTime()).toBeGreaterThan(at))
  }
})
