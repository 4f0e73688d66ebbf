/** Clients behind a reverse proxy: their address comes from X-Forwarded-For, and only when the proxy is trusted. */
import { once } from 'node:events'
import { createServer, request, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { networkInterfaces } from 'node:os'
import { afterEach, describe, expect, test } from 'vitest'
import { type Account, adminAuth, TestServer } from '../../../support/server/server.ts'

let server: TestServer
let proxy: Server | undefined
afterEach(async () => {
  proxy?.closeAllConnections()
  proxy?.close()
  proxy = undefined
  await server.close()
})

/**
 * A reverse proxy that appends its client's address to X-Forwarded-For, as Caddy, nginx and cloudflared do. All test clients
 * are on loopback, so `X-Client` contains the address that the proxy sees.
 */
async function startProxy(host = '127.0.0.1'): Promise<string> {
  const started = createServer((req, res) => {
    const { 'x-client': client = '192.0.2.1', 'x-forwarded-for': before, ...headers } = req.headers
    const chain = [before, client].filter(Boolean).join(', ')
    const upstream = request(
      {
        host: '127.0.0.1',
        port: server.running.port,
        method: req.method,
        path: req.url,
        headers: { ...headers, host: 'pds.test', 'x-forwarded-for': chain },
      },
      (answer) => {
        res.writeHead(answer.statusCode ?? 502, answer.headers)
        answer.pipe(res)
      },
    )
    upstream.on('error', () => res.destroy())
    req.pipe(upstream)
  })
  proxy = started
  started.listen(0, host)
  await once(started, 'listening')
  return `http://${host.includes(':') ? `[${host}]` : host}:${(started.address() as AddressInfo).port}`
}

const start = (trustedProxies: string[]) =>
  TestServer.start({ rateLimits: true, trustedProxies }).then((started) => {
    server = started
  })

type Headers = Record<string, string>

async function signIn(
  url: string,
  { handle, password }: Pick<Account, 'handle' | 'password'>,
  more: Headers,
) {
  const { status, headers } = await fetch(`${url}/xrpc/com.core.server.createSession`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...more },
    body: JSON.stringify({ identifier: handle, password }),
  })
  return { status, limit: headers.get('ratelimit-policy') }
}

/** Makes 31 guesses. The rate limit refuses the last one. */
async function exhaust(url: string, alice: Account, headers: (guess: number) => Headers): Promise<number[]> {
  const statuses: number[] = []
  for (let guess = 0; guess < 31; guess++) {
    statuses.push((await signIn(url, { ...alice, password: `guess ${guess}` }, headers(guess))).status)
  }
  return statuses
}
const exhausted = [...Array(30).fill(401), 429]

describe.each([
  ['IPv4', '198.51.100.7', '203.0.113.9'],
  ['IPv6', '2001:db8:1:2::7', '2001:db8:9:9::9'],
])('behind a trusted proxy (%s)', (_, attacker, owner) => {
  test('one client exhausts its own limits while another one signs in', async () => {
    await start(['loopback'])
    const alice = await server.account('alice')
    const url = await startProxy()
    expect(await exhaust(url, alice, () => ({ 'x-client': attacker }))).toEqual(exhausted)
    expect((await signIn(url, alice, { 'x-client': owner })).status).toBe(200)
    expect((await server.signIn(alice)).status).toBe(200)
  })

  test('an X-Forwarded-For of the client itself does not change its address', async () => {
    await start(['loopback'])
    const alice = await server.account('alice')
    const url = await startProxy()
    const spoofed = (guess: number) => ({ 'x-client': attacker, 'x-forwarded-for': `203.0.113.${guess}` })
    expect(await exhaust(url, alice, spoofed)).toEqual(exhausted)
    const asOwner = { 'x-client': attacker, 'x-forwarded-for': owner }
    expect((await signIn(url, alice, asOwner)).status).toBe(429)
    expect((await signIn(url, alice, { 'x-client': owner })).status).toBe(200)
  })
})

const describePolicy = async (url: string, headers: Headers) =>
  (await fetch(`${url}/xrpc/com.core.server.describeServer`, { headers })).headers.get('ratelimit-policy')
const overall = '3000;w=300'

