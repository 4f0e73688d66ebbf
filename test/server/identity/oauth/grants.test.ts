/** Codes, refresh tokens and grants: each counts once, and what ends an account's sessions ends them. */
import { describe, expect, test } from 'vitest'
import { App, type Tokens } from '../../../support/accounts/oauth-app.ts'
import { day, hour, second } from '../../../support/server/clock.ts'
import { type Answer, adminAuth, TestServer } from '../../../support/server/server.ts'
import { alice, bob, server, setupAccounts } from '../../../support/server/setup.ts'

setupAccounts({ config: { publicUrl: undefined } })

const session = (app: App, tokens: Tokens) => app.call('com.atproto.server.getSession', tokens)
const works = async (app: App, tokens: Tokens) => (await session(app, tokens)).status === 200

test('a code is exchanged once; its second use ends what it has given', async () => {
  const app = await App.create()
  const code = await app.code(alice)
  const { body: tokens } = await app.exchange(code)
  expect(tokens).toMatchObject({ token_type: 'DPoP', sub: alice.did, scope: 'atproto transition:generic' })
  expect(tokens.expires_in).toBeLessThanOrEqual(30 * 60)
  expect(await works(app, tokens)).toBe(true)
  expect((await app.exchange(code)).body.error).toBe('invalid_grant')
  expect(await works(app, tokens)).toBe(false)
  expect((await app.refresh(tokens.refresh_token)).body.error).toBe('invalid_grant')
})

test.each([
  ['another verifier', { code_verifier: 'w'.repeat(43) }],
  ['another redirect URI', { redirect_uri: 'http://127.0.0.1:8080/callback' }],
  ['another client', { client_id: 'http://localhost?scope=atproto&redirect_uri=http://127.0.0.1/callback' }],
  ['an unknown code', { code: 'x'.repeat(52) }],
])('a code is refused with %s', async (_, change) => {
  const app = await App.create()
  const answer = await app.exchange(await app.code(alice), change)
  expect([answer.status, answer.body.error]).toEqual([400, 'invalid_grant'])
})

test('another grant type is refused by its name', async () => {
  const app = await App.create()
  const { status, body } = await app.exchange('code', { grant_type: 'password' })
  expect([status, body.error]).toEqual([400, 'unsupported_grant_type'])
})

test('a code belongs to the key of its request, and expires after two minutes', async () => {
  const app = await App.create()
  const thief = await App.create()
  const code = await app.code(alice)
  const stolen = { code_verifier: app.verifier }
  await thief.request()
  expect((await thief.exchange(code, stolen)).body.error).toBe('invalid_grant')
  const late = await app.code(alice)
  server.clock.advance(3 * 60_000)
  expect((await app.exchange(late)).body.error).toBe('invalid_grant')
})

