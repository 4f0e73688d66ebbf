/** The doctor: each fault of an address, a proxy or a directory is found and named, through a real proxy with TLS. */
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { PlcDirectory } from '../../../support/accounts/plc.ts'
import { certificates, trustTestAuthority } from '../../../support/network/certificates.ts'
import { resolveNames, restoreNames } from '../../../support/network/names.ts'
import { type ProxyFaults, ReverseProxy } from '../../../support/network/proxy.ts'
import { day } from '../../../support/server/clock.ts'
import { type Account, adminAuth, refusal, TestServer } from '../../../support/server/server.ts'
import { server, setupServer } from '../../../support/server/setup.ts'
import { json, StubService } from '../../../support/services/stub-service.ts'

const host = 'pds.example.com'
let proxy: ReverseProxy
let directory: PlcDirectory
let relay: StubService
let alice: Account

const names = { [host]: ['127.0.0.1'], [`alice.${host}`]: ['127.0.0.1'] }

beforeAll(async () => {
  trustTestAuthority()
  resolveNames(names)
  proxy = await ReverseProxy.start()
  directory = await PlcDirectory.start()
  relay = await StubService.start()
})
afterAll(async () => {
  restoreNames()
  trustTestAuthority(false)
  await proxy.close()
  await directory.close()
  await relay.close()
})
setupServer({
  config: () => ({
    publicUrl: `https://${host}:${proxy.port}`,
    proxyPort: 0,
    userDomains: [`.${host}`, '.test'],
    plcUrl: directory.url,
    relays: [relay.url],
    hosts: ['127.0.0.1'],
  }),
})
beforeAll(async () => {
  proxy.upstreamPort = Number(new URL(server.proxyUrl).port)
  alice = await server.account('alice', { handle: `alice.${host}` })
})
beforeEach(() => resolveNames(names))
afterEach(() => {
  proxy.faults = {}
  proxy.present(certificates.valid)
})

interface Check {
  readonly name: string
  readonly state: string
  readonly message: string
  readonly remedy?: string
  readonly subject?: string
}

async function check(on = server): Promise<Record<string, Check>> {
  const { status, body } = await on.post('com.core.admin.checkNetwork', undefined, adminAuth)
  expect(status).toBe(200)
  return Object.fromEntries(body.checks.map((one: Check) => [one.name, one]))
}

const states = (checks: Record<string, Check>) =>
  Object.fromEntries(Object.entries(checks).map(([name, { state }]) => [name, state]))

const askRelays = () => server.post('com.core.admin.requestCrawls', undefined, adminAuth)

test('a good proxy passes every check', async () => {
  await askRelays()
  const checks = await check()
  expect(states(checks)).toEqual({
    // The proxy of a test cannot have port 443, and its name leads to this machine.
    publicUrl: 'warning',
    dns: 'warning',
    tls: 'ok',
    server: 'ok',
    clientAddress: 'ok',
    uploads: 'ok',
    webSocket: 'ok',
    handles: 'ok',
    directory: 'ok',
    relays: 'ok',
    // Tests let everyone sign up.
    signUp: 'warning',
  })
  expect(checks.dns).toMatchObject({ remedy: 'setDns', subject: host })
  expect(checks.tls?.message).toContain('Test Authority')
  expect(checks.clientAddress?.message).toContain('198.51.100.7')
})

test('only admins may check, and probes of others are refused', async () => {
  const bob = await server.account('bob')
  expect(await server.post('com.core.admin.checkNetwork', undefined, bob)).toMatchObject(
    refusal(403, 'Forbidden'),
  )
  await server.post('com.core.admin.deleteAccount', { did: bob.did }, adminAuth)
  const probe = await server.fetch('/xrpc/com.core.server.receiveProbe?nonce=guessed', {
    method: 'POST',
    headers: { 'content-type': 'text/plain' },
    body: 'x',
  })
  expect(probe).toMatchObject(refusal(400, 'ProbeNotFound'))
})

