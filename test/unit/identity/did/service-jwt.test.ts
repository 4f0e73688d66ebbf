import { P256Keypair, Secp256k1Keypair } from '@atproto/crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { UnresolvableDid } from '../../../../server/identity/did/resolver.ts'
import {
  createServiceJwt,
  type ServiceJwtExpectations,
  verifyServiceJwt,
} from '../../../../server/identity/did/service-jwt.ts'
import { createSigningKey, type DidKey } from '../../../../server/util/keys.ts'
import { highS } from './support.ts'

const NOW = 1_767_268_800
const ISSUER = 'did:plc:ewvi7nxzyoun6zhxrhs64oiz'
const AUDIENCE = 'did:web:pds.example'
const METHOD = 'com.core.server.createAccount'
const CLAIMS = { iss: ISSUER, aud: AUDIENCE, lxm: METHOD, iat: NOW, exp: NOW + 60, jti: 'unique' }

type Keypair = P256Keypair | Secp256k1Keypair
const CURVES = [
  { alg: 'ES256', create: () => P256Keypair.create() },
  { alg: 'ES256K', create: () => Secp256k1Keypair.create() },
] as const

test('createServiceJwt: the token has the given claims and is valid', async () => {
  const { did, privateKey } = await createSigningKey()
  const jwt = await createServiceJwt({ ...CLAIMS, privateKey })
  const [header, claims] = jwt.split('.').map((part) => Buffer.from(part, 'base64url').toString())
  expect(JSON.parse(header ?? '')).toEqual({ typ: 'JWT', alg: 'ES256' })
  expect(JSON.parse(claims ?? '')).toEqual(CLAIMS)
  expect(await verifyServiceJwt(jwt, expecting(did))).toMatchObject({ iss: ISSUER })
})

test('createServiceJwt: a token without lxm is not valid for a method of this server', async () => {
  const { did, privateKey } = await createSigningKey()
  const jwt = await createServiceJwt({ ...CLAIMS, lxm: undefined, privateKey })
  expect(JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString())).not.toHaveProperty('lxm')
  await expect(verifyServiceJwt(jwt, expecting(did))).rejects.toMatchObject({ code: 'BadJwtLexiconMethod' })
})

test.each(CURVES)(
  '$alg: a valid token is accepted; every change to it is refused',
  async ({ alg, create }) => {
    const keypair = await create()
    const expected = expecting(keypair.did() as DidKey)
    const jwt = await token(keypair, { typ: 'JWT', alg }, CLAIMS)
    await expect(verifyServiceJwt(jwt, expected)).resolves.toMatchObject({ iss: ISSUER })

    const [header = '', claims = '', signature = ''] = jwt.split('.')
    const bytes = Buffer.from(signature, 'base64url')
    const respelled = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const changed = {
      iss: respelled({ ...CLAIMS, iss: 'did:web:mallory.example' }),
      exp: respelled({ ...CLAIMS, exp: NOW + 61 }),
      iat: respelled({ ...CLAIMS, iat: NOW - 1 }),
      jti: respelled({ ...CLAIMS, jti: 'other' }),
      space: Buffer.from(`${JSON.stringify(CLAIMS)} `).toString('base64url'),
    }
    for (const [what, part] of Object.entries(changed)) {
      const forged = `${header}.${part}.${signature}`
      await expect(verifyServiceJwt(forged, expected), what).rejects.toMatchObject({
        code: 'BadJwtSignature',
      })
    }
    const other = await create()
    for (const [what, forged] of Object.entries({
      'typ left out': `${respelled({ alg })}.${claims}.${signature}`,
      'high S': `${header}.${claims}.${highS(bytes, alg).toString('base64url')}`,
      'no signature': `${header}.${claims}.`,
      'half a signature': `${header}.${claims}.${bytes.subarray(32).toString('base64url')}`,
      'zero signature': `${header}.${claims}.${Buffer.alloc(64).toString('base64url')}`,
      'another key': await token(other, { typ: 'JWT', alg }, CLAIMS),
    })) {
      await expect(verifyServiceJwt(forged, expected), what).rejects.toMatchObject({
        code: 'BadJwtSignature',
      })
    }
    for (const [what, forged] of Object.entries({
      padding: `${jwt}==`,
      'standard base64': `${header}.${claims}.${bytes.toString('base64')}`,
      'a part too many': `${jwt}.${signature}`,
      'a part too few': `${header}.${claims}`,
      'claims that are a list': `${header}.${respelled([CLAIMS])}.${signature}`,
      'claims that are no JSON': `${header}.${header.slice(0, -4)}.${signature}`,
    })) {
      await expect(verifyServiceJwt(forged, expected), what).rejects.toMatchObject({ code: 'BadJwt' })
    }
  },
)

