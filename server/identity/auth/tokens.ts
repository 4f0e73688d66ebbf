/**
 * Session tokens: JWTs that this server signs with HS256 and verifies itself.
 * Claims of signed and verified tokens are cached until they expire: each signature check is a trip to another thread.
 * `typ` separates access tokens from refresh tokens (RFC 8725 §3.11).
 */
import type { DidString } from '@atproto/syntax'
// By their paths: the index of the library loads its encryption as well.
import { JWTExpired } from 'jose/errors'
import { SignJWT } from 'jose/jwt/sign'
import { jwtVerify } from 'jose/jwt/verify'
import { LRUCache } from 'lru-cache'
import { upToEntries } from '../../util/entry-limit.ts'
import { type Scope, scopes } from './scopes.ts'

/** `oauth`: an access token that only counts with a proof of its key (DPoP). */
export type TokenKind = 'access' | 'oauth' | 'refresh'

export interface VerifiedToken {
  readonly kind: TokenKind
  readonly scope: string
  /** Account DID. */
  readonly sub: DidString
  /** Session id. */
  readonly sid: string
  readonly jti: string
  /** Seconds since the epoch. */
  readonly iat: number
  readonly exp: number
}

const accessLifetimeSeconds = 2 * 60 * 60
/** Sessions end at once, so it may live for half an hour. */
export const oauthLifetimeSeconds = 30 * 60
export const refreshLifetimeSeconds = 90 * 24 * 60 * 60

const typ = { access: 'at+jwt', oauth: 'oauth+jwt', refresh: 'refresh+jwt' } as const
const lifetime = {
  access: accessLifetimeSeconds,
  oauth: oauthLifetimeSeconds,
  refresh: refreshLifetimeSeconds,
}

const maxCached = 10_000

/** The token is invalid (malformed, forged, of another server) or expired. */
export class TokenError extends Error {
  readonly reason: 'invalid' | 'expired'

  constructor(reason: 'invalid' | 'expired') {
    super(`token ${reason}`)
    this.name = 'TokenError'
    this.reason = reason
  }
}

export interface Tokens {
  sign(
    kind: TokenKind,
    subject: { did: DidString; sessionId: string; scope: Scope; jti: string; issuedAt?: Date },
  ): Promise<string>
  /** @throws TokenError */
  verify(token: string, options?: { acceptExpired?: boolean }): Promise<VerifiedToken>
}

export interface TokenOptions {
  /** HS256 key, 32 bytes. */
  readonly secret: Uint8Array<ArrayBuffer>
  /** The `aud` of every session token; see `audience.ts`. */
  readonly audience: string
  readonly now: () => Date
  /** When tokens count as issued; `now` by default. */
  readonly issuedAt?: () => Date
}

export async function createTokens({ secret, audience, now, issuedAt = now }: TokenOptions): Promise<Tokens> {
  const key = await crypto.subtle.importKey('raw', secret, { name: 'HMAC', hash: 'SHA-256' }, false, [
    'sign',
    'verify',
  ])
  const cache = new LRUCache<string, VerifiedToken>(upToEntries(maxCached))
  return {
    async sign(kind, { did, sessionId, scope, jti, issuedAt: at = issuedAt() }) {
      const iat = Math.floor(at.getTime() / 1000)
      const exp = iat + lifetime[kind]
      const token = await new SignJWT({ scope, sid: sessionId })
        .setProtectedHeader({ alg: 'HS256', typ: typ[kind] })
        .setAudience(audience)
        .setSubject(did)
        .setJti(jti)
        .setIssuedAt(iat)
        .setExpirationTime(exp)
        .sign(key)
      cache.set(token, { kind, scope, sub: did, sid: sessionId, jti, iat, exp })
      return token
    },

    async verify(token, { acceptExpired = false } = {}) {
      const cached = cache.get(token)
      if (cached && (acceptExpired || cached.exp * 1000 > now().getTime())) return cached
      const { payload, protectedHeader } = await jwtVerify(token, key, {
        algorithms: ['HS256'],
        audience,
        requiredClaims: ['sub', 'jti', 'iat', 'exp', 'sid', 'scope'],
        currentDate: acceptExpired ? new Date(0) : now(),
      }).catch((error: unknown) => {
        throw new TokenError(error instanceof JWTExpired ? 'expired' : 'invalid')
      })
      const kind = kindOf(protectedHeader.typ)
      if (!kind || (kind === 'refresh') !== (payload.scope === scopes.refresh))
        throw new TokenError('invalid')
      const claims = { ...(payload as unknown as Omit<VerifiedToken, 'kind'>), kind }
      cache.set(token, claims)
      return claims
    },
  }
}

function kindOf(value: string | undefined): TokenKind | undefined {
  if (value === typ.access) return 'access'
  if (value === typ.oauth) return 'oauth'
  return value === typ.refresh ? 'refresh' : undefined
}
