/** A network for tests that begins with a world. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { call } from '../../../server/testing/call.ts'
import { type Network, type NetworkOptions, startNetwork } from '../../../server/testing/network.ts'
import type { NetworkEvent } from '../../../server/testing/stream/network-event.ts'
import { friends, type World, WorldError } from '../../../server/testing/worlds/worlds.ts'

let folder: string
let network: Network | undefined

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pds-world-'))
})
afterEach(async () => {
  await network?.stop()
  network = undefined
})
afterAll(() => rm(folder, { recursive: true }))

async function start(options: NetworkOptions): Promise<Network> {
  network = await startNetwork(options)
  return network
}

async function eventsOf({ events }: Network): Promise<NetworkEvent[]> {
  const found: NetworkEvent[] = []
  for await (const event of events({ follow: false })) found.push(event)
  return found
}

const now = '2026-05-01T12:00:00.000Z'
const day = 86_400_000

/** Where each account reads its timeline. */
async function timelineOf(network: Network, name: string): Promise<string[]> {
  const { service, session } = await network.accounts.get(name)
  const { feed } = await call(service, 'app.bsky.feed.getTimeline', { token: session.accessJwt })
  return feed.map(({ post }: { post: { record: { text: string } } }) => post.record.text)
}

test('the world ends at the present, and its events have its times', async () => {
  const { clock, ...rest } = await start({ world: 'friends', now })
  // Sessions of its accounts are refreshed at its end, each by a call.
  expect(clock.now().getTime() - Date.parse(now)).toSatisfy((ms: number) => ms >= 0 && ms < 100)
  const events = await eventsOf({ clock, ...rest })
  const times = events.map(({ time_us: time }) => (time / 1000 - Date.parse(now)) / day)
  expect(Math.round(times[0] ?? 0)).toBe(-3)
  expect(times.at(-1)).toBeLessThan(0)
  expect(times.at(-1)).toBeGreaterThan(-1 / 12)
  expect(rest.accounts.list().map(({ handle }) => handle)).toEqual(['alice.test', 'bob.test', 'carol.test'])
})

test('the same world and seed give the same events; a reset returns to the world', async () => {
  const first = await start({ world: friends, seed: 4, now })
  const events = await eventsOf(first)
  const timeline = await timelineOf(first, 'alice')
  expect(timeline[0]).toBe('Tea before ten, coffee after.')
  await first.reset()
  const begin = first.clock.now()
  await first.accounts.create({ handle: 'dora' })
  await first.clock.advance('3d')
  await first.reset()
  expect(first.clock.now()).toEqual(begin)
  expect(first.accounts.list()).toHaveLength(3)
  expect(await eventsOf(first)).toEqual(events)
  expect(await timelineOf(first, 'alice')).toEqual(timeline)
  await first.stop()
  expect(await eventsOf(await start({ world: friends, seed: 4, now }))).toEqual(events)
})

test('a file is read, and its accounts can be on several servers', async () => {
  const file = join(folder, 'two.json')
  const world: World = {
    accounts: [{ name: 'alice' }, { name: 'bob', server: 1, emailConfirmed: true }],
    posts: [{ id: 'hello', by: 'bob', at: '-1h', text: 'Hello from the second server' }],
  }
  await writeFile(file, JSON.stringify(world))
  const { accounts, servers } = await start({ world: file, servers: 2, now })
  const bob = await accounts.get('bob')
  expect([bob.handle, bob.service]).toEqual(['bob.two.test', servers[1]?.url])
  const { emailConfirmed } = await call(bob.service, 'com.atproto.server.getSession', {
    token: bob.session.accessJwt,
  })
  expect(emailConfirmed).toBe(true)
})

test('a world that is loaded later keeps its times in records alone', async () => {
  const later = await start({ now })
  const { records, accounts } = await later.world('friends')
  expect(records).toBeGreaterThan(20)
  expect(later.clock.now().getTime() - Date.parse(now)).toBeLessThan(10_000)
  const [event] = await eventsOf(later)
  expect((event?.time_us ?? 0) / 1000).toBeGreaterThanOrEqual(Date.parse(now))
  expect((await later.accounts.get('carol')).did).toBe(accounts.carol?.did)
  await expect(later.world({ accounts: [{ name: 'Dora' }] } as World)).rejects.toThrow(WorldError)
})

test('a world with errors is refused before a server starts', async () => {
  const file = join(folder, 'wrong.json')
  await writeFile(file, '{ "accounts": [],\n"post": [] }')
  await expect(startNetwork({ world: file })).rejects.toThrow(`${file}:2: post: there is no such member`)
  for (const world of [join(folder, 'none.json'), 'Sample'])
    await expect(startNetwork({ world })).rejects.toThrow(
      'The world cannot be read: give "sample", "friends" or the path of a file. ENOENT',
    )
  // Nothing of it is left: another one starts.
  await start({})
})
