import { describe, expect, test } from 'vitest'
import { methods } from '../../../../server/api/index.ts'
import { findHead } from '../../../../server/repository/tables/repos.ts'
import { decodeJwt } from '../../../support/accounts/jwt.ts'
import { type Account, refusal } from '../../../support/server/server.ts'
import { server, setupServer } from '../../../support/server/setup.ts'
import { mentionsOf } from '../../../support/store/scan.ts'

setupServer({ accounts: ['owner-of-all'] })

type Auth = Pick<Account, 'accessJwt'>

const bearer = ({ accessJwt }: Auth) => ({ headers: { authorization: `Bearer ${accessJwt}` } })
const session = (auth: Auth) => server.get('com.core.server.getSession', {}, auth)
const takenDown = refusal(401, 'AccountTakedown')
const badScope = refusal(400, 'InvalidToken', 'Bad token scope')
const revoked = refusal(400, 'ExpiredToken', 'Token has been revoked')

/** A taken-down account with a session of scope takendown. */
async function leaving(name: string): Promise<Account> {
  const account = await server.account(name)
  await server.setStatus(account.did, { takedown: true })
  const { status, body } = await server.signIn(account, { allowTakendown: true })
  expect(status).toBe(200)
  return { ...account, ...body }
}

test('takedown: ends every session at once, also those of app passwords', async () => {
  const alice = await server.account('alice')
  const app = await server.appSession(alice, 'phone')
  await server.setStatus(alice.did, { takedown: true })
  for (const { accessJwt, refreshJwt } of [alice, app]) {
    expect(await server.get('com.core.server.getSession', {}, accessJwt)).toMatchObject(revoked)
    expect(await server.post('com.core.server.refreshSession', undefined, refreshJwt)).toMatchObject(revoked)
  }
})

test('takedown: sign-in is refused, with AccountTakedown only for the right password', async () => {
  const bob = await server.account('bob')
  const app = await server.appSession(bob, 'phone')
  await server.setStatus(bob.did, { takedown: true })
  const wrong = refusal(401, 'AuthenticationRequired')
  expect(await server.signIn(bob)).toMatchObject(takenDown)
  expect(await server.signIn(bob, { allowTakendown: false })).toMatchObject(takenDown)
  expect(await server.signIn(bob, { password: 'not the password' })).toMatchObject(wrong)
  expect(await server.signIn(bob, { password: 'not the password', allowTakendown: true })).toMatchObject(
    wrong,
  )
  expect(await server.signIn(app)).toMatchObject(takenDown)
  expect(await server.signIn(app, { allowTakendown: true })).toMatchObject(takenDown)
})

test('allowTakendown: has no effect on an account that is not taken down', async () => {
  const carla = await server.account('carla')
  const { body } = await server.signIn(carla, { allowTakendown: true })
  expect(decodeJwt(body.accessJwt).claims.scope).toBe('com.core.access')
})

