import { describe, expect, test } from 'vitest'
import { decodeJwt } from '../../../support/accounts/jwt.ts'
import { day, hour, minute, second } from '../../../support/server/clock.ts'
import { sweep } from '../../../support/server/maintenance.ts'
import { type Account, refusal, TestServer } from '../../../support/server/server.ts'
import { server, setupServer } from '../../../support/server/setup.ts'
import { mentionsOf } from '../../../support/store/scan.ts'

setupServer()

type Tokens = Pick<Account, 'accessJwt' | 'refreshJwt'>

const session = (auth: Pick<Tokens, 'accessJwt'>) => server.get('com.core.server.getSession', {}, auth)
const refresh = ({ refreshJwt }: Pick<Tokens, 'refreshJwt'>) =>
  server.post('com.core.server.refreshSession', undefined, refreshJwt)
const end = (token: string) => server.post('com.core.server.deleteSession', undefined, token)
const list = async (auth: Tokens) =>
  (await server.get('com.core.server.listSessions', {}, auth)).body.sessions
const jti = (jwt: string) => decodeJwt(jwt).claims.jti

const revoked = refusal(400, 'ExpiredToken', 'Token has been revoked')
const expired = refusal(400, 'ExpiredToken', 'Token has expired')

describe('signing in', () => {
  test('accepts handle, email address and DID, case-insensitively', async () => {
    const alice = await server.account('alice')
    const identifiers = [alice.handle, `@${alice.handle}`, alice.email, alice.did]
    for (const identifier of identifiers.flatMap((name) => [name, name.toUpperCase(), ` ${name} `])) {
      const { status, body } = await server.signIn(alice, { identifier })
      expect(status, identifier).toBe(200)
      expect(body).toMatchObject({
        did: alice.did,
        handle: alice.handle,
        didDoc: { id: alice.did },
        email: alice.email,
        emailConfirmed: false,
        emailAuthFactor: false,
        active: true,
      })
      expect(body).not.toHaveProperty('status')
    }
  })

  test('returns the same error for an unknown identifier and a wrong password', async () => {
    const bob = await server.account('bob')
    const wrongPassword = await server.signIn(bob, { password: 'not the password' })
    expect(wrongPassword).toMatchObject(refusal(401, 'AuthenticationRequired'))
    for (const identifier of [
      'unknown.test',
      'unknown@mail.test',
      'did:plc:aaaaaaaaaaaaaaaaaaaaaaaa',
      '',
      '@',
    ]) {
      const unknown = await server.signIn(bob, { identifier })
      expect({ status: unknown.status, body: unknown.body }).toEqual({
        status: wrongPassword.status,
        body: wrongPassword.body,
      })
    }
  })

  test('compares the password exactly', async () => {
    const carla = await server.account('carla')
    for (const password of ['', carla.password.toUpperCase(), ` ${carla.password}`, `${carla.password}\n`]) {
      expect(await server.signIn(carla, { password })).toMatchObject(refusal(401, 'AuthenticationRequired'))
    }
  })

  test('returns an access token for 2 hours and a refresh token for 90 days', async () => {
    const dan = await server.account('dan')
    const access = decodeJwt(dan.accessJwt)
    const renewal = decodeJwt(dan.refreshJwt)
    expect(access.header).toMatchObject({ typ: 'at+jwt', alg: 'HS256' })
    expect(renewal.header).toMatchObject({ typ: 'refresh+jwt', alg: 'HS256' })
    expect(access.claims).toMatchObject({ scope: 'com.core.access', aud: 'did:web:pds.test', sub: dan.did })
    expect(renewal.claims).toMatchObject({ scope: 'com.core.refresh', aud: 'did:web:pds.test', sub: dan.did })
    expect(access.claims.sid).toBe(renewal.claims.sid)
    expect(access.claims.jti).not.toBe(renewal.claims.jti)
    expect(access.claims.exp - access.claims.iat).toBe(2 * 60 * 60)
    expect(renewal.claims.exp - renewal.claims.iat).toBe(90 * 24 * 60 * 60)
  })
})

