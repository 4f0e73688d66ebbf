/** Imported accounts that are not activated: a timer deletes some, and must keep others. */
import { P256Keypair } from '@atproto/crypto'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { find as findKey } from '../../../../server/identity/tables/reserved-keys.ts'
import { findByDid } from '../../../../server/store/tables/accounts.ts'
import { type DidHost, didDocument, startDidHost } from '../../../support/accounts/did-host.ts'
import { signServiceJwt } from '../../../support/accounts/jwt.ts'
import { succeed } from '../../../support/accounts/moving.ts'
import { arrive, movingAccount } from '../../../support/accounts/moving-account.ts'
import {
  createPlcIdentity,
  moveOperation,
  nextOperation,
  PlcDirectory,
  type PlcIdentity,
} from '../../../support/accounts/plc.ts'
import { FaultyProxy } from '../../../support/network/faulty-proxy.ts'
import { day, hour, minute } from '../../../support/server/clock.ts'
import { sweep } from '../../../support/server/maintenance.ts'
import { type Account, adminAuth, refusal, TestServer } from '../../../support/server/server.ts'

let directory: PlcDirectory
let web: DidHost
let server: TestServer

beforeEach(async () => {
  directory = await PlcDirectory.start()
  web = await startDidHost()
  server = await TestServer.start({ plcUrl: directory.url, allowPrivateTargets: true })
})

afterEach(async () => {
  await server.close()
  await Promise.all([directory.close(), web.close()])
})

/** As the jobs of a running server: the clock is checked more often than days pass. */
const run = async () => {
  const { services } = server.running
  await services.clock.check()
  await sweep(services)
}
const account = (did: string) => findByDid(server.running.services.store, did)
const keyOf = (did: string) => account(did)?.signingKeyDid ?? ''
/** Signs in again: time passes, and tokens expire. */
const again = async (who: { handle: string; password: string }) => succeed(server.signIn(who))
const statusOf = async (who: { handle: string; password: string }) =>
  succeed(server.get('com.core.server.checkAccountStatus', {}, await again(who)))

/** Lets time pass as a server that runs: maintenance every six hours. */
async function pass(ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= 6 * hour) {
    server.clock.advance(Math.min(left, 6 * hour))
    await run()
  }
}

/** Kinds of the events of an account. */
const eventsOf = (did: string) =>
  server.running.services.store
    .all<{ kind: string }>('SELECT kind FROM events WHERE did = ? ORDER BY seq', [did])
    .map(({ kind }) => kind)

/** An account that a client moves here by standard calls. */
async function imported(handle: string): Promise<PlcIdentity & Account> {
  const identity = await createPlcIdentity(`${handle}.old.example`)
  await directory.submit(identity.did, identity.genesis)
  const iat = Math.floor(server.clock.now().getTime() / 1000)
  const lxm = 'com.core.server.createAccount'
  const claims = { iss: identity.did, aud: 'did:web:pds.test', lxm, iat, exp: iat + 60, jti: handle }
  const input = { did: identity.did, handle: `${handle}.test`, email: `${handle}@mail.test` }
  const proof = await signServiceJwt(identity.key, claims)
  const password = 'a good password'
  return {
    ...identity,
    ...input,
    ...(await succeed(server.post(lxm, { ...input, password }, proof))),
    password,
  }
}

const activate = async (who: { handle: string; password: string }) =>
  server.post('com.core.server.activateAccount', undefined, await again(who))

