import { formatDidKey, multibaseToBytes, verifySignature } from '@atproto/crypto'
import { describe, expect, test } from 'vitest'
import { decodeJwt } from '../../../support/accounts/jwt.ts'
import { type Account, refusal } from '../../../support/server/server.ts'
import { owner as alice, server, setupServer } from '../../../support/server/setup.ts'

setupServer({ accounts: ['alice'] })

type Auth = Pick<Account, 'accessJwt'>

const aud = 'did:web:service.example'

const ask = (params: Record<string, string>, auth: Auth = alice) =>
  server.get('com.core.server.getServiceAuth', { aud, ...params }, auth)

/** Unix seconds. */
const now = () => Math.floor(server.clock.now().getTime() / 1000)

test('the token contains iss, aud and lxm, and expires after a minute', async () => {
  const { status, body } = await ask({ lxm: 'app.example.feed.getTimeline' })
  expect(status).toBe(200)
  const { header, claims } = decodeJwt(body.token)
  expect(header).toEqual({ typ: 'JWT', alg: 'ES256' })
  expect(claims).toEqual({
    iss: alice.did,
    aud,
    lxm: 'app.example.feed.getTimeline',
    iat: expect.any(Number),
    exp: claims.iat + 60,
    jti: expect.any(String),
  })
  expect(Math.abs(claims.iat - now())).toBeLessThanOrEqual(1)
})

test('the token is signed with the key in the DID document', async () => {
  const { body: session } = await server.get('com.core.server.getSession', {}, alice)
  const { publicKeyMultibase } = session.didDoc.verificationMethod[0]
  const key = `did:key:${publicKeyMultibase}`
  const { body } = await ask({})
  const [header, claims, signature = ''] = body.token.split('.')
  const signed = Buffer.from(`${header}.${claims}`)
  expect(await verifySignature(key, signed, Buffer.from(signature, 'base64url'))).toBe(true)
  // The key is a compressed point behind a multicodec prefix: it is P-256 indeed.
  expect(formatDidKey('ES256', multibaseToBytes(publicKeyMultibase).slice(2))).toBe(key)
})

test('every token has its own jti, and lxm is optional', async () => {
  const [one, two] = [await ask({}), await ask({})]
  expect(decodeJwt(one.body.token).claims.jti).not.toBe(decodeJwt(two.body.token).claims.jti)
  expect(decodeJwt(one.body.token).claims).not.toHaveProperty('lxm')
})

test('another server accepts the token as proof for an import', async () => {
  const { body } = await ask({ aud: 'did:web:pds.test', lxm: 'com.core.server.createAccount' })
  const input = { handle: 'alice-again.test', did: alice.did, password: 'a good password' }
  expect(await server.post('com.core.server.createAccount', input, body.token)).toMatchObject(
    refusal(400, 'AlreadyExists', 'This DID already has an account on this server'),
  )
})

describe('the audience', () => {
  test.each([['did:plc:aaaaaaaaaaaaaaaaaaaaaaaa'], ['did:web:a.example#bsky_chat']])(
    'can be %s',
    async (to) => {
      const { body } = await ask({ aud: to })
      expect(decodeJwt(body.token).claims.aud).toBe(to)
    },
  )

  test.each([
    [''],
    ['service.example'],
    ['https://service.example'],
    ['did:web:a.example#'],
    ['did:web:a.example#one#two'],
    ['did:web:a.example# name'],
  ])('cannot be %j', async (to) => {
    expect(await ask({ aud: to })).toMatchObject(refusal(400, 'InvalidRequest'))
  })

  test('is required', async () => {
    expect(await server.get('com.core.server.getServiceAuth', {}, alice)).toMatchObject(
      refusal(400, 'InvalidRequest'),
    )
  })
})

