import { P256Keypair } from '@atproto/crypto'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { signServiceJwt } from '../../../support/accounts/jwt.ts'
import { createPlcIdentity, nextOperation, PlcDirectory, plannedMove } from '../../../support/accounts/plc.ts'
import { minute } from '../../../support/server/clock.ts'
import { sweep } from '../../../support/server/maintenance.ts'
import { type Account, adminAuth, refusal } from '../../../support/server/server.ts'
import { server, setupServer } from '../../../support/server/setup.ts'

let directory: PlcDirectory

beforeEach(async () => {
  directory = await PlcDirectory.start()
})
afterEach(() => directory.close())
setupServer({ config: () => ({ plcUrl: directory.url }), per: 'test' })

type Auth = Pick<Account, 'accessJwt'>

const published = () => server.running.services.background.idle()
const session = async (auth: Auth) => (await server.get('com.core.server.getSession', {}, auth)).body
const status = async (auth: Auth) => (await server.get('com.core.server.checkAccountStatus', {}, auth)).body
const activate = (auth: Auth) => server.post('com.core.server.activateAccount', undefined, auth)
const endpointIn = (document: { service: { serviceEndpoint: string }[] }) =>
  document.service[0]?.serviceEndpoint
const endpointOf = (did: string) => directory.last(did)?.services.atproto_pds?.endpoint

/** Moves the clock past every retry delay and publishes due operations. */
async function publishLater(): Promise<void> {
  server.clock.advance(61 * minute)
  await server.running.services.identity.plc.publishDue()
}

/** Closes the server and starts it again under other settings. */
async function reopen(settings: Record<string, unknown>): Promise<void> {
  await server.running.close()
  Object.assign(server.config, settings)
  await server.open()
  await published()
}

/** Creates an account with a DID of another server and the operation that moves the DID here. */
async function moveIn(handle: string, plcOp?: boolean) {
  const identity = await createPlcIdentity('carla.old.example')
  await directory.submit(identity.did, identity.genesis)
  const operation = await plannedMove(identity, server)
  const iat = Math.floor(server.clock.now().getTime() / 1000)
  const claims = { iss: identity.did, aud: 'did:web:pds.test', lxm: 'com.core.server.createAccount' }
  const proof = await signServiceJwt(identity.key, { ...claims, iat, exp: iat + 60, jti: 'unique' })
  const input = { did: identity.did, handle, password: 'a good password', ...(plcOp && { plcOp: operation }) }
  const { status, body } = await server.post('com.core.server.createAccount', input, proof)
  expect(status).toBe(200)
  return { ...identity, ...body, operation } as typeof identity & Account & { operation: typeof operation }
}

describe('activation while the directory does not answer', () => {
  const scheduled = async (name: string) => {
    const account = await server.account(name)
    await published()
    const deleteAfter = new Date(server.clock.now().getTime() + 30 * minute).toISOString()
    await server.post('com.core.server.deactivateAccount', { deleteAfter }, account)
    directory.mode = 'fails'
    return account
  }
  const wait = async () => {
    server.clock.advance(60 * minute)
    await sweep(server.running.services)
  }

  test('cancels the scheduled deletion, and says so', async () => {
    const alice = await scheduled('alice')
    const { status: code, body } = await activate(alice)
    expect({ code, ...body }).toMatchObject({ code: 502, error: 'UpstreamFailure' })
    expect(body.message).toContain('Its deletion is cancelled.')
    expect(await status(alice)).not.toHaveProperty('deleteAfter')
    await wait()
    expect((await server.signIn(alice)).body).toMatchObject({ active: false, status: 'deactivated' })
  })

  test('cancels it for a suspended account too, and by the administrator', async () => {
    const bob = await scheduled('bob')
    await server.setStatus(bob.did, { suspended: true })
    expect(await activate(bob)).toMatchObject(refusal(401, 'AccountSuspended'))
    directory.mode = 'up'
    const carla = await scheduled('carla')
    await expect(server.setStatus(carla.did, { deactivated: false })).rejects.toThrow(
      'Its deletion is cancelled.',
    )
    await wait()
    for (const account of [bob, carla]) expect((await server.signIn(account)).status).toBe(200)
  })
})