describe('an account that a client moves', () => {
  test('is kept after its date while the document names this server and its key, and can be activated then', async () => {
    const anna = await imported('anna')
    expect((await statusOf(anna)).activation).toMatchObject({ activateBy: expect.any(String) })
    await directory.submit(anna.did, await moveOperation(anna, server, keyOf(anna.did)))
    await pass(20 * day)
    expect(await statusOf(anna)).toMatchObject({ activated: false, activation: { kept: 'named' } })
    expect(await statusOf(anna)).not.toHaveProperty('deleteAfter')
    expect((await activate(anna)).status).toBe(200)
    expect(await statusOf(anna)).not.toHaveProperty('activation')
  })

  test.each([
    ['its key alone', (key: string) => ({ verificationMethods: { atproto: key } })],
    [
      'this server alone',
      () => ({
        services: { atproto_pds: { type: 'AtprotoPersonalDataServer', endpoint: 'https://pds.test/' } },
      }),
    ],
  ])('is kept while the document names %s, and deleted once it names neither', async (_, changes) => {
    const bert = await imported('bert')
    const named = await nextOperation(bert.rotationKey, bert.genesis, changes(keyOf(bert.did)))
    await directory.submit(bert.did, named)
    await pass(10 * day)
    expect(account(bert.did)).toMatchObject({ kept: 'named' })
    const back = await nextOperation(bert.rotationKey, named, {
      verificationMethods: bert.genesis.verificationMethods,
      services: bert.genesis.services,
    })
    await directory.submit(bert.did, back)
    await pass(2 * day)
    expect(account(bert.did)).toBeUndefined()
    expect(eventsOf(bert.did)).toEqual([])
  })

  test.each(['down', 'fails'] as const)(
    'is kept while the directory does not answer (%s), which is asked again every six hours',
    async (mode) => {
      const cleo = await imported('cleo')
      directory.mode = mode
      server.clock.advance(3 * day)
      const before = directory.requests.length
      for (let minutes = 0; minutes < 12 * 60; minutes += 10) {
        await run()
        server.clock.advance(10 * minute)
      }
      expect(directory.requests.length - before).toBe(2)
      expect(await statusOf(cleo)).toMatchObject({ activation: { kept: 'unreadable' } })
      directory.mode = 'up'
      await pass(6 * hour)
      expect(account(cleo.did)).toBeUndefined()
    },
  )

  test('is kept while the directory does not know it: it may be another directory', async () => {
    const dave = await imported('dave')
    const empty = await PlcDirectory.start()
    await server.running.close()
    Object.assign(server.config, { plcUrl: empty.url })
    await server.open()
    await pass(10 * day)
    expect(account(dave.did)).toMatchObject({ kept: 'unreadable' })
    await empty.close()
  })

  test('is deleted three days after its import if the document names neither; nothing is announced', async () => {
    const eve = await imported('eve')
    server.clock.advance(3 * day - hour)
    await run()
    expect(account(eve.did)).toBeDefined()
    server.clock.advance(hour)
    await run()
    expect(account(eve.did)).toBeUndefined()
    expect(eventsOf(eve.did)).toEqual([])
  })

  test('gets a new period when it sends an operation', async () => {
    const fay = await imported('fay')
    server.clock.advance(2 * day)
    await succeed(
      server.post(
        'com.core.identity.submitPlcOperation',
        {
          operation: await nextOperation(fay.rotationKey, fay.genesis, {
            rotationKeys: [fay.rotationKey.did(), server.running.services.identity.secrets.rotationKey.did],
            verificationMethods: { atproto: keyOf(fay.did) },
            alsoKnownAs: ['at://fay.test'],
            services: { atproto_pds: { type: 'AtprotoPersonalDataServer', endpoint: 'https://pds.test' } },
          }),
        },
        await again(fay),
      ),
    )
    const requests = directory.requests.length
    server.clock.advance(2 * day)
    await run()
    expect(directory.requests.length).toBe(requests)
    expect(account(fay.did)).toMatchObject({ kept: null })
  })

  test('is deleted at the date that its holder has set, whatever the document names', async () => {
    const gus = await imported('gus')
    await directory.submit(gus.did, await moveOperation(gus, server, keyOf(gus.did)))
    const deleteAfter = new Date(server.clock.now().getTime() + hour).toISOString()
    await succeed(server.post('com.core.server.deactivateAccount', { deleteAfter }, gus))
    expect(await statusOf(gus)).toMatchObject({ deleteAfter })
    server.clock.advance(2 * hour)
    await run()
    expect(account(gus.did)).toBeUndefined()
    expect(eventsOf(gus.did)).toEqual([])
  })

  test('is announced as deleted once it was active', async () => {
    const hal = await imported('hal')
    await directory.submit(hal.did, await moveOperation(hal, server, keyOf(hal.did)))
    await succeed(activate(hal))
    await succeed(server.post('com.core.admin.deleteAccount', { did: hal.did }, adminAuth))
    expect(eventsOf(hal.did)).toEqual(['account'])
  })

  test('is shown to the administrator with what it waits for', async () => {
    const ida = await imported('ida')
    const views = async () => {
      const found = (await server.get('com.core.admin.searchAccounts', { email: 'ida' }, adminAuth)).body
        .accounts
      const listed = (await server.get('com.core.admin.listAccounts', {}, adminAuth)).body.accounts
      return [found[0].activation, listed[0].activation]
    }
    const waiting = { activateBy: account(ida.did)?.activateBy }
    expect(await views()).toEqual([waiting, waiting])
    await directory.submit(ida.did, await moveOperation(ida, server, keyOf(ida.did)))
    await pass(4 * day)
    expect(await views()).toEqual([{ kept: 'named' }, { kept: 'named' }])
  })

  test('did:web: is kept while its host does not serve the document', async () => {
    const joe = await movingAccount(server, web, 'joe')
    const old = web.documents.get(web.did)
    web.documents.delete(web.did)
    await pass(10 * day)
    expect(account(joe.did)).toMatchObject({ kept: 'unreadable' })
    await arrive(server, web, { ...joe, ...(await again(joe)) })
    web.documents.set(web.did, old)
    await pass(10 * day)
    expect(account(joe.did)).toMatchObject({ deactivatedAt: null })
  })
})

