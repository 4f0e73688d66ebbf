import { afterAll, beforeAll, expect, test } from 'vitest'
import { sweep } from '../../server/jobs/maintenance.ts'
import { minute } from '../support/clock.ts'
import { mentionsOf } from '../support/scan.ts'
import { type Account, adminAuth, refusal, TestServer } from '../support/server.ts'

let server: TestServer

beforeAll(async () => {
  server = await TestServer.start()
})

afterAll(() => server.close())

type Auth = Pick<Account, 'accessJwt'>

const ask = (auth: Auth) => server.post('com.core.server.requestAccountDelete', undefined, auth)
const remove = (account: Account, token: string, more: Record<string, unknown> = {}) =>
  server.post(
    'com.core.server.deleteAccount',
    { did: account.did, password: account.password, token, ...more },
    account,
  )

async function tokenFor(account: Account): Promise<string> {
  await ask(account)
  return server.codeTo(account.email)
}

test('deletion: deletes every row of the account except its uses of invite codes', async () => {
  const admin = (nsid: string, input: unknown) => server.post(`com.core.server.${nsid}`, input, adminAuth)
  const { body: invite } = await admin('createInviteCode', { useCount: 2 })
  const alice = await server.account('alice', { inviteCode: invite.code })
  const { body: own } = await admin('createInviteCode', { useCount: 5, forAccount: alice.did })
  const guest = await server.account('guest', { inviteCode: own.code })
  const gift = { useCount: 1, forAccount: guest.did }
  const { body: given } = await server.post('com.core.server.createInviteCode', gift, alice)

  // Something in every table: sessions of both kinds, mail tokens of every purpose, a record.
  await server.confirmEmail(alice)
  await server.appSession(alice, 'phone')
  await server.post('com.core.server.refreshSession', undefined, alice.refreshJwt)
  await server.post('com.core.server.requestPasswordReset', { email: alice.email })
  await server.post('com.core.server.requestEmailUpdate', undefined, alice)
  await server.post('com.core.server.requestEmailConfirmation', undefined, alice)
  const note = { repo: alice.did, collection: 'com.example.note', record: { about: alice.did } }
  expect((await server.post('com.core.repo.createRecord', note, alice)).status).toBe(200)
  const preferences = [{ $type: 'app.example.actor.defs#adultContentPref', enabled: true }]
  await server.post('app.example.actor.putPreferences', { preferences }, alice)
  await server.post('com.core.server.deactivateAccount', { deleteAfter: '2031-01-01T00:00:00Z' }, alice)
  const { store } = server.running.services
  const tables = mentionsOf(store, alice.did).map((mention) => mention.split('.')[0])
  const all = ['accounts', 'app_passwords', 'sessions', 'mail_tokens', 'invite_codes', 'invite_code_uses']
  expect(tables).toEqual(
    expect.arrayContaining([...all, 'actors', 'actor_preferences', 'repo_blocks', 'records']),
  )

  expect((await remove(alice, await tokenFor(alice))).status).toBe(200)
  expect(mentionsOf(store, alice.did)).toEqual([`invite_code_uses.used_by: ${alice.did}`])
  expect(mentionsOf(store, 'alice')).toEqual([])
  expect((await server.signIn(guest)).status).toBe(200)

  const { body: kept } = await server.get('com.core.server.getAccountInviteCodes', {}, guest)
  expect(kept.codes).toMatchObject([{ code: given.code, createdBy: 'admin' }])
})

test('deletion: ends every session at once, and the account cannot sign in', async () => {
  const bob = await server.account('bob')
  const app = await server.appSession(bob, 'phone')
  await remove(bob, await tokenFor(bob))
  const ended = refusal(403, 'AccountNotFound')
  for (const { accessJwt, refreshJwt } of [bob, app]) {
    expect(await server.get('com.core.server.getSession', {}, accessJwt)).toMatchObject(ended)
    expect(await server.post('com.core.server.refreshSession', undefined, refreshJwt)).toMatchObject(ended)
    expect((await server.post('com.core.server.deleteSession', undefined, accessJwt)).status).toBe(200)
  }
  for (const password of [bob.password, app.password]) {
    expect(await server.signIn(bob, { password })).toMatchObject(refusal(401, 'AuthenticationRequired'))
  }
})