describe('the address', () => {
  test('a name without a DNS record fails, and what depends on it is not checked', async () => {
    resolveNames({})
    const checks = await check()
    expect(checks.dns).toMatchObject({ state: 'failed', remedy: 'setDns', subject: host })
    const { tls, server: reached, uploads, handles } = states(checks)
    expect([tls, reached, uploads, handles]).toEqual(Array(4).fill('unknown'))
    expect(checks.directory?.state).toBe('ok')
  })

  test.each([
    ['expired', 'has expired'],
    ['other', 'another name'],
  ] as const)('a certificate that is wrong (%s) fails', async (name, message) => {
    proxy.present(certificates[name])
    const { tls, server: reached } = await check()
    expect(tls).toMatchObject({ state: 'failed', remedy: 'setTls', subject: host })
    expect(tls?.message).toContain(message)
    expect(reached?.state).toBe('unknown')
  })

  test('a certificate of an unknown authority fails', async () => {
    trustTestAuthority(false)
    const { tls } = await check()
    trustTestAuthority()
    expect(tls).toMatchObject({ state: 'failed', remedy: 'setTls' })
    expect(tls?.message).toContain('authority')
  })

  test('a certificate that ends soon and was not renewed is a warning', async () => {
    const later = await TestServer.start({ publicUrl: server.config.publicUrl })
    const ends = Date.parse('2120-01-01T00:00:00Z')
    later.clock.advance(ends - 3 * day - later.clock.now().getTime())
    const { tls } = await check(later)
    await later.close()
    expect(tls).toMatchObject({ state: 'warning', remedy: 'setTls' })
    expect(tls?.message).toContain('2120-01-01')
  })

  test('an address that cannot be reached from here is unknown, not wrong', async () => {
    const closed = await ReverseProxy.start()
    const { port } = closed
    await closed.close()
    const alone = await TestServer.start({ publicUrl: `https://${host}:${port}` })
    const { tls } = await check(alone)
    await alone.close()
    expect(tls?.state).toBe('unknown')
    expect(tls?.message).toContain('router')
  })

  test('no public address, one without TLS, and one of no public name fail', async () => {
    const local = await TestServer.start({ publicUrl: undefined })
    expect(await check(local)).toEqual({
      publicUrl: expect.objectContaining({ state: 'failed', remedy: 'setPublicUrl' }),
    })
    await local.close()
    for (const publicUrl of [
      'https://pds.test',
      'https://pds',
      'https://192.0.2.1',
      'https://[2001:db8::1]',
    ]) {
      const unnamed = await TestServer.start({ publicUrl })
      const found = await check(unnamed)
      await unnamed.close()
      expect(found.publicUrl).toMatchObject({ state: 'failed', remedy: 'setPublicUrl' })
      expect(found.dns?.state).toBe('unknown')
    }
    const plain = await TestServer.start({ publicUrl: `http://${host}` })
    const checks = await check(plain)
    await plain.close()
    expect(checks.publicUrl).toMatchObject({ state: 'failed', remedy: 'setPublicUrl' })
    expect(checks.dns?.state).toBe('unknown')
    expect(checks.directory).toMatchObject({ state: 'warning', remedy: 'setDirectory' })
  })
})

