/** Clients behind a reverse proxy: their address comes from X-Forwarded-For, and only when the proxy is trusted. */
import { once } from 'node:events'
import { createServer, request, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { type Account, adminAuth, TestServer } from '../../support/server.ts'

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