test('deletion: the handle and the email address are available to another account', async () => {
  const carla = await server.account('carla')
  await remove(carla, await tokenFor(carla))
  const again = await server.account('carla')
  expect(again.did).not.toBe(carla.did)
  expect(await server.get('com.core.server.getSession', {}, carla)).toMatchObject(
    refusal(403, 'AccountNotFound'),
  )
})

test('deletion: needs the own DID, the main password and the mailed token', async () => {
  const [dan, erin] = [await server.account('dan'), await server.account('erin')]
  const app = await server.appSession(dan, 'phone')
  const token = await tokenFor(dan)
  const erins = await tokenFor(erin)
  const attempts = [
    [{ did: erin.did }, refusal(400, 'InvalidRequest')],
    [{ did: erin.did, password: erin.password, token: erins }, refusal(400, 'InvalidRequest')],
    [{ password: 'not the password' }, refusal(401, 'AuthenticationRequired')],
    [{ password: app.password }, refusal(401, 'AuthenticationRequired')],
    [{ token: 'AAAAA-AAAAA' }, refusal(400, 'InvalidToken')],
    [{ token: erins }, refusal(400, 'InvalidToken')],
  ] as const
  for (const [more, refused] of attempts) expect(await remove(dan, token, more)).toMatchObject(refused)
  for (const account of [dan, erin]) expect((await server.signIn(account)).status).toBe(200)
  expect((await remove(dan, token)).status).toBe(200)
})

test('deletion: a token for another purpose is refused', async () => {
  const frank = await server.account('frank')
  await server.post('com.core.server.requestPasswordReset', { email: frank.email })
  const token = await server.codeTo(frank.email)
  expect(await remove(frank, token)).toMatchObject(refusal(400, 'InvalidToken'))
})

test('deletion: the token is valid for 15 minutes', async () => {
  const grace = await server.account('grace')
  const token = await tokenFor(grace)
  server.clock.advance(15 * minute)
  expect(await remove(grace, token)).toMatchObject(refusal(400, 'ExpiredToken'))
  expect((await remove(grace, await tokenFor(grace))).status).toBe(200)
})

test('an account without a password cannot be deleted with an empty one', async () => {
  const heidi = await server.account('heidi', { password: undefined })
  const token = await tokenFor(heidi)
  for (const password of ['', 'null']) {
    expect(await remove(heidi, token, { password })).toMatchObject(refusal(401, 'AuthenticationRequired'))
  }
})

test('deletion: of two concurrent calls, one succeeds', async () => {
  const ivan = await server.account('ivan')
  const token = await tokenFor(ivan)
  const answers = await Promise.all([remove(ivan, token), remove(ivan, token)])
  const statuses = answers.map(({ status }) => status)
  expect(statuses.filter((status) => status === 200)).toHaveLength(1)
  expect(mentionsOf(server.running.services.store, ivan.did)).toEqual([])
})

test('deletion: removes messages to the account from the outbox, not those to a later account with that address', async () => {
  const judy = await server.account('judy')
  expect(await server.mailsTo(judy.email)).toEqual([])
  await remove(judy, await tokenFor(judy))
  const again = await server.account('judy')
  await tokenFor(again)
  await server.running.services.background.idle()
  expect(await server.mailsTo(judy.email)).toHaveLength(1)

  await server.post('com.core.admin.deleteAccount', { did: again.did }, adminAuth)
  await server.running.services.background.idle()
  expect(await server.mailsTo(judy.email)).toEqual([])

  const third = await server.account('judy')
  await tokenFor(third)
  const deleteAfter = new Date(server.clock.now().getTime() + minute).toISOString()
  await server.post('com.core.server.deactivateAccount', { deleteAfter }, third)
  server.clock.advance(minute)
  await sweep(server.running.services)
  await server.running.services.background.idle()
  expect(await server.mailsTo(judy.email)).toEqual([])
})
