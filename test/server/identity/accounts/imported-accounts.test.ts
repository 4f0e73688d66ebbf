import { P256Keypair } from '@atproto/crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findByDid } from '../../../../server/store/tables/accounts.ts'
import { type DidHost, didDocument, startDidHost } from '../../../support/accounts/did-host.ts'
import { signServiceJwt } from '../../../support/accounts/jwt.ts'
import {
  createPlcIdentity,
  moveOperation,
  nextOperation,
  PlcDirectory,
  type PlcIdentity,
  type PlcOperation,
  plannedMove,
} from '../../../support/accounts/plc.ts'
import { NameServer } from '../../../support/network/dns.ts'
import { day, hour, minute } from '../../../support/server/clock.ts'
import { sweep } from '../../../support/server/maintenance.ts'
import { adminAuth, refusal, TestServer } from '../../../support/server/server.ts'
import { server, setupServer } from '../../../support/server/setup.ts'
import { mentionsOf } from '../../../support/store/scan.ts'

let directory: PlcDirectory
let names: NameServer
/** The host of one did:web. */
let web: DidHost

beforeAll(async () => {
  directory = await PlcDirectory.start()
  web = await startDidHost()
  names = await NameServer.start()
})
afterAll(() => Promise.all([directory.close(), web.close(), names.close()]))
setupServer({
  config: () => ({
    plcUrl: directory.url,
    nameServers: [names.address],
    allowPrivateTargets: true,
  }),
})

const password = 'a good password'
const serverDid = 'did:web:pds.test'
const createAccount = 'com.core.server.createAccount'

/** A published identity of another server. */
async function foreignIdentity(handle = 'dora.old.example'): Promise<PlcIdentity> {
  const identity = await createPlcIdentity(handle)
  await directory.submit(identity.did, identity.genesis)
  return identity
}

/** The identity as an operation states it. */
function stateOf({ rotationKeys, verificationMethods, alsoKnownAs, services }: PlcOperation) {
  return { rotationKeys, verificationMethods, alsoKnownAs, services }
}

type Claims = Record<string, unknown>

function proofOf({ did, key }: Pick<PlcIdentity, 'did' | 'key'>, claims: Claims = {}): Promise<string> {
  const iat = Math.floor(server.clock.now().getTime() / 1000)
  const usual = { iss: did, aud: serverDid, lxm: createAccount, iat, exp: iat + 60, jti: 'unique' }
  return signServiceJwt(key, { ...usual, ...claims })
}

function moveIn(did: string, handle: string, proof: string | undefined, more: Record<string, unknown> = {}) {
  return server.post(createAccount, { did, handle, password, ...more }, proof)
}

async function movedIn(handle: string, more: Record<string, unknown> = {}) {
  const identity = await foreignIdentity()
  const { status, body } = await moveIn(identity.did, handle, await proofOf(identity), more)
  expect(status).toBe(200)
  return { ...identity, handle, password, accessJwt: body.accessJwt }
}

/** The key that the server signs with for an account. */
function signingKeyOf(did: string): string {
  return findByDid(server.running.services.store, did)?.signingKeyDid ?? ''
}

/** Publishes that an account is here. */
async function pointHere(identity: PlcIdentity): Promise<void> {
  const move = await moveOperation(identity, server, signingKeyOf(identity.did))
  await directory.submit(identity.did, move)
}

const session = (auth: { accessJwt: string }) => server.get('com.core.server.getSession', {}, auth)
const activate = (auth: { accessJwt: string }) =>
  server.post('com.core.server.activateAccount', undefined, auth)