describe('refresh tokens', () => {
  test('a refresh returns new tokens and all session fields', async () => {
    const erin = await server.account('erin')
    const { status, body } = await refresh(erin)
    expect(status).toBe(200)
    expect(body).toMatchObject({
      did: erin.did,
      handle: erin.handle,
      email: erin.email,
      didDoc: { id: erin.did },
      active: true,
    })
    expect(jti(body.accessJwt)).not.toBe(jti(erin.accessJwt))
    expect(jti(body.refreshJwt)).not.toBe(jti(erin.refreshJwt))
    expect((await session(body)).status).toBe(200)
  })

  test('a session lasts as long as it is refreshed within 90 days', async () => {
    let tokens: Tokens = await server.account('frank')
    for (let times = 0; times < 3; times++) {
      await server.elapse(89 * day)
      await sweep(server.running.services)
      const { status, body } = await refresh(tokens)
      expect(status).toBe(200)
      tokens = body
    }
    expect((await session(tokens)).status).toBe(200)
    await server.elapse(90 * day)
    expect(await refresh(tokens)).toMatchObject(expired)
  })

  test('reuse within the grace period returns the same successor', async () => {
    const grace = await server.account('grace')
    const first = await refresh(grace)
    server.clock.advance(2 * hour - minute)
    const second = await refresh(grace)
    expect(second.status).toBe(200)
    expect(jti(second.body.refreshJwt)).toBe(jti(first.body.refreshJwt))
    expect((await refresh(second.body)).status).toBe(200)
    const third = await refresh(grace)
    expect(jti(third.body.refreshJwt)).toBe(jti(first.body.refreshJwt))
  })

  test.each([
    ['before maintenance', false],
    ['after maintenance', true],
  ])('an old one is refused after the grace period, and the session lives on, %s', async (_, swept) => {
    const heidi = await server.account(swept ? 'heidi-swept' : 'heidi')
    const { body: successor } = await refresh(heidi)
    server.clock.advance(2 * hour)
    if (swept) await sweep(server.running.services)
    expect(await refresh(heidi)).toMatchObject(revoked)
    expect(await refresh(heidi)).toMatchObject(revoked)
    const { status, body: newest } = await refresh(successor)
    expect(status).toBe(200)
    expect((await session(newest)).status).toBe(200)
  })

  test('the use of an old one is shown, accurate to five minutes', async () => {
    const heidi = await server.account('heidi-shown')
    const { body: successor } = await refresh(heidi)
    server.clock.advance(2 * hour)
    const { body: newest } = await refresh(successor)
    const shown = async () => (await list(newest))[0].oldTokenUsedAt
    expect(await shown()).toBeUndefined()
    await refresh(heidi)
    const first = await shown()
    expect(Date.parse(first)).toBeLessThan(server.clock.now().getTime())
    await refresh(heidi)
    expect(await shown()).toBe(first)
    server.clock.advance(5 * minute)
    await refresh(heidi)
    expect(Date.parse(await shown()) - Date.parse(first)).toBeGreaterThanOrEqual(5 * minute)
  })

  test('an access token does not refresh, a refresh token is no access token', async () => {
    const ivan = await server.account('ivan')
    expect(await refresh({ refreshJwt: ivan.accessJwt })).toMatchObject(
      refusal(400, 'InvalidToken', 'Bad token scope'),
    )
    expect(await session({ accessJwt: ivan.refreshJwt })).toMatchObject(refusal(400, 'InvalidToken'))
  })

  test('the ExpiredToken body has at most 81 bytes, for old clients', async () => {
    const judy = await server.account('judy')
    await server.elapse(91 * day)
    const late = await refresh(judy)
    expect(late).toMatchObject(expired)
    expect(JSON.stringify(late.body).length).toBeLessThanOrEqual(81)
    expect(JSON.stringify(revoked.body).length).toBeLessThanOrEqual(81)
  })
})

