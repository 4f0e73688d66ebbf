/** Who may create the first account, which owns the server. */
import { request } from 'node:http'
import { networkInterfaces } from 'node:os'
import { afterEach, describe, expect, test } from 'vitest'
import type { Config } from '../../../../server/platform/config/config.ts'
import { type Answer, adminAuth, refusal, TestServer } from '../../../support/server/server.ts'

let server: TestServer
afterEach(() => server.close())

const start = async (config: Partial<Config> = {}) => {
  server = await TestServer.start(config)
}

const [outside = ''] = Object.values(networkInterfaces())
  .flat()
  .flatMap((each) => (each?.family === 'IPv4' && !each.internal ? each.address : []))

interface Sender {
  readonly address?: string
  readonly headers?: Record<string, string>
}

/** Sends a request as it is: fetch replaces the Host header. */
async function send(
  { address = '127.0.0.1', headers = {} }: Sender,
  path: string,
  input?: unknown,
): Promise<Pick<Answer, 'status' | 'body'>> {
  const body = input === undefined ? undefined : JSON.stringify(input)
  const type = body === undefined ? {} : { 'content-type': 'application/json' }
  return new Promise((resolve, reject) => {
    request(
      `http://${address}:${server.running.port}${path}`,
      { method: body === undefined ? 'GET' : 'POST', headers: { ...type, ...headers } },
      async (answer) => {
        const text = (await answer.toArray()).join('')
        resolve({ status: answer.statusCode ?? 0, body: text === '' ? undefined : JSON.parse(text) })
      },
    )
      .on('error', reject)
      .end(body)
  })
}

const signUp = (sender: Sender, name = 'mallory') =>
  send(sender, '/xrpc/com.core.server.createAccount', {
    handle: `${name}.test`,
    password: 'a good password',
  })

async function describedTo(sender: Sender) {
  return (await send(sender, '/xrpc/com.core.server.describeServer')).body
}

const others: [string, Sender][] = [
  ['a client behind a trusted proxy', { headers: { 'x-forwarded-for': '192.0.2.7' } }],
  ['a loopback address that a trusted proxy forwards', { headers: { 'x-forwarded-for': '127.0.0.1' } }],
  ['a public name', { headers: { host: 'pds.test' } }],
  ['a page of another site', { headers: { origin: 'https://page.test' } }],
  ['a page of another port', { headers: { origin: 'http://localhost:5173' } }],
]

const tunnels: [string, Sender][] = [
  ['X-Forwarded-For', { headers: { 'x-forwarded-for': '192.0.2.7' } }],
  ['Forwarded', { headers: { forwarded: 'for=192.0.2.7' } }],
  ['X-Real-IP', { headers: { 'x-real-ip': '192.0.2.7' } }],
  ['X-Forwarded-Server alone', { headers: { 'x-forwarded-server': 'pds.example.com' } }],
  ['X-Client-IP', { headers: { 'x-client-ip': '192.0.2.7' } }],
  ['a header of Envoy', { headers: { 'x-envoy-external-address': '192.0.2.7' } }],
  ['a header of Fastly', { headers: { 'fastly-client-ip': '192.0.2.7' } }],
  ['Via', { headers: { via: '1.1 tunnel' } }],
  ['CF-Connecting-IP', { headers: { 'cf-connecting-ip': '192.0.2.7' } }],
  ['Tailscale-User-Login', { headers: { 'tailscale-user-login': 'eve@example.com' } }],
]

async function expectRefused(sender: Sender) {
  const answer = await signUp(sender)
  expect(answer).toMatchObject(refusal(403, 'Forbidden'))
  expect(answer.body.message).not.toMatch(/first|owner|no account|unclaimed|empty/i)
  expect(await describedTo(sender)).not.toHaveProperty('unclaimed')
  expect((await server.get('com.core.admin.listAccounts', {}, adminAuth)).body.accounts).toEqual([])
}

describe('the first account', () => {
  test.each(others)('is not created by %s', async (_, sender) => {
    await start({ trustedProxies: ['loopback'] })
    await expectRefused(sender)
  })

  test.each(tunnels)('is not created through a tunnel that sends %s', async (_, sender) => {
    await start({ trustedProxies: [] })
    await expectRefused(sender)
  })

  test.skipIf(!outside)('is not created by another machine', async () => {
    await start({ hosts: ['0.0.0.0'], publicUrl: undefined })
    await expectRefused({ address: outside })
  })

  test('is created by a program on this machine', async () => {
    await start()
    expect(await describedTo({})).toHaveProperty('unclaimed', true)
    const { status, body } = await signUp({}, 'alice')
    expect(status).toBe(200)
    expect(await describedTo({})).toHaveProperty('unclaimed', false)
    expect((await server.get('com.core.admin.listAccounts', {}, body)).status).toBe(200)
  })

  test.each(others)('is created with the admin password by %s', async (_, { headers }) => {
    await start({ trustedProxies: ['loopback'] })
    const { status, body } = await signUp({ headers: { ...headers, authorization: adminAuth } }, 'alice')
    expect(status).toBe(200)
    expect((await server.get('com.core.admin.listAccounts', {}, body)).status).toBe(200)
  })

  test('is not created with a wrong admin password', async () => {
    await start()
    const authorization = `Basic ${Buffer.from('admin:wrong').toString('base64')}`
    expect(await signUp({ headers: { host: 'pds.test', authorization } })).toMatchObject(
      refusal(401, 'AuthenticationRequired'),
    )
  })

  test('is not moved in by others, and no other server is contacted', async () => {
    await start({ plcUrl: 'https://plc.test', trustedProxies: ['loopback'] })
    const input = { identifier: 'a.test', password: 'x', handle: 'a.test', newPassword: 'a good password' }
    const path = '/xrpc/com.core.move.moveIn'
    const forwarded = { 'x-forwarded-for': '192.0.2.7' }
    expect(await send({ headers: forwarded }, path, input)).toMatchObject(refusal(403, 'Forbidden'))
    const admin = await send({ headers: { ...forwarded, authorization: adminAuth } }, path, input)
    expect(admin.status).not.toBe(403)
  })
})

test('others create further accounts', async () => {
  await start({ trustedProxies: ['loopback'] })
  await server.account('alice')
  for (const [, sender] of others) {
    expect((await signUp(sender, `name${others.findIndex((each) => each[1] === sender)}`)).status).toBe(200)
  }
})
