/** Recoveries beside a directory whose answers are wrong. */
import { Secp256k1Keypair } from '@atproto/crypto'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createPlcIdentity, nextOperation, PlcDirectory } from '../../../support/accounts/plc.ts'
import { refusal } from '../../../support/server/server.ts'
import { server, setupServer } from '../../../support/server/setup.ts'

let directory: PlcDirectory

beforeEach(async () => {
  directory = await PlcDirectory.start()
})
afterEach(() => directory.close())
setupServer({ config: () => ({ plcUrl: directory.url }), per: 'test' })

/** An identity from which a weaker key has removed the recovery key, so that the recovery has an end. */
async function attacked() {
  const { did, rotationKey, genesis } = await createPlcIdentity('rita.example.com')
  const weaker = await Secp256k1Keypair.create()
  const rotationKeys = [rotationKey.did(), weaker.did()]
  const second = await nextOperation(rotationKey, genesis, { rotationKeys })
  const removal = await nextOperation(weaker, second, { rotationKeys: [weaker.did()] })
  for (const operation of [genesis, second, removal]) await directory.submit(did, operation)
  return () => server.post('com.core.move.prepareRecovery', { identifier: did, key: rotationKey.did() })
}

test.each(['<html>Sign in to this network</html>', '{"message":"busy"}', 'null', '""', '0', ''])(
  'an answer that is no log is one of a directory that fails: %j',
  async (page) => {
    const prepare = await attacked()
    expect((await prepare()).status).toBe(200)
    directory.page = page
    expect(await prepare()).toMatchObject(refusal(400, 'DirectoryUnavailable'))
  },
)

test.each([
  '+275760-09-13T00:00:00.000Z',
  '+010000-01-01T00:00:00.000Z',
  '-271821-04-20T00:00:00.000Z',
  '',
  'x',
])('so is one with the time %j', async (time) => {
  const prepare = await attacked()
  directory.createdAt = time
  expect(await prepare()).toMatchObject(refusal(400, 'DirectoryUnavailable'))
})