describe('the proxy', () => {
  test.each<[string, ProxyFaults, string, string]>([
    ['does not reach the server', { status: 502 }, 'setUpstream', 'answers 502'],
    ['changes Host', { host: 'upstream.internal' }, 'passHost', 'Host header'],
    [
      'redirects',
      { status: 301, headers: { location: 'https://elsewhere.example/' } },
      'setProxy',
      'redirects to',
    ],
    ['shows a page', { status: 200 }, 'setProxy', 'Something else'],
  ])('that %s fails', async (_, faults, remedy, message) => {
    proxy.faults = faults
    const checks = await check()
    expect(checks.server).toMatchObject({ state: 'failed', remedy })
    expect(checks.server?.message).toContain(message)
    expect(checks.uploads?.state).toBe('unknown')
  })

  test('that sends its own name as Host is a warning, because handles are looked up by it', async () => {
    proxy.faults = { host: '127.0.0.1:2583' }
    const checks = await check()
    expect(checks.server).toMatchObject({ state: 'warning', remedy: 'passHost' })
    expect(checks.uploads?.state).toBe('ok')
    expect(checks.handles?.state).toBe('failed')
  })

  test('that leads to another server of the same name fails', async () => {
    const twin = await TestServer.start({ publicUrl: server.config.publicUrl })
    proxy.upstreamPort = twin.running.port
    const checks = await check()
    proxy.upstreamPort = Number(new URL(server.proxyUrl).port)
    await twin.close()
    expect(checks.server).toMatchObject({ state: 'failed', remedy: 'setProxy' })
    expect(checks.server?.message).toContain('Another server')
  })

  test.each(['none', 'a name'] as const)(
    'that sends no client addresses (%s) fails',
    async (forwardedFor) => {
      proxy.faults = { forwardedFor }
      const { clientAddress } = await check()
      expect(clientAddress).toMatchObject({ state: 'failed', remedy: 'passClientAddress' })
    },
  )

  test('through which clients forge their address fails', async () => {
    proxy.faults = { forwardedFor: 'as sent' }
    const { clientAddress } = await check()
    expect(clientAddress).toMatchObject({ state: 'failed', remedy: 'passClientAddress' })
    expect(clientAddress?.message).toContain('forge')
  })

  test('that is not trusted fails, and its address is named', async () => {
    const distrusting = await TestServer.start({ publicUrl: server.config.publicUrl })
    proxy.upstreamPort = distrusting.running.port
    const { clientAddress } = await check(distrusting)
    proxy.upstreamPort = Number(new URL(server.proxyUrl).port)
    await distrusting.close()
    expect(clientAddress).toMatchObject({ state: 'failed', remedy: 'trustProxy', subject: '127.0.0.1' })
  })

  test('that shares its port with the programs of this computer is a warning', async () => {
    const shared = await TestServer.start({
      publicUrl: server.config.publicUrl,
      trustedProxies: ['loopback'],
    })
    proxy.upstreamPort = shared.running.port
    const { clientAddress } = await check(shared)
    proxy.upstreamPort = Number(new URL(server.proxyUrl).port)
    await shared.close()
    expect(clientAddress).toMatchObject({ state: 'warning', remedy: 'separatePort' })
  })

  test('that passes no upgrades fails', async () => {
    proxy.faults = { noUpgrade: true }
    const { webSocket } = await check()
    expect(webSocket).toMatchObject({ state: 'failed', remedy: 'passUpgrade' })
    expect(webSocket?.message).toContain('426')
  })

  test('that limits bodies to 1 MB fails', async () => {
    proxy.faults = { maxBody: 1_000_000 }
    const { uploads } = await check()
    expect(uploads).toMatchObject({ state: 'failed', remedy: 'raiseBodySize' })
  })
})

describe('handles', () => {
  test('a handle without a DNS record fails', async () => {
    resolveNames({ [host]: ['127.0.0.1'] })
    const { handles } = await check()
    expect(handles).toMatchObject({ state: 'failed', remedy: 'setHandleDns', subject: alice.handle })
  })

  test('a handle without a certificate fails', async () => {
    proxy.present(certificates.single)
    const { handles } = await check()
    expect(handles).toMatchObject({ state: 'failed', remedy: 'setHandleTls', subject: alice.handle })
  })

  test('a handle that only this server resolves is a warning', async () => {
    const carla = await server.account('carla')
    const { handles } = await check()
    await server.post('com.core.admin.deleteAccount', { did: carla.did }, adminAuth)
    expect(handles).toMatchObject({ state: 'warning', remedy: 'setHandleDomain', subject: 'carla.test' })
  })

  test('checkDomain: proxies get certificates for this server and handles that exist', async () => {
    const ask = (domain: string) => server.get('com.core.server.checkDomain', { domain })
    expect((await ask(host)).status).toBe(200)
    expect((await ask(`Alice.${host}`)).status).toBe(200)
    expect(await ask(`nope.${host}`)).toMatchObject(refusal(400, 'DomainNotFound'))
  })
})

describe('the directory', () => {
  afterEach(() => {
    directory.mode = 'up'
  })

  test('that is down fails', async () => {
    directory.mode = 'down'
    const checks = await check()
    expect(checks.directory).toMatchObject({ state: 'failed', remedy: 'setDirectory' })
  })

  test('without an account is a warning that names the account', async () => {
    directory.mode = 'fails'
    const dan = await server.account('dan')
    await server.running.services.background.idle()
    directory.mode = 'up'
    const { directory: found } = await check()
    await server.setStatus(dan.did, { suspended: true })
    const { directory: ofSuspended } = await check()
    await server.post('com.core.admin.deleteAccount', { did: dan.did }, adminAuth)
    for (const one of [found, ofSuspended]) {
      expect(one?.state).toBe('warning')
      expect(one?.message).toContain('dan.test')
    }
  })
})

