import { P256Keypair } from '@atproto/crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { signServiceJwt } from '../../../support/accounts/jwt.ts'
import {
  createPlcIdentity,
  nextOperation,
  PlcDirectory,
  type PlcOperation,
} from '../../../support/accounts/plc.ts'
import { hour, minute } from '../../../support/server/clock.ts'
import { listening } from '../../../support/server/listener.ts'
import { type Account, refusal, TestServer } from '../../../support/server/server.ts'
import { server, setupServer } from '../../../support/server/setup.ts'

let directory: PlcDirectory
/** A server without a directory: its identities are not published. */
let offline: TestServer

beforeAll(async () => {
  directory = await PlcDirectory.start()
  offline = await TestServer.start()
})
afterAll(async () => {
  await offline.close()
  await directory.close()
})
setupServer({ config: () => ({ plcUrl: directory.url }) })

beforeEach(() => {
  directory.mode = 'up'
})

let accounts = 0
async function newAccount(on = server, more: Record<string, unknown> = {}): Promise<Account> {
  const account = await on.account(`account-${++accounts}`, more)
  await on.running.services.background.idle()
  return account
}

const identity = (name: string, input: unknown, account: Account, on = server) =>
  on.post(`com.core.identity.${name}`, input, account)
const credentials = async (account: Account, on = server) =>
  (await on.get('com.core.identity.getRecommendedDidCredentials', {}, account)).body
const keysOf = async (account: Account, on = server) =>
  (await on.get('com.core.identity.listRotationKeys', {}, account)).body
const submit = (operation: unknown, account: Account, on = server) =>
  identity('submitPlcOperation', { operation }, account, on)
const status = async (account: Account) =>
  (await server.get('com.core.server.checkAccountStatus', {}, account)).body

/** Signs with a mailed code. */
async function sign(account: Account, changes: Record<string, unknown> = {}, on = server) {
  expect((await identity('requestPlcOperationSignature', undefined, account, on)).status).toBe(200)
  const token = await on.codeTo(account.email)
  return identity('signPlcOperation', { token, ...changes }, account, on)
}

function published(did: string): PlcOperation {
  const last = directory.last(did)
  if (!last) throw new Error(`${did} is not published`)
  return last
}

/** Creates an account with a DID of another server. */
async function moveIn(handle: string) {
  const moving = await createPlcIdentity('carla.old.example')
  await directory.submit(moving.did, moving.genesis)
  const iat = Math.floor(server.clock.now().getTime() / 1000)
  const claims = { iss: moving.did, aud: 'did:web:pds.test', lxm: 'com.core.server.createAccount' }
  const proof = await signServiceJwt(moving.key, { ...claims, iat, exp: iat + 60, jti: handle })
  const input = { did: moving.did, handle, password: 'a good password' }
  const { status, body } = await server.post('com.core.server.createAccount', input, proof)
  expect(status).toBe(200)
  return { ...moving, account: { ...input, ...body } as Account }
}