describe('PLC submission', () => {
  test('an operation that was accepted without a response is not submitted again', async () => {
    directory.mode = 'accepts and cuts'
    const alice = await server.account('alice')
    await published()
    expect(directory.log(alice.did)).toHaveLength(1)
    directory.mode = 'up'
    await publishLater()
    await publishLater()
    expect(directory.postedFor(alice.did)).toHaveLength(1)
    expect(await status((await server.signIn(alice)).body)).toMatchObject({ validDid: true })
  })

  test('an operation accepted before the directory went down counts as submitted when it is up again', async () => {
    const carla = await moveIn('carla.test', true)
    // The directory accepts the operation, but every response is lost.
    await directory.submit(carla.did, carla.operation)
    directory.mode = 'down'
    expect(await activate(carla)).toMatchObject(refusal(503, 'NotEnoughResources'))
    expect(await session(carla)).toMatchObject({ active: false })

    directory.mode = 'up'
    expect((await activate(carla)).status).toBe(200)
    expect(await session(carla)).toMatchObject({ active: true })
    expect(directory.log(carla.did)).toHaveLength(2)
  })

  test('an account can be activated although the response to its operation was lost', async () => {
    const carla = await moveIn('carla.test', true)
    directory.mode = 'accepts and cuts'
    expect((await activate(carla)).status).toBe(200)
    expect(directory.last(carla.did)).toEqual(carla.operation)
    expect(await status(carla)).toMatchObject({ activated: true })
  })

  test('an operation that was accepted before a later one counts as submitted', async () => {
    const carla = await moveIn('carla.test', true)
    await directory.submit(carla.did, carla.operation)
    const later = await nextOperation(carla.rotationKey, carla.operation, {
      alsoKnownAs: ['at://carla.example'],
    })
    await directory.submit(carla.did, later)
    expect((await activate(carla)).status).toBe(200)
    expect(directory.last(carla.did)).toEqual(later)
  })

  test('an account stays deactivated if the directory has another operation in place of its own', async () => {
    const carla = await moveIn('carla.test', true)
    const other = await nextOperation(carla.rotationKey, carla.genesis, {
      alsoKnownAs: ['at://carla.example'],
    })
    await directory.submit(carla.did, other)
    expect(await activate(carla)).toMatchObject(refusal(503, 'NotEnoughResources'))
    expect(await session(carla)).toMatchObject({ active: false })
  })

  test.each(['down', 'fails'] as const)('is retried later, not at once (directory: %s)', async (mode) => {
    directory.mode = mode
    const alice = await server.account('alice')
    await published()
    const attempts = () => directory.requests.filter((request) => request.startsWith('POST')).length
    expect(attempts()).toBe(1)
    await server.running.services.identity.plc.publishDue()
    expect(attempts()).toBe(1)
    await publishLater()
    expect(attempts()).toBe(2)

    directory.mode = 'up'
    await publishLater()
    expect(directory.log(alice.did)).toHaveLength(1)
  })

  test('a refused operation does not delay other accounts', async () => {
    directory.mode = 'fails'
    const alice = await server.account('alice')
    const bob = await server.account('bob')
    await published()
    directory.mode = 'up'
    directory.refused.add(alice.did)
    await publishLater()
    expect(directory.log(alice.did)).toHaveLength(0)
    expect(directory.log(bob.did)).toHaveLength(1)
  })
})