describe('relays', () => {
  test('requestCrawls asks them at once, and the outcome is listed', async () => {
    relay.reset()
    relay.respond = json({ error: 'HostBanned' }, 400)
    const { body } = await askRelays()
    expect(body.relays).toEqual([
      expect.objectContaining({ url: relay.url, lastError: expect.stringContaining('HostBanned') }),
    ])
    expect((await check()).relays).toMatchObject({ state: 'failed', remedy: 'setRelays' })
    relay.respond = json({})
    await askRelays()
    expect(JSON.parse(String(relay.lastCall.body))).toEqual({ hostname: `${host}:${proxy.port}` })
    const network = await server.get('com.core.admin.getNetwork', {}, adminAuth)
    expect(network.body.relays).toEqual([{ url: relay.url, lastContactAt: expect.any(String) }])
  })

  test('none is a warning', async () => {
    const alone = await TestServer.start({ publicUrl: server.config.publicUrl })
    const checks = await check(alone)
    await alone.close()
    expect(checks.relays).toMatchObject({ state: 'warning', remedy: 'setRelays' })
  })
})

test('getNetwork: says who can reach the server and what it sends', async () => {
  const { body } = await server.get('com.core.admin.getNetwork', {}, adminAuth)
  expect(body).toMatchObject({
    way: 'public',
    publicUrl: server.config.publicUrl,
    port: server.running.port,
    addresses: [],
    proxyPort: server.running.proxyPort,
    trustedProxies: [],
    trustedOrigins: [],
  })
  const outgoing = Object.fromEntries(
    body.outgoing.map(({ purpose, ...rest }: { purpose: string }) => [purpose, rest]),
  )
  expect(outgoing.directory).toEqual({ state: 'on', targets: [new URL(directory.url).host] })
  expect(outgoing.appView).toEqual({ state: 'off', targets: [] })
  expect(outgoing.push).toEqual({ state: 'onDemand', targets: [] })
  for (const purpose of ['upstreams', 'backlinks', 'people', 'copies']) {
    expect(outgoing[purpose]).toEqual({ state: 'off', targets: [] })
  }

  const disk = join(tmpdir(), 'pds-no-disk')
  const open = await TestServer.start({
    smtpUrl: 'smtp://user:geheim@mail.test:2525',
    publicUrl: undefined,
    hosts: ['0.0.0.0'],
    backlinkIndexUrl: 'http://links.invalid/v1',
    copies: [pathToFileURL(disk).href],
  })
  const other = await open.get('com.core.admin.getNetwork', {}, adminAuth)
  await open.close()
  expect(other.body.way).toBe('localNetwork')
  expect(JSON.stringify(other.body)).not.toContain('geheim')
  expect(JSON.stringify(other.body.outgoing)).toContain('mail.test:2525')
  expect(other.body.outgoing).toContainEqual({
    purpose: 'backlinks',
    state: 'on',
    targets: ['links.invalid'],
  })
  expect(other.body.outgoing).toContainEqual({ purpose: 'people', state: 'onDemand', targets: [] })
  // A folder sends no requests.
  expect(other.body.outgoing).toContainEqual({ purpose: 'copies', state: 'off', targets: [] })
})

test('a name of Tailscale may lead to its address inside the tailnet, other names may not', async () => {
  const name = 'laptop.tail1234.ts.net'
  const other = await TestServer.start({ publicUrl: `https://${name}` })
  try {
    resolveNames({ [name]: ['100.101.102.103', 'fd7a:115c:a1e0::1'] })
    expect((await check(other)).dns).toMatchObject({
      state: 'ok',
      message: expect.stringContaining('tailnet'),
    })
    resolveNames({ [name]: ['192.168.1.4'] })
    expect((await check(other)).dns).toMatchObject({ state: 'warning', remedy: 'setDns' })
    resolveNames({ [host]: ['100.101.102.103'] })
    expect((await check()).dns).toMatchObject({ state: 'warning', remedy: 'setDns' })
  } finally {
    await other.close()
  }
})