describe('signPlcOperation', () => {
  test('signs what the directory accepts, with a code that is used up', async () => {
    const alice = await newAccount()
    const before = published(alice.did)
    const mine = (await P256Keypair.create()).did()
    await identity('requestPlcOperationSignature', undefined, alice)
    const token = await server.codeTo(alice.email)
    const rotationKeys = [mine, ...before.rotationKeys]
    const signed = await identity('signPlcOperation', { token, rotationKeys }, alice)
    expect(signed.body.operation).toMatchObject({
      ...before,
      rotationKeys,
      prev: expect.any(String),
      sig: expect.any(String),
    })
    expect(await identity('signPlcOperation', { token, rotationKeys }, alice)).toMatchObject(
      refusal(400, 'InvalidToken'),
    )
    expect((await submit(signed.body.operation, alice)).status).toBe(200)
    expect(published(alice.did)).toEqual(signed.body.operation)
  })

  test('without a code, or with the code of another purpose, is refused', async () => {
    const alice = await newAccount()
    expect(await identity('signPlcOperation', {}, alice)).toMatchObject(refusal(400, 'InvalidRequest'))
    await server.post('com.core.server.requestAccountDelete', undefined, alice)
    const token = await server.codeTo(alice.email)
    expect(await identity('signPlcOperation', { token }, alice)).toMatchObject(refusal(400, 'InvalidToken'))
  })

  test.each([
    { rotationKeys: [] },
    { rotationKeys: ['did:key:none'] },
    { alsoKnownAs: Array(11).fill('at://a.test') },
    { alsoKnownAs: ['x'.repeat(5000)] },
    { alsoKnownAs: ['at://\ud800'] },
    { verificationMethods: { '\ud800': 'did:key:z' } },
    { verificationMethods: { atproto: 1.5 } },
    { services: { atproto_pds: { type: 'AtprotoPersonalDataServer' } } },
    { services: { atproto_pds: [] } },
  ])('refuses what is no operation and keeps the code: %j', async (changes) => {
    const alice = await newAccount()
    expect(await sign(alice, changes)).toMatchObject(refusal(400, 'InvalidRequest'))
    const token = await server.codeTo(alice.email)
    expect((await identity('signPlcOperation', { token }, alice)).status).toBe(200)
  })

  test('keeps the code while the directory is down', async () => {
    const alice = await newAccount()
    directory.mode = 'down'
    expect(await sign(alice)).toMatchObject(refusal(502, 'UpstreamFailure'))
    directory.mode = 'up'
    const token = await server.codeTo(alice.email)
    expect((await identity('signPlcOperation', { token }, alice)).status).toBe(200)
  })

  test('an app password neither requests a code nor signs', async () => {
    const app = { ...(await newAccount()), ...(await server.appSession(await newAccount(), 'phone', true)) }
    expect(await identity('requestPlcOperationSignature', undefined, app)).toMatchObject(
      refusal(400, 'InvalidToken'),
    )
    expect(await submit({}, app)).toMatchObject(refusal(400, 'InvalidToken'))
  })
})

describe('submitPlcOperation', () => {
  test('publishes an operation that moves an identity here, which the old server has signed', async () => {
    const { account, genesis, rotationKey, did } = await moveIn('carla.test')
    expect(await status(account)).toMatchObject({ validDid: false })
    const operation = await nextOperation(rotationKey, genesis, await credentials(account))
    expect((await submit(operation, account)).status).toBe(200)
    expect(published(did)).toEqual(operation)
    server.clock.advance(minute)
    expect(await status(account)).toMatchObject({ validDid: true })
    expect((await submit(operation, account)).status).toBe(200)
    expect(directory.log(did)).toHaveLength(2)
  })

  test('an account is activated by its present identity after the clock was ahead', async () => {
    const { account, genesis, rotationKey, did } = await moveIn('clara.test')
    server.clock.advance(hour)
    expect(await status(account)).toMatchObject({ validDid: false })
    server.clock.advance(-hour)
    await directory.submit(did, await nextOperation(rotationKey, genesis, await credentials(account)))
    expect(await server.post('com.core.server.activateAccount', undefined, account)).toMatchObject({
      status: 200,
    })
  })

  test('the rotation keys may stay those of the holder', async () => {
    const { account, genesis, rotationKey, did } = await moveIn('cora.test')
    const { rotationKeys: _, ...state } = await credentials(account)
    const operation = await nextOperation(rotationKey, genesis, state)
    expect((await submit(operation, account)).status).toBe(200)
    expect(published(did)).toEqual(operation)
    server.clock.advance(minute)
    expect(await status(account)).toMatchObject({ validDid: true })
  })

  test.each([
    ['the rotation key', async () => ({ rotationKeys: [(await P256Keypair.create()).did()] })],
    [
      'the signing key',
      async () => ({ verificationMethods: { atproto: (await P256Keypair.create()).did() } }),
    ],
    [
      'the server',
      async () => ({
        services: { atproto_pds: { type: 'AtprotoPersonalDataServer', endpoint: 'https://other.example' } },
      }),
    ],
    [
      'the kind of server',
      async () => ({ services: { atproto_pds: { type: 'Other', endpoint: 'https://pds.test' } } }),
    ],
    ['the handle', async () => ({ alsoKnownAs: ['at://other.example'] })],
  ])('refuses to replace %s', async (_, changes) => {
    const alice = await newAccount()
    const before = published(alice.did)
    const { body } = await sign(alice, await changes())
    expect(await submit(body.operation, alice)).toMatchObject(refusal(400, 'InvalidRequest'))
    expect(published(alice.did)).toEqual(before)
  })

  test('passes on why the directory refuses, and is complete if only the response was lost', async () => {
    const alice = await newAccount()
    const forged = await nextOperation(await P256Keypair.create(), published(alice.did), {})
    const refused = await submit(forged, alice)
    expect(refused).toMatchObject(refusal(400, 'InvalidRequest'))
    expect(refused.body.message).toBe('The did:plc directory answered 400: Invalid signature on op')

    const { body } = await sign(alice)
    directory.mode = 'accepts and cuts'
    expect((await submit(body.operation, alice)).status).toBe(200)
    directory.mode = 'down'
    expect(await submit(body.operation, alice)).toMatchObject(refusal(502, 'UpstreamFailure'))
  })
})

