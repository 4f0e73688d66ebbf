/** Finds out who sends a request, by its Authorization header, and whether they may call the method. */

import type { Platform } from '../../platform/platform.ts'
import { iso } from '../../platform/util/time.ts'
import { protocolError } from '../../platform/xrpc/errors.ts'
import type { Authorize, Principal } from '../../platform/xrpc/method.ts'
import { guessLimiter } from '../../platform/xrpc/rate-limit.ts'
import { statusError } from '../../repository/access/status.ts'
import { basicCredentials, bearerToken, isSameSecret, tokenRefusal } from './authorization.ts'
import {
  type AdminCredentials,
  type AuthWord,
  type EndingCredentials,
  type ReaderCredentials,
  type RefreshCredentials,
  type SessionCredentials,
  type SignUpCredentials,
  scopesOf,
} from './credentials.ts'
import type { LastUsed } from './last-used.ts'
import { type AccessScope, scopes } from './scopes.ts'
import { createSessionLookup } from './session-lookup.ts'
import type { WatchSession } from './session-watch.ts'
import type { Tokens } from './tokens.ts'

export interface VerifierOptions extends Pick<Platform, 'store' | 'now'> {
  readonly tokens: Tokens
  readonly lastUsed: LastUsed
  readonly watchSession: WatchSession
  readonly adminPassword: string
  readonly rateLimits: boolean
  readonly clock: { isPlausible(): boolean }
}

type Header = string | undefined

/** Milliseconds: a token that was issued further ahead of now comes from a time when the clock was wrong. */
const futureMs = 60 * 60_000

const anyone: Principal = { account: undefined, credentials: undefined }

export function createVerifier(options: VerifierOptions): Authorize<AuthWord> {
  const { lastUsed, watchSession, adminPassword, rateLimits, now, clock } = options
  const lookup = createSessionLookup(options)
  const adminGuesses = rateLimits ? guessLimiter({ points: 30, seconds: 5 * 60 }) : undefined

  async function session(header: Header, word: AuthWord, active: boolean): Promise<SessionCredentials> {
    const claims = await lookup.verify(bearerToken(header))
    if (claims.kind !== 'access') throw tokenRefusal('invalid')
    // It would be valid for years. The client renews it.
    if (claims.iat * 1000 - now().getTime() > futureMs && clock.isPlausible()) throw tokenRefusal('expired')
    const account = lookup.openSession(claims)
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

  async function refresh(header: Header): Promise<RefreshCredentials> {
    // A clock that is wrong ends no session.
    const claims = await lookup.verify(bearerToken(header), { acceptExpired: !clock.isPlausible() })
    if (claims.kind !== 'refresh') throw protocolError('InvalidToken', 'Bad token scope')
    const { did, sessionId, expiresAt } = lookup.openSession(claims)
    if (expiresAt <= iso(now()) && clock.isPlausible()) throw tokenRefusal('expired')
    return { did, sessionId, jti: claims.jti, findSession: () => lookup.find(sessionId) }
  }

  async function ending(header: Header): Promise<EndingCredentials> {
    return { sessionId: (await lookup.verify(bearerToken(header), { acceptExpired: true })).sid }
  }

  /** Whether the header has the admin password; false for another scheme. @throws XrpcError for a wrong password */
  async function hasAdminPassword(header: Header, source: string): Promise<boolean> {
    const credentials = basicCredentials(header)
    if (credentials === undefined) return false
    const isRight = isSameSecret(credentials, `admin:${adminPassword}`)
    adminGuesses?.(source, isRight)
    if (!isRight) throw protocolError('AuthenticationRequired', 'Wrong admin password')
    return true
  }

  async function signUp(header: Header, source: string): Promise<SignUpCredentials> {
    const isAdmin = await hasAdminPassword(header, source)
    return { isAdmin, serviceToken: isAdmin ? undefined : header?.replace(/^bearer +/i, '') }
  }

  async function admin(header: Header, active: boolean, source: string): Promise<AdminCredentials> {
    if (await hasAdminPassword(header, source)) return { did: undefined }
    const { account } = await session(header, 'full', active)
    if (!account.isOwner) throw protocolError('Forbidden', 'Only the owner of this server may do this')
    return { did: account.did }
  }

  async function reader(header: string, active: boolean, source: string): Promise<Principal> {
    if (basicCredentials(header) === undefined) {
      const { did, scope, account } = await session(header, 'reader', active)
      const isAdmin = account.isOwner === 1 && scope === scopes.full
      return { account: did, credentials: { did, isAdmin } satisfies ReaderCredentials }
    }
    await admin(header, active, source)
    return { account: undefined, credentials: { did: undefined, isAdmin: true } satisfies ReaderCredentials }
  }

  function bySession(session: SessionCredentials): Principal {
    return { account: session.did, credentials: session, watch: (end) => watchSession(session, end) }
  }

  return async ({ headers: { authorization: header }, caller }, { auth, active }) => {
    switch (auth) {
      case 'none':
        return anyone
      case 'optional':
        return header === undefined ? anyone : bySession(await session(header, auth, active))
      case 'reader':
        return header === undefined ? anyone : reader(header, active, caller.source)
      case 'import':
        return { ...anyone, credentials: await signUp(header, caller.source) }
      case 'refresh': {
        const credentials = await refresh(header)
        return { account: credentials.did, credentials }
      }
      case 'ending':
        return { ...anyone, credentials: await ending(header) }
      case 'admin': {
        const credentials = await admin(header, active, caller.source)
        return { account: credentials.did, credentials }
      }
      default:
        return bySession(await session(header, auth, active))
    }
  }
}
