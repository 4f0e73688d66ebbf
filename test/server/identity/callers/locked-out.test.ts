/** A stolen session without the password: what could lock the holder out is refused, and every change is mailed. */
import { TOTP } from 'otpauth'
import { beforeEach, describe, expect, test } from 'vitest'
import { PasskeyDevice } from '../../../support/accounts/passkey.ts'
import { type Account, adminAuth, refusal } from '../../../support/server/server.ts'
import { owner, server, setupServer } from '../../../support/server/setup.ts'

setupServer({ accounts: ['owner-of-all'] })

const core = (name: string, input: object | undefined, auth: Account) =>
  server.post(`com.core.${name}`, input, auth)
const wrongPassword = refusal(401, 'AuthenticationRequired')
const inAnHour = () => new Date(server.clock.now().getTime() + 3_600_000).toISOString()

let count = 0
let alice: Account
beforeEach(async () => {
  alice = await server.account(`alice${++count}`)
})

/** The changes that were mailed to an address. */
async function noticesTo(email: string): Promise<string[]> {
  const mails = await server.mailsTo(email)
  return mails.filter(({ purpose }) => purpose === 'notice').map(({ text }) => text.split('\n')[2] ?? '')
}

/** The changes that an account sees. */
async function listedTo(account: Pick<Account, 'accessJwt'>) {
  const { status, body } = await server.get('com.core.server.listSecurityChanges', {}, account)
  expect(status).toBe(200)
  return body.changes as readonly { readonly change: string; readonly byAdmin: boolean }[]
}

interface App {
  readonly id: string
  readonly code: () => string
  readonly recoveryCodes: readonly string[]
}

async function addApp(account: Account, name = 'Phone'): Promise<App> {
  const { body } = await core('factor.startTotp', { password: account.password }, account)
  const totp = new TOTP({ secret: body.secret })
  const code = () => totp.generate({ timestamp: server.clock.now().getTime() })
  const { status, body: confirmed } = await core(
    'factor.confirmTotp',
    { id: body.id, name, code: code() },
    account,
  )
  expect(status).toBe(200)
  return { id: body.id, code, recoveryCodes: confirmed.recoveryCodes }
}

const attempts: [string, (password: string | undefined) => [name: string, input: object]][] = [
  ['adding an authenticator app', (password) => ['factor.startTotp', { password }]],
  ['adding a passkey', (password) => ['factor.startPasskey', { password }]],
  ['making recovery codes', (password) => ['factor.renewRecoveryCodes', { password }]],
  ['removing a second factor', (password) => ['factor.removeFactor', { id: 'x', password }]],
  ['adding a recovery key', (password) => ['identity.addRecoveryKey', { key: someKey, password }]],
  ['removing a recovery key', (password) => ['identity.removeRecoveryKey', { key: someKey, password }]],
  ['deletion', (password) => ['server.deleteAccount', { did: alice.did, token: 'x', password }]],
  ['another email address', (password) => ['server.updateEmail', { email: 'thief@mail.test', password }]],
]
const someKey = 'did:key:zDnaerx9CtbPJ1q36T5Ln5wYt3MQYeGRG5ehnPAmxcf5mDZpv'

test.each(attempts)('%s is refused with a session alone', async (_, call) => {
  for (const password of ['wrong', '', undefined]) {
    const { status } = await core(...call(password), alice)
    expect([400, 401]).toContain(status)
  }
  expect(await core(...call('wrong'), alice)).toMatchObject(wrongPassword)
  const { body } = await server.get('com.core.server.getSession', {}, alice)
  expect(body).toMatchObject({ active: true, email: alice.email })
  expect((await server.signIn(alice)).status).toBe(200)
  expect(await noticesTo(alice.email)).toEqual([])
})

test('a passkey without the challenge that the password gets is refused', async () => {
  const page = { origin: `http://localhost:${server.running.port}` }
  const options = { challenge: 'AAAA', rp: { id: 'localhost' }, user: { id: 'x' } }
  const response = new PasskeyDevice().create(options, page)
  expect(await core('factor.addPasskey', { name: 'x', response }, alice)).toMatchObject(
    refusal(400, 'InvalidPasskey'),
  )
})

test('the list of second factors shows neither secrets nor recovery codes', async () => {
  await addApp(alice)
  const { body } = await server.get('com.core.factor.listFactors', {}, alice)
  const factor = { id: expect.any(String), kind: 'totp', name: 'Phone', createdAt: expect.any(String) }
  expect(body).toEqual({ hasEmail: false, factors: [factor], recoveryCodes: 10, wrongCodes: 0 })
})

