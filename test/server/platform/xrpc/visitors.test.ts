/** Which clients called lately, as `com.core.server.listVisitors` lists them. */
import { expect, test } from 'vitest'
import { owner as alice, server, setupServer } from '../../../support/server/setup.ts'

setupServer({ accounts: ['alice'], config: { proxyPort: 0 } })

/** Requests with a forwarded address are those of a proxy. */
const urlFor = (headers: Record<string, string>) =>
  'x-forwarded-for' in headers ? server.proxyUrl : server.url
const call = (headers: Record<string, string>) =>
  fetch(`${urlFor(headers)}/xrpc/com.atproto.server.describeServer`, { headers })
const listed = async (headers: Record<string, string> = {}) => {
  const answer = await fetch(`${urlFor(headers)}/xrpc/com.core.server.listVisitors`, {
    headers: { ...headers, authorization: `Bearer ${alice.accessJwt}`, 'sec-fetch-site': 'same-origin' },
  })
  const body = (await answer.json()) as { visitors: { origin?: string; client?: string }[] }
  return body.visitors.map(({ origin, client }) => origin ?? client)
}

test('pages and programs are listed, latest first, refused ones too; our own pages are not', async () => {
  await call({ 'user-agent': 'goat/1' })
  await call({ origin: 'https://client.example' })
  await call({ origin: 'app://pds' })
  await call({ 'user-agent': 'own page', 'sec-fetch-site': 'same-origin' })
  // As a WebSocket of the interface sends it.
  await call({ 'user-agent': 'own stream', origin: new URL(server.url).origin })
  await fetch(`${server.url}/.well-known/oauth-protected-resource`, { headers: { 'user-agent': 'app/1' } })
  const [latest, ...others] = await listed()
  expect(latest).toBe('app/1')
  expect(others.slice(0, 2)).toEqual(['https://client.example', 'goat/1'])
  expect(others).not.toContain('own page')
  expect(others).not.toContain('app://pds')
  expect(others).not.toContain(new URL(server.url).origin)
})

test('a person sees the clients of the own address, not those of others', async () => {
  await call({ 'user-agent': 'phone/1', 'x-forwarded-for': '192.0.2.7' })
  await call({ 'user-agent': 'phone/2', 'x-forwarded-for': '192.0.2.8' })
  expect(await listed({ 'x-forwarded-for': '192.0.2.7' })).toEqual(['phone/1'])
  expect(await listed()).not.toContain('phone/1')
})

test('at most 200 are kept, of 200 characters', async () => {
  for (let count = 0; count < 210; count++) await call({ 'user-agent': `${count} ${'x'.repeat(300)}` })
  const clients = await listed()
  expect(clients.length).toBeLessThanOrEqual(200)
  expect(clients[0]).toHaveLength(200)
})