describe('a refresh token', () => {
  const tokensOf = ({ body }: Answer) => [body.access_token, body.refresh_token]

  test('is replaced; its use after more than 30 s ends its grant alone', async () => {
    const app = await App.create()
    const first = await app.signIn(alice)
    const other = await app.signIn(alice)
    const { body: replaced } = await app.refresh(first.refresh_token)
    expect(await works(app, replaced)).toBe(true)
    server.clock.advance(31 * second)
    expect((await app.refresh(first.refresh_token)).body.error).toBe('invalid_grant')
    expect(await works(app, replaced)).toBe(false)
    expect((await app.refresh(replaced.refresh_token)).body.error).toBe('invalid_grant')
    expect(await works(app, other)).toBe(true)
  })

  test('that is sent twice at once gets the same tokens twice, and both work', async () => {
    const app = await App.create()
    const first = await app.signIn(alice)
    const answers = await Promise.all([app.refresh(first.refresh_token), app.refresh(first.refresh_token)])
    expect(answers.map(({ status }) => status)).toEqual([200, 200])
    const [one, two] = answers.map(tokensOf)
    expect(one).toEqual(two)
    expect(one).not.toContain(first.refresh_token)
    expect(await works(app, answers[1]?.body)).toBe(true)
    const next = await app.refresh(answers[1]?.body.refresh_token)
    expect(await works(app, next.body)).toBe(true)
  })

  test('whose answer was lost gets the same tokens within 30 s, also after a restart', async () => {
    const app = await App.create()
    const { refresh_token } = await app.signIn(alice)
    const lost = await app.refresh(refresh_token)
    await server.restart()
    server.clock.advance(25 * second)
    const again = await app.refresh(refresh_token)
    expect(tokensOf(again)).toEqual(tokensOf(lost))
    // The access token is as old as the first answer.
    expect(again.body.expires_in).toBeLessThan(lost.body.expires_in)
    expect((await app.refresh(again.body.refresh_token)).status).toBe(200)
  })

  test('of two refreshes ago ends its grant at once', async () => {
    const app = await App.create()
    const first = await app.signIn(alice)
    const { body: replaced } = await app.refresh(first.refresh_token)
    const { body: third } = await app.refresh(replaced.refresh_token)
    expect((await app.refresh(first.refresh_token)).body.error).toBe('invalid_grant')
    expect(await works(app, third)).toBe(false)
  })

  test('is refused without the key, and ends the grant, also within the 30 s', async () => {
    const app = await App.create()
    const thief = await App.create()
    await thief.request()
    const { refresh_token } = await app.signIn(alice)
    const { body: replaced } = await app.refresh(refresh_token)
    expect((await thief.refresh(refresh_token)).body.error).toBe('invalid_grant')
    expect(await works(app, replaced)).toBe(false)
  })

  test('is refused within the 30 s if its grant has ended meanwhile', async () => {
    const app = await App.create()
    const { refresh_token } = await app.signIn(alice)
    const { body } = await app.refresh(refresh_token)
    await app.send('/oauth/revoke', { client_id: app.clientId, token: body.access_token })
    expect((await app.refresh(refresh_token)).body.error).toBe('invalid_grant')
    expect(await works(app, body)).toBe(false)
  })

  test.each([
    ['half a minute', 25 * second, 200],
    ['an hour', hour, 400],
  ])('counts as sent again if the clock was set back by %s: %i ms, %i', async (_, ms, status) => {
    const app = await App.create()
    const { refresh_token } = await app.signIn(alice)
    await app.refresh(refresh_token)
    server.clock.advance(-ms)
    const again = await app.refresh(refresh_token)
    server.clock.advance(ms)
    expect(again.status).toBe(status)
  })
})

test('a stolen refresh token is of no use without the key, and ends the grant', async () => {
  const app = await App.create()
  const thief = await App.create()
  const tokens = await app.signIn(alice)
  await thief.request()
  expect((await thief.refresh(tokens.refresh_token)).body.error).toBe('invalid_grant')
  expect(await works(app, tokens)).toBe(false)
})

test('a public client signs in anew after two weeks, however often it renews', async () => {
  const app = await App.create()
  let tokens = await app.signIn(alice)
  for (let days = 1; days < 14; days++) {
    await server.elapse(day)
    tokens = (await app.refresh(tokens.refresh_token)).body
  }
  await server.elapse(day)
  expect((await app.refresh(tokens.refresh_token)).body.error).toBe('invalid_grant')
})

test('an access token expires after half an hour', async () => {
  const app = await App.create()
  const tokens = await app.signIn(alice)
  server.clock.advance(31 * 60_000)
  expect((await session(app, tokens)).body.error).toBe('invalid_token')
  expect(await works(app, (await app.refresh(tokens.refresh_token)).body)).toBe(true)
})

test.each(['access_token', 'refresh_token'] as const)('revoking the %s ends the grant', async (name) => {
  const app = await App.create()
  const tokens = await app.signIn(alice)
  const { status } = await app.send('/oauth/revoke', { client_id: app.clientId, token: tokens[name] })
  expect(status).toBe(200)
  expect(await works(app, tokens)).toBe(false)
})

test('revoking an unknown token succeeds, and the token of another client stays', async () => {
  const app = await App.create()
  const tokens = await app.signIn(alice)
  const other = await App.create('atproto')
  for (const token of ['unknown', tokens.access_token, tokens.refresh_token]) {
    await other.request()
    expect((await other.send('/oauth/revoke', { client_id: other.clientId, token })).status).toBe(200)
  }
  expect(await works(app, tokens)).toBe(true)
})

