/**
 * From a token to its session. A token proves who it was issued to; the session row says whether it still holds: a token whose
 * session has ended is refused at once. A session row is cached until a transaction writes to its tables, so the cache is never
 * older than the store.
 */
import { LRUCache } from 'lru-cache'
import type { Database } from '../store/database.ts'
import * as accounts from '../store/tables/accounts.ts'
import * as sessions from '../store/tables/sessions.ts'
import { protocolError } from '../xrpc/errors.ts'
import { tokenRefusal } from './authorization.ts'
import { TokenError, type Tokens, type VerifiedToken } from './tokens.ts'

interface Deps {
  readonly store: Database
  readonly tokens: Tokens
}

export interface SessionLookup {
  /** The claims of a token. @throws XrpcError `InvalidToken`, `ExpiredToken` */
  verify(token: string, options?: { acceptExpired?: boolean }): Promise<VerifiedToken>
  /** The open session of a token. @throws XrpcError `ExpiredToken`, `AccountNotFound` */
  openSession(claims: VerifiedToken): sessions.OpenSession
}

const maxCached = 10_000

export function createSessionLookup({ store, tokens }: Deps): SessionLookup {
  const openSessions = new LRUCache<string, { version: number; session: sessions.OpenSession }>({
    max: maxCached,
  })

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
      throw protocolError('AccountNotFound', 'The account of this token does not exist any more')
    },
  }
}