describe('a session of scope takendown', () => {
  test('has the status takendown', async () => {
    const dan = await leaving('dan')
    expect(decodeJwt(dan.accessJwt).claims.scope).toBe('com.core.takendown')
    expect((await session(dan)).body).toMatchObject({ did: dan.did, active: false, status: 'takendown' })
  })

  test('may call the methods for leaving the server, and no other', async () => {
    const erin = await leaving('erin')
    const open: string[] = []
    for (const { nsid, schema, auth } of methods) {
      if (auth === 'none' || auth === 'import') continue
      const { body: narrow } = await server.signIn(erin, { allowTakendown: true })
      // An empty input: access is checked before the input.
      const { body } = await (schema.type === 'query'
        ? server.get(nsid, {}, narrow.accessJwt)
        : server.post(nsid, {}, narrow.accessJwt))
      const isRefused = body?.message === 'Bad token scope' || body?.error === 'AccountTakedown'
      if (!isRefused) open.push(nsid)
    }
    const leavingMethods = [
      // Clients call it before they delete the account.
      'chat.example.actor.deleteAccount',
      // What belongs to the account, and its move to another server.
      'app.example.actor.getPreferences',
      'app.example.actor.putPreferences',
      'app.example.notification.putActivitySubscription',
      'app.example.notification.putPreferences',
      'app.example.notification.putPreferencesV2',
      'app.example.notification.unregisterPush',
      'app.example.notification.updateSeen',
      'com.core.identity.getRecommendedDidCredentials',
      'com.core.identity.requestPlcOperationSignature',
      'com.core.identity.resolveHandle',
      'com.core.identity.signPlcOperation',
      'com.core.move.cancelMove',
      'com.core.move.continueMove',
      'com.core.move.describeServer',
      'com.core.move.getMove',
      'com.core.move.moveOut',
      'com.core.repo.describeRepo',
      'com.core.repo.getRecord',
      'com.core.repo.listRecords',
      'com.core.sync.getBlob',
      'com.core.sync.getBlocks',
      'com.core.sync.getLatestCommit',
      'com.core.sync.getRecord',
      'com.core.sync.getRepo',
      'com.core.sync.listBlobs',
      'com.core.server.checkAccountStatus',
      'com.core.server.createCode',
      'com.core.server.getUsage',
      // An appeal.
      'com.core.moderation.createReport',
      'com.core.server.deactivateAccount',
      'com.core.server.deleteAccount',
      'com.core.server.deleteSession',
      'com.core.server.getServiceAuth',
      'com.core.server.getSession',
      'com.core.server.requestAccountDelete',
    ]
    expect(open.sort()).toEqual(leavingMethods.sort())
  })

  test('reads the repository, the media and the records of the account, and of no other one', async () => {
    const lena = await leaving('lena')
    const mona = await leaving('mona')
    const { services } = server.running
    for (const [account, readable] of [
      [lena, true],
      [mona, false],
    ] as const) {
      const commit = { did: account.did }
      const answers = await Promise.all([
        fetch(`${server.url}/xrpc/com.core.sync.getRepo?did=${account.did}`, bearer(lena)),
        server.get('com.core.sync.listBlobs', commit, lena),
        server.get('com.core.sync.getLatestCommit', commit, lena),
        server.get('com.core.repo.describeRepo', { repo: account.did }, lena),
      ])
      expect(answers.map(({ status }) => status)).toEqual(answers.map(() => (readable ? 200 : 400)))
    }
    expect((await server.get('com.core.server.checkAccountStatus', {}, lena)).body).toMatchObject({
      activated: false,
      repoCommit: findHead(services.store, lena.did)?.commit,
    })
  })

  test('cannot be refreshed', async () => {
    const frank = await leaving('frank')
    expect(await server.post('com.core.server.refreshSession', undefined, frank.refreshJwt)).toMatchObject(
      takenDown,
    )
    expect((await session(frank)).status).toBe(200)
  })

  test('gets a service token for createAccount only', async () => {
    const grace = await leaving('grace')
    const ask = (params: Record<string, string>) =>
      server.get('com.core.server.getServiceAuth', { aud: 'did:web:new.example', ...params }, grace)
    expect((await ask({ lxm: 'com.core.server.createAccount' })).status).toBe(200)
    expect((await ask({ lxm: 'com.atproto.server.createAccount' })).status).toBe(200)
    expect(await ask({ lxm: 'app.example.feed.getTimeline' })).toMatchObject(badScope)
    expect(await ask({})).toMatchObject(badScope)
  })

  test('cannot activate the account', async () => {
    const heidi = await leaving('heidi')
    expect(await server.post('com.core.server.activateAccount', undefined, heidi)).toMatchObject(takenDown)
    expect((await session(heidi)).body).toMatchObject({ status: 'takendown' })
  })

  test('deletes the account', async () => {
    const ivan = await leaving('ivan')
    await server.post('com.core.server.requestAccountDelete', undefined, ivan)
    const input = { did: ivan.did, password: ivan.password, token: await server.codeTo(ivan.email) }
    expect((await server.post('com.core.server.deleteAccount', input, ivan)).status).toBe(200)
    expect(mentionsOf(server.running.services.store, ivan.did)).toEqual([])
  })

  test('deactivates the account, which remains taken down', async () => {
    const judy = await leaving('judy')
    expect((await server.post('com.core.server.deactivateAccount', {}, judy)).status).toBe(200)
    expect((await session(judy)).body).toMatchObject({ active: false, status: 'takendown' })
    await server.setStatus(judy.did, { takedown: false })
    expect((await server.signIn(judy)).body).toMatchObject({ active: false, status: 'deactivated' })
  })

  test('needs the second factor if it is on', async () => {
    const kim = await server.account('kim')
    await server.confirmEmail(kim)
    await server.post('com.core.server.requestEmailUpdate', undefined, kim)
    const input = { email: kim.email, emailAuthFactor: true, token: await server.codeTo(kim.email) }
    await server.post('com.core.server.updateEmail', input, kim)
    await server.setStatus(kim.did, { takedown: true })
    expect(await server.signIn(kim, { allowTakendown: true })).toMatchObject(
      refusal(401, 'AuthFactorTokenRequired'),
    )
    const more = { allowTakendown: true, authFactorToken: await server.codeTo(kim.email) }
    expect((await server.signIn(kim, more)).body).toMatchObject({ status: 'takendown' })
  })

  test('ends when the takedown is lifted, and the account can sign in again', async () => {
    const leo = await leaving('leo')
    await server.setStatus(leo.did, { takedown: false })
    expect(await session(leo)).toMatchObject(revoked)
    const { body } = await server.signIn(leo)
    expect(body).toMatchObject({ active: true })
    expect(decodeJwt(body.accessJwt).claims.scope).toBe('com.core.access')
  })
})

test('takedown: applied again, it keeps sessions of scope takendown', async () => {
  const mia = await leaving('mia')
  await server.setStatus(mia.did, { takedown: true })
  expect((await session(mia)).status).toBe(200)
})

test('takedown: when lifted, app passwords work again and ended sessions do not', async () => {
  const nina = await server.account('nina')
  const app = await server.appSession(nina, 'phone')
  await server.setStatus(nina.did, { takedown: true })
  await server.setStatus(nina.did, { takedown: false })
  expect(await session(app)).toMatchObject(revoked)
  expect((await server.signIn(app)).status).toBe(200)
})
