import { P256Keypair } from '@atproto/crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type DidHost, didDocument, startDidHost } from '../../../support/accounts/did-host.ts'
import { signServiceJwt } from '../../../support/accounts/jwt.ts'
import { nextOperation, PlcDirectory } from '../../../support/accounts/plc.ts'
import { NameServer } from '../../../support/network/dns.ts'
import { minute } from '../../../support/server/clock.ts'
import { type Account, adminAuth, refusal } from '../../../support/server/server.ts'
import { server, setupServer } from '../../../support/server/setup.ts'

let directory: PlcDirectory
let names: NameServer

beforeAll(async () => {
  directory = await PlcDirectory.start()
  names = await NameServer.start()
})
afterAll(() => Promise.all([directory.close(), names.close()]))
setupServer({
  config: () => ({
    plcUrl: directory.url,
    nameServers: [names.address],
    allowPrivateTargets: true,
  }),
})

beforeEach(() => {
  directory.mode = 'up'
})

let accounts = 0
/** An account whose identity is published. */
async function publishedAccount(more: Record<string, unknown> = {}): Promise<Account> {
  const account = await server.account(`account-${++accounts}`, more)
  await server.running.services.background.idle()
  expect(directory.log(account.did)).toHaveLength(1)
  return account
}

const rename = (account: Account, handle: string) =>
  server.post('com.core.identity.updateHandle', { handle }, account)
const resolve = (handle: string) => server.get('com.core.identity.resolveHandle', { handle })
const session = async (account: Account) => (await server.get('com.core.server.getSession', {}, account)).body
const claimed = (did: string) => directory.last(did)?.alsoKnownAs

/** Starts a server that has lost its memory of requests under way, as after a crash. */
async function afterCrash(): Promise<void> {
  await server.restart()
  await server.running.services.identity.plc.publishDue()
}

