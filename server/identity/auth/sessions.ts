/**
 * Opens sessions, and builds the session part of responses. `session-lookup.ts` finds the session of a token, `tokens.ts` signs and verifies it,
 * `passwords.ts` hashes in the threads of `hash-pool.ts`.
 */

import type { DidString } from '@atproto/syntax'
import type { Config } from '../../platform/config/config.ts'
import type { Writer } from '../../store/database.ts'
import { activity } from '../../store/tables/account-status.ts'
import type { Account } from '../../store/tables/accounts.ts'
import * as clock from '../../store/tables/clock.ts'
import { randomId } from '../../util/random.ts'
import { type DatetimeString, iso } from '../../util/time.ts'
import { sessionDocument } from '../accounts/did-status.ts'
import type { ResolveDid } from '../did/resolver.ts'
import * as sessions from '../tables/sessions.ts'
import type { Scope } from './scopes.ts'
import { refreshLifetimeSeconds, type Tokens } from './tokens.ts'

interface Deps {
  readonly config: Pick<Config, 'plcUrl'>
  readonly tokens: Tokens
  readonly resolveDid: ResolveDid
  readonly origin: string
}

/** The claims from which the two tokens of a session are signed. */
export interface IssuedSession {
  readonly did: DidString
  readonly sessionId: string
  readonly scope: Scope
  readonly refreshJti: string
}

export interface SessionOpening {
  readonly did: DidString
  readonly scope: Scope
  readonly appPasswordName: string | null
  readonly client: string | undefined
  /** Its permissions as OAuth scopes; null: all that its scope permits. */
  readonly permissions: string | null
}

/** Inserts a session. An app password that opened it counts as used. */
export function openSession(tx: Writer, opening: SessionOpening, now: Date): IssuedSession {
  const id = randomId()
  const refreshJti = randomId()
  const at = iso(now)
  const session = {
    id,
    did: opening.did,
    scope: opening.scope,
    appPasswordName: opening.appPasswordName,
    client: opening.client ?? null,
    createdAt: at,
    lastUsedAt: at,
    expiresAt: refreshExpiry(tx, now),
    oldTokenUsedAt: null,
    permissions: opening.permissions,
    dpopKey: null,
  }
  sessions.insert(tx, session, refreshJti)
  if (opening.appPasswordName !== null) sessions.touch(tx, id, at)
  return { did: opening.did, sessionId: id, scope: opening.scope, refreshJti }
}

/** Returns the expiry of a refresh token that is issued now. If the clock is behind, the newest trusted time counts. */
export function refreshExpiry(tx: Writer, now: Date): DatetimeString {
  const issuedAt = Math.max(now.getTime(), clock.find(tx).trustedAt ?? 0)
  return iso(new Date(issuedAt + refreshLifetimeSeconds * 1000))
}

export async function signTokens(
  { tokens }: Pick<Deps, 'tokens'>,
  { did, sessionId, scope, refreshJti }: IssuedSession,
): Promise<{ accessJwt: string; refreshJwt: string }> {
  const [accessJwt, refreshJwt] = await Promise.all([
    tokens.sign('access', { did, sessionId, scope, jti: randomId() }),
    tokens.sign('refresh', { did, sessionId, scope: 'com.core.refresh', jti: refreshJti }),
  ])
  return { accessJwt, refreshJwt }
}

/** Returns the account fields of createSession, refreshSession and getSession. */
export async function accountView(deps: Omit<Deps, 'tokens'>, account: Account) {
  return {
    did: account.did,
    handle: account.handle,
    didDoc: await sessionDocument(deps, account),
    ...(account.email === null
      ? {}
      : {
          email: account.email,
          emailConfirmed: account.emailConfirmedAt !== null,
          emailAuthFactor: account.emailAuthFactor === 1,
        }),
    ...activity(account),
  }
}