test('each change of second factors is mailed', async () => {
  const app = await addApp(alice)
  const { password } = alice
  const renewal = { password, authFactorToken: app.recoveryCodes[0] }
  const renewed = await core('factor.renewRecoveryCodes', renewal, alice)
  expect(renewed.status).toBe(200)
  const [authFactorToken] = renewed.body.recoveryCodes
  expect((await core('factor.removeFactor', { id: app.id, password, authFactorToken }, alice)).status).toBe(
    200,
  )
  expect(await noticesTo(alice.email)).toEqual([
    'A second step of sign-in was added.',
    'New recovery codes were made. The old ones do not work any more.',
    'A second step of sign-in was removed.',
  ])
  expect((await listedTo(alice)).map(({ change }) => change)).toEqual([
    'factorRemoved',
    'recoveryCodes',
    'factorAdded',
  ])
})

test('changes of an account without an email address are listed for it alone, with time and client', async () => {
  const account = await server.account(`nomail${count}`, { email: undefined })
  expect(await listedTo(account)).toEqual([])
  const app = await server.appSession(account, 'app')
  const before = server.clock.now().toISOString()
  const headers = {
    authorization: `Bearer ${account.accessJwt}`,
    'content-type': 'application/json',
    'user-agent': 'Thief/1.0',
  }
  const body = JSON.stringify({ handle: `nomail-new${count}.test` })
  await server.fetch('/xrpc/com.core.identity.updateHandle', { method: 'POST', headers, body })
  const changedAt = expect.any(String)
  const expected = [{ change: 'handle', client: 'Thief/1.0', byAdmin: false, changedAt }]
  const listed = await server.get('com.core.server.listSecurityChanges', {}, account)
  expect(listed.body.changes).toEqual(expected)
  expect(listed.body.changes[0].changedAt > before).toBe(true)
  expect(await listedTo(alice)).toEqual([])
  expect(await server.get('com.core.server.listSecurityChanges', {}, app)).toMatchObject(
    refusal(400, 'InvalidToken'),
  )
})

test('twenty changes of an account are kept, and a change that is repeated hides no other', async () => {
  await addApp(alice)
  expect(
    (await core('server.updateEmail', { email: 'y@mail.test', password: alice.password }, alice)).status,
  ).toBe(200)
  for (let i = 0; i < 30; i++) {
    const handle = `again${count}-${i}.test`
    expect((await core('identity.updateHandle', { handle }, alice)).status).toBe(200)
  }
  const listed = (await listedTo(alice)).map(({ change }) => change)
  expect(listed).toEqual([...Array(18).fill('handle'), 'email', 'factorAdded'])
})

test('a refused change is not listed', async () => {
  await core('factor.renewRecoveryCodes', { password: 'wrong' }, alice)
  await core('server.updateEmail', { email: 'thief@mail.test', password: 'wrong' }, alice)
  await core('identity.updateHandle', { handle: alice.handle }, alice)
  expect(await listedTo(alice)).toEqual([])
})

test('an operation that changes the identity is mailed and listed', async () => {
  await core('identity.requestPlcOperationSignature', undefined, alice)
  const { status, body } = await core(
    'identity.signPlcOperation',
    { token: await server.codeTo(alice.email), alsoKnownAs: [`at://${alice.handle}`, 'at://alice.example'] },
    alice,
  )
  expect(status).toBe(200)
  expect((await core('identity.submitPlcOperation', { operation: body.operation }, alice)).status).toBe(200)
  const text = 'An operation that changes your identity was signed or published.'
  expect(await noticesTo(alice.email)).toEqual([text, text])
  expect((await listedTo(alice)).map(({ change }) => change)).toEqual(['identity', 'identity'])
})

test('a change of email address or of its second factor is mailed to the address before', async () => {
  await server.confirmEmail(alice)
  const { email, password } = alice
  expect((await core('server.updateEmail', { email, emailAuthFactor: true, password }, alice)).status).toBe(
    200,
  )
  await core('server.requestEmailUpdate', undefined, alice)
  const input = { email: 'new@mail.test', token: await server.codeTo(email) }
  expect((await core('server.updateEmail', input, alice)).status).toBe(200)
  expect(await noticesTo(email)).toEqual([
    'Signing in with the password needs a code by email from now on.',
    'The email address of the account was changed. This is the last message to',
  ])
  expect(await noticesTo('new@mail.test')).toEqual([])
  expect((await listedTo(alice)).map(({ change }) => change)).toEqual(['email', 'emailFactorOn'])
})