describe('the expiry', () => {
  const lxm = 'app.example.feed.getTimeline'

  test.each([
    ['a minute ahead', 59, {}],
    ['an hour ahead with a method', 3599, { lxm }],
  ])('can be %s', async (_, ahead, params) => {
    const exp = now() + ahead
    const { body } = await ask({ ...params, exp: String(exp) })
    expect(decodeJwt(body.token).claims.exp).toBe(exp)
  })

  test.each([
    ['now', 0, { lxm }],
    ['in the past', -60, { lxm }],
    ['in 1970', -1e9, { lxm }],
    ['more than an hour ahead', 3602, { lxm }],
    ['more than a minute ahead without a method', 62, {}],
  ])('cannot be %s', async (_, ahead, params) => {
    expect(await ask({ ...params, exp: String(now() + ahead) })).toMatchObject(refusal(400, 'BadExpiration'))
  })

  test.each([['1.5'], ['soon']])('cannot be %j', async (exp) => {
    expect(await ask({ exp })).toMatchObject(refusal(400, 'InvalidRequest'))
  })
})

describe('methods that manage accounts, identities or a server', () => {
  test.each([
    ['com.core.server.deleteAccount'],
    ['com.core.server.createAppPassword'],
    ['com.core.server.getSession'],
    ['com.core.server.deleteaccount'],
    ['COM.CORE.SERVER.deleteAccount'],
    ['com.atproto.server.deleteAccount'],
    ['Com.AtProto.Server.deleteAccount'],
    ['com.core.server.createAccountToo'],
    ['com.core.identity.signPlcOperation'],
    ['com.atproto.identity.signPlcOperation'],
    ['com.atproto.identity.requestPlcOperationSignature'],
    ['Com.Atproto.Identity.updateHandle'],
    ['com.core.identity.removeRecoveryKey'],
    ['com.atproto.admin.sendEmail'],
    ['com.core.admin.updateAccountPassword'],
  ])('get no token: %s', async (lxm) => {
    expect(await ask({ lxm })).toMatchObject(refusal(400, 'InvalidRequest'))
  })

  test('get no token except those that import an account or resolve an identity', async () => {
    for (const lxm of [
      'com.core.server.createAccount',
      'com.atproto.server.createAccount',
      'com.atproto.identity.resolveHandle',
      'com.atproto.identity.refreshIdentity',
    ]) {
      const { body } = await ask({ lxm })
      expect(decodeJwt(body.token).claims.lxm).toBe(lxm)
    }
  })
})

describe('an app password', () => {
  const privilegedMethods = [
    'com.core.server.createAccount',
    'com.atproto.server.createAccount',
    'COM.CORE.SERVER.createAccount',
    'com.core.server.createaccount',
    'chat.example.convo.sendMessage',
    'chat.bsky.convo.sendMessage',
    'Chat.Bsky.Convo.sendMessage',
  ]

  test('gets tokens for other methods', async () => {
    const app = await server.appSession(alice, 'reader')
    for (const lxm of ['app.bsky.feed.getTimeline', 'chat.examples.convo.list']) {
      expect((await ask({ lxm }, app)).status).toBe(200)
    }
  })

  test('gets one for any method only when it is privileged', async () => {
    const [plain, privileged] = [
      await server.appSession(alice, 'plain'),
      await server.appSession(alice, 'privileged', true),
    ]
    for (const to of [aud, 'did:web:api.bsky.chat', 'did:web:chat.example#bsky_chat']) {
      expect(await ask({ aud: to }, plain)).toMatchObject(
        refusal(400, 'InvalidToken', 'Bad token method: name one with lxm'),
      )
      expect((await ask({ aud: to }, privileged)).status).toBe(200)
    }
  })

  test.each(privilegedMethods)('gets one for %s only when it is privileged', async (lxm) => {
    const [plain, privileged] = [
      await server.appSession(alice, `plain ${lxm}`),
      await server.appSession(alice, `privileged ${lxm}`, true),
    ]
    expect(await ask({ lxm }, plain)).toMatchObject(refusal(400, 'InvalidToken', 'Bad token method'))
    const { body } = await ask({ lxm }, privileged)
    expect(decodeJwt(body.token).claims.lxm).toBe(lxm)
    expect((await ask({ lxm })).status).toBe(200)
  })

  test('gets none for managing an account, privileged or not', async () => {
    for (const privileged of [false, true]) {
      const app = await server.appSession(alice, `manager ${privileged}`, privileged)
      expect(await ask({ lxm: 'com.core.server.deleteAccount' }, app)).toMatchObject(
        refusal(400, 'InvalidRequest'),
      )
    }
  })
})
