import { TOTP } from 'otpauth'
import { expect, test } from 'vitest'
import { minute, second } from '../../../support/server/clock.ts'
import { type Account, adminAuth, refusal } from '../../../support/server/server.ts'
import { server, setupServer } from '../../../support/server/setup.ts'

setupServer()

const needed = refusal(401, 'AuthFactorTokenRequired')
const wrong = refusal(400, 'InvalidToken')
const method = (name: string) => `com.core.factor.${name}`

interface App {
  readonly codeIn: (ms?: number) => string
  readonly recoveryCodes: readonly string[]
  readonly id: string
}

/** Turns an authenticator app on, a minute ago, so that a new code is valid. */
async function addApp(account: Account, name = 'Phone', authFactorToken?: string): Promise<App> {
  const { password } = account
  const { body } = await server.post(method('startTotp'), { password, authFactorToken }, account)
  const totp = new TOTP({ secret: body.secret })
  const codeIn = (ms = 0) => totp.generate({ timestamp: server.clock.now().getTime() + ms })
  const input = { id: body.id, name, code: codeIn() }
  const confirmed = await server.post(method('confirmTotp'), input, account)
  expect(confirmed.status).toBe(200)
  server.clock.advance(minute)
  return { codeIn, id: body.id, recoveryCodes: confirmed.body.recoveryCodes }
}

async function withApp(name: string): Promise<{ account: Account; app: App }> {
  const account = await server.account(name)
  return { account, app: await addApp(account) }
}

const signIn = (account: Account, authFactorToken: string) => server.signIn(account, { authFactorToken })
const list = async (account: Account) => (await server.get(method('listFactors'), {}, account)).body

test('an authenticator app counts once it showed a right code', async () => {
  const account = await server.account('ada')
  const { body } = await server.post(method('startTotp'), { password: account.password }, account)
  expect(body.uri).toContain('otpauth://totp/')
  const input = { id: body.id, name: 'Phone', code: '000000' }
  expect(await server.post(method('confirmTotp'), input, account)).toMatchObject(wrong)
  expect((await server.signIn(account)).status).toBe(200)
  expect(await list(account)).toMatchObject({ factors: [], recoveryCodes: 0 })
})

test('then the password alone is refused, without a code by email', async () => {
  const { account, app } = await withApp('ben')
  expect(await server.signIn(account)).toMatchObject(needed)
  expect(await server.mailsTo(account.email)).toMatchObject([{ subject: 'Your account was changed' }])
  expect((await signIn(account, app.codeIn())).status).toBe(200)
  const [factor] = (await list(account)).factors
  expect(factor).toMatchObject({ kind: 'totp', name: 'Phone', lastUsedAt: expect.any(String) })
})

test('the codes of the period before and the next count, and no others', async () => {
  const { account, app } = await withApp('cid')
  expect(await signIn(account, app.codeIn(-60 * second))).toMatchObject(wrong)
  expect(await signIn(account, app.codeIn(60 * second))).toMatchObject(wrong)
  const spaced = app.codeIn(-30 * second).replace(/^.../, '$& ')
  expect((await signIn(account, spaced)).status).toBe(200)
  expect((await signIn(account, app.codeIn(30 * second))).status).toBe(200)
})

test('a code counts once, also the one that turned the app on, and none before it counts afterwards', async () => {
  const account = await server.account('dot')
  const { body } = await server.post(method('startTotp'), { password: account.password }, account)
  const totp = new TOTP({ secret: body.secret })
  const at = (ms: number) => totp.generate({ timestamp: server.clock.now().getTime() + ms })
  const code = at(0)
  await server.post(method('confirmTotp'), { id: body.id, name: 'Phone', code }, account)
  expect(await signIn(account, code)).toMatchObject(wrong)
  const next = at(30 * second)
  expect((await signIn(account, next)).status).toBe(200)
  expect(await signIn(account, next)).toMatchObject(wrong)
  expect(await signIn(account, at(0))).toMatchObject(wrong)
})

test('after ten wrong codes one in fifteen minutes is compared, also after a restart; the owner learns of them', async () => {
  const { account, app } = await withApp('eve')
  for (let count = 0; count < 10; count++) expect(await signIn(account, '000000')).toMatchObject(wrong)
  await server.restart()
  expect(await signIn(account, app.codeIn())).toMatchObject(refusal(429, 'RateLimitExceeded'))
  expect((await list(account)).wrongCodes).toBe(10)
  server.clock.advance(15 * minute)
  expect(await signIn(account, '000000')).toMatchObject(wrong)
  expect(await signIn(account, app.codeIn())).toMatchObject(refusal(429, 'RateLimitExceeded'))
  server.clock.advance(15 * minute)
  expect((await signIn(account, app.codeIn())).status).toBe(200)
  expect((await list(account)).wrongCodes).toBe(0)
})

test('wrong codes with a wrong password do not count, and the response does not reveal the app', async () => {
  const { account } = await withApp('fay')
  const guess = { ...account, password: 'wrong password' }
  for (let count = 0; count < 12; count++) {
    expect(await signIn(guess, '000000')).toMatchObject(refusal(401, 'AuthenticationRequired'))
  }
  expect((await list(account)).wrongCodes).toBe(0)
})

test('ten recovery codes come with the first factor, and each signs in once, also while codes wait', async () => {
  const { account, app } = await withApp('gus')
  expect(app.recoveryCodes).toHaveLength(10)
  for (let count = 0; count < 10; count++) await signIn(account, '000000')
  const [one = ''] = app.recoveryCodes
  expect((await signIn(account, ` ${one.toLowerCase()}`)).status).toBe(200)
  expect(await signIn(account, one)).toMatchObject(wrong)
  expect((await list(account)).recoveryCodes).toBe(9)
  expect((await addApp(account, 'Tablet', app.recoveryCodes[1])).recoveryCodes).toBeUndefined()
})

