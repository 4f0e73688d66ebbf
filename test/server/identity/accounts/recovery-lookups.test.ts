/** Look-ups of names for recoveries, by a name server that does not answer for some of them. */
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createPlcIdentity, PlcDirectory } from '../../../support/accounts/plc.ts'
import { NameServer } from '../../../support/network/dns.ts'
import { refusal } from '../../../support/server/server.ts'
import { server, setupServer } from '../../../support/server/setup.ts'

let directory: PlcDirectory
let names: NameServer

beforeEach(async () => {
  directory = await PlcDirectory.start()
  names = await NameServer.start()
})
afterEach(() => Promise.all([directory.close(), names.close()]))
setupServer({
  config: () => ({ plcUrl: directory.url, nameServers: [names.address], proxyPort: 0 }),
  accounts: ['olga'],
  per: 'test',
})

/** @param address of the caller, as a proxy forwards it */
async function prepare(identifier: string, key: string, address: string) {
  const answer = await fetch(`${server.proxyUrl}/xrpc/com.core.move.prepareRecovery`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': address },
    body: JSON.stringify({ identifier, key }),
  })
  return { status: answer.status, body: await answer.json() }
}

test('one caller cannot use up the look-ups of handles for others', async () => {
  const { did, rotationKey } = await createPlcIdentity('rita.example.com')
  names.set('rita.example.com', did)
  names.silent = /slow/
  const refused = Promise.withResolvers<unknown>()
  const slow = Array.from({ length: 25 }, (_, n) =>
    prepare(`slow-${n}.example.com`, rotationKey.did(), '192.0.2.1').then(
      (answer) => answer.status === 503 && refused.resolve(answer),
      () => {},
    ),
  )
  await Promise.race([names.queried(/^_atproto\.slow/, 25), refused.promise])
  const found = await prepare('rita.example.com', rotationKey.did(), '192.0.2.2')
  expect(found).toMatchObject(refusal(400, 'IdentityNotFound'))
  expect(await refused.promise).toMatchObject(refusal(503, 'NotEnoughResources'))
  await server.running.close()
  await Promise.all(slow)
  await server.open()
})
