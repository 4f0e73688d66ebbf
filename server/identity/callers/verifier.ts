/**
 * Finds out who sends a request, by its Authorization header, and whether they may call the method.
 *
 * `credentials.ts` has the auth words, `method-permissions.ts` the permissions of apps and limited app passwords, `foreign-page.ts` the
 * rule for pages of other sites.
 */
import type { Platform } from '../../platform/platform.ts'
import type { Authorize, CalledMethod, Caller, Principal, Proof } from '../../platform/xrpc/method.ts'
import { protocolError } from '../../platform/xrpc/xrpc-errors.ts'
import { iso } from '../../util/time.ts'
import { createAdminGuesses } from '../auth/admin-guesses.ts'
import { basicCredentials, bearerToken, isSameSecret, tokenRefusal } from '../auth/authorization.ts'
import type { LastUsed } from '../auth/last-used.ts'
import { type AccessScope, scopes } from '../auth/scopes.ts'
import { createSessionLookup } from '../auth/session-lookup.ts'
import type { Tokens, VerifiedToken } from '../auth/tokens.ts'
import { createUploadTokens, isServiceToken } from '../auth/upload-tokens.ts'
import { createAppSessions, dpopToken } from '../oauth/app-session.ts'
import type { OAuthParts } from '../oauth/oauth-parts.ts'
import type { OpenSession } from '../tables/sessions.ts'
import type {
  AdminCredentials,
  AuthWord,
  EndingCredentials,
  ReaderCredentials,
  RefreshCredentials,
  SessionCredentials,
  SignUpCredentials,
  UploadCredentials,
} from './credentials.ts'
import { ownAudiences, requireAllowed } from './method-permissions.ts'
import type { WatchSession } from './session-watch.ts'
import type { Uses } from './uses.ts'

export interface VerifierOptions
  extends Pick<Platform, 'store' | 'now' | 'config' | 'names' | 'origin' | 'serverDid'> {
  readonly tokens: Tokens
  readonly lastUsed: LastUsed
  readonly uses: Uses
  readonly watchSession: WatchSession
  readonly oauth: OAuthParts
  readonly adminPassword: string
  readonly rateLimits: boolean
  readonly clock: { isPlausible(): boolean }
}

type Header = string | undefined

interface Presented {
  readonly claims: VerifiedToken
  readonly account: OpenSession
  readonly nonce?: string
}

interface Session {
  readonly credentials: SessionCredentials
  readonly nonce: string | undefined
}

/** Milliseconds: a token that was issued further ahead of now comes from a time when the clock was wrong. */
const futureMs = 60 * 60_000

const anyone: Principal = { account: undefined, credentials: undefined }

