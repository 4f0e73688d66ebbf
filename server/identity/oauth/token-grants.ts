/** Tokens of apps: a code is exchanged once, a refresh token is replaced each time (RFC 6749 §4.1.3, §6; RFC 9700 §4.14). */

import { createHash } from 'node:crypto'
import type { DidString } from '@atproto/syntax'
import type { TrustedClock } from '../../platform/clock/trusted-clock.ts'
import type { Database, Writer } from '../../store/database.ts'
import { statusOf } from '../../store/tables/account-status.ts'
import * as accounts from '../../store/tables/accounts.ts'
import { randomId } from '../../util/random.ts'
import { type DatetimeString, iso } from '../../util/time.ts'
import { scopes } from '../auth/scopes.ts'
import { oauthLifetimeSeconds, type Tokens } from '../auth/tokens.ts'
import type { Secrets } from '../did/server-secrets.ts'
import * as rows from '../tables/oauth.ts'
import * as sessions from '../tables/sessions.ts'
import type { Client } from './client.ts'
import { keepClient } from './kept-clients.ts'
import { OAuthError } from './oauth-errors.ts'
import type { RequestParameters } from './request-view.ts'

interface Deps {
  readonly store: Database
  readonly now: () => Date
  readonly clock: Pick<TrustedClock, 'isPlausible' | 'latest'>
  readonly tokens: Tokens
  readonly secrets: Pick<Secrets, 'hash'>
}

/** The client of a request, authenticated. */
export interface ProvenClient {
  readonly client: Client
  readonly clientKey: string | null
  readonly dpopKey: string
}

interface Issued {
  readonly did: DidString
  readonly sessionId: string
  readonly scope: string
  readonly refreshToken: string
  readonly at: Date
}

/** The client and the account of a code or token, read before the client is authenticated. */
export interface Allowed {
  readonly clientId: string
  readonly did: DidString
}

const dayMs = 24 * 60 * 60_000
/** How long a grant lives. The specification allows a public client two weeks in all, others 180 days after each use. */
const publicMs = 14 * dayMs
const confidentialMs = 180 * dayMs
/** Milliseconds for which a replaced refresh token is stored, so that its second use is noticed. */
const rememberedMs = 14 * dayMs
/** How long it may be sent again: its answer was lost, or two tabs refresh at once. */
const repeatMs = 30_000

