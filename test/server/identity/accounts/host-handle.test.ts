/** The host name of a public server as the handle of its owner, proven through a real proxy with TLS. */
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { PlcDirectory } from '../../../support/accounts/plc.ts'
import { trustTestAuthority } from '../../../support/network/certificates.ts'
import { resolveNames, restoreNames } from '../../../support/network/names.ts'
import { ReverseProxy } from '../../../support/network/proxy.ts'
import { exchange } from '../../../support/server/raw-http.ts'
import { type Account, adminAuth, refusal, TestServer } from '../../../support/server/server.ts'
import { owner, server, setupServer } from '../../../support/server/setup.ts'

const host = 'pds.example.com'
let proxy: ReverseProxy
let directory: PlcDirectory

beforeAll(async () => {
  trustTestAuthority()
  resolveNames({ [host]: ['127.0.0.1'] })
  proxy = await ReverseProxy.start()
  directory = await PlcDirectory.start()
})
afterAll(async () => {
  restoreNames()
  trustTestAuthority(false)
  await proxy.close()
  await directory.close()
})
afterEach(() => {
  proxy.faults = {}
})
setupServer({
  accounts: ['alice', 'bob'],
  config: () => ({
    publicUrl: `https://${host}:${proxy.port}`,
    trustedProxies: ['loopback'],
    userDomains: ['.test'],
    plcUrl: directory.url,
    // The proxy of a test cannot have port 443.
    allowPrivateTargets: true,
  }),
})
beforeAll(() => {
  proxy.upstreamPort = server.running.port
})

const rename = (account: Account, handle = host, on = server) =>
  on.post('com.core.identity.updateHandle', { handle }, account)
const answer = () =>
  exchange(server.running.port, `GET /.well-known/atproto-did HTTP/1.1\r\nHost: ${host}\r\n\r\n`)

test('only its owner can have the name of the server', async () => {
  const bob = await server.account('robert')
  expect(await rename(bob)).toMatchObject(refusal(400, 'HandleNotAvailable'))
  const input = { did: bob.did, handle: host }
  expect(await server.post('com.core.admin.updateAccountHandle', input, adminAuth)).toMatchObject(
    refusal(400, 'HandleNotAvailable'),
  )
  expect((await answer()).status).toBe(404)
})

test.each([
  ['nothing answers', { status: 502 }, /status 502/],
  ['another server answers', { host: 'robert.test' }, /another server/],
])('is not given while %s at the public address', async (_, faults, message) => {
  await server.account('robert').catch(() => {})
  proxy.faults = faults
  const refused = await rename(owner)
  expect(refused).toMatchObject(refusal(400, 'InvalidHandle'))
  expect(refused.body.message).toMatch(message)
  expect((await answer()).status).toBe(404)
})

test('is proven by a request through the public address, and published', async () => {
  const before = owner.handle
  expect(await rename(owner)).toMatchObject({ status: 200 })
  expect(await answer()).toMatchObject({ status: 200, text: owner.did })
  expect(directory.last(owner.did)?.alsoKnownAs).toEqual([`at://${host}`])
  const { body } = await server.get('com.core.identity.resolveHandle', { handle: host })
  expect(body).toEqual({ did: owner.did })
  // On this machine the name may lead to a private address, as that of a tunnel does.
  const { body: report } = await server.post('com.core.admin.checkNetwork', undefined, adminAuth)
  const handles = report.checks.find((one: { name: string }) => one.name === 'handles')
  // The problem of a later account is named only if the first has none.
  expect(handles.message).toContain('bob.test')
  // It stays over a restart, and goes with the next handle.
  await server.restart()
  proxy.upstreamPort = server.running.port
  expect(await answer()).toMatchObject({ text: owner.did })
  expect((await rename(owner, before)).status).toBe(200)
  expect((await answer()).status).toBe(404)
})

test('is refused at a port that other servers do not ask, and to new accounts', async () => {
  const laptop = 'laptop.example.com'
  const config = { userDomains: ['.test', '.example.com'], trustedProxies: ['loopback'] }
  const other = await TestServer.start({ ...config, publicUrl: `https://${laptop}:8443` })
  try {
    const refused = await rename(await other.account('alice'), laptop, other)
    expect(refused).toMatchObject(refusal(400, 'InvalidHandle'))
    expect(refused.body.message).toContain('port 443')
    // Elsewhere it would be under a domain for everyone.
    const input = { handle: laptop, password: 'a long password' }
    expect(await other.post('com.core.server.createAccount', input)).toMatchObject(
      refusal(400, 'HandleNotAvailable'),
    )
  } finally {
    await other.close()
  }
})
