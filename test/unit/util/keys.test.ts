import { createPublicKey, verify } from 'node:crypto'
import { P256Keypair, parseDidKey, Secp256k1Keypair } from '@atproto/crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  algorithmOf,
  createSigningKey,
  type DidKey,
  isDidKey,
  isSignedBy,
  loadSigningKey,
  sign,
} from '../../../server/util/keys.ts'
import { highS } from '../identity/did/support.ts'

// The interoperability vectors of atproto (public domain, CC0): one message, a signature of each curve, and the high-S
// twin of each, which atproto forbids.
const MESSAGE = Buffer.from('oWVoZWxsb2V3b3JsZA', 'base64')
const VECTORS = [
  {
    algorithm: 'ES256',
    key: 'did:key:zDnaembgSGUhZULN2Caob4HLJPaxBh92N7rtH21TErzqf8HQo',
    lowS: '2vZNsG3UKvvO/CDlrdvyZRISOFylinBh0Jupc6KcWoJWExHptCfduPleDbG3rko3YZnn9Lw0IjpixVmexJDegg',
    highS: '2vZNsG3UKvvO/CDlrdvyZRISOFylinBh0Jupc6KcWoKp7O4VS9giSAah8k5IUbXIW00SuOrjfEqQ9HEkN9JGzw',
  },
  {
    algorithm: 'ES256K',
    key: 'did:key:zQ3shqwJEJyMBsBXCWyCBpUBMqxcon9oHB7mCvx4sSpMdLJwc',
    lowS: '5WpdIuEUUfVUYaozsi8G0B3cWO09cgZbIIwg1t2YKdUn/FEznOndsz/qgiYb89zwxYCbB71f7yQK5Lr7NasfoA',
    highS: '5WpdIuEUUfVUYaozsi8G0B3cWO09cgZbIIwg1t2YKdXYA67MYxYiTMAVfdnkDCMN9S5B3vHosRe07aORmoshoQ',
  },
] as const

test.each(VECTORS)(
  '$algorithm: the published low-S signature holds, its high-S twin does not',
  async (vector) => {
    expect(await isSignedBy(vector.key, MESSAGE, Buffer.from(vector.lowS, 'base64'))).toBe(true)
    expect(await isSignedBy(vector.key, MESSAGE, Buffer.from(vector.highS, 'base64'))).toBe(false)
    expect(highS(Buffer.from(vector.lowS, 'base64'), vector.algorithm).toString('base64')).toContain(
      vector.highS,
    )
    expect(algorithmOf(vector.key)).toBe(vector.algorithm)
  },
)

test('signatures of a new key are valid for OpenSSL and have a low s', async () => {
  const { did, privateKey } = await createSigningKey()
  const { keyBytes } = parseDidKey(did)
  const [x = '', y = ''] = [keyBytes.subarray(1, 33), keyBytes.subarray(33)].map((half) =>
    Buffer.from(half).toString('base64url'),
  )
  const key = createPublicKey({ key: { kty: 'EC', crv: 'P-256', x, y }, format: 'jwk' })
  await fc.assert(
    fc.asyncProperty(fc.uint8Array(), async (message) => {
      const signature = await sign(privateKey, message)
      expect(verify('sha256', message, { key, dsaEncoding: 'ieee-p1363' }, signature)).toBe(true)
      expect(await isSignedBy(did, message, signature)).toBe(true)
      expect(await isSignedBy(did, message, highS(signature, 'ES256'))).toBe(false)
      expect(await isSignedBy(did, Buffer.concat([message, Buffer.of(0)]), signature)).toBe(false)
    }),
    { numRuns: 30 },
  )
})

test('loadSigningKey: returns the stored key, and refuses other bytes', async () => {
  const created = await createSigningKey()
  expect(created.privateKey).toHaveLength(32)
  expect(await loadSigningKey(created.privateKey)).toEqual(created)
  expect((await createSigningKey()).did).not.toBe(created.did)
  await expect(loadSigningKey(new Uint8Array(32))).rejects.toThrow()
  await expect(loadSigningKey(new Uint8Array(31).fill(1))).rejects.toThrow()
})

test('isDidKey: accepts keys of both curves only', async () => {
  const [p256, k256] = [(await P256Keypair.create()).did(), (await Secp256k1Keypair.create()).did()]
  expect([p256, k256].map(isDidKey)).toEqual([true, true])
  for (const [, bad] of Object.entries({
    absent: undefined,
    number: 7,
    empty: '',
    bare: 'did:key:',
    'no multibase prefix': p256.replace('did:key:z', 'did:key:'),
    'another base': p256.replace('did:key:z', 'did:key:u'),
    shortened: p256.slice(0, -1),
    lengthened: `${p256}1`,
    'not base58': p256.replace(/.$/, '0'),
    'with a fragment': `${p256}#key`,
    'upper case': p256.toUpperCase(),
    ed25519: 'did:key:z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK',
    'another method': 'did:plc:ewvi7nxzyoun6zhxrhs64oiz',
    huge: `did:key:z${'2'.repeat(400_000)}`,
  })) {
    expect(isDidKey(bad), String(bad).slice(0, 80)).toBe(false)
  }
  fc.assert(fc.property(fc.string(), (text) => !isDidKey(`did:key:z${text}`)))
})

test('isSignedBy: returns false for malformed keys and signatures', async () => {
  const { did, privateKey } = await createSigningKey()
  const signature = await sign(privateKey, MESSAGE)
  await fc.assert(
    fc.asyncProperty(fc.string(), fc.uint8Array({ maxLength: 80 }), async (text, bytes) => {
      expect(await isSignedBy(did, MESSAGE, bytes)).toBe(false)
      expect(await isSignedBy(`did:key:${text}` as DidKey, MESSAGE, signature)).toBe(false)
    }),
  )
})