export function createVerifier(options: VerifierOptions): Authorize<AuthWord> {
  const { lastUsed, uses, watchSession, adminPassword, rateLimits, now, clock, oauth } = options
  const lookup = createSessionLookup(options)
  /** It would be valid for years. The client renews it. */
  const isOfFuture = ({ iat }: VerifiedToken) =>
    iat * 1000 - now().getTime() > futureMs && clock.isPlausible()
  const appSession = createAppSessions({ ...options, lookup, loadDpop: oauth.loadDpop, isOfFuture })
  const ofThisServer = ownAudiences({ serverDid: options.serverDid, appViewDid: options.config.appViewDid })
  const verifyUploadToken = createUploadTokens(options)
  const adminGuesses = rateLimits ? createAdminGuesses() : undefined

  /** Verifies the token of a request, by its scheme. */
  async function presented(proof: Proof): Promise<Presented> {
    const { authorization: header } = proof.headers
    const token = options.config.oauth ? dpopToken(header) : undefined
    if (token !== undefined) return appSession(proof, token)
    const claims = await lookup.verify(bearerToken(header))
    if (claims.kind !== 'access') throw tokenRefusal('invalid')
    if (isOfFuture(claims)) throw tokenRefusal('expired')
    return { claims, account: lookup.openSession(claims) }
  }

  async function session(proof: Proof, method: CalledMethod<AuthWord>): Promise<Session> {
    const { claims, account, nonce } = await presented(proof)
    if (proof.observation) {
      const { did, sessionId } = account
      proof.observation.principal = { account: did, session: sessionId, credentials: undefined }
    }
    const isRead = proof.caller.method !== 'POST'
    const permissions =
      account.permissions === null ? undefined : (await oauth.loadPermissions())(account.permissions)
    try {
      requireAllowed(account, method, { permissions, isRead, ownNames: ofThisServer })
    } catch (error) {
      uses.note(account, 'refusals')
      throw error
    }
    lastUsed.note(account)
    if (isRead) uses.note(account, 'reads')
    const credentials = {
      did: account.did,
      sessionId: account.sessionId,
      scope: account.scope as AccessScope,
      expiresAt: claims.exp * 1000,
      account,
      permissions,
    }
    return { credentials, nonce }
  }

  async function refresh(header: Header): Promise<RefreshCredentials> {
    // A clock that is wrong ends no session.
    const claims = await lookup.verify(bearerToken(header), { acceptExpired: !clock.isPlausible() })
    if (claims.kind !== 'refresh') throw protocolError('InvalidToken', 'Bad token scope')
    const { did, sessionId, expiresAt } = lookup.openSession(claims)
    if (expiresAt <= iso(now()) && clock.isPlausible()) throw tokenRefusal('expired')
    return { did, sessionId, jti: claims.jti, findSession: () => lookup.find(sessionId) }
  }

  async function ending(proof: Proof): Promise<EndingCredentials> {
    const { authorization: header } = proof.headers
    const token = dpopToken(header)
    if (token !== undefined) return { sessionId: (await appSession(proof, token)).account.sessionId }
    const { kind, sid } = await lookup.verify(bearerToken(header), { acceptExpired: true })
    if (kind === 'oauth') throw tokenRefusal('invalid')
    return { sessionId: sid }
  }

  /** Whether the header has the admin password; false for another scheme. @throws XrpcError for a wrong password */
  async function hasAdminPassword(header: Header, caller: Caller): Promise<boolean> {
    const credentials = basicCredentials(header)
    if (credentials === undefined) return false
    const isRight = isSameSecret(credentials, `admin:${adminPassword}`)
    adminGuesses?.(caller, isRight)
    if (!isRight && !credentials.startsWith('admin:'))
      throw protocolError('AuthenticationRequired', 'The user name for the admin password is admin')
    if (!isRight) throw protocolError('AuthenticationRequired', 'Wrong admin password')
    return true
  }

  async function signUp(header: Header, caller: Caller): Promise<SignUpCredentials> {
    const isAdmin = await hasAdminPassword(header, caller)
    return { isAdmin, serviceToken: isAdmin ? undefined : header?.replace(/^bearer +/i, '') }
  }

  async function admin(proof: Proof, method: CalledMethod<AuthWord>): Promise<AdminCredentials> {
    if (await hasAdminPassword(proof.headers.authorization, proof.caller)) return { did: undefined }
    const { credentials: owner } = await session(proof, { ...method, auth: 'full' })
    if (!owner.account.isOwner) throw protocolError('Forbidden', 'Only the owner of this server may do this')
    return { did: owner.did, session: owner }
  }

  async function reader(proof: Proof, method: CalledMethod<AuthWord>): Promise<Principal> {
    if (basicCredentials(proof.headers.authorization) === undefined) {
      const { credentials, nonce } = await session(proof, { ...method, auth: 'reader' })
      const { did, scope, account } = credentials
      const isAdmin = account.isOwner === 1 && scope === scopes.full
      return {
        account: did,
        session: credentials.sessionId,
        credentials: { did, isAdmin } satisfies ReaderCredentials,
        watch: (end) => watchSession(credentials, end),
        ...nonceHeader(nonce),
      }
    }
    await admin(proof, method)
    return { account: undefined, credentials: { did: undefined, isAdmin: true } satisfies ReaderCredentials }
  }

  async function upload(proof: Proof, method: CalledMethod<AuthWord>): Promise<Principal> {
    const { authorization: header } = proof.headers
    const token = dpopToken(header) === undefined ? bearerToken(header) : undefined
    if (token === undefined || !isServiceToken(token)) return bySession(await session(proof, method))
    const did = await verifyUploadToken(token, proof.headers)
    return { account: did, credentials: { did, permissions: undefined } satisfies UploadCredentials }
  }

  /** Whether the session and its account are as they were, and the token has not expired. */
  function isCurrent({ sessionId, account, expiresAt }: SessionCredentials): boolean {
    return expiresAt > now().getTime() && lookup.find(sessionId) === account
  }

  function bySession({ credentials, nonce }: Session): Principal {
    return {
      account: credentials.did,
      session: credentials.sessionId,
      credentials,
      onRefusal: () => uses.note(credentials.account, 'refusals'),
      isCurrent: () => isCurrent(credentials),
      watch: (end) => watchSession(credentials, end),
      ...nonceHeader(nonce),
    }
  }

  return async (proof, method) => {
    const { authorization: header } = proof.headers
    switch (method.auth) {
      case 'none':
        return anyone
      case 'optional':
        return header === undefined ? anyone : bySession(await session(proof, method))
      case 'reader':
        return header === undefined ? anyone : reader(proof, method)
      case 'upload':
        return upload(proof, method)
      case 'import':
        return { ...anyone, credentials: await signUp(header, proof.caller) }
      case 'refresh': {
        const credentials = await refresh(header)
        return { account: credentials.did, session: credentials.sessionId, credentials }
      }
      case 'ending':
        return { ...anyone, credentials: await ending(proof) }
      case 'admin': {
        const credentials = await admin(proof, method)
        return { account: credentials.did, credentials }
      }
      default:
        return bySession(await session(proof, method))
    }
  }
}

function nonceHeader(nonce: string | undefined): Pick<Principal, 'headers'> {
  return nonce === undefined ? {} : { headers: { 'DPoP-Nonce': nonce } }
}
