/**
 * Finds the session of a token. The token proves to whom it was issued; the session row shows whether it was revoked. A session
 * row is cached until a transaction writes to its tables, so it is never stale.
 */
import { LRUCache } from 'lru-cache'
import { protocolError } from '../../platform/xrpc/xrpc-errors.ts'
import type { Database } from '../../store/database.ts'
import * as accounts from '../../store/tables/accounts.ts'
import { upToEntries } from '../../util/entry-limit.ts'
import * as sessions from '../tables/sessions.ts'
import { tokenRefusal } from './authorization.ts'
import { TokenError, type Tokens, type VerifiedToken } from './tokens.ts'

interface Deps {
  readonly store: Database
  readonly tokens: Tokens
}

export interface SessionLookup {
  /** Verifies a token and returns its claims. @throws XrpcError `InvalidToken`, `ExpiredToken` */
  verify(token: string, options?: { acceptExpired?: boolean }): Promise<VerifiedToken>
  /** Returns the open session of a token. @throws XrpcError `ExpiredToken`, `AccountNotFound` */
  openSession(claims: VerifiedToken): sessions.OpenSession
  /** Returns a session as the store has it now, also within a transaction; undefined if it has ended. */
  find(id: string): sessions.OpenSession | undefined
}

const maxCached = 10_000

export function createSessionLookup({ store, tokens }: Deps): SessionLookup {
  const openSessions = new LRUCache<string, { version: number; session: sessions.OpenSession }>(
    upToEntries(maxCached),
  )

  function find(id: string): sessions.OpenSession | undefined {
    const version = store.version(...sessions.openSessionTables)
    const cached = openSessions.get(id)
    if (cached?.version === version) return cached.session
    const session = sessions.findOpen(store, id)
    if (session) openSessions.set(id, { version, session })
    else openSessions.delete(id)
    return session
  }

  return {
    find,

    async verify(token, options) {
      try {
        return await tokens.verify(token, options)
      } catch (error) {
        throw error instanceof TokenError ? tokenRefusal(error.reason) : error
      }
    },

    openSession({ sid, sub }) {
      const session = find(sid)
      if (session?.did === sub) return session
      if (accounts.findByDid(store, sub)) throw protocolError('ExpiredToken', 'Token has been revoked')
      throw protocolError('AccountNotFound', 'The account of this token no longer exists')
    },
  }
}
