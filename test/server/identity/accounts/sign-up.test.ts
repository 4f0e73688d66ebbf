import { createHash } from 'node:crypto'
import { P256Keypair, Secp256k1Keypair, verifySignature } from '@atproto/crypto'
import { encode } from '@atproto/lex-cbor'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { base32, PlcDirectory } from '../../../support/accounts/plc.ts'
import { hour } from '../../../support/server/clock.ts'
import { adminAuth, refusal, TestServer } from '../../../support/server/server.ts'
import { server, setupServer } from '../../../support/server/setup.ts'

let directory: PlcDirectory

beforeAll(async () => {
  directory = await PlcDirectory.start()
})
afterAll(() => directory.close())
setupServer({
  config: () => ({
    plcUrl: directory.url,
    userDomains: ['.test', '.pds.example', '.inner.test'],
  }),
})

const password = 'a good password'

function signUp(handle: string, more: Record<string, unknown> = {}) {
  return server.post('com.core.server.createAccount', { handle, password, ...more })
}

test('createAccount: opens a session', async () => {
  const { status, body } = await signUp('newcomer.test', { email: 'newcomer@mail.test' })
  expect(status).toBe(200)
  expect(body).toMatchObject({
    handle: 'newcomer.test',
    did: expect.stringMatching(/^did:plc:[a-z2-7]{24}$/),
  })
  const session = await server.get('com.core.server.getSession', {}, body)
  expect(session.body).toMatchObject({
    did: body.did,
    handle: 'newcomer.test',
    email: 'newcomer@mail.test',
    emailConfirmed: false,
    emailAuthFactor: false,
    active: true,
  })
  expect((await server.post('com.core.server.refreshSession', undefined, body.refreshJwt)).status).toBe(200)
})

test('createAccount: the first account owns the server, later ones do not', async () => {
  const fresh = await TestServer.start()
  try {
    const owner = await fresh.account('founder')
    const other = await fresh.account('other')
    expect((await fresh.get('com.core.admin.listAccounts', {}, owner)).body.accounts).toMatchObject([
      { did: owner.did, owner: true },
      { did: other.did, owner: false },
    ])
    expect(await fresh.get('com.core.admin.listAccounts', {}, other)).toMatchObject(refusal(403, 'Forbidden'))
  } finally {
    await fresh.close()
  }
})

const signUpFrom = (fresh: TestServer, origin: string, input: object) =>
  fresh.fetch('/xrpc/com.core.server.createAccount', {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin },
    body: JSON.stringify({ password: 'a password', ...input }),
  })

test('createAccount: a page of another site cannot create the first account', async () => {
  const fresh = await TestServer.start({ publicUrl: 'https://pds.test' })
  try {
    for (const origin of ['https://other.example', 'http://localhost.other.example', 'null']) {
      expect(await signUpFrom(fresh, origin, { handle: 'mallory.test' })).toMatchObject(
        refusal(403, 'Forbidden'),
      )
    }
    expect((await signUpFrom(fresh, fresh.url, { handle: 'alice.test' })).status).toBe(200)
    expect((await signUpFrom(fresh, 'https://client.example', { handle: 'bob.test' })).status).toBe(200)
  } finally {
    await fresh.close()
  }
})

test('createAccount: without a public address, a page of another site needs an invite code', async () => {
  const fresh = await TestServer.start({ publicUrl: undefined })
  try {
    const alice = await fresh.account('alice')
    const origin = 'https://client.example'
    const bob = { handle: 'bob.test' }
    expect(await signUpFrom(fresh, origin, bob)).toMatchObject(refusal(400, 'InvalidInviteCode'))
    const description = (headers: Record<string, string>) =>
      fresh.fetch('/xrpc/com.core.server.describeServer', { headers })
    expect((await description({ origin })).body.inviteCodeRequired).toBe(true)
    expect((await description({})).body.inviteCodeRequired).toBe(false)

    const made = await fresh.post('com.core.server.createInviteCode', { useCount: 1 }, alice)
    const inviteCode = made.body.code
    expect((await signUpFrom(fresh, origin, { ...bob, inviteCode })).status).toBe(200)
  } finally {
    await fresh.close()
  }
})

test.each([
  'http://localhost:5173',
  'http://127.0.0.1:8080',
  'http://[::1]:8080',
  'http://localhost:3000',
  'chrome-extension://abcdefghijklmnopabcdefghijklmnop',
  'app://other',
])(
  'createAccount: a page of %s is refused the first account, and needs an invite code for others',
  async (origin) => {
    const fresh = await TestServer.start({ publicUrl: undefined, trustedOrigins: ['http://localhost:3000'] })
    try {
      const mallory = { handle: 'mallory.test' }
      expect(await signUpFrom(fresh, origin, mallory)).toMatchObject(refusal(403, 'Forbidden'))
      expect((await signUpFrom(fresh, 'app://pds', { handle: 'alice.test' })).status).toBe(200)
      expect(await signUpFrom(fresh, origin, mallory)).toMatchObject(refusal(400, 'InvalidInviteCode'))
    } finally {
      await fresh.close()
    }
  },
)