test('a new password, a handle and a date of deletion are mailed', async () => {
  const { email } = alice
  const handle = `renamed${count}.test`
  expect((await core('identity.updateHandle', { handle }, alice)).status).toBe(200)
  expect((await core('server.deactivateAccount', { deleteAfter: inAnHour() }, alice)).status).toBe(200)
  await server.post('com.core.server.requestPasswordReset', { email })
  const reset = { token: await server.codeTo(email), password: 'another password' }
  expect((await server.post('com.core.server.resetPassword', reset)).status).toBe(200)
  const texts = (await noticesTo(email)).map((line) => line.split(/[,.]/)[0])
  expect(texts).toEqual(['The handle was changed', 'The account was deactivated', 'The password was changed'])
  const { body: session } = await server.signIn({ ...alice, handle, password: reset.password })
  expect((await listedTo(session)).map(({ change }) => change)).toEqual([
    'password',
    'deletionDate',
    'handle',
  ])
})

test('changes by the administrator are mailed, too', async () => {
  const { did, email } = alice
  const changes: [string, object][] = [
    ['updateAccountPassword', { did, password: 'another password' }],
    ['removeSecondFactors', { did }],
    ['updateAccountHandle', { did, handle: `second${count}.test` }],
    ['updateAccountEmail', { account: did, email: `second${count}@mail.test` }],
  ]
  for (const [name, input] of changes)
    expect((await server.post(`com.core.admin.${name}`, input, adminAuth)).status).toBe(200)
  const texts = (await noticesTo(email)).map((line) => line.split('. ')[0])
  expect(texts).toEqual([
    'The password was changed',
    'A second step of sign-in was removed.',
    'The handle was changed',
    'The email address of the account was changed',
  ])
  const { body: session } = await server.signIn({ ...alice, handle: alice.did, password: 'another password' })
  expect(await listedTo(session)).toMatchObject(
    ['email', 'handle', 'factorRemoved', 'password'].map((change) => ({ change, byAdmin: true })),
  )
})

describe('stays possible without the password, because the holder can undo it', () => {
  test('another handle: the holder signs in with email address or DID', async () => {
    const handle = `thief${count}.test`
    expect((await core('identity.updateHandle', { handle }, alice)).status).toBe(200)
    for (const identifier of [alice.email, alice.did]) {
      expect((await server.signIn(alice, { identifier })).status).toBe(200)
    }
  })

  test('deactivation without a date, and ending the sessions of the holder', async () => {
    const { body } = await server.signIn(alice)
    const open = (await server.get('com.core.server.listSessions', {}, body)).body.sessions
    for (const { id } of open) await core('server.revokeSession', { id }, alice)
    const again = { ...alice, ...(await server.signIn(alice)).body }
    expect((await core('server.deactivateAccount', {}, again)).status).toBe(200)
    expect((await core('server.activateAccount', undefined, again)).status).toBe(200)
  })

  test('an app password: it manages nothing, and is listed', async () => {
    expect((await core('server.createAppPassword', { name: 'thief' }, alice)).status).toBe(200)
    const { body } = await server.get('com.core.server.listAppPasswords', {}, alice)
    expect(body.passwords).toMatchObject([{ name: 'thief' }])
  })
})

describe('the session of the owner', () => {
  const calls: [string, (did: string) => object][] = [
    ['updateAccountPassword', (did) => ({ did, password: 'another password' })],
    ['removeSecondFactors', (did) => ({ did })],
    ['updateAccountEmail', (account) => ({ account, email: 'thief@mail.test' })],
    ['deleteAccount', (did) => ({ did })],
  ]

  test('is refused to move the own account', async () => {
    const input = { did: owner.did, server: 'https://thief.example', password: 'a password' }
    expect(await core('admin.moveAccount', input, owner)).toMatchObject(refusal(400, 'InvalidRequest'))
  })

  test.each(calls)('does not %s of the own account as administrator', async (name, input) => {
    expect(await core(`admin.${name}`, input(owner.did), owner)).toMatchObject(refusal(400, 'InvalidRequest'))
    expect((await server.signIn(owner)).status).toBe(200)
    expect((await core(`admin.${name}`, input(alice.did), owner)).status).toBe(200)
  })

  test('the admin password does', async () => {
    const input = { did: owner.did }
    expect((await server.post('com.core.admin.removeSecondFactors', input, adminAuth)).status).toBe(200)
  })
})