test('an access token expires after two hours', async () => {
  const kim = await server.account('kim')
  server.clock.advance(2 * hour - minute)
  expect((await session(kim)).status).toBe(200)
  server.clock.advance(minute)
  expect(await session(kim)).toMatchObject(expired)
  const renewed = await refresh(kim)
  expect((await session(renewed.body)).status).toBe(200)
})

describe('signing out', () => {
  test.each([
    ['access', 'accessJwt'],
    ['refresh', 'refreshJwt'],
  ] as const)('accepts the %s token and is idempotent', async (kind, token) => {
    const leo = await server.account(`leo-${kind}`)
    const elsewhere = await server.signIn(leo)
    expect((await end(leo[token])).status).toBe(200)
    expect(await session(leo)).toMatchObject(revoked)
    expect(await refresh(leo)).toMatchObject(revoked)
    expect((await end(leo[token])).status).toBe(200)
    expect((await session(elsewhere.body)).status).toBe(200)
  })

  test.each([
    ['access', 'accessJwt', 3 * hour],
    ['refresh', 'refreshJwt', 91 * day],
  ] as const)('accepts an expired %s token', async (kind, token, age) => {
    const mia = await server.account(`mia-${kind}`)
    await server.elapse(age)
    expect((await end(mia[token])).status).toBe(200)
    const { body } = await server.signIn(mia)
    expect(await list(body)).toHaveLength(1)
  })

  test('refuses a forged token', async () => {
    const nina = await server.account('nina')
    const [header, claims] = nina.accessJwt.split('.')
    const forged = `${header}.${claims}.${Buffer.alloc(32).toString('base64url')}`
    expect(await end(forged)).toMatchObject(refusal(400, 'InvalidToken'))
    expect((await session(nina)).status).toBe(200)
  })
})

describe('listSessions', () => {
  const signInFrom = (account: Account, client: string) =>
    server.fetch('/xrpc/com.core.server.createSession', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'user-agent': client },
      body: JSON.stringify({ identifier: account.handle, password: account.password }),
    })

  test('returns id, client, app password and times of each session', async () => {
    const olga = await server.account('olga')
    const phone = await signInFrom(olga, 'Phone/1.0')
    const app = await server.appSession(olga, 'reader')
    const sessions = await list(phone.body)
    expect(sessions).toHaveLength(3)
    expect(sessions).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          id: decodeJwt(phone.body.accessJwt).claims.sid,
          openedWith: 'password',
          client: 'Phone/1.0',
          current: true,
          createdAt: expect.stringMatching(/^20\d\d-.*Z$/),
          lastUsedAt: expect.stringMatching(/^20\d\d-.*Z$/),
        }),
        expect.objectContaining({
          id: decodeJwt(app.accessJwt).claims.sid,
          openedWith: 'appPassword',
          appPasswordName: 'reader',
          current: false,
        }),
        expect.objectContaining({ id: decodeJwt(olga.accessJwt).claims.sid, current: false }),
      ]),
    )
  })

  test('returns the first 200 characters of User-Agent', async () => {
    const pat = await server.account('pat')
    const { body } = await signInFrom(pat, 'x'.repeat(500))
    const mine = (await list(body)).find(({ current }: { current: boolean }) => current)
    expect(mine.client).toBe('x'.repeat(200))
  })

  test('updates lastUsedAt after five minutes', async () => {
    const quinn = await server.account('quinn')
    const lastUse = async () => Date.parse((await list(quinn))[0].lastUsedAt)
    const before = await lastUse()
    server.clock.advance(5 * minute - second)
    await session(quinn)
    expect(await lastUse()).toBe(before)
    server.clock.advance(second)
    await session(quinn)
    expect((await lastUse()) - before).toBeGreaterThanOrEqual(5 * minute)
  })

  test('is ordered by last use, refreshes included', async () => {
    const rita = await server.account('rita')
    const { body: phone } = await server.signIn(rita)
    const { body: tablet } = await server.signIn(rita)
    const order = async () => (await list(tablet)).map(({ id }: { id: string }) => id)
    const sid = ({ accessJwt }: Pick<Tokens, 'accessJwt'>) => decodeJwt(accessJwt).claims.sid
    expect(await order()).toEqual([sid(tablet), sid(phone), sid(rita)])
    server.clock.advance(minute)
    await refresh(rita)
    expect(await order()).toEqual([sid(rita), sid(tablet), sid(phone)])
  })

  test('contains only sessions of the account, and revokeSession ends no others', async () => {
    const [rosa, sam] = [await server.account('rosa'), await server.account('sam')]
    expect(await list(rosa)).toHaveLength(1)
    const theirs = (await list(sam))[0].id
    expect((await server.post('com.core.server.revokeSession', { id: theirs }, rosa)).status).toBe(200)
    expect((await session(sam)).status).toBe(200)
  })
})