describe('a recovery key', () => {
  const add = (key: string, account: Account, on = server) =>
    identity('addRecoveryKey', { key, password: account.password }, account, on)

  test('is added above the key of the server, and takes the identity back', async () => {
    const recovery = await P256Keypair.create()
    const alice = await newAccount()
    const [own] = published(alice.did).rotationKeys
    expect((await add(recovery.did(), alice)).status).toBe(200)
    expect(await keysOf(alice)).toEqual({
      keys: [
        { key: recovery.did(), server: false },
        { key: own, server: true },
      ],
      handle: alice.handle,
      published: true,
    })
    const withKey = published(alice.did)
    // The server changes the identity, and the owner undoes it: the stronger key replaces operations of the weaker one.
    await identity('updateHandle', { handle: 'seized.test' }, alice)
    expect(published(alice.did).alsoKnownAs).toEqual(['at://seized.test'])
    const taken = await nextOperation(recovery, withKey, { rotationKeys: [recovery.did()] })
    await directory.submit(alice.did, taken)
    expect(published(alice.did)).toEqual(taken)
    await expect(directory.submit(alice.did, await nextOperation(recovery, withKey, {}))).rejects.toThrow()
  })

  test('goes below those that the owner has already, and can be removed', async () => {
    const [first, second] = [(await P256Keypair.create()).did(), (await P256Keypair.create()).did()]
    const alice = await newAccount(server, { recoveryKey: first })
    const own = published(alice.did).rotationKeys[1]
    await add(second, alice)
    expect(published(alice.did).rotationKeys).toEqual([first, second, own])
    const remove = await identity('removeRecoveryKey', { key: first, password: alice.password }, alice)
    expect(remove.status).toBe(200)
    expect(published(alice.did).rotationKeys).toEqual([second, own])
  })

  test('needs the main password, and no app password will do', async () => {
    const alice = await newAccount()
    const key = (await P256Keypair.create()).did()
    const app = await server.appSession(alice, 'phone')
    for (const password of ['wrong', app.password]) {
      expect(await identity('addRecoveryKey', { key, password }, alice)).toMatchObject(
        refusal(401, 'AuthenticationRequired'),
      )
      expect(await identity('removeRecoveryKey', { key, password }, alice)).toMatchObject(
        refusal(401, 'AuthenticationRequired'),
      )
    }
    expect(directory.log(alice.did)).toHaveLength(1)
  })

  test('is not added while the directory is down', async () => {
    const alice = await newAccount()
    directory.mode = 'down'
    const key = (await P256Keypair.create()).did()
    expect(await add(key, alice)).toMatchObject(refusal(502, 'UpstreamFailure'))
    directory.mode = 'up'
    expect((await keysOf(alice)).keys).toHaveLength(1)
  })
})

