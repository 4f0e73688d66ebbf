/**
 * The verifier: from an Authorization header to credentials, or an error.
 *
 * A token proves who it was issued to; the session row says whether that still holds. A token whose session is gone is
 * refused at once, however long it would have lived. Both look-ups are kept in memory: a verified token until it expires,
 * a session row until the store commits anything, so that what is kept is never older than what the store holds.
 */

import { createHash, timingSafeEqual } from 'node:crypto'
import { statusError } from '../accounts/status.ts'
import type { Database } from '../store/database.ts'
import * as accounts from '../store/tables/accounts.ts'
import * as sessions from '../store/tables/sessions.ts'
import { protocolError, type XrpcError } from '../xrpc/errors.ts'
import type { Authorize } from '../xrpc/method.ts'
import { guessLimiter } from '../xrpc/rate-limit.ts'
import {
  type AdminCredentials,
  type AuthWord,
  type EndingCredentials,
  type RefreshCredentials,
  type SessionCredentials,
  scopesOf,
} from './credentials.ts'
import type { LastUsed } from './last-used.ts'
import type { AccessScope } from './scopes.ts'
import { type TokenClaims, TokenError, type TokenKind, type Tokens } from './tokens.ts'

export interface VerifierOptions {
  readonly store: Database
  readonly tokens: Tokens
  readonly lastUsed: LastUsed
  readonly adminPassword: string
  readonly rateLimits: boolean
  readonly now: () => Date
}

type Verified = TokenClaims & { kind: TokenKind }

const maxKept = 10_000

export function createVerifier(options: VerifierOptions): Authorize<AuthWord> {
  const { store, tokens, lastUsed, adminPassword, rateLimits, now } = options
  const verifiedTokens = new Map<string, Verified>()
  const openSessions = new Map<string, sessions.OpenSession>()
  const adminGuesses = rateLimits ? guessLimiter({ points: 30, seconds: 5 * 60 }) : undefined
  let sessionsAsOf = -1

  async function verified(header: string | undefined, acceptExpired = false): Promise<Verified> {
    const token = bearer(header)
    const kept = verifiedTokens.get(token)
    if (kept && kept.exp * 1000 > now().getTime()) return kept
    verifiedTokens.delete(token)
    const claims = await tokens.verify(token, { acceptExpired }).catch((error: unknown) => {
      throw error instanceof TokenError ? refusal(error.reason) : error
    })
    if (verifiedTokens.size >= maxKept) verifiedTokens.clear()
    verifiedTokens.set(token, claims)
    return claims
  }

  function openSession(id: string): sessions.OpenSession | undefined {
    if (sessionsAsOf !== store.commits || openSessions.size >= maxKept) {
      openSessions.clear()
      sessionsAsOf = store.commits
    }
    const kept = openSessions.get(id)
    if (kept) return kept
    const found = sessions.findOpen(store, id)
    if (found) openSessions.set(id, found)
    return found
  }

  function sessionOf(claims: Verified): sessions.OpenSession {
    const session = openSession(claims.sid)
    if (session?.did === claims.sub) return session
    if (accounts.findByDid(store, claims.sub)) throw protocolError('ExpiredToken', 'Token has been revoked')
    throw protocolError('AccountNotFound', 'The account of this token does not exist any more')
  }

  async function session(
    header: string | undefined,
    word: AuthWord,
    active: boolean,
  ): Promise<SessionCredentials> {
    const claims = await verified(header)
    if (claims.kind !== 'access') throw refusal('invalid')
    const account = sessionOf(claims)
    if (!scopesOf.get(word)?.has(account.scope)) throw protocolError('InvalidToken', 'Bad token scope')
    const inactive = active ? statusError(account) : undefined
    if (inactive) throw inactive
    lastUsed.note(account)
    return {
      did: account.did,
      sessionId: account.sessionId,
      scope: account.scope as AccessScope,
      expiresAt: claims.exp * 1000,
      account,
    }
  }

  async function refresh(header: string | undefined): Promise<RefreshCredentials> {
    const claims = await verified(header)
    if (claims.kind !== 'refresh') throw protocolError('InvalidToken', 'Bad token scope')
    sessionOf(claims)
    return { did: claims.sub, sessionId: claims.sid, jti: claims.jti }
  }

  async function ending(header: string | undefined): Promise<EndingCredentials> {
    return { sessionId: (await verified(header, true)).sid }
  }

  async function admin(
    header: string | undefined,
    active: boolean,
    source: string,
  ): Promise<AdminCredentials> {
    if (header !== undefined && /^basic /i.test(header)) {
      const isRight = sameText(basic(header), `admin:${adminPassword}`)
      await adminGuesses?.(source, isRight)
      if (isRight) return { did: undefined }
      throw protocolError('AuthenticationRequired', 'Wrong admin password')
    }
    const { account } = await session(header, 'full', active)
    if (!account.isOwner) throw protocolError('Forbidden', 'Only the owner of this server may do this')
    return { did: account.did }
  }

  return async ({ header, caller }, { auth, active }) => {
    switch (auth) {
      case 'none':
        return undefined
      case 'optional':
        return header === undefined ? undefined : session(header, auth, active)
      case 'import':
        return { serviceToken: header?.replace(/^bearer +/i, '') }
      case 'refresh':
        return refresh(header)
      case 'ending':
        return ending(header)
      case 'admin':
        return admin(header, active, caller.source)
      default:
        return session(header, auth, active)
    }
  }
}

/** RFC 6750 §2.1; the scheme's letter case does not matter (RFC 9110 §11.1). */
function bearer(header: string | undefined): string {
  if (header === undefined) throw protocolError('AuthMissing', 'This method needs an Authorization header')
  const token = /^bearer +([\w.~+/=-]+) *$/i.exec(header)?.[1]
  if (token === undefined) throw refusal('invalid')
  return token
}

/** RFC 7617 §2. */
function basic(header: string): string {
  return Buffer.from(header.slice('basic '.length).trim(), 'base64').toString()
}

function refusal(reason: 'invalid' | 'expired'): XrpcError {
  return reason === 'expired'
    ? protocolError('ExpiredToken', 'Token has expired')
    : protocolError('InvalidToken', 'Token could not be verified')
}

/** Compares digests, so that the time tells nothing of the text or its length. */
function sameText(a: string, b: string): boolean {
  return timingSafeEqual(digest(a), digest(b))
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
