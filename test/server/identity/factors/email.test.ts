import { expect, test } from 'vitest'
import { minute } from '../../../support/server/clock.ts'
import { type Account, refusal } from '../../../support/server/server.ts'
import { server, setupServer } from '../../../support/server/setup.ts'

setupServer()

const needed = refusal(401, 'AuthFactorTokenRequired')
const wrong = refusal(400, 'InvalidToken')

/** An account with the second factor on. */
async function guarded(name: string): Promise<Account> {
  const account = await server.account(name)
  await server.confirmEmail(account)
  await server.post('com.core.server.requestEmailUpdate', undefined, account)
  const token = await server.codeTo(account.email)
  const input = { email: account.email, emailAuthFactor: true, token }
  expect((await server.post('com.core.server.updateEmail', input, account)).status).toBe(200)
  return account
}

test('the password alone sends a code by mail, and the code signs in', async () => {
  const alice = await guarded('alice')
  expect(await server.signIn(alice)).toMatchObject(needed)
  const mail = (await server.mailsTo(alice.email)).at(-1)
  expect(mail).toMatchObject({
    purpose: 'authFactor',
    code: expect.stringMatching(/^[A-Z2-7]{5}-[A-Z2-7]{5}$/),
  })
  const { status, body } = await server.signIn(alice, { authFactorToken: mail?.code })
  expect(status).toBe(200)
  expect(body).toMatchObject({ did: alice.did, emailAuthFactor: true })
})

test('an empty code counts as absent', async () => {
  const bob = await guarded('bob')
  for (const authFactorToken of ['', ' ']) {
    expect(await server.signIn(bob, { authFactorToken })).toMatchObject(needed)
  }
  const authFactorToken = await server.codeTo(bob.email)
  expect((await server.signIn(bob, { authFactorToken })).status).toBe(200)
})

test('a code works in lower case, and once', async () => {
  const carla = await guarded('carla')
  await server.signIn(carla)
  const authFactorToken = ` ${(await server.codeTo(carla.email)).toLowerCase()} `
  expect((await server.signIn(carla, { authFactorToken })).status).toBe(200)
  expect(await server.signIn(carla, { authFactorToken })).toMatchObject(wrong)
})

test('a code expires after 15 minutes', async () => {
  const dan = await guarded('dan')
  await server.signIn(dan)
  const authFactorToken = await server.codeTo(dan.email)
  server.clock.advance(15 * minute)
  expect(await server.signIn(dan, { authFactorToken })).toMatchObject(refusal(400, 'ExpiredToken'))
})

test('an earlier code works after another was requested, and voids it', async () => {
  const erin = await guarded('erin')
  await server.signIn(erin)
  const earlier = await server.codeTo(erin.email)
  await server.signIn(erin)
  const later = await server.codeTo(erin.email)
  expect((await server.signIn(erin, { authFactorToken: earlier })).status).toBe(200)
  expect(await server.signIn(erin, { authFactorToken: later })).toMatchObject(wrong)
})

test('each of several codes is invalid after five wrong codes', async () => {
  const nina = await guarded('nina')
  const code = async () => {
    await server.signIn(nina)
    return server.codeTo(nina.email)
  }
  const guess = () => server.signIn(nina, { authFactorToken: 'AAAAA-AAAAA' })
  const earlier = await code()
  for (let guesses = 0; guesses < 2; guesses++) expect(await guess()).toMatchObject(wrong)
  const later = await code()
  for (let guesses = 0; guesses < 3; guesses++) expect(await guess()).toMatchObject(wrong)
  expect(await server.signIn(nina, { authFactorToken: earlier })).toMatchObject(wrong)
  expect((await server.signIn(nina, { authFactorToken: later })).status).toBe(200)
})

test('the code is invalid after five wrong codes', async () => {
  const frank = await guarded('frank')
  const guess = () => server.signIn(frank, { authFactorToken: 'AAAAA-AAAAA' })
  await server.signIn(frank)
  for (let guesses = 0; guesses < 4; guesses++) expect(await guess()).toMatchObject(wrong)
  const forgiven = await server.codeTo(frank.email)
  expect((await server.signIn(frank, { authFactorToken: forgiven })).status).toBe(200)

  await server.signIn(frank)
  for (let guesses = 0; guesses < 5; guesses++) expect(await guess()).toMatchObject(wrong)
  const voided = await server.codeTo(frank.email)
  expect(await server.signIn(frank, { authFactorToken: voided })).toMatchObject(wrong)

  for (let codes = 0; codes < 2; codes++) {
    await server.signIn(frank)
    for (let guesses = 0; guesses < 4; guesses++) expect(await guess()).toMatchObject(wrong)
  }
  const last = await server.codeTo(frank.email)
  expect((await server.signIn(frank, { authFactorToken: last })).status).toBe(200)
})

test('a wrong password sends no mail, with or without a code', async () => {
  const grace = await guarded('grace')
  await server.signIn(grace)
  const authFactorToken = await server.codeTo(grace.email)
  const before = (await server.mailsTo(grace.email)).length
  for (const more of [{}, { authFactorToken }]) {
    expect(await server.signIn(grace, { password: 'not the password', ...more })).toMatchObject(
      refusal(401, 'AuthenticationRequired'),
    )
  }
  expect(await server.mailsTo(grace.email)).toHaveLength(before)
})

test('the code of another account is refused', async () => {
  const [heidi, ivan] = [await guarded('heidi'), await guarded('ivan')]
  await server.signIn(heidi)
  await server.signIn(ivan)
  const authFactorToken = await server.codeTo(ivan.email)
  expect(await server.signIn(heidi, { authFactorToken })).toMatchObject(wrong)
})

test('an app password needs no code', async () => {
  const judy = await guarded('judy')
  const app = await server.appSession(judy, 'reader')
  expect((await server.get('com.core.server.getSession', {}, app)).body).toMatchObject({ did: judy.did })
  expect(await server.mailsTo(judy.email)).toHaveLength(3)
})

test('turning it off needs a code', async () => {
  const kim = await guarded('kim')
  const off = { email: kim.email, emailAuthFactor: false }
  expect(await server.post('com.core.server.updateEmail', off, kim)).toMatchObject(
    refusal(400, 'TokenRequired'),
  )
  await server.post('com.core.server.requestEmailUpdate', undefined, kim)
  const token = await server.codeTo(kim.email)
  expect((await server.post('com.core.server.updateEmail', { ...off, token }, kim)).status).toBe(200)
  expect((await server.signIn(kim)).body).toMatchObject({ emailAuthFactor: false })
})

test('a new address turns it off', async () => {
  const leo = await guarded('leo')
  await server.post('com.core.server.requestEmailUpdate', undefined, leo)
  const input = { email: 'leo@elsewhere.test', token: await server.codeTo(leo.email) }
  expect((await server.post('com.core.server.updateEmail', input, leo)).status).toBe(200)
  expect((await server.signIn(leo)).body).toMatchObject({ emailConfirmed: false, emailAuthFactor: false })
})

test('turning it on needs a confirmed address', async () => {
  const mia = await server.account('mia')
  const on = { email: mia.email, emailAuthFactor: true }
  expect(await server.post('com.core.server.updateEmail', on, mia)).toMatchObject(
    refusal(400, 'InvalidRequest'),
  )
  expect((await server.signIn(mia)).status).toBe(200)
})