test('a proxied client is never exempt as loopback', async () => {
  await start(['loopback'])
  const url = await startProxy()
  expect(await describePolicy(url, { 'x-client': '203.0.113.9' })).toBe(overall)
  expect(await describePolicy(url, { 'x-client': '127.0.0.1' })).toBe(overall)
  expect(await describePolicy(url, { 'x-client': '::1' })).toBe(overall)
  expect(await describePolicy(url, { 'x-client': '::ffff:127.0.0.1' })).toBe(overall)
  expect(await describePolicy(server.url, {})).toBeNull()
})

test.each([
  'unknown',
  '_hidden',
  ',,,',
  ' ',
  '203.0.113.9:54321',
  '[2001:db8::1]:443',
  '127.1',
  '2130706433',
  '1.2.3.4.5',
  'fe80::1%lo',
  'x'.repeat(4000),
  Array(1000).fill('127.0.0.1').join(','),
])('a request with a malformed forwarded address (%#) succeeds and is rate-limited', async (address) => {
  await start(['loopback'])
  const { port } = server.running
  const answer = await fetch(`http://127.0.0.1:${port}/xrpc/com.core.server.describeServer`, {
    headers: { 'x-forwarded-for': address },
  })
  expect([answer.status, answer.headers.get('ratelimit-policy')]).toEqual([200, overall])
})

test('a proxied client with a loopback address shares no limit with this machine', async () => {
  await start(['loopback'])
  const alice = await server.account('alice')
  const url = await startProxy()
  expect(await exhaust(url, alice, () => ({ 'x-client': '127.0.0.1' }))).toEqual(exhausted)
  expect((await server.signIn(alice)).status).toBe(200)
})

test('an IPv4 address and its IPv6-mapped form share one limit', async () => {
  await start(['127.0.0.0/8'])
  const alice = await server.account('alice')
  const url = await startProxy()
  const either = (guess: number) => ({ 'x-client': guess % 2 ? '::ffff:198.51.100.7' : '198.51.100.7' })
  expect(await exhaust(url, alice, either)).toEqual(exhausted)
})

test('behind a chain of trusted proxies, limits apply to the client', async () => {
  await start(['loopback', '10.0.0.0/8', '2001:db8:ffff::/48'])
  const alice = await server.account('alice')
  const url = await startProxy()
  const via = (client: string) => ({
    'x-forwarded-for': `${client}, 2001:db8:ffff::1`,
    'x-client': '10.1.2.3',
  })
  expect(await exhaust(url, alice, () => via('198.51.100.7'))).toEqual(exhausted)
  expect((await signIn(url, alice, via('198.51.100.8'))).status).toBe(200)
})

test.each([[[]], [['192.0.2.0/24']]])(
  'X-Forwarded-For of a proxy that %j does not list names no client, and its clients do not count as local',
  async (trusted) => {
    await start(trusted)
    const alice = await server.account('alice')
    const url = await startProxy()
    expect(await exhaust(url, alice, (guess) => ({ 'x-client': `198.51.100.${guess}` }))).toEqual(exhausted)
    expect((await server.signIn(alice)).status).toBe(200)
  },
)

test('guesses of the admin password are counted for the forwarded address', async () => {
  await start(['loopback'])
  const url = await startProxy()
  const list = async (client: string, authorization: string) => {
    const headers = { authorization, 'x-client': client }
    return (await fetch(`${url}/xrpc/com.core.admin.listAccounts`, { headers })).status
  }
  const wrong = `Basic ${Buffer.from('admin:wrong').toString('base64')}`
  for (let guess = 0; guess < 30; guess++) expect(await list('198.51.100.7', wrong)).toBe(401)
  expect(await list('198.51.100.7', adminAuth)).toBe(429)
  expect(await list('198.51.100.8', adminAuth)).toBe(200)
})

/** The port of proxies, and the ordinary one, on a server that trusts loopback as before. */
const startWithPort = () =>
  TestServer.start({ rateLimits: true, proxyPort: 0, trustedProxies: ['loopback'] }).then((started) => {
    server = started
  })

const wrongPassword = `Basic ${Buffer.from('admin:wrong').toString('base64')}`

async function adminStatus(url: string, headers: Headers, authorization = wrongPassword): Promise<number> {
  const path = '/xrpc/com.core.admin.listAccounts'
  return (await fetch(url + path, { headers: { authorization, ...headers } })).status
}

