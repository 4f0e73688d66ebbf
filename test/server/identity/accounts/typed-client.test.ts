/** The life of an account through a client that is generated from the lexicons. */
import { Client, xrpcSafe } from '@atproto/lex-client'
import { expect, test } from 'vitest'
import { com } from '../../../../lexicons/generated/index.ts'
import { server, setupServer } from '../../../support/server/setup.ts'

setupServer()

const core = com.core.server

/** @param token sent with every call, if given */
function clientOf(token?: string): Client {
  return new Client((path, init) => {
    const headers = new Headers(init.headers)
    if (token !== undefined) headers.set('authorization', `Bearer ${token}`)
    return fetch(server.url + path, { ...init, headers })
  })
}

test('typed client: sign-up, email, app password, refresh, second factor, deactivation and deletion', async () => {
  const anonymous = clientOf()
  const email = 'alice@mail.test'
  const password = 'a good password'

  const { body: description } = await anonymous.xrpc(core.describeServer)
  const handle = `alice${description.availableUserDomains[0]}`
  const { body: created } = await anonymous.xrpc(core.createAccount, { body: { handle, email, password } })
  const { did } = created
  let alice = clientOf(created.accessJwt)

  // Email confirmation.
  await alice.xrpc(core.requestEmailConfirmation)
  await alice.xrpc(core.confirmEmail, { body: { email, token: await server.codeTo(email) } })
  const { body: session } = await alice.xrpc(core.getSession)
  expect(session).toMatchObject({ did, handle, email, emailConfirmed: true, active: true })

  // App password.
  const { body: made } = await alice.xrpc(core.createAppPassword, { body: { name: 'phone' } })
  const signIn = { identifier: handle, password: made.password }
  const { body: opened } = await anonymous.xrpc(core.createSession, { body: signIn })
  const phone = clientOf(opened.accessJwt)
  const { body: listed } = await phone.xrpc(core.listAppPasswords)
  expect(listed.passwords.map(({ name }) => name)).toEqual(['phone'])
  const { body: service } = await phone.xrpc(core.getServiceAuth, {
    params: { aud: 'did:web:a.example', lxm: 'com.example.read' },
  })
  expect(service.token.split('.')).toHaveLength(3)
  await alice.xrpc(core.revokeAppPassword, { body: { name: 'phone' } })
  const revoked = await phone.xrpcSafe(core.getSession)
  expect(revoked).toMatchObject({ success: false, error: 'ExpiredToken' })

  // Refresh.
  const { body: refreshed } = await clientOf(created.refreshJwt).xrpc(core.refreshSession)
  alice = clientOf(refreshed.accessJwt)

  // Second factor.
  const { body: asked } = await alice.xrpc(core.requestEmailUpdate)
  expect(asked.tokenRequired).toBe(true)
  const emailAuthFactor = { email, emailAuthFactor: true, token: await server.codeTo(email) }
  await alice.xrpc(core.updateEmail, { body: emailAuthFactor })
  await alice.xrpc(core.deleteSession)
  const refused = await xrpcSafe(server.url, core.createSession, { body: { identifier: did, password } })
  if (refused.success) throw new Error('signed in without the second factor')
  expect(refused.matchesSchemaErrors() && refused.error).toBe('AuthFactorTokenRequired')
  const code = { identifier: did, password, authFactorToken: await server.codeTo(email) }
  const { body: signedIn } = await anonymous.xrpc(core.createSession, { body: code })
  expect(signedIn.emailAuthFactor).toBe(true)
  alice = clientOf(signedIn.accessJwt)
  const { body: open } = await alice.xrpc(core.listSessions)
  expect(open.sessions).toMatchObject([{ openedWith: 'password', current: true }])

  // Deactivation.
  await alice.xrpc(core.deactivateAccount, { body: { deleteAfter: '2031-01-01T00:00:00.000Z' } })
  const { body: away } = await alice.xrpc(core.checkAccountStatus)
  expect(away).toMatchObject({ activated: false, validDid: true })
  await alice.xrpc(core.activateAccount)
  const { body: back } = await alice.xrpc(core.checkAccountStatus)
  expect(back.activated).toBe(true)

  // Deletion.
  await alice.xrpc(core.requestAccountDelete)
  await alice.xrpc(core.deleteAccount, { body: { did, password, token: await server.codeTo(email) } })
  expect(await alice.xrpcSafe(core.getSession)).toMatchObject({ success: false, error: 'AccountNotFound' })
})

test('typed client: a failed sign-in returns the error of the lexicon', async () => {
  const result = await clientOf().xrpcSafe(core.createSession, {
    body: { identifier: 'unknown.test', password: 'a good password' },
  })
  expect(result).toMatchObject({ success: false, error: 'AuthenticationRequired' })
})
