/** Codes in exchange for the main password, for accounts that no mail protects. */
import { TOTP } from 'otpauth'
import { expect, test } from 'vitest'
import { PasskeyDevice } from '../../../support/accounts/passkey.ts'
import { day, minute } from '../../../support/server/clock.ts'
import { type Account, refusal, TestServer } from '../../../support/server/server.ts'
import { server, setupServer } from '../../../support/server/setup.ts'
import { startSmtpServer } from '../../../support/services/smtp-server.ts'

setupServer({ accounts: ['owner1'] })

type Purpose = 'resetPassword' | 'deleteAccount' | 'signPlcOperation'
type Auth = Parameters<TestServer['post']>[2]

const core = (name: string, input: object | undefined, auth?: Auth) =>
  server.post(`com.core.${name}`, input, auth)
const ask = (account: Account, purpose: Purpose, more: object = {}, auth: Auth = account) =>
  core('server.createCode', { purpose, password: account.password, ...more }, auth)
const withoutEmail = (name: string) => server.account(name, { email: undefined })
const factorNeeded = refusal(401, 'AuthFactorTokenRequired')
const wrongCode = refusal(400, 'InvalidToken')
const mailNeeded = refusal(400, 'MailedCodeRequired')

async function codeFor(account: Account, purpose: Purpose, more: object = {}): Promise<string> {
  const { status, body } = await ask(account, purpose, more)
  expect(status).toBe(200)
  expect(body).toEqual({ token: expect.stringMatching(/^[A-Z2-7]{5}-[A-Z2-7]{5}$/) })
  return body.token
}

const remove = (account: Account, token: string) =>
  core('server.deleteAccount', { did: account.did, password: account.password, token }, account)
const reset = (token: string, password: string, auth?: Auth) =>
  core('server.resetPassword', { token, password }, auth)

async function withApp(name: string): Promise<{ account: Account; code: () => string; spare: string }> {
  const account = await withoutEmail(name)
  const { body } = await core('factor.startTotp', { password: account.password }, account)
  const totp = new TOTP({ secret: body.secret })
  const code = () => totp.generate({ timestamp: server.clock.now().getTime() })
  const confirmed = await core('factor.confirmTotp', { id: body.id, name: 'Phone', code: code() }, account)
  server.clock.advance(minute)
  return { account, code, spare: confirmed.body.recoveryCodes[0] }
}

test('an account without an email address changes its password: this session stays, others end', async () => {
  const ada = await withoutEmail('ada')
  const { body: other } = await server.signIn(ada)
  const token = await codeFor(ada, 'resetPassword')
  expect((await reset(token, 'another password', ada)).status).toBe(200)
  expect((await server.get('com.core.server.getSession', {}, ada)).status).toBe(200)
  expect((await server.get('com.core.server.getSession', {}, other)).status).toBe(400)
  expect((await server.signIn({ ...ada, password: 'another password' })).status).toBe(200)
  const { body } = await server.get('com.core.server.listSecurityChanges', {}, ada)
  expect(body.changes).toMatchObject([{ change: 'password' }])
})

test('an account without an email address is deleted', async () => {
  const ben = await withoutEmail('ben')
  expect((await remove(ben, await codeFor(ben, 'deleteAccount'))).status).toBe(200)
  expect(await server.signIn(ben)).toMatchObject(refusal(401, 'AuthenticationRequired'))
})

test('a wrong password is refused, and no code is made', async () => {
  const cid = await withoutEmail('cid')
  const purposes = ['resetPassword', 'deleteAccount', 'signPlcOperation'] as const
  for (const purpose of purposes) {
    expect(await ask(cid, purpose, { password: 'a guess' })).toMatchObject(
      refusal(401, 'AuthenticationRequired'),
    )
  }
  const { store } = server.running.services
  expect(store.all('SELECT purpose FROM mail_tokens WHERE did = ?', [cid.did])).toEqual([])
})

test('a code serves its purpose alone, once, and for 15 minutes', async () => {
  const dot = await withoutEmail('dot')
  expect(await remove(dot, await codeFor(dot, 'resetPassword'))).toMatchObject(wrongCode)
  expect(await reset(await codeFor(dot, 'deleteAccount'), 'another password')).toMatchObject(wrongCode)
  const token = await codeFor(dot, 'resetPassword')
  expect((await reset(token, dot.password, dot)).status).toBe(200)
  expect(await reset(token, dot.password, dot)).toMatchObject(wrongCode)
  const late = await codeFor(dot, 'deleteAccount')
  server.clock.advance(15 * minute)
  expect(await remove(dot, late)).toMatchObject(refusal(400, 'ExpiredToken'))
})

test('a code does not serve another account', async () => {
  const eve = await withoutEmail('eve')
  const fay = await withoutEmail('fay')
  expect(await remove(fay, await codeFor(eve, 'deleteAccount'))).toMatchObject(wrongCode)
})

test('the second step of sign-in is asked for, and each code of it counts once', async () => {
  const { account, code, spare } = await withApp('gus')
  expect(await ask(account, 'deleteAccount')).toMatchObject(factorNeeded)
  expect(await ask(account, 'deleteAccount', { authFactorToken: ' ' })).toMatchObject(factorNeeded)
  expect(await ask(account, 'deleteAccount', { authFactorToken: '000000' })).toMatchObject(wrongCode)
  const authFactorToken = code()
  await codeFor(account, 'resetPassword', { authFactorToken })
  expect(await ask(account, 'deleteAccount', { authFactorToken })).toMatchObject(wrongCode)
  await codeFor(account, 'deleteAccount', { authFactorToken: spare })
  expect(await ask(account, 'deleteAccount', { authFactorToken: spare })).toMatchObject(wrongCode)
})