test('import: a did:web account is deactivated until activateAccount', async () => {
  const identity = { did: web.did, key: await P256Keypair.create() }
  web.documents.set(identity.did, didDocument(identity.did, identity.key, 'webster.old.example'))
  const { status, body } = await moveIn(identity.did, 'webster.test', await proofOf(identity))
  expect(status).toBe(200)
  expect(body).toMatchObject({ did: web.did, handle: 'webster.test' })
  expect((await session(body)).body).toMatchObject({ active: false, status: 'deactivated' })
  const refused = await server.post('com.core.server.createAppPassword', { name: 'phone' }, body)
  expect(refused).toMatchObject(refusal(401, 'AccountDeactivated'))

  expect(await activate(body)).toMatchObject(refusal(400, 'InvalidRequest'))
  web.documents.delete(web.did)
  const unreadable = expect.stringContaining('The DID document could not be read')
  expect(await activate(body)).toMatchObject(refusal(400, 'InvalidRequest', unreadable))
  const here = { did: () => signingKeyOf(web.did) }
  web.documents.set(web.did, didDocument(web.did, here, 'webster.test', 'https://pds.test'))
  expect((await activate(body)).status).toBe(200)
  expect((await session(body)).body).toMatchObject({ active: true })
  expect((await session(body)).body).not.toHaveProperty('status')
  for (const identifier of [web.did, web.did.toUpperCase(), web.did.toLowerCase()]) {
    const signedIn = await server.signIn({ handle: 'webster.test', password }, { identifier })
    expect(signedIn.body).toMatchObject({ did: web.did })
  }
})

test('activateAccount: the DID must name this server and its key; the response says what is missing', async () => {
  const account = await movedIn('pointer.test')
  const validDid = async () =>
    (await server.get('com.core.server.checkAccountStatus', {}, account)).body.validDid
  const lift = (did: string) => {
    const subject = { $type: 'com.core.admin.defs#repoRef', did }
    const input = { subject, deactivated: { applied: false } }
    return server.post('com.core.admin.updateSubjectStatus', input, adminAuth)
  }
  const good = await moveOperation(account, server, signingKeyOf(account.did))
  const { genesis } = account
  let last = genesis
  const publish = async (changes: Parameters<typeof nextOperation>[2]) => {
    last = await nextOperation(account.rotationKey, last, changes)
    await directory.submit(account.did, last)
    server.clock.advance(minute)
  }
  const wrong = [
    [{}, 'The DID document names https://old.example and not https://pds.test'],
    [{ services: {} }, 'The DID document names no server'],
    [{ verificationMethods: genesis.verificationMethods }, 'does not have the signing key'],
  ] as const
  for (const [changes, message] of wrong) {
    if (last === genesis && message.includes('old.example')) server.clock.advance(minute)
    else await publish({ ...stateOf(good), ...changes })
    for (const answer of [await activate(account), await lift(account.did)]) {
      expect(answer).toMatchObject(refusal(400, 'InvalidRequest'))
      expect(answer.body.message).toContain(message)
    }
    expect(await validDid()).toBe(false)
    expect((await session(account)).body).toMatchObject({ active: false })
  }
  await publish(stateOf(good))
  expect(await validDid()).toBe(true)
  expect((await activate(account)).status).toBe(200)
  expect((await session(account)).body).toMatchObject({ active: true })
})

describe('an account whose holder alone has rotation keys', () => {
  test('is activated; its identity and its handle are changed by operations of the holder', async () => {
    const account = await movedIn('custodian.test')
    const { rotationKeys: _, ...state } = stateOf(
      await moveOperation(account, server, signingKeyOf(account.did)),
    )
    const alsoKnownAs = ['at://custodian.test']
    let last = await nextOperation(account.rotationKey, account.genesis, { ...state, alsoKnownAs })
    const submit = (operation: object) =>
      server.post('com.core.identity.submitPlcOperation', { operation }, account)
    expect((await submit(last)).status).toBe(200)
    server.clock.advance(minute)
    const { body } = await server.get('com.core.server.checkAccountStatus', {}, account)
    expect(body).toMatchObject({ validDid: true })
    expect((await activate(account)).status).toBe(200)
    expect((await session(account)).body).toMatchObject({ active: true })

    const rename = (handle: string) => server.post('com.core.identity.updateHandle', { handle }, account)
    expect(await rename('custodian2.test')).toMatchObject(
      refusal(
        400,
        'InvalidRequest',
        expect.stringMatching(/rotation keys .* do not include .* with a key of your own first/),
      ),
    )
    last = await nextOperation(account.rotationKey, last, { alsoKnownAs: ['at://custodian2.test'] })
    await directory.submit(account.did, last)
    expect((await rename('custodian2.test')).status).toBe(200)
    expect((await session(account)).body).toMatchObject({ handle: 'custodian2.test' })
    expect(directory.last(account.did)).toEqual(last)
  })
})