async function adminStatuses(url: string, count: number, headers: (n: number) => Headers): Promise<number[]> {
  const statuses: number[] = []
  for (let n = 0; n < count; n++) statuses.push(await adminStatus(url, headers(n)))
  return statuses
}

describe('forged addresses at a loopback name', () => {
  const forged = (n: number) => `198.51.${n >> 8}.${n & 255}`

  test.each([
    ['a page', { origin: 'https://evil.example' }],
    ['a program', {}],
  ])('of %s give no further guesses of the admin password, and leave those of others', async (_, more) => {
    await startWithPort()
    const headers = (n: number) => ({ ...more, 'x-forwarded-for': forged(n) })
    for (const host of ['localhost', '127.0.0.1']) {
      const url = `http://${host}:${server.running.port}`
      const statuses = await adminStatuses(url, 40, headers)
      expect(statuses.slice(30)).toEqual(Array(10).fill(429))
    }
    expect(await adminStatus(server.proxyUrl, { 'x-forwarded-for': forged(1) }, adminAuth)).toBe(200)
    expect(await adminStatus(server.url, {}, adminAuth)).toBe(200)
  })

  test('give no further sign-ins', async () => {
    await startWithPort()
    const alice = await server.account('alice')
    const headers = (n: number) => ({ 'x-forwarded-for': forged(n) })
    expect(await exhaust(server.url, alice, headers)).toEqual(exhausted)
    expect((await server.signIn(alice)).status).toBe(200)
  })
})

describe('the port of proxies', () => {
  test('counts every request as from outside, with any headers', async () => {
    await startWithPort()
    for (const headers of [{}, { 'x-forwarded-for': '127.0.0.1' }, { 'x-forwarded-for': 'nonsense' }]) {
      expect(await describePolicy(server.proxyUrl, headers)).toBe(overall)
      const input = { handle: 'mallory.test', password: 'a good password' }
      const answer = await fetch(`${server.proxyUrl}/xrpc/com.core.server.createAccount`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(input),
      })
      expect(answer.status).toBe(403)
    }
    expect(await describePolicy(server.url, {})).toBeNull()
  })

  test('counts clients by the address that the proxy names', async () => {
    await startWithPort()
    const alice = await server.account('alice')
    const named = (address: string) => () => ({ 'x-forwarded-for': address })
    expect(await exhaust(server.proxyUrl, alice, named('198.51.100.7'))).toEqual(exhausted)
    expect((await signIn(server.proxyUrl, alice, named('203.0.113.9')())).status).toBe(200)
  })

  test('is not open to other machines', async () => {
    server = await TestServer.start({ proxyPort: 0, hosts: ['0.0.0.0'] })
    const outside = Object.values(networkInterfaces())
      .flat()
      .flatMap((each) => (each?.family === 'IPv4' && !each.internal ? each.address : []))
    for (const address of outside) {
      const url = `http://${address}:${new URL(server.proxyUrl).port}/xrpc/_health`
      await expect(fetch(url)).rejects.toThrow()
    }
  })

  test('that is taken stops the start, and releases the ordinary port', async () => {
    await startWithPort()
    const proxyPort = Number(new URL(server.proxyUrl).port)
    const error = await TestServer.start({ proxyPort }).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ code: 'EADDRINUSE', port: proxyPort })
  })
})

test('wrong admin passwords from outside have a limit together, beyond which a proven source goes on', async () => {
  await startWithPort()
  const from = (n: number) => ({ 'x-forwarded-for': `203.0.${n}.1` })
  const owner = { 'x-forwarded-for': '192.0.2.1' }
  expect(await adminStatus(server.proxyUrl, owner, adminAuth)).toBe(200)
  const statuses = await adminStatuses(server.proxyUrl, 310, (n) => from(n % 20))
  expect(statuses.filter((status) => status === 401)).toHaveLength(300)
  expect(await adminStatus(server.proxyUrl, from(99), adminAuth)).toBe(429)
  expect(await adminStatus(server.proxyUrl, owner, adminAuth)).toBe(200)
  expect(await adminStatus(server.url, {}, adminAuth)).toBe(200)
})
