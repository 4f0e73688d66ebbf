/** Tokens of apps: a code is exchanged once, a refresh token is replaced each time (RFC 6749 §4.1.3, §6; RFC 9700 §4.14). */
import { createHash } from 'node:crypto'
import type { DidString } from '@atproto/syntax'
import type { Database, Writer } from '../../platform/store/database.ts'
import * as accounts from '../../platform/store/tables/accounts.ts'
import * as rows from '../../platform/store/tables/oauth.ts'
import * as sessions from '../../platform/store/tables/sessions.ts'
import { randomId } from '../../platform/util/random.ts'
import { type DatetimeString, iso } from '../../platform/util/time.ts'
import { statusOf } from '../../repository/access/status.ts'
import { scopes } from '../auth/scopes.ts'
import { oauthLifetimeSeconds, type Tokens } from '../auth/tokens.ts'
import type { Secrets } from '../did/secrets.ts'
import type { Client } from './clients.ts'
import { OAuthError } from './errors.ts'
import type { RequestParameters } from './view.ts'

interface Deps {
  readonly store: Database
  readonly now: () => Date
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
}

const dayMs = 24 * 60 * 60_000
/** How long a grant lives. The specification allows a public client two weeks in all, others 180 days after each use. */
const publicMs = 14 * dayMs
const confidentialMs = 180 * dayMs
/** For which a replaced refresh token is remembered, so that its second use is noticed. */
const rememberedMs = 14 * dayMs

export function createTokenGrants({ store, now, tokens, secrets }: Deps) {
  const refreshId = (token: string) => Buffer.from(secrets.hash('oauth refresh', token)).toString('base64url')
  const codeHash = (code: string) => secrets.hash('oauth code', code)

  async function respond({ did, sessionId, scope, refreshToken }: Issued) {
    const subject = { did, sessionId, scope: scopes.oauth, jti: randomId() }
    return {
      access_token: await tokens.sign('oauth', subject),
      token_type: 'DPoP',
      refresh_token: refreshToken,
      expires_in: oauthLifetimeSeconds,
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
      if (!issued) throw refused('The code is not valid')
      return respond(issued)
    },

    /** Replaces a refresh token. The second use of one ends its grant. @throws OAuthError `invalid_grant` */
    async refresh(proven: ProvenClient, token: string) {
      const jti = refreshId(token)
      const at = now()
      const issued = await store.transact((tx): Issued | undefined => {
        const row = sessions.findRefreshToken(tx, jti)
        const session = row && sessions.findOpen(tx, row.sessionId)
        const grant = session && rows.findGrant(tx, session.sessionId)
        if (!row || !session || !grant || session.expiresAt <= iso(at)) return undefined
        if (row.successor !== null || !isSameClient(grant, proven) || session.dpopKey !== proven.dpopKey) {
          sessions.remove(tx, session.sessionId)
          return undefined
        }
        if (!isOpen(tx, session.did)) return undefined
        const refreshToken = randomId() + randomId()
        sessions.rotateRefreshToken(tx, {
          sessionId: session.sessionId,
          jti,
          successor: refreshId(refreshToken),
          graceUntil: iso(new Date(at.getTime() + rememberedMs)),
        })
        const expiresAt =
          grant.clientKey === null ? session.expiresAt : iso(new Date(at.getTime() + confidentialMs))
        sessions.extend(tx, session, iso(at), expiresAt)
        return { did: session.did, sessionId: session.sessionId, scope: grant.scope, refreshToken }
      })
      if (!issued) throw refused('The refresh token is not valid')
      return respond(issued)
    },

    /** Ends the grant of a token, if it belongs to the client (RFC 7009). */
    async revoke(proven: Omit<ProvenClient, 'dpopKey'>, token: string): Promise<void> {
      const accessToken = await tokens.verify(token, { acceptExpired: true }).catch(() => undefined)
      await store.transact((tx) => {
        const sessionId = accessToken?.sid ?? sessions.findRefreshToken(tx, refreshId(token))?.sessionId
        const grant = sessionId === undefined ? undefined : rows.findGrant(tx, sessionId)
        if (grant && isSameClient(grant, proven)) sessions.remove(tx, grant.sessionId)
      })
    },
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
      expiresAt: iso(new Date(at.getTime() + lifetime)) as DatetimeString,
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
    return { did: grant.did, sessionId, scope: grant.scope, refreshToken }
  }
}

export type TokenGrants = ReturnType<typeof createTokenGrants>

/** Whether a client is the one of a request or grant. One that has a key of its own must use the same key. */
function isSameClient(
  one: { readonly clientId: string; readonly clientKey: string | null },
  { client, clientKey }: Omit<ProvenClient, 'dpopKey'>,
): boolean {
  return one.clientId === client.id && one.clientKey === clientKey
}

function refused(message: string): OAuthError {
  return new OAuthError('invalid_grant', message)
}