test('activateAccount: fails while the DID document cannot be looked up', async () => {
  const account = await movedIn('outage.test')
  await pointHere(account)
  directory.mode = 'fails'
  // A restart empties the cache.
  await server.restart()
  const unreadable = expect.stringContaining('The DID document could not be read')
  expect(await activate(account)).toMatchObject(refusal(502, 'UpstreamFailure', unreadable))
  directory.mode = 'up'
  expect((await activate(account)).status).toBe(200)
})

test('sessions have a didDoc only while it names this server', async () => {
  const identity = await foreignIdentity()
  const created = await moveIn(identity.did, 'careful.test', await proofOf(identity))
  const who = { handle: 'careful.test', password }
  const answers = async () => [
    await server.signIn(who),
    await session(created.body),
    await server.post(
      'com.core.server.refreshSession',
      undefined,
      (await server.signIn(who)).body.refreshJwt,
    ),
  ]
  for (const { status, body } of [created, ...(await answers())]) {
    expect(status).toBe(200)
    expect(body).not.toHaveProperty('didDoc')
  }
  await pointHere(identity)
  server.clock.advance(6 * minute)
  for (const { body } of await answers()) {
    expect(body.didDoc.service).toMatchObject([{ serviceEndpoint: 'https://pds.test' }])
  }
})

test('describeRepo: handleIsCorrect is true only while the DID names the handle; didDoc is the published document', async () => {
  const account = await movedIn('named.test')
  await pointHere(account)
  expect((await activate(account)).status).toBe(200)
  const described = async () => (await server.get('com.core.repo.describeRepo', { repo: account.did })).body
  expect(await described()).toMatchObject({
    ...{ handle: 'named.test', handleIsCorrect: false },
    didDoc: { alsoKnownAs: ['at://dora.old.example'] },
  })
  const renamed = { alsoKnownAs: ['at://named.test'] }
  const moved = directory.last(account.did) ?? account.genesis
  await directory.submit(account.did, await nextOperation(account.rotationKey, moved, renamed))
  server.clock.advance(6 * minute)
  expect(await described()).toMatchObject({
    ...{ handle: 'named.test', handleIsCorrect: true },
    didDoc: { alsoKnownAs: ['at://named.test'] },
  })
})

test('reserveSigningKey: the account is created with the reserved key', async () => {
  const identity = await foreignIdentity()
  const reserve = () => server.post('com.core.server.reserveSigningKey', { did: identity.did })
  const { body: reserved } = await reserve()
  expect((await reserve()).body).toEqual(reserved)
  expect((await server.post('com.core.server.reserveSigningKey', { did: web.did })).body).not.toEqual(
    reserved,
  )

  await moveIn(identity.did, 'reserver.test', await proofOf(identity))
  expect(signingKeyOf(identity.did)).toBe(reserved.signingKey)
  expect(await reserve()).toMatchObject(refusal(400, 'InvalidRequest'))
  const { store } = server.running.services
  expect(mentionsOf(store, identity.did).filter((mention) => mention.startsWith('reserved_keys'))).toEqual([])
})

