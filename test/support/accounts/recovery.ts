/** Provokes the refusals of recoveries, by a directory that keeps times and tombstones. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Keypair, P256Keypair } from '@atproto/crypto'
import { encode } from '@atproto/lex-cbor'
import { createDirectory } from '../../../server/testing/directory/directory.ts'
import { day } from '../server/clock.ts'
import { type Answer, TestServer } from '../server/server.ts'
import { signServiceJwt } from './jwt.ts'
import { succeed } from './moving.ts'
import { cidOf, createPlcIdentity, nextOperation, type PlcIdentity, type PlcOperation } from './plc.ts'

type Submit = (operation: unknown) => Promise<void>

interface Case {
  readonly identity: PlcIdentity
  /** A key that is weaker than the identity's own. */
  readonly weak: Keypair
  readonly submit: Submit
  readonly server: TestServer
}

/** What happens before the holder of a key asks. Each returns the key. */
const cases = {
  IdentityNotFound: async ({ weak }: Case) => weak,
  AlreadyExists: async ({ identity, submit, server, weak }: Case) => {
    const { did, key } = identity
    await submit(identity.genesis)
    const iat = Math.floor(server.clock.now().getTime() / 1000)
    const lxm = 'com.core.server.createAccount'
    const proof = { iss: did, aud: 'did:web:pds.test', lxm, iat, exp: iat + 60, jti: did }
    await succeed(server.post(lxm, { did, handle: 'rita.test' }, await signServiceJwt(key, proof)))
    return weak
  },
  KeyNotFound: async ({ identity, submit, weak }: Case) => {
    await submit(identity.genesis)
    return weak
  },
  IdentityEnded: async ({ identity: { genesis, rotationKey }, submit }: Case) => {
    await submit(genesis)
    const ended = { type: 'plc_tombstone', prev: cidOf(genesis) }
    const sig = Buffer.from(await rotationKey.sign(encode(ended))).toString('base64url')
    await submit({ ...ended, sig })
    return rotationKey
  },
  KeyOverruled: async (given: Case) => {
    const added = await withBoth(given)
    const rotationKeys = [given.identity.rotationKey.did()]
    await given.submit(await nextOperation(given.identity.rotationKey, added, { rotationKeys }))
    return given.weak
  },
  RecoveryTooLate: async (given: Case) => {
    const added = await withBoth(given)
    await given.submit(await nextOperation(given.weak, added, { rotationKeys: [given.weak.did()] }))
    given.server.clock.advance(4 * day)
    return given.identity.rotationKey
  },
} satisfies Record<string, (given: Case) => Promise<Keypair>>

/** Registers the identity, and adds the weak key. */
async function withBoth({ identity: { genesis, rotationKey }, weak, submit }: Case): Promise<PlcOperation> {
  const added = await nextOperation(rotationKey, genesis, { rotationKeys: [rotationKey.did(), weak.did()] })
  await submit(genesis)
  await submit(added)
  return added
}

/** Returns the answer of prepareRecovery in one of the cases, or while the directory does not answer. */
export async function refusedRecovery(name: keyof typeof cases | 'DirectoryUnavailable'): Promise<Answer> {
  const identity = await createPlcIdentity('rita.old.example')
  const weak = await P256Keypair.create()
  const http = createServer((req, res) => void directory.handle(req, res))
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  const plcUrl = `http://127.0.0.1:${(http.address() as AddressInfo).port}`
  const server = await TestServer.start({ plcUrl, allowPrivateTargets: true })
  const directory = createDirectory({ now: server.clock.now })
  const close = () => {
    http.closeAllConnections()
    return new Promise((resolve) => http.close(resolve))
  }
  const submit = (operation: unknown) => directory.submit(identity.did, operation)
  try {
    if (name === 'DirectoryUnavailable') await close()
    const key = name === 'DirectoryUnavailable' ? weak : await cases[name]({ identity, weak, submit, server })
    return await server.post('com.core.move.prepareRecovery', { identifier: identity.did, key: key.did() })
  } finally {
    await server.close()
    await close()
  }
}