describe('a new public address', () => {
  test('is published in an update operation for every published account', async () => {
    const alice = await server.account('alice')
    const bob = await server.account('bob')
    await published()
    await reopen({ publicUrl: 'https://new.test' })
    for (const { did, handle } of [alice, bob]) {
      const [genesis, update, ...more] = directory.log(did)
      expect(more).toEqual([])
      expect(update).toMatchObject({
        rotationKeys: genesis?.rotationKeys,
        verificationMethods: genesis?.verificationMethods,
        alsoKnownAs: [`at://${handle}`],
        services: { atproto_pds: { type: 'AtprotoPersonalDataServer', endpoint: 'https://new.test' } },
      })
    }
    const signedIn = (await server.signIn(alice)).body
    expect(endpointIn(signedIn.didDoc)).toBe('https://new.test')
    expect(await status(signedIn)).toMatchObject({ validDid: true })
  })

  test('is published after the genesis operation of an unpublished identity', async () => {
    await reopen({ plcUrl: undefined, publicUrl: undefined })
    const alice = await server.account('alice')
    await reopen({ plcUrl: directory.url, publicUrl: 'https://pds.test' })
    expect(directory.log(alice.did).map(({ services }) => services.atproto_pds?.endpoint)).toEqual([
      expect.stringMatching(/^http:\/\/localhost:\d+$/),
      'https://pds.test',
    ])
    const signedIn = (await server.signIn(alice)).body
    expect(await status(signedIn)).toMatchObject({ validDid: true })
    expect(endpointIn((await session(signedIn)).didDoc)).toBe('https://pds.test')
  })

  test.each(['down', 'fails', 'accepts and cuts'] as const)(
    'is retried until the directory has it (first: %s)',
    async (mode) => {
      const alice = await server.account('alice')
      await published()
      directory.mode = mode
      await reopen({ publicUrl: 'https://new.test' })
      directory.mode = 'up'
      await publishLater()
      await publishLater()
      expect(directory.log(alice.did)).toHaveLength(2)
      expect(endpointOf(alice.did)).toBe('https://new.test')
    },
  )

  test('makes validDid false until the directory has it', async () => {
    const alice = await server.account('alice')
    await published()
    directory.refused.add(alice.did)
    await reopen({ publicUrl: 'https://new.test' })
    const signedIn = (await server.signIn(alice)).body
    expect(await status(signedIn)).toMatchObject({ validDid: false })
    // Clients would go on at the old address.
    expect(await session(signedIn)).not.toHaveProperty('didDoc')
  })

  test('does not overwrite an identity that has moved to another server', async () => {
    const recovery = await P256Keypair.create()
    const alice = await server.account('alice', { recoveryKey: recovery.did() })
    await published()
    const genesis = directory.last(alice.did)
    if (!genesis) throw new Error('not published')
    const elsewhere = { type: 'AtprotoPersonalDataServer', endpoint: 'https://elsewhere.example' }
    const moved = await nextOperation(recovery, genesis, { services: { atproto_pds: elsewhere } })
    await directory.submit(alice.did, moved)
    await reopen({ publicUrl: 'https://new.test' })
    await publishLater()
    expect(directory.last(alice.did)).toEqual(moved)
    const signedIn = (await server.signIn(alice)).body
    expect(await status(signedIn)).toMatchObject({ validDid: false })
  })

  test('keeps changes by the owner of the identity', async () => {
    const recovery = await P256Keypair.create()
    const alice = await server.account('alice', { recoveryKey: recovery.did() })
    await published()
    const genesis = directory.last(alice.did)
    if (!genesis) throw new Error('not published')
    const added = await nextOperation(recovery, genesis, {
      alsoKnownAs: ['at://alice.example', ...genesis.alsoKnownAs],
      services: { ...genesis.services, notif: { type: 'Notifications', endpoint: 'https://push.example' } },
    })
    await directory.submit(alice.did, added)
    await reopen({ publicUrl: 'https://new.test' })
    expect(directory.last(alice.did)).toMatchObject({
      alsoKnownAs: ['at://alice.example', 'at://alice.test'],
      services: {
        atproto_pds: { endpoint: 'https://new.test' },
        notif: { endpoint: 'https://push.example' },
      },
    })
  })

  test('is published for a deactivated account', async () => {
    const alice = await server.account('alice')
    await published()
    await server.post('com.core.server.deactivateAccount', {}, alice)
    await reopen({ publicUrl: 'https://new.test' })
    expect(endpointOf(alice.did)).toBe('https://new.test')
  })

  test('is in the DID document at once if no directory is configured', async () => {
    await reopen({ plcUrl: undefined })
    const alice = await server.account('alice')
    await reopen({ publicUrl: 'https://new.test' })
    const signedIn = (await server.signIn(alice)).body
    expect(endpointIn(signedIn.didDoc)).toBe('https://new.test')
    expect(await status(signedIn)).toMatchObject({ validDid: true })
    expect(directory.requests).toEqual([])
  })
})