describe('handles', () => {
  test.each([['abc.test'], ['eighteen-chars-lng.test'], ['x1y.pds.example'], ['abc.inner.test']])(
    '%s is allowed',
    async (handle) => {
      expect((await signUp(handle)).body).toMatchObject({ handle })
    },
  )

  test.each([
    ['', 'nothing'],
    ['just-a-word', 'not a domain name'],
    ['under_score.test', 'a letter that host names do not have'],
    ['-dash.test', 'a dash at an end'],
    ['with space.test', 'a space'],
    ['ünïcode.test', 'not ASCII'],
    ['.test', 'an empty label'],
    ['ab.test', 'two characters'],
    ['nineteen-characters.test', 'nineteen characters'],
    ['two.labels.test', 'two labels'],
    [`${'a'.repeat(300)}.test`, 'longer than any host name'],
  ])('%s is refused (%s)', async (handle) => {
    expect(await signUp(handle)).toMatchObject(refusal(400, 'InvalidHandle'))
  })

  test.each([['admin.test'], ['WWW.test'], ['support.pds.example']])('%s is reserved', async (handle) => {
    expect(await signUp(handle)).toMatchObject(refusal(400, 'HandleNotAvailable'))
  })

  test.each([['alice.example.com'], ['alice.nottest'], ['alice.othertest.com']])(
    '%s is under a domain that is not offered',
    async (handle) => {
      expect(await signUp(handle)).toMatchObject(refusal(400, 'UnsupportedDomain'))
    },
  )

  test.each(['owner-of-none.other', 'admin.test', 'ab.test', 'ünïcode.test', 'taken.test'])(
    'the refusal of %s does not contain the word handle, on which a client of the network shows an empty page',
    async (handle) => {
      await signUp('taken.test')
      const { status, body } = await signUp(handle)
      expect(status).toBe(400)
      expect(body.message).not.toMatch(/handle/i)
    },
  )

  test('a handle is unique in any letter case, and stored in lower case', async () => {
    expect((await signUp('CamelCase.Test')).body).toMatchObject({ handle: 'camelcase.test' })
    expect(await signUp('camelcase.test')).toMatchObject(refusal(400, 'HandleNotAvailable'))
    expect(await signUp('CAMELCASE.TEST')).toMatchObject(refusal(400, 'HandleNotAvailable'))
  })
})

describe('email addresses', () => {
  test('an address is optional', async () => {
    const { body } = await signUp('mailless.test')
    const session = await server.get('com.core.server.getSession', {}, body)
    expect(session.body).not.toHaveProperty('email')
    expect(session.body).not.toHaveProperty('emailConfirmed')
  })

  test.each([['no-address'], ['a@b@c'], ['two words@mail.test'], ['a@mail.test\r\nBcc: b@mail.test']])(
    '%j is refused',
    async (email) => {
      expect(await signUp('bad-mail.test', { email })).toMatchObject(refusal(400, 'InvalidRequest'))
    },
  )

  test('an address is unique in any letter case', async () => {
    expect((await signUp('first.test', { email: 'Shared@Mail.test' })).status).toBe(200)
    expect(await signUp('second.test', { email: 'shared@mail.TEST' })).toMatchObject(
      refusal(400, 'InvalidRequest', 'Another account has this email address'),
    )
    expect((await signUp('second.test', { email: 'other@mail.test' })).status).toBe(200)
  })
})

describe('passwords', () => {
  test.each([
    ['empty', ''],
    ['seven characters', '1234567'],
    ['four characters that look like eight', '👍👍👍👍'],
    ['257 characters', 'x'.repeat(257)],
  ])('%s is refused', async (_, bad) => {
    expect(await signUp('weak.test', { password: bad })).toMatchObject(refusal(400, 'InvalidPassword'))
  })

  test.each([
    ['eight', '12345678'],
    ['long', 'x'.repeat(256)],
    ['emoji', '👍'.repeat(256)],
  ])('%s is allowed', async (name, good) => {
    const account = { handle: `pw-${name}.test`, password: good }
    expect((await signUp(account.handle, { password: good })).status).toBe(200)
    expect((await server.signIn(account)).status).toBe(200)
    expect(await server.signIn(account, { password: `${good}x` })).toMatchObject(
      refusal(401, 'AuthenticationRequired'),
    )
  })

  test('characters after the 72nd byte count', async () => {
    const account = { handle: 'wordy.test', password: `${'x'.repeat(72)} and the end` }
    await signUp(account.handle, { password: account.password })
    expect((await server.signIn(account)).status).toBe(200)
    expect(await server.signIn(account, { password: `${'x'.repeat(72)} and another` })).toMatchObject(
      refusal(401, 'AuthenticationRequired'),
    )
  })

  test('an account without a password can sign in after a password reset only', async () => {
    const email = 'passless@mail.test'
    const account = { handle: 'passless.test', password: 'chosen later on' }
    const { status, body } = await signUp(account.handle, { email, password: undefined })
    expect(status).toBe(200)
    expect((await server.get('com.core.server.getSession', {}, body)).status).toBe(200)
    for (const password of ['', 'null', 'undefined', account.password]) {
      expect(await server.signIn(account, { password })).toMatchObject(refusal(401, 'AuthenticationRequired'))
    }
    await server.post('com.core.server.requestPasswordReset', { email })
    const reset = { token: await server.codeTo(email), password: account.password }
    expect((await server.post('com.core.server.resetPassword', reset)).status).toBe(200)
    expect((await server.signIn(account)).status).toBe(200)
  })
})