describe('the proof', () => {
  test.each([
    ['is for another server', 'BadJwtAudience', () => ({ aud: 'did:web:other.test' })],
    ['is for another method', 'BadJwtLexiconMethod', () => ({ lxm: 'com.core.server.deleteAccount' })],
    ['is for any method', 'BadJwtLexiconMethod', () => ({ lxm: undefined })],
    ['has expired', 'AuthenticationRequired', (now: number) => ({ exp: now - 1 })],
    ['never expires', 'AuthenticationRequired', () => ({ exp: undefined })],
    ['lives for a day', 'AuthenticationRequired', (now: number) => ({ exp: now + 86_400 })],
    ['has no issuer', 'AuthenticationRequired', () => ({ iss: undefined })],
  ])('is refused when it %s: %s', async (_, error, claims: (now: number) => Claims) => {
    const identity = await foreignIdentity()
    const proof = await proofOf(identity, claims(Math.floor(server.clock.now().getTime() / 1000)))
    expect(await moveIn(identity.did, 'unproved.test', proof)).toMatchObject(refusal(401, error))
  })

  test('is required', async () => {
    const { did } = await foreignIdentity()
    expect(await moveIn(did, 'unproved.test', undefined)).toMatchObject(
      refusal(401, 'AuthenticationRequired'),
    )
    expect(await moveIn(did, 'unproved.test', 'garbage')).toMatchObject(
      refusal(401, 'AuthenticationRequired'),
    )
  })

  test('of another DID is refused', async () => {
    const [victim, thief] = await Promise.all([foreignIdentity(), foreignIdentity()])
    const refused = refusal(401, 'AuthenticationRequired')
    expect(await moveIn(victim.did, 'stolen.test', await proofOf(thief))).toMatchObject(refused)
    const forged = await proofOf({ did: victim.did, key: thief.key })
    expect(await moveIn(victim.did, 'stolen.test', forged)).toMatchObject(refused)
  })

  test('cannot be a session token', async () => {
    const account = await server.account('insider')
    const answer = await moveIn(account.did, 'unproved.test', account.accessJwt)
    expect(answer).toMatchObject(refusal(401, 'BadJwtType'))
  })

  test('may name the method by its alias', async () => {
    const identity = await foreignIdentity()
    const proof = await proofOf(identity, { lxm: 'com.atproto.server.createAccount' })
    expect((await moveIn(identity.did, 'aliased.test', proof)).status).toBe(200)
  })

  test('may be signed with a newer key than that of the cached document', async () => {
    const identity = await foreignIdentity()
    const forged = await proofOf({ did: identity.did, key: await P256Keypair.create() })
    expect((await moveIn(identity.did, 'rekeyed.test', forged)).status).toBe(401)
    const key = await P256Keypair.create()
    const rekeyed = { verificationMethods: { atproto: key.did() } }
    await directory.submit(identity.did, await nextOperation(identity.rotationKey, identity.genesis, rekeyed))
    const proof = await proofOf({ did: identity.did, key })
    expect((await moveIn(identity.did, 'rekeyed.test', proof)).status).toBe(200)
  })

  test('is refused when the DID cannot be resolved', async () => {
    const unknown = await createPlcIdentity('unknown.old.example')
    expect(await moveIn(unknown.did, 'unknown.test', await proofOf(unknown))).toMatchObject(
      refusal(401, 'AuthenticationRequired'),
    )
  })

  test('of a DID on this machine is refused unless the owner allows private addresses', async () => {
    const careful = await TestServer.start()
    try {
      const identity = { did: web.did, key: await P256Keypair.create() }
      const input = { did: identity.did, handle: 'inward.test', password }
      const answer = await careful.post(createAccount, input, await proofOf(identity))
      expect(answer).toMatchObject(refusal(401, 'AuthenticationRequired'))
    } finally {
      await careful.close()
    }
  })
})

test('import: a DID has one account on this server', async () => {
  const account = await movedIn('settled.test')
  for (const handle of ['again.test', account.handle]) {
    const answer = await moveIn(account.did, handle, await proofOf(account))
    expect(answer).toMatchObject(refusal(400, 'AlreadyExists'))
  }
})

test('import: a handle of another domain is allowed if the DID document claims it and the domain names the DID', async () => {
  const identity = await foreignIdentity('mine.example.com')
  const unclaimed = await moveIn(identity.did, 'yours.example.com', await proofOf(identity))
  expect(unclaimed).toMatchObject(refusal(400, 'UnsupportedDomain'))
  const unproven = await moveIn(identity.did, 'mine.example.com', await proofOf(identity))
  expect(unproven).toMatchObject(refusal(400, 'InvalidHandle'))
  names.set('mine.example.com', identity.did)
  const claimed = await moveIn(identity.did, 'Mine.Example.com', await proofOf(identity))
  expect(claimed.body).toMatchObject({ did: identity.did, handle: 'mine.example.com' })
})