test('the algorithm in the header must be the key’s own', async () => {
  for (const { alg, create } of CURVES) {
    const keypair = await create()
    const expected = expecting(keypair.did() as DidKey)
    const swapped = await token(keypair, { typ: 'JWT', alg: alg === 'ES256' ? 'ES256K' : 'ES256' }, CLAIMS)
    await expect(verifyServiceJwt(swapped, expected)).rejects.toMatchObject({ code: 'BadJwtSignature' })
    for (const other of [
      'none',
      'None',
      'HS256',
      'RS256',
      'EdDSA',
      'es256',
      '',
      undefined,
      null,
      ['ES256'],
    ]) {
      const jwt = await token(keypair, { typ: 'JWT', alg: other }, CLAIMS)
      await expect(verifyServiceJwt(jwt, expected), String(other)).rejects.toMatchObject({ code: 'BadJwt' })
    }
  }
})

test.each([
  ['at+jwt', 'BadJwtType'],
  ['refresh+jwt', 'BadJwtType'],
  ['dpop+jwt', 'BadJwtType'],
  ['AT+JWT', 'BadJwtType'],
  ['application/at+jwt', 'BadJwtType'],
  ['JWT', undefined],
  [undefined, undefined],
])('a token of type %s: %s', async (typ, code) => {
  await expectClaims(CLAIMS, code, { typ, alg: 'ES256' })
})

test.each([
  ['#atproto', undefined],
  ['atproto', undefined],
  [`${ISSUER}#atproto`, undefined],
  ['#atproto_label', 'BadJwt'],
  ['', 'BadJwt'],
  [['#atproto'], 'BadJwt'],
  [null, 'BadJwt'],
])('a token with the key identifier %j: %s', async (kid, code) => {
  await expectClaims(CLAIMS, code, { typ: 'JWT', alg: 'ES256', kid })
})

test('a critical extension is refused', async () => {
  await expectClaims(CLAIMS, 'BadJwt', { typ: 'JWT', alg: 'ES256', crit: ['b64'], b64: false })
})

test.each<[string, object, string | undefined]>([
  ['another audience', { aud: 'did:web:other.example' }, 'BadJwtAudience'],
  ['a service of this audience', { aud: `${AUDIENCE}#notif` }, 'BadJwtAudience'],
  ['a list of audiences', { aud: [AUDIENCE] }, 'BadJwtAudience'],
  ['no audience', { aud: undefined }, 'BadJwtAudience'],
  ['another method', { lxm: 'com.core.server.deleteAccount' }, 'BadJwtLexiconMethod'],
  ['the method in other letters', { lxm: METHOD.toLowerCase() }, 'BadJwtLexiconMethod'],
  ['no method', { lxm: undefined }, 'BadJwtLexiconMethod'],
  ['any method', { lxm: '*' }, 'BadJwtLexiconMethod'],
  ['no issuer', { iss: undefined }, 'BadJwtIssuer'],
  ['an issuer that is no DID', { iss: 'https://example.com' }, 'BadJwtIssuer'],
  ['an issuer with a fragment', { iss: `${ISSUER}#service` }, 'BadJwtIssuer'],
  ['no expiry', { exp: undefined }, 'BadJwt'],
  ['an expiry in words', { exp: '2099-01-01' }, 'BadJwt'],
  ['just expired', { exp: NOW }, 'JwtExpired'],
  ['about to expire', { exp: NOW + 1 }, undefined],
  ['an hour to live', { exp: NOW + 3600 }, undefined],
  ['two hours to live', { exp: NOW + 7200 }, 'BadJwt'],
  ['a year to live', { exp: NOW + 31_536_000 }, 'BadJwt'],
  ['issued by a clock half a minute ahead', { iat: NOW + 30 }, undefined],
  ['issued in the future', { iat: NOW + 90 }, 'BadJwt'],
  ['issued in words', { iat: 'now' }, 'BadJwt'],
  ['issued at no stated time', { iat: undefined }, undefined],
  ['no identifier', { jti: undefined }, undefined],
])('a well-signed token (%s, %j) gives the error %s', async (_, change, code) => {
  await expectClaims({ ...CLAIMS, ...change }, code)
})

