/** The origin under which a client reaches the server, and pages of other sites. */
import { l } from '@atproto/lex-schema'
import { afterEach, describe, expect, test } from 'vitest'
import { protocolError } from '../../server/platform/xrpc/xrpc-errors.ts'
import { exchange } from '../support/server/raw-http.ts'
import { method, serve, type TinyServer } from '../support/server/tiny-server.ts'

const where = method(
  { main: l.query('com.test.where', l.params({}), l.jsonPayload({ origin: l.string() })) },
  { auth: 'none', handler: ({ caller }) => ({ origin: caller.origin }) },
)
const list = method(
  { main: l.query('com.test.list', l.params({}), l.payload()) },
  { auth: 'none', handler: () => {} },
)

let server: TinyServer
afterEach(() => server.close(0))

const start = async (options: Parameters<typeof serve>[1] = {}) => {
  server = await serve([where, list], { anyAddress: true, hostnames: ['pds.test', 'inner'], ...options })
}
const admitPage = () => Promise.reject(protocolError('Forbidden'))
const originFor = async (headers: Record<string, string>) => {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  const answer = await exchange(server.port, `GET /xrpc/com.test.where HTTP/1.1\r\n${lines.join('')}\r\n`)
  return answer.body.origin
}

describe('the origin', () => {
  test.each([
    ['localhost:2583', 'http://localhost:2583'],
    ['127.0.0.1:2583', 'http://127.0.0.1:2583'],
    ['[::1]:2583', 'http://[::1]:2583'],
    ['192.168.1.7:80', 'http://192.168.1.7'],
    ['INNER', 'http://inner'],
  ])('is what the client sent as Host: %s', async (host, origin) => {
    await start()
    expect(await originFor({ Host: host })).toBe(origin)
  })

  test('is the public URL where the host is the public one', async () => {
    await start({ publicUrl: 'https://pds.test' })
    expect(await originFor({ Host: 'PDS.test' })).toBe('https://pds.test')
    expect(await originFor({ Host: 'pds.test:8080' })).toBe('https://pds.test')
    expect(await originFor({ Host: 'localhost:2583' })).toBe('http://localhost:2583')
  })

  test('is what a trusted proxy forwards', async () => {
    await start({ trustedProxies: ['loopback'], publicUrl: 'https://pds.test' })
    const forwarded = { 'X-Forwarded-Host': 'other.test', 'X-Forwarded-Proto': 'https' }
    expect(await originFor({ Host: 'inner', ...forwarded })).toBe('https://other.test')
    expect(await originFor({ Host: 'inner', 'X-Forwarded-Proto': 'https' })).toBe('https://inner')
    expect(await originFor({ Host: 'inner', 'X-Forwarded-Host': 'pds.test' })).toBe('https://pds.test')
    expect(await originFor({ Host: 'inner', 'X-Forwarded-Proto': 'javascript' })).toBe('http://inner')
    expect(await originFor({ Host: 'inner', 'X-Forwarded-Host': 'a/b"c' })).toMatch(
      /^http:\/\/localhost:\d+$/,
    )
  })

  test('is not what a request for a loopback name forwards', async () => {
    await start({ trustedProxies: ['loopback'] })
    const forwarded = { 'X-Forwarded-Host': 'evil.test', 'X-Forwarded-Proto': 'https' }
    for (const host of ['localhost:2583', '127.0.0.1:2583', '[::1]:2583', 'LOCALHOST.:2583']) {
      expect(await originFor({ Host: host, ...forwarded })).toBe(`http://${host.toLowerCase()}`)
    }
  })

  test('is not what any other client forwards', async () => {
    await start({ trustedProxies: ['10.0.0.1'] })
    const forwarded = { 'X-Forwarded-Host': 'evil.test', 'X-Forwarded-Proto': 'https' }
    expect(await originFor({ Host: 'inner', ...forwarded })).toBe('http://inner')
  })
})

describe('the router asks whether a page of another origin may read', () => {
  test.each([
    [{ origin: 'https://evil.example' }, 403],
    [{ origin: 'null' }, 403],
    [{ 'sec-fetch-site': 'cross-site' }, 403],
    [{ 'sec-fetch-site': 'same-origin' }, 200],
    [{ 'sec-fetch-site': 'same-site' }, 403],
    [{ 'sec-fetch-site': 'none', 'sec-fetch-mode': 'navigate' }, 200],
    [{ 'sec-fetch-site': 'none', 'sec-fetch-mode': 'cors' }, 403],
    [{ 'sec-fetch-mode': 'cors' }, 200],
    [{ origin: 'http://localhost:5173' }, 403],
    [{ origin: 'http://localhost' }, 403],
    [{ origin: 'https://localhost:2583' }, 403],
    [{ origin: 'http://127.0.0.1:2583' }, 403],
    [{ origin: 'http://localhost:2583' }, 200],
    [{ origin: 'chrome-extension://abcdefghijklmnopabcdefghijklmnop' }, 403],
    [{ origin: 'moz-extension://0b5a0d1e-0000-4000-8000-000000000000' }, 403],
    [{ origin: 'app://other' }, 403],
    [{ origin: 'app://pds' }, 200],
    [{ origin: 'http://localhost:3000' }, 200],
    [{ origin: 'http://localhost:30001' }, 403],
    [{}, 200],
  ])('%j: %i', async (headers, status) => {
    await start({ admitPage, trustedOrigins: ['http://localhost:3000'] })
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
    const request = `GET /xrpc/com.test.list HTTP/1.1\r\nHost: localhost:2583\r\n${lines.join('')}\r\n`
    expect((await exchange(server.port, request)).status).toBe(status)
  })
})