describe('a move', () => {
  let other: TestServer
  let [front, proxy]: FaultyProxy[] = []
  const password = 'a good password'

  beforeEach(async () => {
    front = await FaultyProxy.start()
    proxy = await FaultyProxy.start()
    const shared = { plcUrl: directory.url, allowPrivateTargets: true }
    other = await TestServer.start({ ...shared, publicUrl: proxy.url, userDomains: ['.other.test'] })
    proxy.target = other.url
    await server.close()
    server = await TestServer.start({ ...shared, publicUrl: front.url, userDomains: ['.here.test'] })
    front.target = server.url
  })

  afterEach(async () => {
    await other.close()
    await Promise.all([front?.close(), proxy?.close()])
  })

  const moveOf = async (who: { accessJwt: string }) => {
    await server.running.services.background.idle()
    return (await succeed(server.get('com.core.move.getMove', {}, who))).move
  }
  const moveIn = (who: Account, handle: string) =>
    succeed(
      server.post('com.core.move.moveIn', {
        ...{ identifier: who.did, password: who.password, handle, newPassword: password },
      }),
    )

  test('goes on days after its operation was accepted, however long the server was off', async () => {
    const alice = await other.account('alice', { handle: 'alice.other.test' })
    await other.running.services.identity.plc.publish(alice.did)
    const here = await moveIn(alice, 'alice.here.test')
    expect(await moveOf(here)).toMatchObject({ need: 'code', canCancel: true })
    const code = await other.codeTo(alice.email)
    // The directory accepts the operation, and then nothing answers: the account cannot be activated.
    directory.downAfterPost = true
    await succeed(server.post('com.core.move.continueMove', { code }, here))
    expect(await moveOf(here)).toMatchObject({ canCancel: false })
    expect(directory.last(alice.did)?.services.atproto_pds?.endpoint).toBe(front?.url)
    const who = { handle: 'alice.here.test', password }
    expect(await statusOf(who)).toMatchObject({ activation: { kept: 'move' } })
    expect(account(alice.did)).toMatchObject({ activateBy: null })

    await server.running.close()
    server.clock.advance(4 * day)
    directory.mode = 'up'
    await server.open()
    if (front) front.target = server.url
    expect(await moveOf(await again(who))).toMatchObject({ step: 'done' })
    expect(account(alice.did)).toMatchObject({ deactivatedAt: null })
    const events = server.running.services.store.all<{ frame: Uint8Array }>(
      "SELECT frame FROM events WHERE did = ? AND kind = 'account'",
      [alice.did],
    )
    expect(events).toHaveLength(1)
    expect(Buffer.from(events[0]?.frame ?? []).toString('latin1')).not.toContain('deleted')
  })

  test('that waits for a code is kept; cancelling it deletes the account, and nothing is announced', async () => {
    const bob = await other.account('bob', { handle: 'bob.other.test' })
    await other.running.services.identity.plc.publish(bob.did)
    const here = await moveIn(bob, 'bob.here.test')
    expect(await moveOf(here)).toMatchObject({ need: 'code' })
    await pass(30 * day)
    const who = { handle: 'bob.here.test', password }
    expect(await moveOf(await again(who))).toMatchObject({ need: 'code' })
    expect((await statusOf(who)).activation).toEqual({ kept: 'move' })
    await succeed(server.post('com.core.move.cancelMove', undefined, await again(who)))
    expect(account(bob.did)).toBeUndefined()
    expect(eventsOf(bob.did)).toEqual([])
  })

  test('of a did:web goes on when its owner changes the document after ten days', async () => {
    const key = await P256Keypair.create()
    const { did } = web
    web.documents.set(did, didDocument(did, key, 'wanda.other.test', 'https://first.example'))
    const { serverDid } = other.running.services
    const iat = Math.floor(other.clock.now().getTime() / 1000)
    const lxm = 'com.atproto.server.createAccount'
    const claims = { iss: did, aud: serverDid, lxm, iat, exp: iat + 60, jti: 'wanda' }
    const wanda = { did, handle: 'wanda.other.test', email: 'wanda@mail.test', password }
    const created = await succeed(other.post(lxm, wanda, await signServiceJwt(key, claims)))
    const publish = async (at: TestServer, who: { accessJwt: string }) => {
      const wanted = await succeed(at.get('com.core.identity.getRecommendedDidCredentials', {}, who))
      const named = { did: () => wanted.verificationMethods.atproto }
      web.documents.set(did, didDocument(did, named, 'wanda.other.test', at.running.services.origin))
      at.clock.advance(minute)
    }
    await publish(other, created)
    await succeed(other.post('com.core.server.activateAccount', undefined, created))

    const here = await moveIn({ ...wanda, ...created }, 'wanda.here.test')
    expect(await moveOf(here)).toMatchObject({ need: 'document' })
    await pass(10 * day)
    other.clock.advance(10 * day)
    const returned = await again({ handle: 'wanda.here.test', password })
    expect(await moveOf(returned)).toMatchObject({ need: 'document' })
    await publish(server, returned)
    await succeed(server.post('com.core.move.continueMove', {}, returned))
    await moveOf(returned)
    expect(account(did)).toMatchObject({ deactivatedAt: null })
  })
})

