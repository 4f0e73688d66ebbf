/**
 * Session tokens: JWTs signed with HS256 by this server for itself. The only file that imports jose.
 * Access tokens live 2 hours, refresh tokens 90 days; `typ` keeps the one from being taken for the other (RFC 8725 §3.11).
 */
import type { DidString } from '@atproto/syntax'
import { errors, jwtVerify, SignJWT } from 'jose'
import { type Scope, scopes } from './scopes.ts'

export interface TokenClaims {
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

export type TokenKind = 'access' | 'refresh'

export const accessLifetimeSeconds = 2 * 60 * 60
export const refreshLifetimeSeconds = 90 * 24 * 60 * 60

const typ = { access: 'at+jwt', refresh: 'refresh+jwt' } as const
const lifetime = { access: accessLifetimeSeconds, refresh: refreshLifetimeSeconds }

/** Why a token was refused: what is wrong with it, or that its time is over. */
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
    subject: { did: string; sessionId: string; scope: Scope; jti: string },
  ): Promise<string>
  /** @throws TokenError */
  verify(token: string, options?: { acceptExpired?: boolean }): Promise<TokenClaims & { kind: TokenKind }>
}

export interface TokenOptions {
  /** HS256 key, 32 bytes. */
  readonly secret: Uint8Array<ArrayBuffer>
  /** The `aud` of every session token. */
  readonly audience: string
  readonly now: () => Date
}

export async function createTokens({ secret, audience, now }: TokenOptions): Promise<Tokens> {
  const key = await crypto.subtle.importKey('raw', secret, { name: 'HMAC', hash: 'SHA-256' }, false, [
    'sign',
    'verify',
  ])
  return {
    sign(kind, { did, sessionId, scope, jti }) {
      const iat = Math.floor(now().getTime() / 1000)
      return new SignJWT({ scope, sid: sessionId })
        .setProtectedHeader({ alg: 'HS256', typ: typ[kind] })
        .setAudience(audience)
        .setSubject(did)
        .setJti(jti)
        .setIssuedAt(iat)
        .setExpirationTime(iat + lifetime[kind])
        .sign(key)
    },

    async verify(token, { acceptExpired = false } = {}) {
      const currentDate = acceptExpired ? new Date(0) : now()
      const { payload, protectedHeader } = await jwtVerify(token, key, {
        algorithms: ['HS256'],
        audience,
        requiredClaims: ['sub', 'jti', 'iat', 'exp', 'sid', 'scope'],
        currentDate,
      }).catch((error: unknown) => {
        throw new TokenError(error instanceof errors.JWTExpired ? 'expired' : 'invalid')
      })
      const kind = kindOf(protectedHeader.typ)
      if (!kind || (kind === 'refresh') !== (payload.scope === scopes.refresh))
        throw new TokenError('invalid')
      return { ...(payload as unknown as TokenClaims), kind }
    },
  }
}

function kindOf(value: string | undefined): TokenKind | undefined {
  if (value === typ.access) return 'access'
  return value === typ.refresh ? 'refresh' : undefined
}