test('the audience may be a service, and the method an alias', async () => {
  const keypair = await P256Keypair.create()
  const jwt = await token(
    keypair,
    { alg: 'ES256' },
    {
      ...CLAIMS,
      aud: `${AUDIENCE}#notif`,
      lxm: 'com.atproto.server.createAccount',
    },
  )
  const expected = {
    ...expecting(keypair.did() as DidKey),
    audiences: [AUDIENCE, `${AUDIENCE}#notif`],
    ownName: (nsid: string) => nsid.replace(/^com\.atproto\./, 'com.core.'),
  }
  await expect(verifyServiceJwt(jwt, expected)).resolves.toMatchObject({ iss: ISSUER })
})

test('a signature that does not match looks the key up once more', async () => {
  const [before, after] = [await P256Keypair.create(), await Secp256k1Keypair.create()]
  const jwt = await token(after, { alg: 'ES256K' }, CLAIMS)
  const asked: boolean[] = []
  const keys = (latest: Keypair) => ({
    ...expecting(before.did() as DidKey),
    resolveSigningKey: async (did: string, refresh: boolean) => {
      expect(did).toBe(ISSUER)
      asked.push(refresh)
      return (refresh ? latest : before).did() as DidKey
    },
  })
  await expect(verifyServiceJwt(jwt, keys(after))).resolves.toMatchObject({ iss: ISSUER })
  expect(asked.splice(0)).toEqual([false, true])
  await expect(verifyServiceJwt(jwt, keys(before))).rejects.toMatchObject({ code: 'BadJwtSignature' })
  expect(asked.splice(0)).toEqual([false, true])
  await verifyServiceJwt(await token(before, { alg: 'ES256' }, CLAIMS), keys(before))
  expect(asked).toEqual([false])
})

test('an issuer without a document or without a key is refused', async () => {
  const jwt = await token(await P256Keypair.create(), { alg: 'ES256' }, CLAIMS)
  const resolving = (resolveSigningKey: ServiceJwtExpectations['resolveSigningKey']) =>
    verifyServiceJwt(jwt, { ...expecting(undefined), resolveSigningKey })
  await expect(resolving(async () => undefined)).rejects.toMatchObject({ code: 'BadJwtSignature' })
  const unresolvable = resolving(() => Promise.reject(new UnresolvableDid('not found')))
  await expect(unresolvable).rejects.toMatchObject({ code: 'BadJwtIssuer', message: 'not found' })
  await expect(resolving(() => Promise.reject(new TypeError('a bug')))).rejects.toThrow(TypeError)
})

test('any other text is refused with ServiceJwtError', async () => {
  const expected = expecting((await createSigningKey()).did)
  await fc.assert(
    fc.asyncProperty(fc.string(), fc.json(), fc.json(), async (text, header, claims) => {
      const part = (value: string) => Buffer.from(value).toString('base64url')
      for (const jwt of [
        text,
        `${part(header)}.${part(claims)}.`,
        `${part(header)}.${part(claims)}.${part(text)}`,
      ]) {
        await expect(verifyServiceJwt(jwt, expected)).rejects.toMatchObject({ name: 'ServiceJwtError' })
      }
    }),
  )
})

function expecting(key: DidKey | undefined): ServiceJwtExpectations {
  return {
    audiences: [AUDIENCE],
    lxm: METHOD,
    now: () => new Date(NOW * 1000),
    resolveSigningKey: async () => key,
  }
}

async function token(keypair: Keypair, header: object, claims: object): Promise<string> {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const signed = `${part(header)}.${part(claims)}`
  return `${signed}.${Buffer.from(await keypair.sign(Buffer.from(signed))).toString('base64url')}`
}

async function expectClaims(claims: object, code: string | undefined, header: object = { alg: 'ES256' }) {
  const keypair = await P256Keypair.create()
  const verified = verifyServiceJwt(await token(keypair, header, claims), expecting(keypair.did() as DidKey))
  if (code === undefined) await expect(verified).resolves.toMatchObject({ iss: ISSUER })
  else await expect(verified).rejects.toMatchObject({ name: 'ServiceJwtError', code })
}