test('a new handle is published in an update operation', async () => {
  const alice = await server.account('alice')
  await published()
  const { store } = server.running.services
  await store.transact((tx) =>
    tx.run('UPDATE accounts SET handle = ? WHERE did = ?', ['alicia.test', alice.did]),
  )
  await publishLater()
  expect(directory.last(alice.did)).toMatchObject({
    alsoKnownAs: ['at://alicia.test'],
    services: { atproto_pds: { endpoint: 'https://pds.test' } },
  })
  expect((await session(alice)).didDoc).toMatchObject({ alsoKnownAs: ['at://alicia.test'] })
})

describe('once published, the document of the directory', () => {
  async function renamedElsewhere() {
    const recovery = await P256Keypair.create()
    const alice = await server.account('alice', { recoveryKey: recovery.did() })
    await published()
    const genesis = directory.last(alice.did)
    if (!genesis) throw new Error('not published')
    const renamed = await nextOperation(recovery, genesis, { alsoKnownAs: ['at://alice.example'] })
    await directory.submit(alice.did, renamed)
    server.clock.advance(6 * minute)
    return alice
  }

  test('is returned by session methods and describeRepo', async () => {
    const alice = await renamedElsewhere()
    const document = { id: alice.did, alsoKnownAs: ['at://alice.example'] }
    expect((await session(alice)).didDoc).toMatchObject(document)
    expect((await server.signIn(alice)).body.didDoc).toMatchObject(document)
    const described = await server.get('com.core.repo.describeRepo', { repo: alice.did })
    expect(described.body).toMatchObject({ didDoc: document, handleIsCorrect: false })
  })

  test.each(['down', 'fails'] as const)(
    'is the last one received while the directory is unavailable (%s)',
    async (mode) => {
      const alice = await renamedElsewhere()
      await session(alice)
      directory.mode = mode
      server.clock.advance(6 * minute)
      expect((await session(alice)).didDoc).toMatchObject({ alsoKnownAs: ['at://alice.example'] })
      expect(await status(alice)).toMatchObject({ validDid: true })
      await server.restart()
      expect((await session(alice)).didDoc).toMatchObject({ id: alice.did, alsoKnownAs: ['at://alice.test'] })
      expect(await status(alice)).toMatchObject({ validDid: true })
    },
  )

  test('is requested once in five minutes', async () => {
    const alice = await renamedElsewhere()
    const before = directory.requests.length
    for (let n = 0; n < 5; n++) await session(alice)
    expect(directory.requests.length).toBe(before + 1)
  })

  test('makes validDid false when it names another server or key, or does not exist', async () => {
    const recovery = await P256Keypair.create()
    const alice = await server.account('alice', { recoveryKey: recovery.did() })
    await published()
    const genesis = directory.last(alice.did)
    if (!genesis) throw new Error('not published')
    const rekeyed = await nextOperation(recovery, genesis, {
      verificationMethods: { atproto: (await P256Keypair.create()).did() },
    })
    await directory.submit(alice.did, rekeyed)
    server.clock.advance(minute)
    expect(await status(alice)).toMatchObject({ validDid: false })
    const removed = await nextOperation(recovery, rekeyed, {
      verificationMethods: genesis.verificationMethods,
      services: {},
    })
    await directory.submit(alice.did, removed)
    server.clock.advance(minute)
    expect(await status(alice)).toMatchObject({ validDid: false })
  })

  test('is left out of an imported session until it names this server', async () => {
    const carla = await moveIn('carla.test')
    expect(carla).not.toHaveProperty('didDoc')
    expect(await session(carla)).not.toHaveProperty('didDoc')
    await directory.submit(carla.did, carla.operation)
    server.clock.advance(6 * minute)
    expect(endpointIn((await session(carla)).didDoc)).toBe('https://pds.test')
  })
})

test('updateSubjectStatus: an account is not activated while the directory refuses its operation', async () => {
  const carla = await moveIn('carla.test', true)
  const lift = () =>
    server.post(
      'com.core.admin.updateSubjectStatus',
      {
        subject: { $type: 'com.core.admin.defs#repoRef', did: carla.did },
        deactivated: { applied: false },
      },
      adminAuth,
    )
  directory.mode = 'fails'
  expect(await lift()).toMatchObject(refusal(503, 'NotEnoughResources'))
  expect(await session(carla)).toMatchObject({ active: false })

  directory.mode = 'up'
  expect((await lift()).status).toBe(200)
  expect(directory.last(carla.did)).toEqual(carla.operation)
  expect(await session(carla)).toMatchObject({ active: true })
})