describe('updateHandle', () => {
  test('changes the handle in the directory and everywhere here', async () => {
    const alice = await publishedAccount()
    expect((await rename(alice, 'Alicia.TEST')).status).toBe(200)
    expect(claimed(alice.did)).toEqual(['at://alicia.test'])
    expect(await session(alice)).toMatchObject({
      handle: 'alicia.test',
      didDoc: { alsoKnownAs: ['at://alicia.test'] },
    })
    expect(await resolve('alicia.test')).toMatchObject({ body: { did: alice.did } })
    expect(await resolve(alice.handle)).toMatchObject(refusal(400, 'HandleNotFound'))
  })

  test('to the current handle changes nothing in the directory', async () => {
    const alice = await publishedAccount()
    expect((await rename(alice, alice.handle)).status).toBe(200)
    expect(directory.log(alice.did)).toHaveLength(1)
  })

  test('of two changes to one handle, one wins and the document of the other never names it', async () => {
    const [dan, erin] = [await publishedAccount(), await publishedAccount()]
    const answers = await Promise.all([rename(dan, 'wanted.test'), rename(erin, 'wanted.test')])
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 400])
    const loser = answers[0]?.status === 400 ? dan : erin
    expect(answers.find(({ status }) => status === 400)).toMatchObject(refusal(400, 'HandleNotAvailable'))
    expect(directory.postedFor(loser.did)).toHaveLength(1)
  })

  test.each(['down', 'fails'] as const)(
    'answers 502 and changes nothing while the directory is %s',
    async (mode) => {
      const alice = await publishedAccount()
      directory.mode = mode
      expect(await rename(alice, 'never.test')).toMatchObject(refusal(502, 'UpstreamFailure'))
      expect((await session(alice)).handle).toBe(alice.handle)
      expect(await resolve('never.test')).toMatchObject(refusal(400, 'HandleNotFound'))
      directory.mode = 'up'
      await afterCrash()
      expect(claimed(alice.did)).toEqual([`at://${alice.handle}`])
    },
  )

  test('that the directory refuses frees the handle', async () => {
    const [alice, bob] = [await publishedAccount(), await publishedAccount()]
    directory.refused.add(alice.did)
    expect(await rename(alice, 'refused.test')).toMatchObject(refusal(502, 'UpstreamFailure'))
    expect((await session(alice)).handle).toBe(alice.handle)
    expect((await rename(bob, 'refused.test')).status).toBe(200)
  })

  test('is complete although the response of the directory was lost', async () => {
    const alice = await publishedAccount()
    directory.mode = 'accepts and cuts'
    expect((await rename(alice, 'cut.test')).status).toBe(200)
    expect((await session(alice)).handle).toBe('cut.test')
    expect(claimed(alice.did)).toEqual(['at://cut.test'])
  })

  test('is reserved and completed later if the directory accepts it and then goes down', async () => {
    const [alice, bob] = [await publishedAccount(), await publishedAccount()]
    directory.downAfterPost = true
    expect(await rename(alice, 'later.test')).toMatchObject(refusal(502, 'UpstreamFailure'))
    expect((await session(alice)).handle).toBe(alice.handle)
    expect(await rename(bob, 'later.test')).toMatchObject(refusal(502, 'UpstreamFailure'))
    directory.mode = 'up'
    expect(await rename(bob, 'later.test')).toMatchObject(refusal(400, 'HandleNotAvailable'))
    const created = await server.post('com.core.server.createAccount', { handle: 'later.test' })
    expect(created).toMatchObject(refusal(400, 'HandleNotAvailable'))
    await afterCrash()
    expect((await session(alice)).handle).toBe('later.test')
    expect(claimed(alice.did)).toEqual(['at://later.test'])
  })

  test('follows the changes that the owner of the identity made elsewhere', async () => {
    const recovery = await P256Keypair.create()
    const alice = await publishedAccount({ recoveryKey: recovery.did() })
    const genesis = directory.last(alice.did)
    if (!genesis) throw new Error('not published')
    const changed = await nextOperation(recovery, genesis, {
      alsoKnownAs: ['https://alice.example', ...genesis.alsoKnownAs, 'at://second.example'],
    })
    await directory.submit(alice.did, changed)
    expect((await rename(alice, 'followed.test')).status).toBe(200)
    expect(claimed(alice.did)).toEqual(['https://alice.example', 'at://followed.test', 'at://second.example'])

    const last = directory.last(alice.did)
    if (!last) throw new Error('not published')
    await directory.submit(
      alice.did,
      await nextOperation(recovery, last, { alsoKnownAs: ['at://other.example'] }),
    )
    server.clock.advance(minute)
    const listed = await server.get('com.core.identity.listRotationKeys', {}, alice)
    expect(listed.body.handle).toBe('other.example')
    expect((await rename(alice, 'followed.test')).status).toBe(200)
    expect(claimed(alice.did)).toEqual(['at://followed.test'])
  })

  test('is refused for an identity that has moved away, or that does not trust this server', async () => {
    const recovery = await P256Keypair.create()
    const alice = await publishedAccount({ recoveryKey: recovery.did() })
    const genesis = directory.last(alice.did)
    if (!genesis) throw new Error('not published')
    const alone = await nextOperation(recovery, genesis, { rotationKeys: [recovery.did()] })
    await directory.submit(alice.did, alone)
    expect(await rename(alice, 'alone.test')).toMatchObject(refusal(400, 'InvalidRequest'))
    const elsewhere = { type: 'AtprotoPersonalDataServer', endpoint: 'https://elsewhere.example' }
    const moved = await nextOperation(recovery, alone, { services: { atproto_pds: elsewhere } })
    await directory.submit(alice.did, moved)
    expect(await rename(alice, 'moved.test')).toMatchObject(refusal(400, 'InvalidRequest'))
    expect((await session(alice)).handle).toBe(alice.handle)
    expect(directory.last(alice.did)).toEqual(moved)
  })

  test('by an app password is refused', async () => {
    const app = await server.appSession(await publishedAccount(), 'phone')
    const answer = await server.post('com.core.identity.updateHandle', { handle: 'app.test' }, app)
    expect(answer).toMatchObject(refusal(400, 'InvalidToken'))
  })
})

