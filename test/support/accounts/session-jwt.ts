/** Signs valid and forged JSON Web Tokens (RFC 7515, RFC 7519). */
import { createHmac } from 'node:crypto'

type Json = Record<string, unknown>

const hash = { HS256: 'sha256', HS384: 'sha384', HS512: 'sha512' } as const

/** Signs with the algorithm of the header; the signature is empty for unknown ones. */
export function signJwt(header: Json, claims: Json, key: Uint8Array): string {
  const signed = `${encode(header)}.${encode(claims)}`
  const digest = hash[header.alg as keyof typeof hash]
  return `${signed}.${digest ? createHmac(digest, key).update(signed).digest('base64url') : ''}`
}

/** @returns the header and the claims, unverified */
export function decodeJwt(token: string): [header: Json, claims: Json] {
  const [header = '', claims = ''] = token.split('.')
  return [decode(header), decode(claims)]
}

function encode(part: Json): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url')
}

function decode(part: string): Json {
  return JSON.parse(Buffer.from(part, 'base64url').toString())
}
