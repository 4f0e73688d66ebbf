/** Mistakes of those who write tests: each has an error that says what to do. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { openControl } from '../../../server/testing/control/control.ts'
import { runDev } from '../../../server/testing/dev.ts'
import type { FaultOptions } from '../../../server/testing/door/faults.ts'
import { type Network, type NetworkOptions, startNetwork } from '../../../server/testing/network.ts'
import type { NetworkEvent } from '../../../server/testing/stream/network-event.ts'
import { outputOf } from '../../support/testing/output.ts'

let network: Network | undefined
afterEach(() => network?.stop())

async function started(options?: NetworkOptions): Promise<Network> {
  network = await startNetwork(options)
  return network
}

describe('startNetwork', () => {
  test('twice in a process', async () => {
    await started()
    await expect(startNetwork()).rejects.toThrow('A network runs in this process already')
  })

  test.each<[NetworkOptions, string]>([
    [{ servers: 0 }, 'servers must be a whole number from 1'],
    [{ servers: 1.5 }, 'servers must be a whole number from 1'],
    [{ config: { proxyPort: 0 } as object }, 'config.proxyPort has no effect: each server has one port'],
    [
      { config: { hosts: ['0.0.0.0'] } as object },
      'config.hosts has no effect: servers listen on this computer',
    ],
    [{ config: { dataDir: '/data' } as object }, 'config.dataDir has no effect: the data are in memory'],
    [{ config: { plcUrl: 'http://localhost:1' } as object }, 'config.plcUrl has no effect'],
    [
      { now: 'tomorrow' },
      'now must be a time from 1970 to 9999 such as 2026-01-01T00:00:00.000Z, not tomorrow',
    ],
    [{ now: '1800-01-01' }, 'now must be a time from 1970 to 9999'],
    [{ now: '+020000-01-01T00:00:00Z' }, 'now must be a time from 1970 to 9999'],
    [{ now: null as unknown as string }, 'now must be a time from 1970 to 9999'],
    [null as unknown as object, 'Give the options of a network as an object: seed, servers, port'],
    [{ server: 2 } as object, 'server is no member of the options of a network: seed, servers, port'],
    [{ seed: 'abc' } as object, 'seed must be a whole number from 0'],
    [{ port: '4000' } as object, 'port must be a whole number from 0'],
    [{ port: 65_535 }, 'the ports after it end at 65535'],
    [{ clock: 'fast' } as object, 'clock must be "logical" or "real"'],
    [{ world: null } as object, 'world must be a world, the path of its file'],
    [{ from: Promise.resolve() } as object, 'This is no snapshot: give what `await network.snapshot()`'],
    [{ config: null } as object, 'config must be an object'],
    [{ config: { rateLimit: true } as object }, 'config.rateLimit is no setting of a server'],
    [{ config: { upstreams: ['x'] } }, 'config.upstreams must have origins such as http://localhost:2583'],
    [
      { config: { rateLimits: 'off' } as object },
      'config.rateLimits must be of the type boolean, not string',
    ],
  ])('with %j', async (options, message) => {
    await expect(started(options)).rejects.toThrow(message)
  })
})

test('another password of the administrator is that of the servers, and loads worlds', async () => {
  const { servers, world, url } = await started({ config: { adminPassword: 'of my own' } })
  await world({ accounts: [{ name: 'mallory', state: 'takedown' }] })
  const authorization = `Basic ${Buffer.from(`admin:${servers[0]?.adminPassword}`).toString('base64')}`
  const invites = await fetch(`${url}/xrpc/com.atproto.admin.getInviteCodes`, { headers: { authorization } })
  expect([servers[0]?.adminPassword, invites.status]).toEqual(['of my own', 200])
})

async function eventsOf({ events }: Network): Promise<NetworkEvent[]> {
  const all: NetworkEvent[] = []
  for await (const event of events()) all.push(event)
  return all
}

test('calls after the stop are refused, and readers of events end', async () => {
  const stopped = await started()
  await stopped.accounts.create({ handle: 'alice' })
  const first = await stopped.snapshot()
  const reading = eventsOf(stopped)
  // A reset that has begun ends before.
  const [, ...stops] = await Promise.all([stopped.reset(), stopped.stop(), stopped.stop()])
  expect(stops).toEqual([undefined, undefined])
  expect(await reading).toEqual([])
  const refused = 'The network was stopped: start another one.'
  const { accounts, clock, mail, oauth, faults, servers } = stopped
  const calls: [string, () => Promise<unknown>][] = [
    ['reset', () => stopped.reset()],
    ['snapshot', () => stopped.snapshot()],
    ['restore', () => stopped.restore(first)],
    ['idle', () => stopped.idle()],
    ['world', () => stopped.world('friends')],
    ['accounts.create', () => accounts.create({ handle: 'bob' })],
    ['accounts.get', () => accounts.get('alice')],
    ['accounts.appPassword', () => accounts.appPassword('alice')],
    ['accounts.requireMailedCode', () => accounts.requireMailedCode('alice')],
    ['accounts.move', () => accounts.move('alice', 0)],
    ['clock.advance', () => clock.advance('1d')],
    ['clock.set', () => clock.set('2030-01-01')],
    ['mail.messages', () => mail.messages()],
    ['mail.code', () => mail.code('alice')],
    ['oauth.approve', () => oauth.approve(`${stopped.url}/oauth/authorize`, 'alice')],
    ['server.restart', async () => servers[0]?.restart()],
  ]
  for (const [name, call] of calls) await expect(call(), name).rejects.toThrow(refused)
  const immediate: [string, () => unknown][] = [
    ['accounts.list', () => accounts.list()],
    ['clock.now', () => clock.now()],
    ['faults.add', () => faults.add({ status: 500 })],
    ['faults.list', () => faults.list()],
    ['faults.clear', () => faults.clear()],
    ['requests', () => stopped.requests()],
    ['onRequest', () => stopped.onRequest(() => {})],
    ['events', () => stopped.events()],
    ['server.pause', () => servers[0]?.pause()],
    ['server.resume', () => servers[0]?.resume()],
    ['server.kill', () => servers[0]?.kill()],
  ]
  for (const [name, call] of immediate) expect(call, name).toThrow(refused)
})

test('accounts of a server that was killed', async () => {
  const { accounts, servers } = await started({ servers: 2 })
  const { did } = await accounts.create({ handle: 'alice' })
  servers[0]?.kill()
  const reason = 'Server 1 of the network does not run: start it again by servers[0].restart().'
  await expect(accounts.create({ handle: 'bob' })).rejects.toThrow(reason)
  for (const call of [accounts.get('alice'), accounts.get(did), accounts.appPassword('alice')])
    await expect(call).rejects.toThrow(/^No server that runs has the account .*\. Server 1 of the network/)
  await accounts.create({ handle: 'carol', server: 1 })
  await servers[0]?.restart()
  expect((await accounts.get('alice')).did).toBe(did)
  await expect(accounts.get('dora')).rejects.toThrow('The network has no account dora.')
})

test('an account that has moved to a server that was killed', async () => {
  const { accounts, servers } = await started({ servers: 2 })
  await accounts.create({ handle: 'alice' })
  await accounts.move('alice', 1)
  servers[1]?.kill()
  await expect(accounts.get('alice.test')).rejects.toThrow('Server 2 of the network does not run')
})

test('a snapshot of another network', async () => {
  const one = await started()
  const snapshot = await one.snapshot()
  await one.stop()
  const other = await started()
  await expect(other.restore(snapshot)).rejects.toThrow('The snapshot is of another network')
})

test('a snapshot that was not waited for leaves the network as it is', async () => {
  const { accounts, restore, snapshot } = await started()
  const { did } = await accounts.create({ handle: 'alice' })
  for (const wrong of [snapshot(), undefined, {}])
    await expect(restore(wrong as never)).rejects.toThrow('This is no snapshot: give what `await')
  expect((await accounts.get('alice')).did).toBe(did)
})

test('a snapshot of more servers than `servers`', async () => {
  const one = await started({ servers: 2 })
  const from = await one.snapshot()
  await one.stop()
  await expect(startNetwork({ from })).rejects.toThrow(
    'The snapshot has 2 servers: give as many by `servers`.',
  )
})

test('names of accounts', async () => {
  const { accounts, oauth, url } = await started()
  const named = 'An account must be named by its handle or DID, such as "alice".'
  const calls: [() => Promise<unknown>, string][] = [
    [() => accounts.create('alice' as never), 'Give a new account as an object: handle, password'],
    [() => accounts.create({ name: 'alice' } as never), 'name is no member of a new account: handle'],
    [() => accounts.create({} as never), named],
    [
      () => accounts.create({ handle: 'alice', server: '0' } as never),
      'The network has no server "0", only 1.',
    ],
    [() => accounts.create({ handle: '@alice' }), '"@alice" is no handle: letters, digits,'],
    [() => accounts.create({ handle: 'älice' }), '"älice" is no handle: letters, digits,'],
    [() => accounts.get(undefined as never), named],
    [() => accounts.get({ handle: 'alice' } as never), named],
    [() => oauth.approve(`${url}/#/authorize/x`, undefined as never), named],
  ]
  for (const [call, message] of calls) await expect(call()).rejects.toThrow(message)
  const { did } = await accounts.create({ handle: 'Alice' })
  expect((await accounts.get('ALICE.test')).did).toBe(did)
})

test('a request for OAuth to a server that was killed', async () => {
  const { oauth, servers, url } = await started()
  servers[0]?.kill()
  const approved = oauth.approve(`${url}/oauth/authorize?x`, 'alice')
  await expect(approved).rejects.toThrow('does not answer. It may have been killed.')
})

test('faults without an effect', async () => {
  const { faults } = await started()
  const wrong: [object, string][] = [
    [{}, 'Give at least one of status, error, drop and latencyMs'],
    [{ nsid: 'com.atproto.repo.createRecord', times: 2 }, 'Give at least one of'],
    [{ status: 200 }, 'status must be from 400 to 599'],
    [{ status: '429' }, 'status must be from 400 to 599'],
    [{ drop: 'later' }, 'drop must be "before" or "after"'],
    [{ status: 500, every: 0 }, 'every must be at least 1'],
    [{ status: 500, times: 0.5 }, 'times must be at least 1'],
    [{ latencyMs: -1 }, 'latencyMs must be at least 0'],
    [{ latencyMs: Number.POSITIVE_INFINITY }, 'latencyMs must be at least 0 and at most 600000'],
    [{ latencyMs: '300' }, 'latencyMs must be at least 0'],
    ['ExpiredToken' as unknown as object, 'Give a fault as an object: nsid, account'],
    [{ stauts: 500, error: 'ExpiredToken' }, 'stauts is no member of a fault: nsid, account'],
    [{ nsid: '*.createRecord', status: 500 }, 'nsid may have one * at its end'],
    [{ status: 429, retryAfter: 'soon' }, 'retryAfter must be at least 0'],
  ]
  for (const [fault, message] of wrong) expect(() => faults.add(fault as FaultOptions)).toThrow(message)
  expect(faults.list()).toEqual([])
})

test('filters of requests without a meaning', async () => {
  const { requests, onRequest } = await started()
  expect(() => requests({ method: 'x' } as object)).toThrow('method is no member of a filter of requests')
  expect(() => requests({ account: 'dora' })).toThrow('The network has no account dora.')
  expect(() => onRequest(undefined as never)).toThrow('An observer of requests must be a function.')
})

test('a clock gets no duration', async () => {
  const { clock } = await started()
  const advanced = clock.advance('3 days' as '3d')
  await expect(advanced).rejects.toThrow('3 days is no duration')
})

test('/dev of a network that starts is not missing', async () => {
  const directory = { handle: async () => false }
  const control = await openControl({
    port: 0,
    directory,
    stream: { handle: () => false },
    isPast: () => false,
  })
  const status = async () => (await fetch(`${control.url}/dev/clock`)).status
  expect(await status()).toBe(503)
  control.use(() => false)
  expect(await status()).toBe(404)
  await control.close()
})

describe('desktop-pds dev', () => {
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'pds-mistakes-'))
  })
  afterAll(() => rm(folder, { recursive: true }))

  const run = (...args: string[]) => outputOf(() => runDev(['--port', '0', ...args]))

  test.each<[object, string]>([
    [{ name: 'alice', password: 'short' }, 'A password needs at least 8 characters'],
    [{ name: 'alice', server: 1 }, 'the network has no server 1, only 1'],
    [{ name: 'alice', profile: { avatar: { path: 'none.png' } } }, 'none.png'],
  ])('a world that a server refuses: %j', async (account, message) => {
    const file = join(folder, 'world.json')
    await writeFile(file, JSON.stringify({ accounts: [account] }))
    const { code, text } = await run('--world', file)
    expect(text).toContain(message)
    expect(text).toContain(`${file}:1: accounts[0]`)
    expect(text.trimEnd().split('\n')).toHaveLength(1)
    expect(code).toBe(2)
  })

  test('a folder in the place of a world', async () => {
    expect(await run('--world', folder)).toEqual({
      code: 2,
      text: expect.stringMatching(/^The world cannot be read: .* EISDIR.*\n$/),
    })
  })

  test('arguments, in a line each', async () => {
    const see = 'See desktop-pds dev --help.\n'
    expect((await run('--prot', '1')).text).toBe(`Unknown option '--prot'. ${see}`)
    const now = '--now must be a time from 1970 to 9999 such as 2026-01-01T12:00:00Z.\n'
    for (const wrong of ['yesterday', '1800-01-01', '20000-01-01'])
      expect((await run('--now', wrong)).text).toBe(now)
    expect((await run('--seed', '-1')).text).toBe(`Option '--seed' argument is ambiguous. ${see}`)
  })
})