describe('a handle of another domain', () => {
  test('is set once DNS names the DID, and the error says which record to create', async () => {
    const alice = await publishedAccount()
    const refused = await rename(alice, 'alice.example.com')
    expect(refused).toMatchObject(refusal(400, 'InvalidHandle'))
    expect(refused.body.message).toContain('_atproto.alice.example.com')
    expect(refused.body.message).toContain(`did=${alice.did}`)
    expect(refused.body.message).toContain('https://alice.example.com/.well-known/atproto-did')
    expect(names.queries).toContain('_atproto.alice.example.com')

    names.set('alice.example.com', alice.did)
    expect((await rename(alice, 'alice.example.com')).status).toBe(200)
    expect(claimed(alice.did)).toEqual(['at://alice.example.com'])
    expect(await resolve('alice.example.com')).toMatchObject({ body: { did: alice.did } })
    expect((await rename(alice, 'back-again.test')).status).toBe(200)
  })

  test('is refused if DNS names another DID, or two', async () => {
    const [alice, bob] = [await publishedAccount(), await publishedAccount()]
    names.set('bob.example.com', bob.did)
    const refused = await rename(alice, 'bob.example.com')
    expect(refused).toMatchObject(refusal(400, 'InvalidHandle'))
    expect(refused.body.message).toContain(bob.did)
    names.set('both.example.com', alice.did, bob.did)
    expect(await rename(alice, 'both.example.com')).toMatchObject(refusal(400, 'InvalidHandle'))
  })

  test('is not looked up if its domain is not public', async () => {
    const alice = await publishedAccount()
    const before = names.queries.length
    expect(await rename(alice, 'alice.local')).toMatchObject(refusal(400, 'InvalidHandle'))
    expect(names.queries.length).toBe(before)
  })

  test('may be set by an administrator under the same condition', async () => {
    const alice = await publishedAccount()
    const set = (handle: string) =>
      server.post('com.core.admin.updateAccountHandle', { did: alice.did, handle }, adminAuth)
    expect(await set('managed.example.com')).toMatchObject(refusal(400, 'InvalidHandle'))
    names.set('managed.example.com', alice.did)
    expect((await set('managed.example.com')).status).toBe(200)
  })
})

describe('resolveHandle', () => {
  const did = 'did:plc:bbbbbbbbbbbbbbbbbbbbbbbb'

  test('looks other domains up, and remembers the result for a while', async () => {
    names.set('far.example.com', did)
    expect(await resolve('Far.example.com')).toMatchObject({ body: { did } })
    expect(await resolve('far.example.com')).toMatchObject({ body: { did } })
    expect(names.queries.filter((name) => name === '_atproto.far.example.com')).toHaveLength(1)
    names.records.delete('_atproto.far.example.com')
    server.clock.advance(6 * minute)
    expect(await resolve('far.example.com')).toMatchObject(refusal(400, 'HandleNotFound'))
  })

  test('does not look up the handles of this server', async () => {
    names.set('unknown.test', did)
    const before = names.queries.length
    expect(await resolve('unknown.test')).toMatchObject(refusal(400, 'HandleNotFound'))
    expect(names.queries.length).toBe(before)
  })
})

describe('a did:web', () => {
  let web: DidHost
  beforeAll(async () => {
    web = await startDidHost()
  })
  afterAll(() => web.close())

  test('has a new handle once its document names it, and has no did:plc operations', async () => {
    const key = await P256Keypair.create()
    web.documents.set(web.did, didDocument(web.did, key, 'web.old.example'))
    const iat = Math.floor(server.clock.now().getTime() / 1000)
    const claims = { iss: web.did, aud: 'did:web:pds.test', lxm: 'com.core.server.createAccount' }
    const proof = await signServiceJwt(key, { ...claims, iat, exp: iat + 60, jti: 'unique' })
    const input = { did: web.did, handle: 'webby.test', email: 'webby@mail.test', password: 'webby-password' }
    const { body: webby } = await server.post('com.core.server.createAccount', input, proof)

    expect(await rename(webby, 'webster.test')).toMatchObject(refusal(400, 'InvalidRequest'))
    web.documents.set(web.did, didDocument(web.did, key, 'webster.test'))
    expect((await rename(webby, 'webster.test')).status).toBe(200)
    expect((await session(webby)).handle).toBe('webster.test')
    const { store } = server.running.services
    const identities = () =>
      store.all("SELECT seq FROM events WHERE did = ? AND kind = 'identity'", [web.did]).length
    expect(identities()).toBe(1)
    expect((await rename(webby, 'webster.test')).status).toBe(200)
    expect(identities()).toBe(2)

    const credentials = await server.get('com.core.identity.getRecommendedDidCredentials', {}, webby)
    expect(credentials.body).not.toHaveProperty('rotationKeys')
    for (const [name, body] of [
      ['requestPlcOperationSignature', undefined],
      ['signPlcOperation', { token: 'AAAAA-AAAAA' }],
      ['submitPlcOperation', { operation: {} }],
      ['addRecoveryKey', { key: key.did(), password: 'webby-password' }],
    ] as const) {
      const answer = await server.post(`com.core.identity.${name}`, body, webby)
      expect(answer, name).toMatchObject(refusal(400, 'InvalidRequest'))
    }
  })
})