describe('identity', () => {
  /** Signs up, and returns the genesis operation that was submitted. */
  async function mint(handle: string, more: Record<string, unknown> = {}) {
    const { body } = await signUp(handle, more)
    await server.running.services.background.idle()
    // biome-ignore lint/suspicious/noExplicitAny: the operation is checked member by member
    const operation = directory.postedFor(body.did)[0] as any
    return { body, operation }
  }

  test('the DID is the hash of an operation that is signed by its rotation key', async () => {
    const { body, operation } = await mint('minted.test')
    const hash = createHash('sha256').update(encode(operation)).digest()
    expect(body.did).toBe(`did:plc:${base32(hash).slice(0, 24)}`)

    const { sig, ...unsigned } = operation
    const [rotationKey] = operation.rotationKeys
    // The library refuses a signature whose S is high, as directories do.
    expect(await verifySignature(rotationKey, encode(unsigned), Buffer.from(sig, 'base64url'))).toBe(true)
    expect(unsigned).toEqual({
      type: 'plc_operation',
      prev: null,
      rotationKeys: [expect.stringMatching(/^did:key:z/)],
      verificationMethods: { atproto: expect.stringMatching(/^did:key:zDn/) },
      alsoKnownAs: ['at://minted.test'],
      services: { atproto_pds: { type: 'AtprotoPersonalDataServer', endpoint: 'https://pds.test' } },
    })
  })

  test('the DID document names the handle, the signing key and this server', async () => {
    const { body, operation } = await mint('documented.test')
    expect(body.didDoc).toMatchObject({
      id: body.did,
      alsoKnownAs: ['at://documented.test'],
      verificationMethod: [
        {
          id: `${body.did}#atproto`,
          type: 'Multikey',
          controller: body.did,
          publicKeyMultibase: operation.verificationMethods.atproto.slice('did:key:'.length),
        },
      ],
      service: [
        { id: '#atproto_pds', type: 'AtprotoPersonalDataServer', serviceEndpoint: 'https://pds.test' },
      ],
    })
    const status = await server.get('com.core.server.checkAccountStatus', {}, body)
    expect(status.body).toMatchObject({ activated: true, validDid: true })
  })

  test.each([
    ['P-256', P256Keypair],
    ['secp256k1', Secp256k1Keypair],
  ])('a recovery key (%s) is the first rotation key', async (curve, Curve) => {
    const recoveryKey = (await Curve.create()).did()
    const { operation } = await mint(`rk-${curve.toLowerCase()}.test`, { recoveryKey })
    expect(operation.rotationKeys).toEqual([recoveryKey, expect.stringMatching(/^did:key:zDn/)])
  })

  test.each([['did:key:zNotAKey'], ['did:plc:ewvi7nxzyoun6zhxrhs64oiz'], ['']])(
    'the recovery key %j is refused',
    async (recoveryKey) => {
      expect(await signUp('no-key.test', { recoveryKey })).toMatchObject(refusal(400, 'InvalidRequest'))
    },
  )

  test('an account is created while the directory is down, and its operation is submitted later', async () => {
    directory.mode = 'fails'
    const first = await mint('patient.test')
    const second = await mint('patienter.test')
    directory.mode = 'up'
    const submissions = () => [first, second].map(({ body }) => directory.postedFor(body.did).length)
    expect([first, second].map(({ body }) => directory.log(body.did))).toEqual([[], []])

    // An operation that is refused must not delay the others.
    directory.refused.add(first.body.did)
    server.clock.advance(hour)
    await server.running.services.identity.plc.publishDue()
    expect(submissions()).toEqual([1, 1])
    server.clock.advance(hour)
    await server.running.services.identity.plc.publishDue()
    expect(submissions()).toEqual([2, 1])
    expect(directory.log(second.body.did)).toHaveLength(1)
  })
})

test('createAccount: phone verification is accepted and not required', async () => {
  const more = { verificationPhone: '+1 555 0100', verificationCode: '123456' }
  expect((await signUp('phoned.test', more)).status).toBe(200)
})

test('createAccount: an empty invite code counts as absent', async () => {
  expect((await signUp('uninvited.test', { inviteCode: ' ' })).status).toBe(200)
})

test('createAccount: a refused call creates nothing', async () => {
  const count = async () =>
    (await server.get('com.core.admin.listAccounts', { limit: '100' }, adminAuth)).body.accounts.length
  const before = await count()
  expect((await signUp('refused.test', { inviteCode: 'pds-test-aaaaa-aaaaa' })).body.error).toBe(
    'InvalidInviteCode',
  )
  expect(await count()).toBe(before)
  expect((await signUp('refused.test')).status).toBe(200)
})
