/** Reading the Authorization header: bearer tokens and the admin's basic credentials. */
import { hash, timingSafeEqual } from 'node:crypto'
import { protocolError, type XrpcError } from '../../platform/xrpc/xrpc-errors.ts'

/**
 * Returns the token in `Bearer TOKEN` (RFC 6750 §2.1). The scheme is case-insensitive (RFC 9110 §11.1).
 * @throws XrpcError `AuthMissing` without a header, `InvalidToken` when it is malformed
 */
export function bearerToken(header: string | undefined): string {
  if (header === undefined) throw protocolError('AuthMissing', 'This method needs an Authorization header')
  const token = /^bearer +([\w.~+/=-]+) *$/i.exec(header)?.[1]
  if (token === undefined) throw tokenRefusal('invalid')
  return token
}

/** Decodes `Basic …` to `user:password` (RFC 7617 §2); undefined for another scheme. */
export function basicCredentials(header: string | undefined): string | undefined {
  if (header === undefined || !/^basic /i.test(header)) return undefined
  return Buffer.from(header.slice('basic '.length).trim(), 'base64').toString()
}

export function tokenRefusal(reason: 'invalid' | 'expired'): XrpcError {
  return reason === 'expired'
    ? protocolError('ExpiredToken', 'Token has expired')
    : protocolError('InvalidToken', 'Token could not be verified')
}

/** Compares two secrets in constant time, also when their lengths differ. */
export function isSameSecret(one: string, other: string): boolean {
  return timingSafeEqual(hash('sha256', one, 'buffer'), hash('sha256', other, 'buffer'))
}