test('import: an account that is not activated is deleted after three days', async () => {
  const abandoned = await movedIn('abandoned.test')
  const wanted = await movedIn('wanted.test')
  await pointHere(wanted)
  expect((await activate(wanted)).status).toBe(200)

  server.clock.advance(3 * day - hour)
  await sweep(server.running.services)
  expect((await server.signIn(abandoned)).body).toMatchObject({ status: 'deactivated' })

  server.clock.advance(2 * hour)
  await sweep(server.running.services)
  expect(await server.signIn(abandoned)).toMatchObject(refusal(401, 'AuthenticationRequired'))
  expect((await server.signIn(wanted)).body).toMatchObject({ did: wanted.did, active: true })
  expect((await moveIn(abandoned.did, 'abandoned.test', await proofOf(abandoned))).status).toBe(200)
})

describe('an operation in plcOp', () => {
  test('is submitted when the account is activated, and once', async () => {
    const identity = await foreignIdentity()
    const plcOp = await plannedMove(identity, server)
    const { body } = await moveIn(identity.did, 'mover.test', await proofOf(identity), { plcOp })
    await server.running.services.background.idle()
    await server.running.services.identity.plc.publishDue()
    expect(directory.postedFor(identity.did)).toEqual([])

    expect((await activate(body)).status).toBe(200)
    expect((await activate(body)).status).toBe(200)
    expect(directory.postedFor(identity.did)).toEqual([plcOp])
  })

  test('keeps the account deactivated while the directory refuses it', async () => {
    const identity = await foreignIdentity()
    const plcOp = await plannedMove(identity, server)
    const { body } = await moveIn(identity.did, 'waiter.test', await proofOf(identity), { plcOp })
    directory.mode = 'fails'
    expect(await activate(body)).toMatchObject(refusal(503, 'NotEnoughResources'))
    expect((await session(body)).body).toMatchObject({ active: false })
    directory.mode = 'up'
    expect((await activate(body)).status).toBe(200)
    expect((await session(body)).body).toMatchObject({ active: true })
  })

  test('may be the genesis operation', async () => {
    const identity = await foreignIdentity()
    const more = { plcOp: identity.genesis }
    expect((await moveIn(identity.did, 'genesis.test', await proofOf(identity), more)).status).toBe(200)
  })

  test('is refused if it is malformed, forged or of another DID', async () => {
    const [identity, other] = await Promise.all([foreignIdentity(), foreignIdentity()])
    const good = await plannedMove(identity, server)
    const bad = [
      'an operation',
      {},
      { ...good, sig: other.genesis.sig },
      { ...good, alsoKnownAs: ['at://thief.test'] },
      other.genesis,
    ]
    for (const plcOp of bad) {
      const answer = await moveIn(identity.did, 'forger.test', await proofOf(identity), { plcOp })
      expect(answer).toMatchObject(refusal(400, 'InvalidRequest'))
    }
  })

  test('is refused for a DID of another method', async () => {
    const host = await startDidHost()
    try {
      const web = { did: host.did, key: await P256Keypair.create() }
      host.documents.set(web.did, didDocument(web.did, web.key, 'web.old.example'))
      const plcOp = await plannedMove(await foreignIdentity(), server)
      const answer = await moveIn(web.did, 'methodical.test', await proofOf(web), { plcOp })
      expect(answer).toMatchObject(refusal(400, 'InvalidRequest'))
    } finally {
      await host.close()
    }
  })

  test('is refused without the DID that it is for', async () => {
    const { genesis } = await foreignIdentity()
    const answer = await server.post(createAccount, { handle: 'didless.test', password, plcOp: genesis })
    expect(answer).toMatchObject(refusal(400, 'InvalidRequest'))
  })
})
