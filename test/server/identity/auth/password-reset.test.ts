import { expect, test } from 'vitest'
import { count as countRegistrations } from '../../../../server/app/tables/push-registrations.ts'
import { day, minute, second } from '../../../support/server/clock.ts'
import { sweep } from '../../../support/server/maintenance.ts'
import { type Account, adminAuth, refusal } from '../../../support/server/server.ts'
import { server, setupServer } from '../../../support/server/setup.ts'
import { webDevice } from '../../../support/services/web-push.ts'

setupServer()

const ask = (email: string) => server.post('com.core.server.requestPasswordReset', { email })
const reset = (token: string, password: string) =>
  server.post('com.core.server.resetPassword', { token, password })

async function tokenFor(account: Account): Promise<string> {
  await ask(account.email)
  return server.codeTo(account.email)
}

test('requestPasswordReset: the response does not reveal whether the account exists', async () => {
  const alice = await server.account('alice')
  const [known, unknown, none] = [
    await ask(alice.email),
    await ask('unknown@mail.test'),
    await ask('unknown'),
  ]
  for (const answer of [known, unknown, none]) {
    expect({ status: answer.status, body: answer.body }).toEqual({ status: 200, body: undefined })
  }
  expect(await server.mailsTo(alice.email)).toMatchObject([{ purpose: 'resetPassword' }])
  expect(await server.mailsTo('unknown@mail.test')).toEqual([])
})

test('a new password by the administrator or a reset voids all codes that were created before', async () => {
  const holder = await server.account('rescued')
  const { did, password } = holder
  const codeFor = async (purpose: string, secret: string) => {
    const input = { purpose, password: secret }
    return (await server.post('com.core.server.createCode', input, holder)).body.token as string
  }
  const invalid = refusal(400, 'InvalidToken')
  const last = await codeFor('resetPassword', password)
  const unused = await codeFor('signPlcOperation', password)
  expect((await server.post('com.core.server.resetPassword', { token: last, password }, holder)).status).toBe(
    200,
  )
  expect(await server.post('com.core.identity.signPlcOperation', { token: unused }, holder)).toMatchObject(
    invalid,
  )

  const stolen = await codeFor('resetPassword', password)
  const mailed = await tokenFor(holder)
  const rescue = { did, password: 'a rescued password' }
  expect((await server.post('com.core.admin.updateAccountPassword', rescue, adminAuth)).status).toBe(200)
  for (const token of [stolen, mailed]) expect(await reset(token, 'of the thief')).toMatchObject(invalid)
  expect((await server.signIn({ ...holder, ...rescue })).status).toBe(200)
})

test('resetPassword: replaces the old password', async () => {
  const bob = await server.account('bob')
  expect((await reset((await tokenFor(bob)).toLowerCase(), 'a new password')).status).toBe(200)
  expect(await server.signIn(bob)).toMatchObject(refusal(401, 'AuthenticationRequired'))
  expect((await server.signIn(bob, { password: 'a new password' })).status).toBe(200)
})

test('resetPassword: ends every session of the account, and of no other', async () => {
  const [carla, dan] = [await server.account('carla'), await server.account('dan')]
  const { body: second } = await server.signIn(carla)
  const app = await server.appSession(carla, 'phone')
  await reset(await tokenFor(carla), 'a new password')
  for (const { accessJwt, refreshJwt } of [carla, second, app]) {
    const ended = refusal(400, 'ExpiredToken', 'Token has been revoked')
    expect(await server.get('com.core.server.getSession', {}, accessJwt)).toMatchObject(ended)
    expect(await server.post('com.core.server.refreshSession', undefined, refreshJwt)).toMatchObject(ended)
  }
  expect((await server.get('com.core.server.getSession', {}, dan)).status).toBe(200)
})

test('a new password, by its holder or the administrator: no registered device gets notifications any more', async () => {
  const paula = await server.account('paula')
  const register = async (session: { accessJwt: string }) => {
    const method = 'app.example.notification.registerPush'
    expect((await server.post(method, webDevice('of a thief'), session)).status).toBe(200)
    expect(countRegistrations(server.running.services.store, paula.did)).toBe(1)
  }
  await register(paula)
  await reset(await tokenFor(paula), paula.password)
  expect(countRegistrations(server.running.services.store, paula.did)).toBe(0)
  await register((await server.signIn(paula)).body)
  const input = { did: paula.did, password: 'a new password' }
  expect((await server.post('com.core.admin.updateAccountPassword', input, adminAuth)).status).toBe(200)
  expect(countRegistrations(server.running.services.store, paula.did)).toBe(0)
})