test('a new password, a take-down and the deletion of a session end grants', async () => {
  const app = await App.create()
  const byPassword = await app.signIn(alice)
  const input = { did: alice.did, password: 'another password' }
  expect((await server.post('com.core.admin.updateAccountPassword', input, adminAuth)).status).toBe(200)
  expect(await works(app, byPassword)).toBe(false)

  const ended = await app.signIn(bob)
  const { body } = await server.get('com.core.server.listSessions', {}, bob)
  const listed = body.sessions.find(({ openedWith }: { openedWith: string }) => openedWith === 'oauth')
  expect(listed).toMatchObject({ app: app.clientId, scope: 'atproto transition:generic' })
  await server.post('com.core.server.revokeSession', { id: listed.id }, bob)
  expect(await works(app, ended)).toBe(false)

  const takenDown = await app.signIn(bob)
  const subject = { $type: 'com.atproto.admin.defs#repoRef', did: bob.did }
  await server.post(
    'com.atproto.admin.updateSubjectStatus',
    { subject, takedown: { applied: true } },
    adminAuth,
  )
  expect(await works(app, takenDown)).toBe(false)
  expect((await app.refresh(takenDown.refresh_token)).body.error).toBe('invalid_grant')
})

test('a new password ends the requests that were allowed before', async () => {
  const app = await App.create()
  const [byAdmin, byHolder] = [await app.code(alice), await app.code(bob)]
  await server.post(
    'com.core.admin.updateAccountPassword',
    { did: alice.did, password: 'another password' },
    adminAuth,
  )
  await server.post('com.core.server.requestPasswordReset', { email: bob.email })
  const reset = { token: await server.codeTo(bob.email), password: 'another password' }
  expect((await server.post('com.core.server.resetPassword', reset)).status).toBe(200)
  for (const code of [byAdmin, byHolder]) {
    expect((await app.exchange(code)).body.error).toBe('invalid_grant')
  }
})

test('a suspended account gets no tokens, by a code or by a refresh token', async () => {
  const app = await App.create()
  const tokens = await app.signIn(alice)
  const code = await app.code(alice)
  await server.setStatus(alice.did, { suspended: true })
  expect((await app.exchange(code)).body.error).toBe('invalid_grant')
  expect((await app.refresh(tokens.refresh_token)).body.error).toBe('invalid_grant')
  await server.setStatus(alice.did, { suspended: false })
  expect((await app.refresh(tokens.refresh_token)).status).toBe(200)
})

test('a deactivated account allows nothing', async () => {
  const app = await App.create()
  const { body } = await app.request()
  await server.post('com.core.server.deactivateAccount', {}, alice)
  const id = body.request_uri.split(':').at(-1)
  const answer = await server.post('com.core.oauth.decideRequest', { id, isAllowed: true }, alice)
  expect([answer.status, answer.body.error]).toEqual([401, 'AccountDeactivated'])
})

test('apps do not manage the account', async () => {
  const app = await App.create()
  const tokens = await app.signIn(alice)
  const calls: [string, object?][] = [
    ['com.atproto.server.createAppPassword', { name: 'x' }],
    ['com.atproto.server.listAppPasswords'],
    ['com.atproto.server.revokeAppPassword', { name: 'x' }],
    ['com.atproto.server.requestAccountDelete', {}],
    ['com.atproto.server.requestEmailUpdate', {}],
    ['com.atproto.server.updateEmail', { email: 'thief@example.com' }],
    ['com.atproto.server.deactivateAccount', {}],
    ['com.atproto.identity.requestPlcOperationSignature', {}],
    ['com.atproto.identity.signPlcOperation', {}],
    ['com.core.server.listSessions'],
    ['com.core.server.revokeSession', { id: 'x' }],
    ['com.core.oauth.decideRequest', { id: 'x', isAllowed: true }],
    ['com.core.oauth.listRequests'],
    ['com.core.oauth.declineSilentRequest', { id: 'x' }],
  ]
  for (const [nsid, input] of calls) {
    const { status, body } = await app.call(nsid, tokens, input ? { input } : {})
    expect([nsid, status, body.error]).toEqual([nsid, 403, 'Forbidden'])
  }
  const admin = await app.call('com.atproto.admin.getInviteCodes', tokens)
  expect([admin.status, admin.body.error]).toEqual([403, 'Forbidden'])
})

test('switched off, there is no authorization server, and the tokens of apps do not count', async () => {
  const app = await App.create()
  const tokens = await app.signIn(alice)
  const off = await TestServer.start({ publicUrl: undefined, oauth: false })
  for (const path of [
    '/.well-known/oauth-authorization-server',
    '/.well-known/oauth-protected-resource',
    '/oauth/jwks',
  ]) {
    expect((await fetch(`http://localhost:${off.running.port}${path}`)).status).toBe(404)
  }
  const authorization = `DPoP ${tokens.access_token}`
  const answer = await off.fetch('/xrpc/com.core.server.getSession', { headers: { authorization } })
  expect([answer.status, answer.body.error]).toEqual([400, 'InvalidToken'])
  await off.close()
})