test('a right code of the second step is kept while the password is wrong', async () => {
  const { account, code } = await withApp('hal')
  const authFactorToken = code()
  const guess = { authFactorToken, password: 'a guess' }
  expect(await ask(account, 'deleteAccount', guess)).toMatchObject(refusal(401, 'AuthenticationRequired'))
  await codeFor(account, 'deleteAccount', { authFactorToken })
})

test('after ten wrong codes of an authenticator app, further ones are not compared for 15 minutes', async () => {
  const { account, code } = await withApp('ida')
  for (let i = 0; i < 10; i++) await ask(account, 'deleteAccount', { authFactorToken: '000000' })
  const right = () => ask(account, 'deleteAccount', { authFactorToken: code() })
  expect(await right()).toMatchObject(refusal(429, 'RateLimitExceeded'))
  server.clock.advance(15 * minute)
  expect((await right()).status).toBe(200)
})

test('a passkey is a second step, too', async () => {
  const jan = await withoutEmail('jan')
  const page = { origin: `http://localhost:${new URL(server.url).port}` }
  const device = new PasskeyDevice()
  const { body: start } = await core('factor.startPasskey', { password: jan.password }, jan)
  await core('factor.addPasskey', { name: 'Laptop', response: device.create(start.options, page) }, jan)
  expect(await ask(jan, 'deleteAccount')).toMatchObject(factorNeeded)
  const { body: challenge } = await core('factor.challengePasskey', undefined)
  const proof = await core('factor.provePasskey', { response: device.use(challenge.options, page) })
  await codeFor(jan, 'deleteAccount', { authFactorToken: proof.body.token })
})

test('a confirmed address protects nothing without a mail server; its second step sends a code to the outbox', async () => {
  const kim = await server.account('kim')
  await codeFor(kim, 'deleteAccount')
  await server.confirmEmail(kim)
  await codeFor(kim, 'deleteAccount')
  const factor = { email: kim.email, emailAuthFactor: true, password: kim.password }
  expect((await core('server.updateEmail', factor, kim)).status).toBe(200)
  expect(await ask(kim, 'deleteAccount')).toMatchObject(factorNeeded)
  await codeFor(kim, 'deleteAccount', { authFactorToken: await server.codeTo(kim.email) })
})

test('a confirmed address on a server that mails: the code must come by mail', async () => {
  const smtp = await startSmtpServer()
  const mailing = await TestServer.start({ smtpUrl: smtp.url })
  try {
    const leo = await mailing.account('leo')
    const input = { purpose: 'deleteAccount', password: leo.password }
    const create = (more: object = {}) =>
      mailing.post('com.core.server.createCode', { ...input, ...more }, leo)
    expect((await create()).status).toBe(200)
    await mailing.post('com.core.server.requestEmailConfirmation', undefined, leo)
    const token = smtp.messages.at(-1)?.data.match(/[A-Z2-7]{5}-[A-Z2-7]{5}/)?.[0]
    const confirmed = await mailing.post('com.core.server.confirmEmail', { email: leo.email, token }, leo)
    expect(confirmed.status).toBe(200)
    expect(await create()).toMatchObject(mailNeeded)
    // The refusal comes first: it must not say whether a password is right.
    expect(await create({ password: 'a guess' })).toMatchObject(mailNeeded)
    expect((await mailing.get('com.core.server.describeServer')).body.mailDelivery).toBe('mail')
  } finally {
    await mailing.close()
    await smtp.close()
  }
})

test.each(['deactivated', 'suspended'] as const)('an account that is %s is deleted', async (state) => {
  const account = await withoutEmail(`state-${state.slice(0, 6)}`)
  await server.setStatus(account.did, { [state]: true })
  expect((await remove(account, await codeFor(account, 'deleteAccount'))).status).toBe(200)
})

test('an account that is taken down gets codes in its limited session', async () => {
  const mia = await withoutEmail('mia')
  await server.setStatus(mia.did, { takedown: true })
  const { body } = await server.signIn(mia, { allowTakendown: true })
  const taken = { ...mia, ...body }
  await codeFor(taken, 'signPlcOperation')
  expect((await remove(taken, await codeFor(taken, 'deleteAccount'))).status).toBe(200)
})

test('app passwords and sessions without one get no code', async () => {
  const nia = await withoutEmail('nia')
  for (const privileged of [false, true]) {
    const app = await server.appSession(nia, `phone ${privileged}`, privileged)
    expect(await ask(nia, 'deleteAccount', {}, app.accessJwt)).toMatchObject(wrongCode)
    expect(await ask(nia, 'deleteAccount', { password: app.password })).toMatchObject(
      refusal(401, 'AuthenticationRequired'),
    )
  }
  expect(await core('server.createCode', { purpose: 'deleteAccount', password: nia.password })).toMatchObject(
    refusal(401, 'AuthMissing'),
  )
})

test('other purposes are refused', async () => {
  const ola = await withoutEmail('ola')
  for (const purpose of ['authFactor', 'updateEmail', 'confirmEmail', 'x']) {
    expect(await ask(ola, purpose as Purpose)).toMatchObject(refusal(400, 'InvalidRequest'))
  }
})

test('codes are deleted with their account and after their time', async () => {
  const pam = await withoutEmail('pam')
  await codeFor(pam, 'resetPassword')
  expect((await remove(pam, await codeFor(pam, 'deleteAccount'))).status).toBe(200)
  server.clock.advance(day)
  const { store } = server.running.services
  expect(store.all('SELECT purpose FROM mail_tokens WHERE did = ?', [pam.did])).toEqual([])
})