export function createTokenGrants({ store, now, clock, tokens, secrets }: Deps) {
  const derive = (purpose: string, token: string) =>
    Buffer.from(secrets.hash(purpose, token)).toString('base64url')
  const refreshId = (token: string) => derive('oauth refresh', token)
  /** If the clock is behind, the newest trusted time counts. */
  const expiryOf = (lifetimeMs: number) => iso(new Date(clock.latest().getTime() + lifetimeMs))
  const codeHash = (code: string) => secrets.hash('oauth code', code)

  /** The access token follows from the refresh token and the time: a repeated request gets the same one, without a copy in the store. */
  async function respond({ did, sessionId, scope, refreshToken, at }: Issued) {
    const jti = derive('oauth access', refreshToken)
    const subject = { did, sessionId, scope: scopes.oauth, jti, issuedAt: at }
    const age = Math.max(0, Math.floor((now().getTime() - at.getTime()) / 1000))
    return {
      access_token: await tokens.sign('oauth', subject),
      token_type: 'DPoP',
      refresh_token: refreshToken,
      expires_in: oauthLifetimeSeconds - age,
      scope,
      sub: did,
    }
  }

  /** The account of a grant, if it may sign in. */
  function isOpen(tx: Writer, did: DidString): boolean {
    const account = accounts.findByDid(tx, did)
    const status = account && statusOf(account)
    return account !== undefined && status !== 'takendown' && status !== 'suspended'
  }

  return {
    /** Exchanges a code. @throws OAuthError `invalid_grant` */
    async exchangeCode(
      proven: ProvenClient,
      { code, verifier, redirectUri }: { code: string; verifier: string; redirectUri: string },
    ) {
      const hash = codeHash(code)
      const issued = await store.transact((tx): Issued | undefined => {
        const request = rows.findRequestByCode(tx, hash)
        if (!request) {
          // The code was used before: the one who used it first may have stolen it.
          const used = rows.findGrantByCode(tx, hash)
          if (used) sessions.remove(tx, used.sessionId)
          return undefined
        }
        rows.removeRequest(tx, request.id)
        const parameters = JSON.parse(request.parameters) as RequestParameters
        if (!isSameClient(request, proven) || request.dpopKey !== proven.dpopKey) return undefined
        if (request.expiresAt <= iso(now()) || request.did === null) return undefined
        if (parameters.redirectUri !== redirectUri) return undefined
        if (createHash('sha256').update(verifier).digest('base64url') !== parameters.codeChallenge)
          return undefined
        if (!isOpen(tx, request.did)) return undefined
        const { scope, permissions } = parameters
        return openGrant(tx, { proven, did: request.did, scope, permissions, hash })
      })
      if (!issued) throw refusedGrant('The code is not valid')
      return respond(issued)
    },

    /**
     * Replaces a refresh token. For 30 s the last one gets the same tokens again; later, or with another key, its use ends the grant.
     * @throws OAuthError `invalid_grant`
     */
    async refresh(proven: ProvenClient, token: string) {
      const jti = refreshId(token)
      const at = now()
      const issued = await store.transact((tx): Issued | undefined => {
        const row = sessions.findRefreshToken(tx, jti)
        const session = row && sessions.findOpen(tx, row.sessionId)
        const grant = session && rows.findGrant(tx, session.sessionId)
        if (!row || !session || !grant) return undefined
        // A clock that is wrong ends no session.
        if (session.expiresAt <= iso(at) && clock.isPlausible()) return undefined
        const isBound = isSameClient(grant, proven) && session.dpopKey === proven.dpopKey
        if (!isBound || (row.successor !== null && !isRepeated(tx, row, at))) {
          sessions.remove(tx, session.sessionId)
          return undefined
        }
        if (!isOpen(tx, session.did)) return undefined
        const { did, sessionId } = session
        const refreshToken = derive('oauth successor', token)
        const issued = { did, sessionId, scope: grant.scope, refreshToken }
        if (row.replacedAt !== null) return { ...issued, at: new Date(row.replacedAt) }
        sessions.rotateRefreshToken(tx, {
          sessionId,
          jti,
          successor: refreshId(refreshToken),
          graceUntil: iso(new Date(at.getTime() + rememberedMs)),
          replacedAt: iso(at),
        })
        const expiresAt = grant.clientKey === null ? session.expiresAt : expiryOf(confidentialMs)
        sessions.extend(tx, session, iso(at), expiresAt)
        return { ...issued, at }
      })
      if (!issued) throw refusedGrant('The refresh token is not valid')
      return respond(issued)
    },

    /** Returns the request of a code that was not exchanged. */
    findByCode(code: string): Allowed | undefined {
      const request = rows.findRequestByCode(store, codeHash(code))
      return request?.did ? { clientId: request.clientId, did: request.did } : undefined
    },

    /** Returns the grant of an access or refresh token, also of an expired or replaced one. */
    async findByToken(token: string): Promise<(rows.Grant & Allowed) | undefined> {
      const accessToken = await tokens.verify(token, { acceptExpired: true }).catch(() => undefined)
      const sessionId = accessToken?.sid ?? sessions.findRefreshToken(store, refreshId(token))?.sessionId
      const session = sessionId === undefined ? undefined : sessions.findOpen(store, sessionId)
      const grant = session && rows.findGrant(store, session.sessionId)
      return grant && { ...grant, did: session.did }
    },

    async end({ sessionId }: rows.Grant): Promise<void> {
      await store.transact((tx) => sessions.remove(tx, sessionId))
    },
  }

  /** Whether a replaced token is the last one, sent again within 30 s. A clock that was set back by more counts as later. */
  function isRepeated(tx: Writer, { successor, replacedAt }: sessions.RefreshToken, at: Date): boolean {
    if (successor === null || replacedAt === null) return false
    const isLast = sessions.findRefreshToken(tx, successor)?.successor === null
    return isLast && Math.abs(at.getTime() - Date.parse(replacedAt)) <= repeatMs
  }

  function openGrant(
    tx: Writer,
    {
      proven: { client, clientKey, dpopKey },
      ...grant
    }: { proven: ProvenClient; did: DidString; scope: string; permissions: string; hash: Uint8Array },
  ): Issued {
    const at = now()
    const sessionId = randomId()
    const refreshToken = randomId() + randomId()
    const createdAt = iso(at)
    const lifetime = clientKey === null ? publicMs : confidentialMs
    const session = {
      id: sessionId,
      did: grant.did,
      scope: scopes.oauth,
      appPasswordName: null,
      client: null,
      createdAt,
      lastUsedAt: createdAt,
      expiresAt: expiryOf(lifetime) as DatetimeString,
      oldTokenUsedAt: null,
      permissions: grant.permissions,
      dpopKey,
    }
    sessions.insert(tx, session, refreshId(refreshToken))
    rows.insertGrant(tx, {
      sessionId,
      clientId: client.id,
      clientKey,
      scope: grant.scope,
      codeHash: grant.hash,
    })
    keepClient(tx, client)
    return { did: grant.did, sessionId, scope: grant.scope, refreshToken, at }
  }
}

/** Whether a client is the one of a request or grant. One that has a key of its own must use the same key. */
function isSameClient(
  one: { readonly clientId: string; readonly clientKey: string | null },
  { client, clientKey }: Omit<ProvenClient, 'dpopKey'>,
): boolean {
  return one.clientId === client.id && one.clientKey === clientKey
}

export function refusedGrant(message: string): OAuthError {
  return new OAuthError('invalid_grant', message)
}
