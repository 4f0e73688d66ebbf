/** A network for tests reaches nothing beyond this computer, whatever its settings and its accounts name. */
import { afterEach, expect, test } from 'vitest'
import { call } from '../../../server/testing/call.ts'
import { type Network, startNetwork } from '../../../server/testing/network.ts'

let network: Network | undefined
afterEach(() => network?.stop())

test('is not announced on the local network', async () => {
  network = await startNetwork({ config: { publicUrl: undefined } })
  await network.accounts.create({ handle: 'alice' })
  // Multicast DNS has a UDP socket.
  expect(process.getActiveResourcesInfo()).not.toContain('UDPWrap')
})

test('hosts that accounts and administrators name are refused before a connection', async () => {
  network = await startNetwork()
  const { url, servers } = network
  const refusal = (work: Promise<unknown>) =>
    work.then(
      () => 'none',
      (error: Error) => error.message,
    )
  for (const host of ['pds.example.com', '10.1.2.3', '169.254.169.254', '0.0.0.0%3A80']) {
    const query = { did: `did:web:${host}` }
    expect(await refusal(call(url, 'com.atproto.identity.resolveDid', { query })), host).toContain(
      'this network for tests stays on this computer',
    )
  }
  const upstream = {
    input: { url: 'http://pds.example.com' },
    adminPassword: servers[0]?.adminPassword ?? '',
  }
  expect(await refusal(call(url, 'com.core.admin.addUpstream', upstream))).toContain('UpstreamUnreachable')
})
