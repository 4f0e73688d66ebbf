/** Malformed and forged Authorization headers. */
import fc, { type Arbitrary } from 'fast-check'
import { decodeJwt, signJwt } from '../support/accounts/session-jwt.ts'

const base64 = (text: string) => Buffer.from(text).toString('base64')

/** @param token a valid access token */
export function oddHeaders(token: string): Arbitrary<string> {
  const [header, claims] = decodeJwt(token)
  const forged = (changes: { header?: object; claims?: object }) =>
    signJwt({ ...header, ...changes.header }, { ...claims, ...changes.claims }, Buffer.alloc(32, 1))
  const printable = fc.string({ unit: 'grapheme-ascii', maxLength: 100 })
  const jwts = fc.oneof(
    fc.constantFrom(
      forged({}),
      forged({ header: { alg: 'none' } }),
      forged({ header: { alg: 'NONE' } }).slice(0, -1),
      forged({ header: { alg: 'HS512' } }),
      forged({ header: { alg: 'ES256' } }),
      forged({ header: { alg: null } }),
      forged({ header: { alg: ['HS256'] } }),
      forged({ header: { typ: 'JWT' } }),
      forged({ header: { typ: 'refresh+jwt' } }),
      forged({ header: { crit: ['b64'], b64: false } }),
      forged({ header: { zip: 'DEF' } }),
      forged({ header: { jwk: { kty: 'oct', k: 'AQ' } } }),
      forged({ header: { kid: '../../../../dev/null', jku: 'http://127.0.0.1:1/' } }),
      forged({ claims: { aud: 'did:web:other.example' } }),
      forged({ claims: { aud: [] } }),
      forged({ claims: { exp: 1e99 } }),
      forged({ claims: { exp: 'soon' } }),
      forged({ claims: { exp: -1, nbf: 1e15 } }),
      forged({ claims: { sub: { $ne: null }, sid: ['*'], jti: 1 } }),
      signJwt({}, {}, Buffer.alloc(32)),
      '..',
      '.',
      'e30.e30.',
      'bnVsbA.bnVsbA.bnVsbA',
      `${token}.${token}`,
    ),
    // The token with one character changed.
    fc.tuple(fc.nat(token.length - 1), fc.constantFrom(...'Aa0_-.=+ ')).map(([at, letter]) => {
      const changed = token[at] === letter ? 'x' : letter
      return token.slice(0, at) + changed + token.slice(at + 1)
    }),
    fc.nat(token.length - 1).map((length) => token.slice(0, length)),
    fc.integer({ min: 1, max: 12_000 }).map((length) => 'a.'.repeat(length).slice(0, length)),
    printable,
  )
  return fc.oneof(
    {
      weight: 6,
      arbitrary: fc
        .tuple(fc.constantFrom('Bearer ', 'bearer  ', 'BEARER ', 'Bearer'), jwts)
        .map((parts) => parts.join('')),
    },
    fc.constantFrom(
      '',
      ' ',
      'Bearer',
      'Bearer ',
      'Basic',
      'Basic ',
      'Basic !!!!',
      'Digest username="admin"',
      'DPoP x',
      'Negotiate AAAA',
      token,
    ),
    printable.map((text) => `Basic ${base64(text)}`),
    fc
      .constantFrom('', ':', 'admin', 'admin:', 'admin:\0', 'ADMIN:x', ':admin', 'admin:wrong:admin')
      .map((text) => `Basic ${base64(text)}`),
    fc.string({
      unit: fc.integer({ min: 0x80, max: 0xff }).map((code) => String.fromCharCode(code)),
      maxLength: 40,
    }),
    printable,
  )
}