test('revokeSession ends another session and is idempotent', async () => {
  const tina = await server.account('tina')
  const { body: other } = await server.signIn(tina)
  const id = decodeJwt(other.accessJwt).claims.sid
  const revoke = () => server.post('com.core.server.revokeSession', { id }, tina)
  expect((await revoke()).status).toBe(200)
  expect(await session(other)).toMatchObject(revoked)
  expect(await refresh(other)).toMatchObject(revoked)
  expect((await revoke()).status).toBe(200)
  expect((await session(tina)).status).toBe(200)
})

test('maintenance deletes expired sessions', async () => {
  const uma = await server.account('uma')
  await server.elapse(91 * day)
  const { body } = await server.signIn(uma)
  await sweep(server.running.services)
  expect(await list(body)).toMatchObject([{ id: decodeJwt(body.accessJwt).claims.sid }])
})

test('maintenance deletes replaced refresh tokens after their grace period', async () => {
  const vera = await server.account('vera')
  await refresh(vera)
  const kept = () => mentionsOf(server.running.services.store, jti(vera.refreshJwt))
  await sweep(server.running.services)
  expect(kept()).toHaveLength(1)
  server.clock.advance(2 * hour)
  await sweep(server.running.services)
  expect(kept()).toEqual([])
})

describe('a change of port or public address', () => {
  const moveTo = async (from: TestServer, publicUrl: string) => {
    await from.running.close()
    return TestServer.start({ dataDir: from.config.dataDir, publicUrl })
  }

  test('keeps all sessions, and the DID of the server follows the address', async () => {
    const old = await TestServer.start({ publicUrl: 'https://old.test' })
    const wendy = await old.account('wendy')
    const moved = await moveTo(old, 'https://new.test:8443')
    try {
      expect((await moved.get('com.core.server.getSession', {}, wendy)).status).toBe(200)
      const renewed = await moved.post('com.core.server.refreshSession', undefined, wendy.refreshJwt)
      expect(renewed.status).toBe(200)
      expect((await moved.get('com.core.server.getSession', {}, renewed.body)).status).toBe(200)
      expect((await moved.get('com.core.server.describeServer')).body.did).toBe('did:web:new.test%3A8443')
    } finally {
      await moved.close()
    }
  })

  test('keeps the sessions of a store without a stored audience', async () => {
    const old = await TestServer.start({ publicUrl: 'https://old.test' })
    const wendy = await old.account('wendy')
    await old.running.services.store.transact((tx) =>
      tx.run("DELETE FROM secrets WHERE name = 'token-audience'"),
    )
    const upgraded = await moveTo(old, 'https://old.test')
    const moved = await moveTo(upgraded, 'https://new.test')
    try {
      expect((await moved.get('com.core.server.getSession', {}, wendy)).status).toBe(200)
    } finally {
      await moved.close()
    }
  })
})
