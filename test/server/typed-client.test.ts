/** The whole life of an account, lived by a client that is made of nothing but the lexicons. */
import { Client, xrpcSafe } from '@atproto/lex-client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { com } from '../../lexicons/generated/index.ts'
import { TestServer } from '../support/server.ts'

let server: TestServer

beforeAll(async () => {
  server = await TestServer.start()
})

afterAll(() => server.close())

const core = com.core.server

/** A client that sends a token with every call; without one, nobody's client. */
function clientOf(token?: string): Client {
  return new Client((path, init) => {
    const headers = new Headers(init.headers)
    if (token !== undefined) headers.set('authorization', `Bearer ${token}`)
    return fetch(server.url + path, { ...init, headers })
  })
}

test('a typed client leads the whole life of an account', async () => {
  const anyone = clientOf()
  const email = 'alice@mail.test'
  const password = 'a good password'

  const { body: description } = await anyone.xrpc(core.describeServer)
  const handle = `alice${description.availableUserDomains[0]}`
  const { body: created } = await anyone.xrpc(core.createAccount, { body: { handle, email, password } })
  const { did } = created
  let alice = clientOf(created.accessJwt)

  // The email address.
  await alice.xrpc(core.requestEmailConfirmation)
  await alice.xrpc(core.confirmEmail, { body: { email, token: await server.codeTo(email) } })
  const { body: session } = await alice.xrpc(core.getSession)
  expect(session).toMatchObject({ did, handle, email, emailConfirmed: true, active: true })

  // An app password, its session, and the end of both.
  const { body: made } = await alice.xrpc(core.createAppPassword, { body: { name: 'phone' } })
  const signIn = { identifier: handle, password: made.password }
  const { body: opened } = await anyone.xrpc(core.createSession, { body: signIn })
  const phone = clientOf(opened.accessJwt)
  const { body: listed } = await phone.xrpc(core.listAppPasswords)
  expect(listed.passwords.map(({ name }) => name)).toEqual(['phone'])
  const { body: service } = await phone.xrpc(core.getServiceAuth, { params: { aud: 'did:web:a.example' } })
  expect(service.token.split('.')).toHaveLength(3)
  await alice.xrpc(core.revokeAppPassword, { body: { name: 'phone' } })
  const revoked = await phone.xrpcSafe(core.getSession)
  expect(revoked).toMatchObject({ success: false, error: 'ExpiredToken' })

  // New tokens for old ones.
  const { body: refreshed } = await clientOf(created.refreshJwt).xrpc(core.refreshSession)
  alice = clientOf(refreshed.accessJwt)

  // The second factor.
  const { body: asked } = await alice.xrpc(core.requestEmailUpdate)
  expect(asked.tokenRequired).toBe(true)
  const emailAuthFactor = { email, emailAuthFactor: true, token: await server.codeTo(email) }
  await alice.xrpc(core.updateEmail, { body: emailAuthFactor })
  await alice.xrpc(core.deleteSession)
  const refused = await xrpcSafe(server.url, core.createSession, { body: { identifier: did, password } })
  if (refused.success) throw new Error('the second factor was not asked for')
  expect(refused.matchesSchemaErrors() && refused.error).toBe('AuthFactorTokenRequired')
  const code = { identifier: did, password, authFactorToken: await server.codeTo(email) }
  const { body: signedIn } = await anyone.xrpc(core.createSession, { body: code })
  expect(signedIn.emailAuthFactor).toBe(true)
  alice = clientOf(signedIn.accessJwt)
  const { body: open } = await alice.xrpc(core.listSessions)
  expect(open.sessions).toMatchObject([{ openedWith: 'password', current: true }])

  // Away, and back.
  await alice.xrpc(core.deactivateAccount, { body: { deleteAfter: '2031-01-01T00:00:00.000Z' } })
  const { body: away } = await alice.xrpc(core.checkAccountStatus)
  expect(away).toMatchObject({ activated: false, validDid: true })
  await alice.xrpc(core.activateAccount)
  const { body: back } = await alice.xrpc(core.checkAccountStatus)
  expect(back.activated).toBe(true)

  // The end.
  await alice.xrpc(core.requestAccountDelete)
  await alice.xrpc(core.deleteAccount, { body: { did, password, token: await server.codeTo(email) } })
  expect(await alice.xrpcSafe(core.getSession)).toMatchObject({ success: false, error: 'AccountNotFound' })
})

test('a typed client is told what it has asked for that is not there', async () => {
  const result = await clientOf().xrpcSafe(core.createSession, {
    body: { identifier: 'nobody.test', password: 'a good password' },
  })
  expect(result).toMatchObject({ success: false, error: 'AuthenticationRequired' })
})