test('resetPassword: the full session that calls lives on, an app password and sessions of other accounts do not help', async () => {
  const [noah, olga] = [await server.account('noah'), await server.account('olga')]
  const { body: second } = await server.signIn(noah)
  const change = async (caller: { accessJwt: string }) => {
    const input = { token: await tokenFor(noah), password: noah.password }
    expect((await server.post('com.core.server.resetPassword', input, caller.accessJwt)).status).toBe(200)
  }
  const getSession = async ({ accessJwt }: { accessJwt: string }) =>
    (await server.get('com.core.server.getSession', {}, accessJwt)).status
  await change(noah)
  expect(await Promise.all([noah, second].map(getSession))).toEqual([200, 400])
  await change(await server.appSession(noah, 'phone'))
  expect(await getSession(noah)).toBe(400)
  const { body: third } = await server.signIn(noah)
  await change(olga)
  expect(await Promise.all([third, olga].map(getSession))).toEqual([400, 200])
})

test('resetPassword: a token works once', async () => {
  const erin = await server.account('erin')
  const token = await tokenFor(erin)
  expect((await reset(token, 'a new password')).status).toBe(200)
  expect(await reset(token, 'a newer password')).toMatchObject(refusal(400, 'InvalidToken'))
  expect((await server.signIn(erin, { password: 'a new password' })).status).toBe(200)
})

test('resetPassword: a token is valid for 15 minutes', async () => {
  const frank = await server.account('frank')
  const token = await tokenFor(frank)
  server.clock.advance(15 * minute - second)
  expect((await reset(token, frank.password)).status).toBe(200)
  const late = await tokenFor(frank)
  server.clock.advance(15 * minute)
  expect(await reset(late, 'a new password')).toMatchObject(refusal(400, 'ExpiredToken'))
  expect((await server.signIn(frank)).status).toBe(200)
})

test('resetPassword: an expired token fails with ExpiredToken for a day, then with InvalidToken', async () => {
  const lea = await server.account('lea')
  const token = await tokenFor(lea)
  const after = async (ms: number) => {
    server.clock.advance(ms)
    await sweep(server.running.services)
    return reset(token, 'a new password')
  }
  expect(await after(day)).toMatchObject(refusal(400, 'ExpiredToken'))
  expect(await after(15 * minute)).toMatchObject(refusal(400, 'InvalidToken'))
})

test('resetPassword: a wrong token, or one for another purpose, is refused', async () => {
  const grace = await server.account('grace')
  for (const token of ['', 'AAAAA-AAAAA']) {
    expect(await reset(token, 'a new password')).toMatchObject(refusal(400, 'InvalidToken'))
  }
  await server.post('com.core.server.requestEmailConfirmation', undefined, grace)
  const confirmation = await server.codeTo(grace.email)
  expect(await reset(confirmation, 'a new password')).toMatchObject(refusal(400, 'InvalidToken'))
})

test('resetPassword: a request of another person leaves the code of the owner valid', async () => {
  const heidi = await server.account('heidi')
  const token = await tokenFor(heidi)
  for (let number = 0; number < 10; number++) await ask(heidi.email)
  expect((await reset(token, 'a new password')).status).toBe(200)
})

test('resetPassword: one code voids all others', async () => {
  const leo = await server.account('leo')
  const [first, second] = [await tokenFor(leo), await tokenFor(leo)]
  expect((await reset(second, 'a new password')).status).toBe(200)
  expect(await reset(first, 'a newer password')).toMatchObject(refusal(400, 'InvalidToken'))
})

test('resetPassword: of many codes the newest twenty are valid', async () => {
  const mia = await server.account('mia')
  const [oldest, next] = [await tokenFor(mia), await tokenFor(mia)]
  for (let number = 0; number < 19; number++) await tokenFor(mia)
  expect(await reset(oldest, 'a new password')).toMatchObject(refusal(400, 'InvalidToken'))
  expect((await reset(next, 'a new password')).status).toBe(200)
})

test('resetPassword: a weak password is refused and keeps the token', async () => {
  const ivan = await server.account('ivan')
  const token = await tokenFor(ivan)
  for (const password of ['', '1234567', 'x'.repeat(257)]) {
    expect(await reset(token, password)).toMatchObject(refusal(400, 'InvalidPassword'))
  }
  expect((await reset(token, 'a new password')).status).toBe(200)
})

test('resetPassword: of concurrent calls with one token, one succeeds', async () => {
  const judy = await server.account('judy')
  const token = await tokenFor(judy)
  const answers = await Promise.all(
    Array.from({ length: 5 }, (_, number) => reset(token, `a new password ${number}`)),
  )
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400, 400, 400])
  const winner = answers.findIndex(({ status }) => status === 200)
  expect((await server.signIn(judy, { password: `a new password ${winner}` })).status).toBe(200)
})

test('requestPasswordReset: the address is matched in any letter case', async () => {
  const kim = await server.account('kim')
  await ask(` ${kim.email.toUpperCase()} `)
  expect(await server.mailsTo(kim.email)).toHaveLength(1)
})