describe('a reserved key', () => {
  const reserve = async (did: string) =>
    (await succeed(server.post('com.core.server.reserveSigningKey', { did }))).signingKey

  test('is deleted after a week if no document has it', async () => {
    const { did, genesis } = await createPlcIdentity('kim.old.example')
    const first = await reserve(did)
    await pass(7 * day - hour)
    expect(await reserve(did)).toBe(first)
    await pass(2 * hour)
    const second = await reserve(did)
    expect(second).not.toBe(first)
    await directory.submit(did, genesis)
    await pass(7 * day)
    expect(await reserve(did)).not.toBe(second)
  })

  test('stays while the document has it, and while the document cannot be read', async () => {
    const lea = await createPlcIdentity('lea.old.example')
    await directory.submit(lea.did, lea.genesis)
    const key = await reserve(lea.did)
    const named = await moveOperation(lea, server, key)
    await directory.submit(lea.did, named)
    await pass(20 * day)
    directory.mode = 'fails'
    await pass(20 * day)
    expect(await reserve(lea.did)).toBe(key)
    directory.mode = 'up'
    const back = { services: lea.genesis.services, verificationMethods: lea.genesis.verificationMethods }
    await directory.submit(lea.did, await nextOperation(lea.rotationKey, named, back))
    await pass(8 * day)
    expect(findKey(server.running.services.store, lea.did)).toBeUndefined()
  })

  test('beyond the number that is kept is refused', async () => {
    const { store } = server.running.services
    const fill = Array.from({ length: 10_000 }, (_, number) => number)
    await store.transact((tx) => {
      tx.run(
        `INSERT INTO reserved_keys (did, key_did, private_key, reserved_at, expires_at)
         SELECT 'did:web:' || value || '.example', '', X'', ?, '2031-01-01' FROM json_each(?)`,
        [server.clock.now().toISOString(), JSON.stringify(fill)],
      )
    })
    const call = (did: string) => server.post('com.core.server.reserveSigningKey', { did })
    expect(await call('did:web:one.example')).toMatchObject(refusal(503, 'NotEnoughResources'))
    server.clock.advance(31 * day)
    expect((await call('did:web:one.example')).status).toBe(200)
  })
})