test('a recovery code of another account does not count', async () => {
  const { app } = await withApp('hal')
  const { account: other } = await withApp('ida')
  expect(await signIn(other, app.recoveryCodes[0] ?? '')).toMatchObject(wrong)
  expect((await list(other)).recoveryCodes).toBe(10)
})

test('new recovery codes replace the old ones, by password and code', async () => {
  const { account, app } = await withApp('jon')
  const renew = (password: string) =>
    server.post(method('renewRecoveryCodes'), { password, authFactorToken: app.codeIn() }, account)
  expect(await renew('wrong password')).toMatchObject(refusal(401, 'AuthenticationRequired'))
  const { body } = await renew(account.password)
  expect(await signIn(account, app.recoveryCodes[0] ?? '')).toMatchObject(wrong)
  expect((await signIn(account, body.recoveryCodes[0])).status).toBe(200)
})

test('removing takes the password and a code; with the last factor the recovery codes go', async () => {
  const { account, app } = await withApp('kim')
  const second = await addApp(account, 'Tablet', app.codeIn())
  const remove = (id: string, authFactorToken?: string, password = account.password) =>
    server.post(method('removeFactor'), { id, password, authFactorToken }, account)
  const wrongPassword = await remove(app.id, second.codeIn(), 'wrong password')
  expect(wrongPassword).toMatchObject(refusal(401, 'AuthenticationRequired'))
  expect((await remove(app.id, second.codeIn())).status).toBe(200)
  expect(await server.signIn(account)).toMatchObject(needed)
  expect(await signIn(account, app.codeIn())).toMatchObject(wrong)
  expect((await remove(second.id, app.recoveryCodes[0])).status).toBe(200)
  expect((await server.signIn(account)).status).toBe(200)
  expect((await list(account)).recoveryCodes).toBe(0)
})

test.each([
  ['pat', 'startTotp', {}],
  ['quin', 'startPasskey', {}],
  ['rob', 'renewRecoveryCodes', {}],
  ['sue', 'removeFactor', { id: 'x' }],
])(
  '%s: %s takes a code of the app: a thief of session and password has none',
  async (handle, name, input) => {
    const { account, app } = await withApp(handle)
    const send = (authFactorToken?: string) =>
      server.post(method(name), { ...input, password: account.password, authFactorToken }, account)
    expect(await send()).toMatchObject(needed)
    expect(await send('')).toMatchObject(needed)
    expect(await send('000000')).toMatchObject(wrong)
    expect((await list(account)).recoveryCodes).toBe(10)
    const code = app.codeIn()
    expect((await send(code)).body?.error ?? 'FactorNotFound').toBe('FactorNotFound')
    expect(await send(code)).toMatchObject(wrong)
  },
)

test('the factors of another account cannot be seen, confirmed or removed', async () => {
  const { app } = await withApp('lea')
  const other = await server.account('max')
  expect((await list(other)).factors).toEqual([])
  for (const [name, input] of [
    ['removeFactor', { id: app.id, password: other.password }],
    ['confirmTotp', { id: app.id, name: 'Mine', code: app.codeIn() }],
  ] as const) {
    expect(await server.post(method(name), input, other)).toMatchObject(refusal(400, 'FactorNotFound'))
  }
})

test('an app password asks for no code, and its sessions manage no factors', async () => {
  const { account } = await withApp('nat')
  const { body } = await server.post('com.core.server.createAppPassword', { name: 'reader' }, account)
  const session = await server.signIn({ ...account, password: body.password })
  expect(session.status).toBe(200)
  const { accessJwt } = session.body
  expect(await server.get(method('listFactors'), {}, { accessJwt })).toMatchObject(
    refusal(400, 'InvalidToken'),
  )
})

test('email and app count side by side', async () => {
  const { account, app } = await withApp('oli')
  await server.confirmEmail(account)
  const input = { email: account.email, emailAuthFactor: true, password: account.password }
  expect((await server.post('com.core.server.updateEmail', input, account)).status).toBe(200)
  expect(await server.signIn(account)).toMatchObject(needed)
  const mailed = await server.codeTo(account.email)
  expect((await signIn(account, app.codeIn())).status).toBe(200)
  expect((await signIn(account, mailed)).status).toBe(200)
})

test('a new password by email keeps the factor', async () => {
  const { account, app } = await withApp('pam')
  await server.post('com.core.server.requestPasswordReset', { email: account.email })
  const token = await server.codeTo(account.email)
  const password = 'another password'
  await server.post('com.core.server.resetPassword', { token, password })
  expect(await server.signIn({ ...account, password })).toMatchObject(needed)
  expect((await signIn({ ...account, password }, app.codeIn())).status).toBe(200)
})

test('the administrator makes the password enough again', async () => {
  const { account } = await withApp('ray')
  await server.confirmEmail(account)
  const on = { email: account.email, emailAuthFactor: true, password: account.password }
  expect((await server.post('com.core.server.updateEmail', on, account)).status).toBe(200)
  const input = { did: account.did }
  const removal = 'com.core.admin.removeSecondFactors'
  expect((await server.post(removal, input, account)).status).toBe(403)
  expect((await server.post(removal, input, adminAuth)).status).toBe(200)
  expect((await server.signIn(account)).status).toBe(200)
  expect(await list(account)).toMatchObject({ hasEmail: false, factors: [], recoveryCodes: 0 })
})
