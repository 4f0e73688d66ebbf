/** Look-ups that other parties cause, by a name server that does not answer for some names. */
import { afterEach, beforeEach, expect, test } from 'vitest'
import { PlcDirectory } from '../../../support/accounts/plc.ts'
import { NameServer } from '../../../support/network/dns.ts'
import { refusal } from '../../../support/server/server.ts'
import { server, setupServer } from '../../../support/server/setup.ts'

const did = 'did:plc:aaaaaaaaaaaaaaaaaaaaaaaa'

let directory: PlcDirectory
let names: NameServer

beforeEach(async () => {
  directory = await PlcDirectory.start()
  names = await NameServer.start()
})
afterEach(() => Promise.all([directory.close(), names.close()]))
setupServer({
  config: () => ({
    // A host name, which must be looked up.
    plcUrl: directory.url.replace('127.0.0.1', 'localhost'),
    nameServers: [names.address],
    proxyPort: 0,
  }),
  per: 'test',
})

/** @param address of the caller, as a proxy forwards it */
async function resolve(handle: string, address: string) {
  const path = `/xrpc/com.core.identity.resolveHandle?handle=${handle}`
  const answer = await fetch(server.proxyUrl + path, { headers: { 'x-forwarded-for': address } })
  return { status: answer.status, body: await answer.json() }
}

test('slow names that others choose delay no request to a host of the settings', async () => {
  const alice = await server.account('alice')
  await server.running.services.background.idle()
  server.clock.advance(10 * 60_000)
  directory.requests.length = 0
  names.silent = /^(A|AAAA) slow/
  const ended: string[] = []
  const slow = ['slow-1.example.com', 'slow-2.example.com'].map((handle) =>
    resolve(handle, '192.0.2.1')
      .catch(() => {})
      .then(() => ended.push(handle)),
  )
  await names.queried(/^slow/, 2)
  await server.get('com.core.repo.describeRepo', { repo: alice.did })
  ended.push('directory')
  expect(ended).toEqual(['directory'])
  expect(directory.requests).toEqual([`GET /${alice.did}`])
  await server.running.close()
  await Promise.all(slow)
  await server.open()
})

test('one caller cannot use up the look-ups of handles for others', async () => {
  names.set('quick.example.com', did)
  names.silent = /slow/
  const refused = Promise.withResolvers<unknown>()
  const slow = Array.from({ length: 50 }, (_, n) =>
    resolve(`slow-${n}.example.com`, '192.0.2.1').then(
      (answer) => answer.status === 503 && refused.resolve(answer),
      () => {},
    ),
  )
  await Promise.race([names.queried(/^_atproto\.slow/, 50), refused.promise])
  expect(await resolve('quick.example.com', '192.0.2.2')).toMatchObject({ status: 200, body: { did } })
  expect(await refused.promise).toMatchObject(refusal(503, 'NotEnoughResources'))
  await server.running.close()
  await Promise.all(slow)
  await server.open()
})

test('callers of a few networks, with many addresses each, leave look-ups for others', async () => {
  names.set('quick.example.com', did)
  names.silent = /slow/
  const enough = Promise.withResolvers<void>()
  let refused = 0
  const count = ({ status }: { status: number }) => {
    if (status === 503 && ++refused === 40) enough.resolve()
  }
  const slow = ['192.0.2', '198.51.100', '2001:db8:1'].flatMap((network) =>
    Array.from({ length: 30 }, (_, n) => {
      const address = network.includes(':') ? `${network}:${n}::1` : `${network}.${n}`
      return resolve(`slow-${n}.${networkName(network)}.example.com`, address).then(count, () => {})
    }),
  )
  await enough.promise
  expect(await resolve('quick.example.com', '203.0.113.1')).toMatchObject({ status: 200, body: { did } })
  await server.running.close()
  await Promise.all(slow)
  await server.open()
})

const networkName = (network: string) => network.replaceAll(/[.:]/g, '-')