test('the event stream reports each change of an identity once, its own handle again, and no change that failed', async () => {
  const listener = await listening(`${server.url}/xrpc/com.core.sync.subscribeRepos`)
  const alice = await newAccount()
  const own = published(alice.did).rotationKeys
  directory.mode = 'down'
  await identity('updateHandle', { handle: 'reported.test' }, alice)
  directory.mode = 'up'
  await identity('updateHandle', { handle: 'reported.test' }, alice)
  // Its own handle again: that is how people have relays look an identity up.
  await identity('updateHandle', { handle: 'reported.test' }, alice)
  const { body } = await sign({ ...alice, handle: 'reported.test' }, { rotationKeys: own })
  await submit(body.operation, alice)
  const key = (await P256Keypair.create()).did()
  await identity('addRecoveryKey', { key, password: alice.password }, alice)
  await server.post('com.core.server.deactivateAccount', {}, alice)
  const reported: string[] = []
  for (;;) {
    const { header, payload } = await listener.next()
    if (payload.did !== alice.did) continue
    if (header.t === '#account' && payload.active === false) break
    if (header.t === '#identity') reported.push(payload.handle)
  }
  listener.close()
  const [created, ...later] = reported
  expect(created).toBe(alice.handle)
  expect(later).toEqual(Array(4).fill('reported.test'))
})

describe('an identity that no directory has', () => {
  test('keeps its operations, which are published in order once a directory is configured', async () => {
    const recovery = await P256Keypair.create()
    const dora = await newAccount(offline)
    const own = (await credentials(dora, offline)).rotationKeys[0]
    expect((await identity('updateHandle', { handle: 'dorothea.test' }, dora, offline)).status).toBe(200)
    const added = await identity(
      'addRecoveryKey',
      { key: recovery.did(), password: dora.password },
      dora,
      offline,
    )
    expect(added.status).toBe(200)
    const { body } = await sign(
      dora,
      { alsoKnownAs: ['at://dorothea.test', 'https://dora.example'] },
      offline,
    )
    expect((await submit(body.operation, dora, offline)).status).toBe(200)
    const forged = await nextOperation(await P256Keypair.create(), body.operation, {})
    expect(await submit(forged, dora, offline)).toMatchObject(refusal(400, 'InvalidRequest'))
    expect(await submit(body.operation, dora, offline)).toMatchObject(refusal(400, 'InvalidRequest'))
    expect(await keysOf(dora, offline)).toEqual({
      keys: [
        { key: recovery.did(), server: false },
        { key: own, server: true },
      ],
      handle: 'dorothea.test',
      published: false,
    })

    await offline.running.close()
    Object.assign(offline.config, { plcUrl: directory.url })
    await offline.open()
    await offline.running.services.identity.plc.publishDue()
    await offline.running.services.background.idle()
    const log = directory.log(dora.did)
    expect(log.map(({ alsoKnownAs }) => alsoKnownAs[0])).toEqual([
      `at://${dora.handle}`,
      'at://dorothea.test',
      'at://dorothea.test',
      'at://dorothea.test',
    ])
    expect(log.at(-1)).toEqual(body.operation)
    expect(log[1]?.rotationKeys).toEqual([own])
    // The recovery key undoes later operations of the server.
    const taken = await nextOperation(recovery, log[2] as PlcOperation, { rotationKeys: [recovery.did()] })
    await directory.submit(dora.did, taken)
    expect(published(dora.did)).toEqual(taken)
    expect((await keysOf(dora, offline)).published).toBe(true)
  })
})
