/** CORS: every origin may call with a bearer token, never with cookies. */
import { l } from '@atproto/lex-schema'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { method, serve, type TinyServer } from '../support/server/tiny-server.ts'

let server: TinyServer
beforeAll(async () => {
  const nothing = l.params({})
  server = await serve([
    method(
      { main: l.query('com.test.open', nothing, l.payload()) },
      { auth: 'none', limits: [{ points: 100, seconds: 60, per: 'address' }], handler: () => {} },
    ),
    method({ main: l.query('com.test.guarded', nothing, l.payload()) }, { auth: 'user', handler: () => {} }),
    method(
      { main: l.query('com.test.broken', nothing, l.payload()) },
      {
        auth: 'none',
        handler: () => {
          throw new Error('broken')
        },
      },
    ),
  ])
})
afterAll(() => server.close())

const origin = 'https://client.example'

test.each([
  ['a success', '/xrpc/com.test.open', 200],
  ['a refusal', '/xrpc/com.test.guarded', 401],
  ['a failure', '/xrpc/com.test.broken', 500],
  ['an unknown method', '/xrpc/com.test.unknown', 501],
  ['a path outside the API', '/favicon.ico', 404],
  ['the health check', '/xrpc/_health', 200],
])('%s is readable from any origin', async (_, path, status) => {
  const { headers, ...answer } = await server.fetch(path, { headers: { origin } })
  expect(answer.status).toBe(status)
  expect(headers.get('access-control-allow-origin')).toBe('*')
  expect(headers.get('access-control-allow-credentials')).toBeNull()
  const exposed = headers.get('access-control-expose-headers')?.toLowerCase().split(', ')
  expect(exposed).toEqual(
    expect.arrayContaining([
      ...['ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset', 'ratelimit-policy'],
      ...['retry-after', 'www-authenticate'],
    ]),
  )
})

const preflight = (headers: Record<string, string>, path = '/xrpc/com.test.guarded') =>
  server.fetch(path, {
    method: 'OPTIONS',
    headers: { origin, 'access-control-request-method': 'POST', ...headers },
  })

test('a preflight allows the requested headers for a day', async () => {
  const asked = 'authorization, content-type, x-client-version'
  const { status, text, headers } = await preflight({ 'access-control-request-headers': asked })
  expect([status, text]).toEqual([204, ''])
  expect(headers.get('access-control-allow-origin')).toBe('*')
  expect(headers.get('access-control-allow-headers')).toBe(asked)
  expect(headers.get('access-control-allow-methods')?.split(', ')).toEqual(['GET', 'HEAD', 'POST'])
  expect(headers.get('access-control-max-age')).toBe('86400')
  expect(headers.get('vary')).toBe('Access-Control-Request-Headers')
  expect(headers.get('access-control-allow-credentials')).toBeNull()
  expect(headers.get('access-control-allow-private-network')).toBeNull()
})

test('a preflight allows no header by which a proxy names its client', async () => {
  const ofProxies = [
    ...['X-Forwarded-For', 'x-forwarded-host', 'x-forwarded-proto', 'Forwarded', 'Via', 'X-Real-IP'],
    ...['CF-Connecting-IP', 'cf-ray', 'True-Client-IP', 'Tailscale-User-Login', 'tailscale-funnel-request'],
  ]
  for (const name of ofProxies) {
    const { headers } = await preflight({ 'access-control-request-headers': `authorization,${name}, dpop` })
    expect(headers.get('access-control-allow-headers')).toBe('authorization, dpop')
  }
  const { headers } = await preflight({ 'access-control-request-headers': ofProxies.join(',') })
  expect(headers.get('access-control-allow-headers')).toBe('authorization')
})

test('a preflight needs neither credentials nor an existing method', async () => {
  expect((await preflight({}, '/xrpc/com.test.unknown')).status).toBe(204)
})

test('a preflight for Private Network Access is allowed', async () => {
  const { headers } = await preflight({ 'access-control-request-private-network': 'true' })
  expect(headers.get('access-control-allow-private-network')).toBe('true')
})
